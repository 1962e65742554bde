import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Env, readSupervisorFile, resolveHome } from '../../src/client/home.ts'
import { showHidden } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { program as gc } from '../context/version.ts'
import { Exit } from '../io/exit.ts'
import type { Io } from '../io/io.ts'
import { confineDefaultCommands } from './default.ts'
import { confineExplainCommand } from './explain.ts'
import { confineLoginCommand } from './login.ts'

interface Confine {
  read?: string[]
  write?: string[]
  port?: number[]
  host?: string[]
  network: 'session' | 'hosts' | 'open'
}

const collectPort = (text: string, ports: readonly number[] = []): number[] => {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) throw new InvalidArgumentError('It must be 1 to 65535.')
  return [...ports, port]
}

const collect = (text: string, texts: readonly string[] = []): string[] => [...texts, text]

const collectPath = (text: string, paths: readonly string[] = []): string[] => [...paths, resolve(text)]

/** Defines the command that runs a program as confined sessions run. */
export function confineCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('confine')
    .helpCommand(false)
    .description('run a command in a sandbox that writes only here')
    .argument('<command...>', 'command and arguments, after --')
    .option('--read <path>', 'file or folder it may also read; may be repeated', collectPath)
    .option('--write <path>', 'file or folder it may also change; may be repeated', collectPath)
    .option('--port <port>', 'local port it may connect to; may be repeated', collectPort)
    .option('--host <host>', 'host it may reach, such as *.example.com:8443; may be repeated', collect)
    .addOption(
      new Option('--network <reach>', 'hosts: registries and --host; session: own ports; open: all')
        .choices(['hosts', 'session', 'open'])
        .default('hosts'),
    )
    .action((argv: string[], options: Confine) => confine(context, argv, options))
  confineExplainCommand(command, context)
  confineDefaultCommands(command, context)
  confineLoginCommand(command, context)
}

/** The port at which the supervisor of this home is looked for, if it has said where. */
function portOfSupervisor(env: Env): number[] {
  const url = readSupervisorFile(resolveHome(env))?.url ?? ''
  return URL.canParse(url) ? [Number(new URL(url).port)].filter((port) => port > 0) : []
}

/** Folders a command may read and change; inside a sandboxed session, at most those of the session. */
async function placesOf({ cwd, env }: Io, { read = [], write = [] }: Confine) {
  const { certificatePlaces } = await import('../../src/host/confine/start/certificates.ts')
  const { outerSession } = await import('../../src/host/confine/outer.ts')
  const wanted = { cwd, read, write, certificates: certificatePlaces(env) }
  const { commandPlaces, placesWithin } = await import('../../src/agents/confinement/command-places.ts')
  if (outerSession()) return placesWithin(wanted)
  const { cityFolders } = await import('../../src/supervisor/databases.ts')
  const gcHomes = [...new Set([resolveHome(env), join(homedir(), '.gc')])]
  const registered = gcHomes.flatMap((home) => cityFolders(join(home, 'supervisor.db')))
  const cities = [...registered, ...(env.GC_CITY ? [env.GC_CITY] : [])]
  return commandPlaces(wanted, { gcHomes, cities })
}

async function confine({ io }: CommandContext, argv: string[], options: Confine): Promise<void> {
  const { runHere, allowingOptions } = await import('../../src/host/confine/start/run-here.ts')
  const code = await runHere({
    ...(await placesOf(io, options)),
    ...{
      network: options.network,
      hosts: options.host,
      ports: options.port,
      reserved: portOfSupervisor(io.env),
    },
    ...{ gc, argv, cwd: io.cwd, env: io.env },
    onDenial: (denial) => {
      const { call, target, isNew } = denial
      const options = allowingOptions(denial)
      const advice = options === undefined ? '' : `; ${showHidden(options)} allows it`
      if (isNew) io.err(`gc confine: denied ${call} ${showHidden(target)}${advice}\n`)
    },
  })
  if (code !== 0) throw new Exit(code)
}
