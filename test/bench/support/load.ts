import { cpu } from './figures.ts'
import { Wire } from './wire.ts'

/** A server that is asked. */
export interface Target {
  pid: number
  url: string
}

/**
 * Throughput of repeating connections until the time is up or `once` is exhausted: responses a second, latencies, and
 * server time for each in microseconds.
 */
export async function load(
  { pid, url }: Target,
  clients: number,
  seconds: number,
  once: (wire: Wire, n: number) => Promise<unknown> | undefined,
) {
  const wires = await Promise.all(Array.from({ length: clients }, () => Wire.open(url)))
  const [started, before] = [performance.now(), cpu(pid)]
  const end = started + seconds * 1000
  const samples: number[] = []
  let count = 0
  const client = async (wire: Wire): Promise<void> => {
    for (let since = performance.now(); since < end; ) {
      const answer = once(wire, count++)
      if (!answer) return
      await answer
      const now = performance.now()
      samples.push(now - since)
      since = now
    }
  }
  await Promise.all(wires.map(client))
  const micros = ((cpu(pid) - before) * 1000) / samples.length
  for (const wire of wires) wire.close()
  return { rate: samples.length / ((performance.now() - started) / 1000), micros, samples }
}

const TURNS = 10

/**
 * One who is asked for one thing, and the result of it: how long answers took, and the processor's time for one; in ms.
 */
export interface Measured {
  samples: number[]
  own: number
}

/** Asks several for one thing each, in turns, so that whatever else continues disturbs all of them alike. */
export async function inTurns(
  targets: readonly (Target & { path: string; token?: string })[],
  times: number,
): Promise<Measured[]> {
  const wires = await Promise.all(targets.map(({ url }) => Wire.open(url)))
  const measured = targets.map((): Measured => ({ samples: [], own: 0 }))
  for (let turn = -1; turn < TURNS; turn++) {
    for (const [at, { pid, path, token }] of targets.entries()) {
      const [wire, measurement] = [wires[at], measured[at]]
      if (!wire || !measurement) continue
      const before = cpu(pid)
      const samples = await timed(wire, path, times / TURNS, token)
      if (turn < 0) continue
      measurement.samples.push(...samples)
      measurement.own += (cpu(pid) - before) / times
    }
  }
  for (const wire of wires) wire.close()
  return measured
}

/** Asks so many times, one after the other; how long each answer took. */
export async function timed(wire: Wire, path: string, times: number, token?: string): Promise<number[]> {
  const samples: number[] = []
  for (let n = 0; n < times; n++) {
    const started = performance.now()
    const { status } = await wire.ask('GET', path, undefined, token)
    samples.push(performance.now() - started)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
  }
  return samples
}

/** Time answers take at one question a millisecond, one after the other: what a loop that stalls makes late. */
export async function poll(wire: Wire, path: string, seconds: number): Promise<number[]> {
  const samples: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await Bun.sleep(1)) {
    samples.push(...(await timed(wire, path, 1)))
  }
  return samples
}
