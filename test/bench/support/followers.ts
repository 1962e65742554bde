import { cpu, say } from './figures.ts'
import type { Target } from './load.ts'
import { Wire } from './wire.ts'

/** Events a second. */
export const RATE = 50
/** An event that takes long does not keep the next from its time; each in its turn, as one left idle is closed. */
const WIRES = 64

/** Follows a city; `onBytes` gets what is sent as it comes. */
export async function follow(url: string, city: string, onBytes?: (bytes: Buffer) => void): Promise<{ close(): void }> {
  const { hostname, port, host } = new URL(url)
  const opened = Promise.withResolvers<void>()
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, bytes) {
        opened.resolve()
        onBytes?.(bytes)
      },
      error: (_, error) => opened.reject(error),
    },
  })
  socket.write(`GET ${city}/events/stream HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`)
  await opened.promise
  return { close: () => socket.end() }
}

const MARK = /"message":"@([\d.]+);/g

/**
 * Records events at a steady rate, each with the time of the call, to so many followers of which every `each`th is read
 * closely; how long each event took to those, and what the server's processor spent on one, in microseconds.
 */
export async function measure({ pid, url }: Target, city: string, subscribers: number, each: number, seconds: number) {
  const samples: number[] = []
  const read = (bytes: Buffer) => {
    const now = performance.now()
    for (const [, sent] of bytes.toString('latin1').matchAll(MARK)) samples.push(now - Number(sent))
  }
  const open = Array.from({ length: subscribers }, (_, n) => follow(url, city, n % each === 0 ? read : undefined))
  const followers = await Promise.all(open)
  const wires = await Promise.all(Array.from({ length: WIRES }, () => Wire.open(url)))
  const free = [...wires]
  const emit = async (): Promise<void> => {
    const wire = free.shift()
    if (!wire) throw new Error(`${url} takes less than ${RATE} events a second`)
    const body = { type: 'bench.tick', actor: 'bench', message: `@${performance.now()};` }
    await wire.json('POST', `${city}/events`, body)
    free.push(wire)
  }
  await emit()
  await Bun.sleep(500)
  samples.length = 0
  const started = performance.now()
  const before = { ours: cpu(pid), own: cpu(process.pid) }
  const failed: unknown[] = []
  for (let n = 0; n < RATE * seconds && failed.length === 0; n++) {
    await Bun.sleep(Math.max(0, started + (n * 1000) / RATE - performance.now()))
    emit().catch((error) => failed.push(error))
  }
  await Bun.sleep(300)
  if (failed.length > 0) throw failed[0]
  const lasted = performance.now() - started
  const share = (of: number, since: number) => ((cpu(of) - since) / lasted) * 100
  const core = share(pid, before.ours)
  const micros = ((cpu(pid) - before.ours) * 1000) / (RATE * seconds)
  say(`  ${subscribers} followers: this client used ${share(process.pid, before.own).toFixed(0)} % of a core`)
  for (const one of followers) one.close()
  for (const wire of wires) wire.close()
  const expected = RATE * seconds * Math.ceil(subscribers / each)
  return { samples, core, micros, missing: expected - samples.length }
}
