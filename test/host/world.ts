import { join } from 'node:path'
import { systemClock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { connectToHosts, type HostClient } from '../../src/host/client/host-client.ts'
import { launchHost } from '../../src/host/client/launch.ts'
import { environmentOf, ProcessTable, readProcess } from '../../src/host/process/process-table.ts'
import { HostPaths } from '../../src/host/protocol/host-paths.ts'
import type { Exit, StartSpec } from '../../src/host/protocol/session.ts'
import { type TempFolder, tempFolder } from '../support/folder.ts'

/** The command that starts a host: the built binary if there is one, else this source tree. */
export const launch = process.env.GC_BINARY
  ? [process.env.GC_BINARY, 'host']
  : [process.execPath, join(import.meta.dir, 'gc-host.ts')]

/** A separate `GC_HOME` with its own host process. */
export interface HostWorld extends AsyncDisposable {
  readonly folder: TempFolder
  readonly home: string
  readonly deadlines: Deadlines
  /** A supervisor's connection; the first session starts a host when none is running. */
  connect(more?: { build?: string; env?: Record<string, string> }): Promise<HostClient>
  /** Starts a host before any session does. */
  launch(env?: Record<string, string>): Promise<void>
}

export function hostWorld({ home = 'home' }: { home?: string } = {}): HostWorld {
  const folder = tempFolder()
  const deadlines = new Deadlines()
  const hosts: HostClient[] = []
  return {
    folder,
    home: folder.at(home),
    deadlines,
    async connect({ build, env = {} } = {}) {
      const options = { home: folder.at(home), launch, clock: systemClock, deadlines, env: { ...process.env, ...env } }
      const host = await connectToHosts({ ...options, ...(build && { build }) })
      hosts.push(host)
      return host
    },
    async launch(env = {}) {
      await launchHost(new HostPaths(folder.at(home), 'dev'), launch, { ...process.env, ...env }, deadlines)
    },
    async [Symbol.asyncDispose]() {
      const last = hosts.pop()
      for (const host of hosts) host.close()
      await last?.shutdown({ grace: 200 }).catch(() => {})
      for (const pid of await hostsOf(folder.at(home))) process.kill(pid, 'SIGKILL')
      deadlines.close()
      folder[Symbol.dispose]()
    },
  }
}

/** The hosts of a home that still run. */
async function hostsOf(home: string): Promise<number[]> {
  const processes = await new ProcessTable().list()
  const isHost = (environment: ReadonlySet<string> = new Set()) =>
    environment.has(`GC_HOME=${home}`) && [...environment].some((line) => line.startsWith('GC_HOST_BUILD='))
  return processes.flatMap(({ pid, zombie }) => (!zombie && isHost(environmentOf(pid)) ? [pid] : []))
}

/** A session under `key` whose environment contains only PATH. */
export const spec = (world: HostWorld, key: string, argv: string[], more: Partial<StartSpec> = {}): StartSpec => ({
  key,
  argv,
  cwd: world.folder.path,
  env: { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', HOME: world.folder.path },
  cols: 80,
  rows: 24,
  ...more,
})

export const sh = (world: HostWorld, key: string, script: string, more: Partial<StartSpec> = {}): StartSpec =>
  spec(world, key, ['sh', '-c', script], more)

/** The output of a session from `from` on, once `until` returns true for it; fails after 30 seconds. */
export async function output(
  host: HostClient,
  key: string,
  until: (text: string) => boolean,
  from: number | 'end' = 0,
): Promise<{ text: string; end: number; gaps: number }> {
  const late = AbortSignal.timeout(30_000)
  const stop = new AbortController()
  const chunks: Uint8Array[] = []
  let end = typeof from === 'number' ? from : 0
  let gaps = 0
  const text = () => Buffer.concat(chunks).toString()
  for await (const piece of host.follow(key, from, AbortSignal.any([late, stop.signal]))) {
    if ('gap' in piece) {
      gaps++
      end = piece.gap.to
      continue
    }
    chunks.push(piece.bytes)
    end = piece.offset + piece.bytes.length
    if (until(text())) stop.abort()
  }
  if (!until(text()))
    throw new Error(`${key} never wrote what was waited for, but ${JSON.stringify(text().slice(-500))}`)
  return { text: text(), end, gaps }
}

/** The exit of a session, once it is reported; fails after 15 seconds. */
export function exitOf(host: HostClient, key: string, ms = 15_000): Promise<Exit> {
  const { promise, resolve, reject } = Promise.withResolvers<Exit>()
  const late = AbortSignal.timeout(ms)
  late.addEventListener('abort', () => reject(new Error(`the exit of ${key} was not told in ${ms} ms`)))
  const stop = host.onExit((exit) => {
    if (exit.key === key) resolve(exit)
  })
  return promise.finally(stop)
}

/** True if a process exists and is not a zombie. */
export const alive = (pid: number): boolean => {
  const now = readProcess(pid)
  return now !== undefined && !now.zombie
}

/** Waits until a process is gone; fails after ten seconds. */
export async function gone(pid: number): Promise<void> {
  const until = performance.now() + 10_000
  while (alive(pid)) {
    if (performance.now() > until) throw new Error(`process ${pid} still runs`)
    await Bun.sleep(10)
  }
}

/** Waits until a condition holds; fails after ten seconds. */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 10_000
  while (!(await holds())) {
    if (performance.now() > until) throw new Error('it never came to be')
    await Bun.sleep(10)
  }
}
