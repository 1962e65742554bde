import type { Command } from 'commander'
import type { Here } from '../context/context.ts'
import { nudge } from './session-talk.ts'

/** Messages to sessions under the name that prompts and hooks of agent programs use. */
export function nudgeCommand(program: Command, here: Here): void {
  const command = program.command('nudge')
  nudge(command, here)
  for (const verb of ['drain', 'poll']) {
    command
      .command(verb, { hidden: true })
      .description('do nothing and succeed: gc types messages into the session itself')
      .argument('[session]')
      .option('--inject')
      .option('--hook-format <program>')
      .action(() => {})
  }
}
