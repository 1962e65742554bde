import { Argument, type Command } from 'commander'
import { findPage, PAGES } from '../../src/manual/pages.ts'
import type { CommandContext } from '../context/context.ts'
import { findCommand } from '../io/command-line.ts'
import { notFound } from '../io/exit.ts'
import type { Io } from '../io/io.ts'

/** `gc help`: the help of a command, or a page of the manual. */
export function helpCommand(program: Command, { io }: CommandContext): void {
  const width = Math.max(...PAGES.map(({ topic }) => topic.length)) + 2
  const titles = PAGES.map(({ topic, about }) => `  ${topic.padEnd(width)}${about}`)
  program
    .command('help')
    .description('show help for a command, or a page of the manual')
    .addArgument(new Argument('[topic...]', 'command, or a topic below'))
    .addHelpText('after', `\nTopics:\n${titles.join('\n')}`)
    .action((given: string[]) => {
      const words = given[0] === program.name() ? given.slice(1) : given
      const [first, ...rest] = words
      if (first === undefined) return program.outputHelp()
      const page = findPage(first)
      const command = findInner(program, words)
      if (page !== undefined && (rest.length === 0 || !command)) {
        const text = render(page.markdown, io)
        return io.out(command ? `${text}\n\`gc ${first} --help\` shows the options of the command.\n` : text)
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

/** Columns of a page where output is not a terminal. */
const USUAL_WIDTH = 100

/** A page as text for this terminal; links to other pages become the command that prints them. */
const render = (markdown: string, { width = USUAL_WIDTH, colour }: Io): string =>
  Bun.markdown.ansi(
    unwrap(markdown)
      .replace(/\[([^\]]+)\]\(#[^)]*\)/g, '$1')
      .replace(/<picture>[\s\S]*?<\/picture>/g, '')
      .replace(/\[([^\]]+)\]\(([a-z-]+)\.md(?:#[^)]*)?\)/g, (_, text: string, topic: string) =>
        text.toLowerCase().replaceAll(' ', '-') === topic ? `\`gc help ${topic}\`` : `${text} (\`gc help ${topic}\`)`,
      ),
    { columns: Math.min(width, 120), colors: colour },
  )

/** Joins the lines of paragraphs and list items, which the terminal wraps again; code and tables stay as they are. */
const unwrap = (markdown: string): string =>
  markdown
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : part.replace(/(?<=[^\n|])\n *(?=[^\s|#>-])(?!\d+\. )/g, ' ')))
    .join('')
