import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'

export const say = (line: string): void => void process.stdout.write(`${line}\n`)
export const whole = (number: number): string => Math.round(number).toLocaleString('en')
export const ms = (number: number): string => `${number.toFixed(number < 10 ? 2 : number < 100 ? 1 : 0)} ms`

/** The value below which a share of the samples lies. */
export function at(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (samples: readonly number[]): number => at(samples, 0.5)

export const both = (samples: readonly number[]): string => `p50 ${ms(at(samples, 0.5))}, p99 ${ms(at(samples, 0.99))}`

/** Latency of responses, up to the slowest. */
export const late = (samples: readonly number[]): string =>
  `${both(samples)}, p99.9 ${ms(at(samples, 0.999))}, worst ${ms(Math.max(...samples))}`

/** Figures beside their targets, printed at the end; one that misses its target makes the process fail. */
export class Table {
  readonly #rows: string[][] = []

  /** `met` is undefined where there is no target, or where this machine cannot measure it. */
  row(what: string, figure: string, target = '', met?: boolean): void {
    this.#rows.push([what, figure, target, met === undefined ? '' : met ? 'met' : 'MISSED'])
    if (met === false) process.exitCode = 1
  }

  print(title: string): void {
    const rows = [['what', 'figure', 'target', ''], ...this.#rows]
    const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
    const load = loadavg()[0] ?? 0
    say(`\n${title} (load ${load.toFixed(1)} on ${availableParallelism()} cores)`)
    for (const row of rows) say(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
  }
}

const fields = (pid: number): string[] => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []

/** Processor time of a process so far, in milliseconds; it comes in steps of 10. */
export function cpu(pid: number): number {
  const own = fields(pid)
  return (Number(own[11]) + Number(own[12])) * 10
}

/** A number that grows when a child of the process has ended and was waited for: each child has page faults. */
export const reaped = (pid: number): number => Number(fields(pid)[8]) + Number(fields(pid)[10])

/** The processes that a process has started and that still run. */
export const children = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) => childrenOf(`/proc/${pid}/task/${task}/children`))

function childrenOf(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    // The thread has ended since it was listed.
    return []
  }
}

/** Megabytes of memory: all that is resident, and what of it belongs to no file. */
export function memory(pid: number): { resident: number; own: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024
  return { resident: of('VmRSS'), own: of('RssAnon') }
}

/** Megabytes that processes hold together: what they share, such as the pages of their program, is counted once. */
export function together(...pids: readonly number[]): number {
  const shares = pids.map((pid) =>
    Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]),
  )
  return shares.reduce((sum, share) => sum + share, 0) / 1024
}

/** Waits until a process has stopped working on its own, for a minute at most. */
export async function calm(pid: number): Promise<void> {
  const end = performance.now() + 60_000
  for (let quiet = 0; quiet < 2 && performance.now() < end; ) {
    const before = cpu(pid)
    await Bun.sleep(500)
    quiet = cpu(pid) - before <= 10 ? quiet + 1 : 0
  }
}

/**
 * Waits until a process only waits itself, for three minutes at most: the runtime looks through the heap every second until
 * that has stood still for half a minute.
 */
export async function atRest(pid: number): Promise<void> {
  const woken = () =>
    Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  const end = performance.now() + 180_000
  for (let before = -10; woken() - before > 2 && performance.now() < end; ) {
    before = woken()
    await Bun.sleep(5_000)
  }
}

/** Looks every few milliseconds until something holds; how long that took. */
export async function took(holds: () => Promise<boolean> | boolean, bound = 30_000, every = 2): Promise<number> {
  const started = performance.now()
  while (!(await holds())) {
    if (performance.now() - started > bound) throw new Error(`it did not come about within ${bound} ms`)
    await Bun.sleep(every)
  }
  return performance.now() - started
}
