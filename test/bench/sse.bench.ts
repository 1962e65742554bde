import { bareServer } from './support/bare.ts'
import { at, ms, Table, whole } from './support/figures.ts'
import { follow, measure, RATE } from './support/followers.ts'
import { STATED } from './support/history.ts'
import { Town } from './support/town.ts'

/**
 * Time an event takes from the call that records it to those who follow the city, each on a connection of its own; the
 * way on to disk is part of it. Beside it a bare server that sends the same frames to as many at the same rate, and
 * keeps nothing. `bun test/bench/sse.bench.ts [subscribers]`.
 */

const MANY = Number(process.argv[2] ?? 1000)
const SECONDS = 10
/** Interval of closely read followers: reading all would cost more than sending to them. */
const EACH = 10
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
  const than = await measure(bare, city, count, each, SECONDS)
  const { samples, core, missing } = await measure(town, city, count, each, SECONDS)
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
