import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { connectToHosts, type HostClient } from '../../src/host/client/host-client.ts'
import { tempFolder } from '../support/folder.ts'

/**
 * The session host: how long a byte takes from a program to an attached reader while 20 others write and one floods,
 * what 50 sessions cost in memory and, when nothing happens, in time, and how soon a new supervisor has adopted them.
 * `bun test/bench/host.bench.ts`; with `GC_BINARY` the host of the built binary.
 */

const SECONDS = 8
const BUSY = 20
const MANY = 50

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const MB = 1 << 20

const launch = process.env.GC_BINARY
  ? [process.env.GC_BINARY, 'host']
  : [process.execPath, join(import.meta.dir, '../host/gc-host.ts')]

const at = (samples: number[], share: number): string => {
  const sorted = samples.toSorted((a, b) => a - b)
  return `${(sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1)} ms`
}

const env = { PATH: process.env.PATH ?? '', TERM: 'xterm-256color' }
const program = (key: string, argv: string[]) => ({ key, argv, cwd: '/', env, cols: 120, rows: 40 })

/** Writes the time, again and again. */
const ticker = (every: number, tail: string) => [
  process.execPath,
  '-e',
  `setInterval(() => process.stdout.write('@' + (performance.timeOrigin + performance.now()) + ';${tail}'), ${every})`,
]

async function read(
  host: HostClient,
  key: string,
  signal: AbortSignal,
  hear: (bytes: Uint8Array) => void,
): Promise<void> {
  for await (const piece of host.follow(key, 'end', signal)) if ('bytes' in piece) hear(piece.bytes)
}

/** Ages of the times that a session writes, when they are read. */
async function ages(host: HostClient, key: string, signal: AbortSignal): Promise<number[]> {
  const samples: number[] = []
  await read(host, key, signal, (bytes) => {
    const now = performance.timeOrigin + performance.now()
    for (const [, time] of Buffer.from(bytes)
      .toString('latin1')
      .matchAll(/@([\d.]+);/g))
      samples.push(now - Number(time))
  })
  return samples
}

async function latency(host: HostClient): Promise<void> {
  await host.start(program('ticker', ticker(20, '')))
  const calm = await ages(host, 'ticker', AbortSignal.timeout(3_000))
  say(`byte to reader, alone: p50 ${at(calm, 0.5)}, p99 ${at(calm, 0.99)} (${calm.length} samples)`)
  const screen = `\\x1b[H${'\\x1b[32mline of a busy screen\\x1b[0m '.repeat(40)}`
  const busy = Array.from({ length: BUSY }, (_, n) => `busy${n}`)
  const painting = ['bash', '-c', `while :; do printf '${screen}'; sleep 0.1; done`]
  for (const key of busy) await host.start(program(key, painting))
  await host.start(program('flood', ['yes', 'a line of a program that floods its terminal']))
  const signal = AbortSignal.timeout(SECONDS * 1000)
  const others = [...busy, 'flood'].map((key) => read(host, key, signal, () => {}))
  const samples = await ages(host, 'ticker', signal)
  await Promise.all(others)
  const [status] = await host.status()
  say(
    `byte to reader, ${BUSY} busy and one flooding: p50 ${at(samples, 0.5)}, p99 ${at(samples, 0.99)} (${samples.length})`,
  )
  say(`the host's memory while it is flooded: ${((status?.memory ?? 0) / MB).toFixed(0)} MB`)
  await Promise.all([...busy, 'flood', 'ticker'].map((key) => host.end(key, { grace: 1_000 })))
}

const ticksOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

async function many(host: HostClient, again: () => Promise<HostClient>): Promise<void> {
  const [before] = await host.status()
  const began = performance.now()
  const full = `seq 1 300 | sed 's/$/ ${'x'.repeat(100)}/'; exec sleep 3600`
  for (let n = 0; n < MANY; n++) await host.start(program(`many${n}`, ['sh', '-c', full]))
  say(`start of a session: ${((performance.now() - began) / MANY).toFixed(1)} ms`)
  for (let n = 0; n < MANY; n++) await host.screen(`many${n}`)
  await Bun.sleep(3_000)
  const [after] = await host.status()
  const each = ((after?.memory ?? 0) - (before?.memory ?? 0)) / MANY / MB
  say(`memory: ${((before?.memory ?? 0) / MB).toFixed(0)} MB before, ${each.toFixed(2)} MB a session of ${MANY}`)
  const pid = after?.pid ?? 0
  const ticks = ticksOf(pid)
  await Bun.sleep(5_000)
  say(`idle with ${MANY} sessions: ${(((ticksOf(pid) - ticks) / 100 / 5) * 100).toFixed(2)} % of a core`)
  host.close()
  const adopting = performance.now()
  const next = await again()
  const adopted = await next.list()
  say(
    `adoption of ${adopted.filter(({ state }) => state === 'running').length}: ${(performance.now() - adopting).toFixed(0)} ms`,
  )
  const ending = performance.now()
  await next.shutdown({ grace: 2_000 })
  say(`end of all ${MANY}: ${(performance.now() - ending).toFixed(0)} ms`)
}

const deadlines = new Deadlines()
for (const measure of [latency, many]) {
  await using folder = tempFolder()
  const again = () => connectToHosts({ home: folder.at('home'), launch, clock: systemClock, deadlines })
  const host = await again()
  await measure(host, again)
  if (measure === latency) await host.shutdown()
}
deadlines.close()
