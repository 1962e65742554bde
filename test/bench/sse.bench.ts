import { bareServer } from './support/bare.ts'
import { at, cpu, ms, say, Table, whole } from './support/figures.ts'
import { STATED } from './support/history.ts'
import type { Target } from './support/load.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * How long an event takes from the call that records it to those who follow the city, each on a connection of its own;
 * the way on to disk is part of it. Beside it a bare server that sends the same frames to as many at the same rate, and
 * keeps nothing. `bun test/bench/sse.bench.ts [subscribers]`.
 */

const MANY = Number(process.argv[2] ?? 1000)
const RATE = 50
const SECONDS = 10
/** Of many followers only every so many is read closely: reading all would cost more than sending to them. */
const EACH = 10
/** An event that takes long does not keep the next from its time; each in its turn, as one left idle is closed. */
const WIRES = 64

interface Reader {
  close(): void
  frames: number
}

/** Follows a city; `hear` gets the bytes as they come. */
async function follow(url: string, city: string, hear?: (bytes: Buffer) => void): Promise<Reader> {
  const { hostname, port, host } = new URL(url)
  const opened = Promise.withResolvers<void>()
  const reader: Reader = { frames: 0, close: () => socket.end() }
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, bytes) {
        opened.resolve()
        hear?.(bytes)
        reader.frames++
      },
      error: (_, error) => opened.reject(error),
    },
  })
  socket.write(`GET ${city}/events/stream HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`)
  await opened.promise
  return reader
}

const MARK = /"message":"@([\d.]+);/g

/** Records events at a steady rate, each with the moment of the call; how long each took to each close reader. */
async function measure({ pid, url }: Target, city: string, subscribers: number, each: number) {
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
  for (let n = 0; n < RATE * SECONDS && failed.length === 0; n++) {
    await Bun.sleep(Math.max(0, started + (n * 1000) / RATE - performance.now()))
    emit().catch((error) => failed.push(error))
  }
  await Bun.sleep(300)
  if (failed.length > 0) throw failed[0]
  const lasted = performance.now() - started
  const share = (of: number, since: number) => ((cpu(of) - since) / lasted) * 100
  const core = share(pid, before.ours)
  say(`  ${subscribers} followers: this client used ${share(process.pid, before.own).toFixed(0)} % of a core`)
  for (const one of followers) one.close()
  for (const wire of wires) wire.close()
  const expected = RATE * SECONDS * Math.ceil(subscribers / each)
  return { samples, core, missing: expected - samples.length }
}

/** The bytes of an event as the city sends it. */
async function frameOf(town: Town, city: string): Promise<string> {
  const sent = Promise.withResolvers<string>()
  const read = (bytes: Buffer) => {
    const [frame] = /id: \d+\nevent: event\ndata: .*bench\.tick.*\n\n/.exec(bytes.toString('utf8')) ?? []
    if (frame) sent.resolve(frame)
  }
  const follower = await follow(town.url, city, read)
  const body = { type: 'bench.tick', actor: 'bench', message: '@0;' }
  await town.once((wire) => wire.json('POST', `${city}/events`, body))
  const frame = await sent.promise
  follower.close()
  return frame
}

await using town = await Town.open()
await town.aged({ wide: { size: STATED } })
const city = '/v0/city/wide'
await using bare = await bareServer('{}', await frameOf(town, city))
const table = new Table()

async function followers(count: number, each: number, most: number): Promise<void> {
  const than = await measure(bare, city, count, each)
  const { samples, core, missing } = await measure(town, city, count, each)
  const ratio = (share: number) => `${(at(samples, share) / at(than.samples, share)).toFixed(1)} ×`
  const p50 = at(samples, 0.5)
  const figure = `p50 ${ms(p50)}, p99 ${ms(at(samples, 0.99))} (${ratio(0.5)} and ${ratio(0.99)} bare)`
  table.row(`call → ${whole(count)} followers`, figure, `p50 < ${most} ms`, p50 < most)
  table.row('  frames that did not come', whole(missing), '0', missing === 0)
  const share = `${core.toFixed(0)} % of a core, ${(core / than.core).toFixed(2)} × bare`
  table.row('  the server', share, '≤ 60 %', core <= 60)
}

await followers(10, 1, 3)
await followers(MANY, EACH, 15)
table.print(`events at ${RATE} a second after ${whole(STATED.events)} others, from the call to those who follow`)
