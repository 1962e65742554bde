import { readdirSync, readFileSync } from 'node:fs'
import { bootId } from '../../core/boot-id.ts'
import { nextTick } from '../../core/event-loop.ts'
import { parsePs, parseStat } from './parse.ts'
import type { Process } from './process-info.ts'

const SLICE = 100

/**
 * The processes of this machine. A listing that failed throws: it never reads as "nothing runs".
 * Callers that ask while a listing is under way share the next one, which begins after they asked.
 */
export class ProcessTable {
  #running: Promise<Process[]> | undefined
  #next: Promise<Process[]> | undefined

  list(): Promise<Process[]> {
    if (!this.#running) return this.#begin()
    this.#next ??= this.#running.then(
      () => this.#begin(),
      () => this.#begin(),
    )
    return this.#next
  }

  #begin(): Promise<Process[]> {
    this.#next = undefined
    const listing = list().then(checkListing)
    this.#running = listing
    const clear = () => {
      if (this.#running === listing) this.#running = undefined
    }
    listing.then(clear, clear)
    return listing
  }
}

/** A listing without the one who lists is not a listing. */
function checkListing(processes: Process[]): Process[] {
  if (processes.some(({ pid }) => pid === process.pid)) return processes
  throw new Error('the system listed processes without this one: its listing cannot be believed')
}

const list = (): Promise<Process[]> => (process.platform === 'linux' ? listProc() : listPs())

async function listProc(): Promise<Process[]> {
  const processes: Process[] = []
  const pids = readdirSync('/proc').filter((name) => name >= '1' && name < ':')
  for (let at = 0; at < pids.length; at += SLICE) {
    if (at > 0) await nextTick()
    for (const pid of pids.slice(at, at + SLICE)) {
      const one = readStat(pid)
      if (one) processes.push(one)
    }
  }
  return processes
}

function readStat(pid: number | string): Process | undefined {
  const text = readProcFile(`/proc/${pid}/stat`)
  return text === undefined ? undefined : parseStat(text, bootId())
}

/** A file of /proc; undefined when its process is gone or not ours to look at. */
function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return undefined
    throw error
  }
}

const PS = ['ps', '-axww', '-o', 'pid=,ppid=,pgid=,tpgid=,tty=,stat=,lstart=,comm=']
const PS_ENV = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' }

async function listPs(): Promise<Process[]> {
  const ps = Bun.spawn(PS, { stdout: 'pipe', stderr: 'ignore', stdin: 'ignore', env: PS_ENV })
  const [text, code] = await Promise.all([ps.stdout.text(), ps.exited])
  if (code !== 0) throw new Error(`ps could not list the processes (exit ${code})`)
  return parsePs(text)
}

/** One process as it is at this moment; undefined when it is gone. */
export function readProcess(pid: number): Process | undefined {
  if (process.platform === 'linux') return readStat(pid)
  const ps = Bun.spawnSync([...PS, '-p', String(pid)], { env: PS_ENV })
  return parsePs(ps.stdout.toString()).find((one) => one.pid === pid)
}

/** True if what has the first start began before what has the other; false when that cannot be told. */
export function isOlder(started: string, other: string): boolean {
  if (process.platform !== 'linux') return false
  const [boot, ticks] = started.split('.')
  const [otherBoot, otherTicks] = other.split('.')
  return boot === otherBoot && Number(ticks) < Number(otherTicks)
}

/** True if a process descends from another one. */
export function isDescendantOf(pid: number, ancestor: number): boolean {
  for (let one = readProcess(pid); one && one.pid > 1; one = readProcess(one.parent)) {
    if (one.parent === ancestor) return true
  }
  return false
}

/** The environment a process was started with, as `NAME=value` lines; undefined where the system does not show it. */
export function environmentOf(pid: number): ReadonlySet<string> | undefined {
  if (process.platform !== 'linux') return undefined
  const text = readProcFile(`/proc/${pid}/environ`)
  return text ? new Set(text.split('\0')) : undefined
}

/** The command line of a process for people, cut to a line; what `listed` says where the system does not show it. */
export function commandLine({ pid, command }: Pick<Process, 'pid' | 'command'>): string {
  if (process.platform !== 'linux') return command
  const text = readProcFile(`/proc/${pid}/cmdline`)
  return (text?.replaceAll('\0', ' ').trim() || command).slice(0, 200)
}
