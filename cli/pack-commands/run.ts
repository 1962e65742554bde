import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { constants as system } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { Client } from '../../src/client/client.ts'
import { resolveAccess, resolveHome } from '../../src/client/home.ts'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { PackCommand } from '../../src/config/packs/index.ts'
import { realPath } from '../context/context.ts'
import { loadOffline } from '../context/offline.ts'
import { program } from '../context/version.ts'
import { type Io, printLine } from '../io/io.ts'
import { timers } from '../io/timers.ts'
import { type CityCommands, loadPackCommands } from './load.ts'
import { matchCommand } from './match.ts'

const UNKNOWN = 2

type City = CityCommands['city']

/**
 * Runs a command of a pack of the city in a folder; returns its exit status, or undefined when no pack has the binding.
 * `reserved` are the names of gc's own commands.
 */
export async function runPackCommand(
  io: Io,
  folder: string,
  [binding = '', ...words]: readonly string[],
  reserved: ReadonlySet<string>,
): Promise<number | undefined> {
  const { city, commands: all, warnings } = await loadPackCommands(io, folder, reserved)
  const commands = all.filter((command) => command.binding === binding)
  if (commands.length === 0) return undefined
  for (const warning of warnings.filter((each) => each.includes(binding))) io.err(`gc: ${sanitizeLine(warning)}\n`)
  const match = matchCommand(commands, words)
  if (match.kind === 'run') return start(io, city, match.command, match.args)
  if (match.kind === 'help') {
    printHelp(io, match.command)
    return 0
  }
  if (match.kind === 'unknown') {
    io.err(`gc: unknown command '${sanitizeLine(words.join(' '))}' of ${binding}\n(gc ${binding} --help lists them)\n`)
    return UNKNOWN
  }
  printLine(io, `Commands of ${binding}:\n`)
  for (const line of describe(match.commands)) printLine(io, line)
  return 0
}

/** A line for each command: what to type, and what it does. */
export function describe(commands: readonly PackCommand[]): string[] {
  const called = commands.map(({ binding, words }) => ['gc', binding, ...words].join(' '))
  const wide = Math.max(...called.map((each) => each.length))
  return commands.map(({ description }, at) =>
    `  ${(called[at] ?? '').padEnd(wide)}  ${sanitizeLine(description)}`.trimEnd(),
  )
}

function printHelp(io: Io, { binding, words, description, help }: PackCommand): void {
  printLine(io, `Usage: gc ${[binding, ...words].join(' ')} [arguments]`)
  const text = help?.trim() || description
  if (text) printLine(io, `\n${sanitizeLines(text)}`)
}

/** Runs a script in the caller's folder, with its input and output. */
async function start(io: Io, city: City, command: PackCommand, args: readonly string[]): Promise<number> {
  await using token = await borrowToken(io, city, `command of ${command.binding}: ${command.words.join(' ')}`)
  const child = Bun.spawn([...argvOf(command.script), ...args], {
    cwd: io.cwd,
    env: { ...io.env, ...(await scriptEnvironment(io, city, command.pack)), ...token.identity },
    stdio: ['inherit', 'inherit', 'inherit'],
  })
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  for (const signal of FORWARDED) process.on(signal, forward)
  await child.exited
  for (const signal of FORWARDED) process.off(signal, forward)
  if (child.signalCode) return 128 + signalNumber(child.signalCode)
  return child.exitCode ?? 1
}

const signalNumber = (signal: string | number): number =>
  typeof signal === 'number' ? signal : (Object.entries(system.signals).find(([name]) => name === signal)?.[1] ?? 0)

/** Ctrl-c reaches the script automatically, which belongs to the same terminal. */
const FORWARDED = ['SIGTERM', 'SIGHUP'] as const

/** Command line of a script; one without its executable mode is run by a shell. */
export function argvOf(script: string): string[] {
  try {
    accessSync(script, constants.X_OK)
    return [script]
  } catch {
    return ['sh', script]
  }
}

/** Variables of a pack's script besides the inherited environment: `gc` and `bd` are on its path. */
export async function scriptEnvironment(
  io: Io,
  city: City,
  pack: PackCommand['pack'],
): Promise<Record<string, string>> {
  const { packScriptEnvironment } = await loadOffline()
  const home = resolveHome(io.env)
  const linked = join(home, 'bin', 'gc')
  const bin = existsSync(linked) ? linked : (program[0] ?? 'gc')
  const variables = packScriptEnvironment(pack, city, bin)
  const state = stateFolder(io, city, pack) ?? variables.GC_PACK_STATE_DIR ?? city.path
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const path = existsSync(linked) ? [join(home, 'bin'), io.env.PATH].filter(Boolean).join(delimiter) : io.env.PATH
  return {
    ...variables,
    GC_PACK_STATE_DIR: state,
    GC_HOME: home,
    ...(path && { PATH: path }),
    ...registeredName(io, city),
  }
}

/** State folder of a pack in a session, separate from its pack's; a sandboxed session has a private one. */
function stateFolder({ env }: Io, { path }: City, { name }: PackCommand['pack']): string | undefined {
  const { GC_SESSION_ID: session, GC_CITY_PATH: own = '', GC_PACK_STATE_DIR: state } = env
  return session && state && realPath(own) === realPath(path) ? join(dirname(state), name) : undefined
}

/** In a session the city has the name that it is registered under, whatever its files call it. */
function registeredName({ env }: Io, { path }: City): { GC_CITY_NAME?: string } {
  const { GC_CITY_PATH: own, GC_CITY_NAME: name } = env
  return own && name && realPath(own) === realPath(path) ? { GC_CITY_NAME: name } : {}
}

interface BorrowedToken extends AsyncDisposable {
  readonly identity: Record<string, string>
}

/**
 * A token of the script's own, which ends with it. A session's script keeps that of the session, and without a
 * supervisor there is none.
 */
export async function borrowToken(io: Io, city: City, name: string): Promise<BorrowedToken> {
  const none: BorrowedToken = { identity: {}, [Symbol.asyncDispose]: async () => {} }
  if (io.env.GC_TOKEN || io.env.GC_SESSION_ID) return none
  const ended = new AbortController()
  try {
    const client = new Client(resolveAccess(io.env), ended.signal)
    const { items } = await client.call('GET /v0/cities')
    const running = items.find(({ path, running }) => running && realPath(path) === realPath(city.path))
    if (!running) return none
    const frames = client
      .city(running.name)
      .follow('GET ~/command-token/stream', { query: { name: name.slice(0, 128) } }, { signal: ended.signal, timers })
    const first = await frames.next()
    if (first.done || first.value.event !== 'command_token') return none
    const { GC_URL, GC_TOKEN } = first.value.data
    const reading = readOn(frames)
    return {
      identity: { GC_URL, GC_TOKEN, GC_CITY_NAME: running.name },
      async [Symbol.asyncDispose]() {
        ended.abort()
        await reading
      },
    }
  } catch {
    ended.abort()
    return none
  }
}

/** Reads on, so that the stream stays open. */
async function readOn(frames: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of frames);
  } catch {
    // It was ended together with the script.
  }
}
