import { at, cpu, ms, say, Table, whole } from './support/figures.ts'
import { STATED } from './support/history.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * How long an event takes from the call that records it to those who follow the city, each on a connection of its own;
 * the way on to disk is part of it. `bun test/bench/sse.bench.ts [subscribers]`.
 */

const MANY = Number(process.argv[2] ?? 1000)
const RATE = 50
const SECONDS = 10
/** Of many followers only every so many is read closely: reading all would cost more than sending to them. */
const EACH = 10
/** An event that takes long does not keep the next from its time. */
const WIRES = 64

const fail = (why: unknown): never => {
  say(String(why))
  process.exit(1)
}

interface Heard {
  close(): void
  frames: number
}

/** Follows a city; `hear` gets the bytes as they come. */
async function follow(url: string, city: string, hear?: (bytes: Buffer) => void): Promise<Heard> {
  const { hostname, port, host } = new URL(url)
  const opened = Promise.withResolvers<void>()
  const heard: Heard = { frames: 0, close: () => socket.end() }
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, bytes) {
        opened.resolve()
        hear?.(bytes)
        heard.frames++
      },
      error: (_, thrown) => opened.reject(thrown),
    },
  })
  socket.write(`GET ${city}/events/stream HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`)
  await opened.promise
  return heard
}

const MARK = /"message":"@([\d.]+);/g

/** Records events at a steady rate, each with the moment of the call; how long each took to each close reader. */
async function measure(town: Town, city: string, subscribers: number, each: number) {
  const samples: number[] = []
  const read = (bytes: Buffer) => {
    const now = performance.now()
    for (const [, sent] of bytes.toString('latin1').matchAll(MARK)) samples.push(now - Number(sent))
  }
  const open = Array.from({ length: subscribers }, (_, n) => follow(town.url, city, n % each === 0 ? read : undefined))
  const followers = await Promise.all(open)
  const wires = await Promise.all(Array.from({ length: WIRES }, () => Wire.open(town.url)))
  const free = [...wires]
  const emit = async (): Promise<void> => {
    const wire = free.pop() ?? fail(`the city records less than ${RATE} events a second`)
    const body = { type: 'bench.tick', actor: 'bench', message: `@${performance.now()};` }
    await wire.json('POST', `${city}/events`, body)
    free.push(wire)
  }
  await emit()
  await Bun.sleep(500)
  samples.length = 0
  const started = performance.now()
  const before = { ours: cpu(town.pid), own: cpu(process.pid) }
  for (let n = 0; n < RATE * SECONDS; n++) {
    await Bun.sleep(Math.max(0, started + (n * 1000) / RATE - performance.now()))
    emit().catch(fail)
  }
  await Bun.sleep(300)
  const lasted = performance.now() - started
  const share = (pid: number, since: number) => ((cpu(pid) - since) / lasted) * 100
  const core = share(town.pid, before.ours)
  say(`  ${subscribers} followers: this client used ${share(process.pid, before.own).toFixed(0)} % of a core`)
  for (const one of followers) one.close()
  for (const wire of wires) wire.close()
  const expected = RATE * SECONDS * Math.ceil(subscribers / each)
  return { samples, core, missing: expected - samples.length }
}

await using town = await Town.open()
await town.aged({ wide: { size: STATED } })
const city = '/v0/city/wide'
const table = new Table()
const few = await measure(town, city, 10, 1)
const figure = (samples: number[]) => `p50 ${ms(at(samples, 0.5))}, p99 ${ms(at(samples, 0.99))}`
table.row('call → 10 followers', figure(few.samples), 'p50 < 3 ms', at(few.samples, 0.5) < 3)
table.row('  frames that did not come', whole(few.missing), '0', few.missing === 0)
const many = await measure(town, city, MANY, EACH)
table.row(`call → ${whole(MANY)} followers`, figure(many.samples), 'p50 < 15 ms', at(many.samples, 0.5) < 15)
table.row('  frames that did not come', whole(many.missing), '0', many.missing === 0)
table.row('  the server', `${many.core.toFixed(0)} % of a core`, '≤ 60 %', many.core <= 60)
table.print(`events at ${RATE} a second after ${whole(STATED.events)} others, from the call to those who follow`)
