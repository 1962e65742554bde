import type { Command } from 'commander'
import type { CommandContext } from './context/context.ts'
import { envelope } from './context/envelope.ts'
import { failure } from './io/exit.ts'
import { printJson, printLine } from './io/io.ts'

/** Commands for parts that gc does not have yet; each says so and changes nothing. */
const NOT_YET: Readonly<Record<string, string>> = {
  'agent-script': 'gc does not play agents from a script: give the agent a start_command of its own',
  prompt: 'gc does not write prompts: `gc prime <agent>` shows the one of an agent',
}

const DATA = 'gc looks after its data itself'

/** Commands for a storage or a runtime that gc does not have: there is nothing to do, and why. */
const NOTHING_TO_DO: Readonly<Record<string, string>> = {
  beads: DATA,
  'build-image': 'gc runs agents on this machine, without images',
  dolt: DATA,
  'dolt-cleanup': DATA,
  'dolt-config': DATA,
  'dolt-state': DATA,
}

/** The names that a pack of the city may take, since gc has nothing of its own under them. */
export const FALLBACKS: ReadonlySet<string> = new Set([...Object.keys(NOT_YET), ...Object.keys(NOTHING_TO_DO)])

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
  for (const [name, reason] of Object.entries(NOTHING_TO_DO)) {
    accepting(program, name, `nothing to do: ${reason}`).action(
      (_words: string[], _options: object, command: Command) =>
        printNothing(context, name, reason, command.args.includes('--json')),
    )
  }
}

function printNothing({ io }: CommandContext, name: string, reason: string, json = false): void {
  const message = `nothing to do for \`gc ${name}\`: ${reason}`
  if (json) printJson(io, envelope({ command: name, message, storage: 'sqlite' }))
  else printLine(io, message)
}
