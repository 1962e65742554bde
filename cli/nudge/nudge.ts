import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { defineNudge } from '../session/message.ts'

/** Messages to sessions, under the name that prompts and hooks use. */
export function nudgeCommand(program: Command, context: CommandContext): void {
  const command = program.command('nudge')
  defineNudge(command, context)
  for (const verb of ['drain', 'poll']) {
    command
      .command(verb, { hidden: true })
      .description('nothing to do: gc delivers messages')
      .argument('[session]')
      .option('--inject', 'accepted')
      .option('--hook-format <program>', 'accepted')
      .action(() => {})
  }
}
