import type { Command } from 'commander'
import type { CommandContext } from './context/context.ts'
import { envelope } from './context/envelope.ts'
import { failure } from './io/exit.ts'
import { printJson, printLine } from './io/io.ts'

/** Commands that gc does not support: each fails with the alternative. */
const UNSUPPORTED: Readonly<Record<string, string>> = {
  'agent-script': 'gc does not play agents from a script: give the agent a start_command of its own',
  prompt: 'gc does not write prompts: `gc prime <agent>` shows the one of an agent',
}

const DATA = 'gc looks after its data itself'

/** Commands for a storage or a runtime that gc does not have: each succeeds with the reason why it does nothing. */
const NO_OPS: Readonly<Record<string, string>> = {
  beads: DATA,
  'build-image': 'gc runs agents on this machine, without images',
  dolt: DATA,
  'dolt-cleanup': DATA,
  'dolt-config': DATA,
  'dolt-state': DATA,
}

/** Names that packs of the city may take over, since gc does nothing under them. */
export const FALLBACKS: ReadonlySet<string> = new Set([...Object.keys(UNSUPPORTED), ...Object.keys(NO_OPS)])

export function unsupportedCommands(program: Command, context: CommandContext): void {
  for (const [name, sentence] of Object.entries(UNSUPPORTED)) {
    accepting(program, name, sentence).action(() => {
      throw failure(sentence)
    })
  }
  for (const [name, reason] of Object.entries(NO_OPS)) {
    accepting(program, name, `nothing to do: ${reason}`).action(
      (_words: string[], _options: object, command: Command) =>
        printReason(context, name, reason, command.args.includes('--json')),
    )
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

function printReason({ io }: CommandContext, name: string, reason: string, json = false): void {
  const message = `nothing to do for \`gc ${name}\`: ${reason}`
  if (json) printJson(io, envelope({ command: name, message, storage: 'sqlite' }))
  else printLine(io, message)
}
