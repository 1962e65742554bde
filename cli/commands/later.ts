import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

/** Commands for parts that gc does not have yet; each says so and changes nothing. */
const NOT_YET: Readonly<Record<string, string>> = {
  prompt: 'gc does not write prompts: `gc prime <agent>` shows the one of an agent',
}

/** Commands for a storage or a runtime that gc does not have: there is nothing to do, and that is what they say. */
const NOTHING_TO_DO = [
  'agent-script',
  'beads',
  'build-image',
  'dolt',
  'dolt-cleanup',
  'dolt-config',
  'dolt-state',
] as const

/** The names that a pack of the city may take, since gc has nothing of its own under them. */
export const FALLBACKS: ReadonlySet<string> = new Set([...Object.keys(NOT_YET), ...NOTHING_TO_DO])

export function laterCommands(program: Command): void {
  for (const [name, sentence] of Object.entries(NOT_YET)) {
    const group = accepting(program, name, sentence)
    group.action(() => {
      throw failure(sentence)
    })
  }
}

/** A command that takes any words and options. */
const accepting = (parent: Command, name: string, description: string): Command =>
  parent
    .command(name, { hidden: true })
    .description(description)
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)

export function storageCommands(program: Command, context: CommandContext): void {
  for (const name of NOTHING_TO_DO) {
    accepting(program, name, 'nothing to do: gc keeps its data in its own database').action(
      (_words: string[], _options: object, command: Command) =>
        printNothing(context, name, 'its data', command.args.includes('--json')),
    )
  }
}

function printNothing({ io }: CommandContext, name: string, what: string, json = false): void {
  const message = `nothing to do for \`gc ${name}\`: gc looks after ${what} itself`
  if (json) printJson(io, envelope({ command: name, message, storage: 'sqlite' }))
  else printLine(io, message)
}
