import { Argument, type Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import type { CommandContext } from '../context/context.ts'
import { isAnswering } from '../context/launch-supervisor.ts'
import { failure } from '../io/exit.ts'
import { printLine } from '../io/io.ts'

/** Defines the commands that say how agents are confined which do not say it themselves. */
export function confineDefaultCommands(confine: Command, context: CommandContext): void {
  confine
    .command('on')
    .description('sandbox agents by default, in all cities')
    .addArgument(
      new Argument('[mode]', 'default, or network for unrestricted network access')
        .choices(['default', 'network'])
        .default('default'),
    )
    .action((mode: 'default' | 'network') => choose(context, mode))
  confine
    .command('off')
    .description('run agents without a sandbox by default, in all cities')
    .action(() => choose(context, 'off'))
}

async function choose(context: CommandContext, mode: 'default' | 'network' | 'off'): Promise<void> {
  const { io } = context
  if (io.env.GC_SESSION_ID) throw failure('a session may not change how agents are sandboxed; ask the operator')
  const { writeDefaultMode } = await import('../../src/config/confinement/default-mode.ts')
  const home = resolveHome(io.env)
  writeDefaultMode(home, mode)
  printLine(io, `${home}/supervisor.toml says [confine] default = "${mode}".`)
  printLine(io, WORDS[mode])
  if (await isAnswering(context))
    printLine(io, 'This applies from the next start: `gc supervisor stop --keep-sessions`, then `gc supervisor start`.')
}

const CONFINED =
  'Agents run in a sandbox unless their configuration disables it, and every request needs a token. `gc agent list` shows agents that cannot start in one.'
const WORDS = {
  default: CONFINED,
  network: `${CONFINED} They reach every network.`,
  off: 'Only agents that declare a sandbox run in one. All others run with your permissions.',
}
