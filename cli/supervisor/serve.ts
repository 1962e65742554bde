import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_PORT, resolveHome } from '../../src/client/home.ts'
import type { Running } from '../../src/supervisor/serve.ts'
import type { CommandContext } from '../context/context.ts'
import { LOG_FILE } from '../context/launch-supervisor.ts'
import { collectList } from '../context/options.ts'
import { commit, program as ownProgram, version } from '../context/version.ts'
import { errorSentence } from '../io/describe-error.ts'
import { usageError } from '../io/exit.ts'
import { ignoreHangup } from '../io/hangup.ts'
import { type Io, printLine } from '../io/io.ts'
import { logFile } from '../logs/log-file.ts'
import { rememberLog } from '../logs/sources.ts'

interface Serve {
  home?: string
  host: string
  port: number
  /** Undefined where neither was said. */
  requireToken?: boolean
  readOnly?: true
  socialListen?: { host: string; port: number }
  publicListen?: { host: string; port: number }
  publicUrl?: string[]
  only?: 'social'
  readers: number
  log?: string
  allowHost?: string[]
  allowOrigin?: string[]
}

export const parsePort = (text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('It must be 0 to 65535.')
  return Number(text)
}

const parseAddress = (text: string): { host: string; port: number } => {
  const [, host, number] = /^(?:\[?([^\]]+)\]?:)?(\d{1,5})$/.exec(text) ?? []
  if (number === undefined)
    throw new InvalidArgumentError('It must be a port, or an address and a port: 127.0.0.1:8373.')
  return { host: host ?? '127.0.0.1', port: parsePort(number) }
}

const collectUrl = (text: string, urls: readonly string[] = []): string[] => {
  const isUrl = /^https?:\/\/[^/]+\/?$/.test(text) && URL.canParse(text)
  if (!isUrl) throw new InvalidArgumentError('It must be an address without a path: https://hooks.example.org.')
  return [...urls, text]
}

const parsePart = (text: string): 'social' => {
  if (text !== 'social') throw new InvalidArgumentError('It can be: social.')
  return text
}

const parseReaders = (text: string): number => {
  if (!/^\d{1,2}$/.test(text) || Number(text) > 64) throw new InvalidArgumentError('It must be 0 to 64.')
  return Number(text)
}

export const serveCommand = (program: Command, context: CommandContext): void =>
  defineServe(program.command('serve'), context)

/** Defines the command that runs the supervisor in the foreground. */
export function defineServe(command: Command, context: CommandContext): void {
  command
    .description('run the supervisor in the foreground')
    .option('--home <folder>', 'folder of gc’s own files; default is GC_HOME or ~/.gc')
    .option('--host <host>', 'host name or address to listen on', '127.0.0.1')
    .addOption(
      new Option('--port <port>', 'port to listen on; 0 for any free port')
        .argParser(parsePort)
        .default(DEFAULT_PORT)
        .env('GC_PORT'),
    )
    .option('--require-token', 'require a token on this machine; sandboxed agents imply it')
    .option('--no-require-token', 'accept requests without a token; starts no sandboxed agents')
    .option('--read-only', 'reject every change')
    .option('--social-listen <[address:]port>', 'separate address for the agents’ network', parseAddress)
    .option(
      '--public-listen <[address:]port>',
      'address for other machines: webhooks and direct services',
      parseAddress,
    )
    .option('--public-url <url>', 'public address behind a tunnel or proxy; may be repeated', collectUrl)
    .option('--only <part>', 'part to run: social', parsePart)
    .addOption(
      new Option('--readers <n>', 'processes for reads, 0 to 64; with --only social, on Linux')
        .argParser(parseReaders)
        .default(0),
    )
    .option('--log <file>', 'write the log to a file; a large one becomes <file>.old')
    .option('--allow-host <name>', 'another host name of this server; may be repeated', collectList)
    .option('--allow-origin <origin>', 'a site whose pages may call the API; may be repeated', collectList)
    .action((options: Serve) => serveUntilEnded(context, options, command))
}

async function serveUntilEnded({ io }: CommandContext, options: Serve, command: Command): Promise<void> {
  const { serve } = await import('../../src/supervisor/serve.ts')
  const write = options.log ? logFile(resolve(io.cwd, options.log)) : alsoLogged(io, options)
  const report = (message: string) => write(`${new Date().toISOString()} ${message}\n`)
  // An unexpected error is reported and survived, so that cities and their agents keep running.
  const reportUnexpected = (error: unknown) =>
    report(`unexpected error: ${error instanceof Error ? error.stack : String(error)}`)
  process.on('uncaughtException', reportUnexpected)
  process.on('unhandledRejection', reportUnexpected)
  if (options.only) return serveOnlySocial(io, options, report)
  if (options.readers > 0) throw usageError('--readers needs --only social')
  ignoreHangup()
  const starting = withSupervisorToml(io, options, command).then(({ settings, notices }) =>
    serve({ ...serveOptions(io, settings), notices, report }),
  )
  const running = await starting.catch((error: unknown) => {
    if (options.log) report(`could not start: ${errorSentence(error, io.env)}`)
    throw error
  })
  rememberLog(homeOf(io, options), options.log && resolve(io.cwd, options.log))
  printLine(
    io,
    `gc ${version} answers at ${running.url}; stop it with ctrl-c, and the agents run on, or \`gc down\` for all.`,
  )
  if (running.socialUrl === undefined)
    printLine(io, 'The agents’ network has no address here: give it one by --social-listen.')
  else if (running.isNetworkServed && running.socialUrl !== running.url)
    printLine(io, `The agents’ network answers at ${running.socialUrl}.`)
  if (running.publicUrl !== undefined)
    printLine(io, `Webhooks and direct services answer other machines at ${running.publicUrl}.`)
  const forget = endOnSignal(running, io.signal)
  await running.ended
  forget()
}

const homeOf = ({ env }: Io, { home }: Serve): string => resolve(home ?? resolveHome(env))

/** Writes to the terminal, and to the log of the home, where `gc logs` finds it. */
function alsoLogged(io: Io, options: Serve): (text: string) => void {
  const file = join(homeOf(io, options), LOG_FILE)
  let log: ((text: string) => void) | undefined
  return (text) => {
    io.err(text)
    if (!existsSync(dirname(file))) return
    log ??= logFile(file)
    log(text)
  }
}

/** Fills in from supervisor.toml whatever no flag sets; returns a warning for each key without effect. */
async function withSupervisorToml(
  io: Io,
  options: Serve,
  command: Command,
): Promise<{ settings: Serve; notices: readonly string[] }> {
  const { readSupervisorToml } = await import('../../src/config/confinement/default-mode.ts')
  const { listen, warnings } = readSupervisorToml(homeOf(io, options))
  const { port, host, allowHosts, allowOrigins } = listen
  const isDefault = (name: string) => command.getOptionValueSource(name) === 'default'
  const settings = {
    ...options,
    ...(port !== undefined && isDefault('port') && { port }),
    ...(host !== undefined && isDefault('host') && { host }),
    allowHost: [...(options.allowHost ?? []), ...allowHosts],
    allowOrigin: [...(options.allowOrigin ?? []), ...allowOrigins],
  }
  return { settings, notices: warnings }
}

const serveOptions = (io: Io, options: Serve) => ({
  home: homeOf(io, options),
  host: options.host,
  port: options.port,
  requireToken: options.requireToken,
  readOnly: options.readOnly ?? false,
  ...(options.socialListen && { social: options.socialListen }),
  ...(options.publicListen && { public: { ...options.publicListen, urls: options.publicUrl ?? [] } }),
  allowHosts: options.allowHost ?? [],
  allowOrigins: options.allowOrigin ?? [],
  program: ownProgram,
  version,
  build: commit,
  env: io.env,
})

async function serveOnlySocial(io: Io, options: Serve, report: (message: string) => void): Promise<void> {
  const { serveNetwork } = await import('../../src/supervisor/network.ts')
  const { host, port } = options.socialListen ?? options
  const allowHosts = options.allowHost ?? []
  const allowOrigins = options.allowOrigin ?? []
  const home = homeOf(io, options)
  const { readers } = options
  const network = await serveNetwork({
    ...{ home, host, port, allowHosts, allowOrigins, readers, program: ownProgram },
    ...{ env: io.env, report },
  })
  printLine(io, `gc ${version} answers at ${network.url}; stop it with ctrl-c.`)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const stop = () => network.stop().catch(report).finally(end)
  const forget = endOnSignal({ stop }, io.signal)
  await ended
  forget()
}

/** A signal stops the supervisor and leaves the agents to the host; a second one ends it immediately. */
function endOnSignal(running: Pick<Running, 'stop'>, interrupted: AbortSignal): () => void {
  let stopping = false
  const end = (signal: string) => {
    if (stopping) process.exit(1)
    stopping = true
    running.stop({ endSessions: false, signal }).catch(() => process.exit(1))
  }
  const onInterrupt = () => end('SIGINT')
  const signals = ['SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, end)
  interrupted.addEventListener('abort', onInterrupt, { once: true })
  return () => {
    for (const signal of signals) process.off(signal, end)
    interrupted.removeEventListener('abort', onInterrupt)
  }
}
