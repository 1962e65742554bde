import { Argument, type Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { findCommand } from '../io/command-line.ts'
import { notFound } from '../io/exit.ts'
import { TOPICS } from './topics.ts'

/** `gc help`: the help of a command, or what there is to know about a topic. */
export function helpCommand(program: Command, { io }: CommandContext): void {
  const titles = [...TOPICS].map(([name, text]) => `  ${name.padEnd(17)}${text.split('\n', 1)[0]}`)
  program.addHelpText('after', '\n`gc help getting-started` begins at the beginning; `gc help help` lists all topics.')
  program
    .command('help')
    .description('show the help of a command, or of a topic')
    .addArgument(new Argument('[topic...]', 'a command, or one of the topics below'))
    .addHelpText('after', `\nTopics:\n${titles.join('\n')}`)
    .action((given: string[]) => {
      const words = given[0] === program.name() ? given.slice(1) : given
      const [first, ...rest] = words
      if (first === undefined) return program.outputHelp()
      const topic = TOPICS.get(first)
      const command = findInner(program, words)
      if (topic !== undefined && (rest.length === 0 || !command)) {
        return io.out(command ? `${topic}\n\`gc ${first} --help\` shows the options of the command.\n` : topic)
      }
      if (!command) {
        throw notFound(
          'topic-not-found',
          `there is no command or topic ${words.join(' ')}; \`gc help help\` lists the topics`,
        )
      }
      command.outputHelp()
    })
}

/** The command that the words name from this one on. */
const findInner = (command: Command, words: readonly string[]): Command | undefined =>
  words.reduce<Command | undefined>((outer, word) => outer && findCommand(outer, word), command)
