import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { failure } from '../io/exit.ts'
import { confirm, printLine } from '../io/io.ts'

/** Defines the command that lets confined sessions use the login of their program. */
export function confineLoginCommand(confine: Command, context: CommandContext): void {
  confine
    .command('share-login')
    .description('share your login with sandboxed sessions of a provider')
    .argument('<provider>', 'the provider, such as claude')
    .option('--stop', 'remove the permission')
    .action(async (provider: string, { stop }: { stop?: true }, command: Command) => {
      const folder = await cityFolder(context, command.optsWithGlobals<{ city?: string }>().city)
      await share(context, folder, provider, !stop)
    })
}

/** Lets confined sessions of a provider read the login of its program. */
export async function shareLogin(
  context: CommandContext,
  path: string,
  provider: string,
  isQuiet = false,
): Promise<void> {
  await share(isQuiet ? context.printingTo({ ...context.io, out: () => {} }) : context, path, provider, true)
}

async function share(context: CommandContext, path: string, provider: string, isShared: boolean): Promise<void> {
  const { io } = context
  if (io.env.GC_SESSION_ID) throw failure('a session may not change what sandboxed sessions read; ask the operator')
  const { shareLoginOf } = await import('../../src/agents/confinement/offline-login.ts')
  const file = await shareLoginOf({ path, home: resolveHome(io.env), env: io.env }, provider, isShared)
  const reads = isShared ? 'read' : 'do not read'
  printLine(io, `Sandboxed sessions of ${provider} ${reads} ${file} from their next start.`)
  if (!isShared) return
  printLine(io, `${RISK} \`gc confine share-login ${provider} --stop\` ends that.`)
}

const RISK = 'Every program in a session can then read it and use your subscription until you log out.'

/** Asks whether a new agent may use the login of its program, or says what lets it, where no one said that yet. */
export async function offerLogin(context: CommandContext, path: string, agent: string): Promise<void> {
  const { io } = context
  const { unsharedLoginOf } = await import('../../src/agents/confinement/offline-login.ts')
  const login = unsharedLoginOf({ path, home: resolveHome(io.env), env: io.env }, agent)
  if (!login) return
  const { provider, file } = login
  io.err(`gc: its sessions are sandboxed and do not see your login, ${file}.\n`)
  if (!io.isInteractive) {
    io.err(`gc: \`gc confine share-login ${provider}\` lets them read it; with an API key they do not need it.\n`)
    return
  }
  const question = `${RISK} With a key of its API sessions do not need it.\nLet sessions of ${provider} read it in this city?`
  if (await confirm(io, question)) return share(context, path, provider, true)
  io.err(`gc: \`gc confine share-login ${provider}\` lets them later.\n`)
}
