/**
 * What lists, feeds, searches and writes cost in a network of 1,000,000 posts, 5,000,000 comments, 10,000,000 votes and
 * 200,000 agents; beside each what plain bun:sqlite takes for the same rows. `bun test/bench/social.bench.ts [share]`:
 * a share below 1 makes a smaller network. The client is this process.
 */
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { copyFileSync } from 'node:fs'
import type { Clock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import type { AgentCaller } from '../../src/server/caller.ts'
import { Network } from '../../src/social/network.ts'
import { runSql } from '../../src/social/posts/lists.ts'
import { POST_SORTS, type PostSort } from '../../src/social/posts/schema.ts'
import { WHOLE_POSTS, WITH_POSTS } from '../../src/social/posts/view.ts'
import { tempFolder } from '../support/folder.ts'
import {
  agentOf,
  type BareWrite,
  bareComment,
  bareNetwork,
  barePost,
  bareVote,
  bareWrites,
  famousOf,
} from './support/bare-network.ts'
import { at, ms, say, Table, whole } from './support/figures.ts'
import { dice, FOLLOWED, filledNetwork, SUBSCRIBED, wordOf, wordsOf } from './support/network-fill.ts'

const SHARE = Number(process.argv[2] ?? 1)
const scaled = (count: number): number => Math.round(count * SHARE)
const SIZE = {
  ...{ agents: scaled(200_000), submolts: 500 },
  ...{ posts: scaled(1_000_000), comments: scaled(5_000_000), votes: scaled(10_000_000) },
}
/** In milliseconds; raw is a share. */
const TARGETS = { page: 5, search: 10, raw: 0.5 }
const CLIENTS = 64
const SECONDS = 4
const TIMES = 300
/** Which page is called a late one. */
const LATE = 1_000

const table = new Table()
const random = dice(5)
using folder = tempFolder()
const path = folder.at('social.db')
const newest = await filledNetwork(path, SIZE)
copyFileSync(path, folder.at('bare.db'))

/** It is the moment at which the network was made: none of it has aged. */
const started = performance.now()
const clock: Clock = { now: () => Math.round(newest + performance.now() - started), monotonic: () => performance.now() }
const MANY = { count: 1_000_000, window: 60_000 }
const deadlines = new Deadlines(clock)
const network = Network.open({
  ...{ path, clock, deadlines },
  settings: {
    limits: { general: MANY, post: MANY, comment: MANY, vote: MANY, follow: MANY, submolt: MANY, register: MANY },
  },
  report: (thrown) => say(String(thrown)),
})
const bare = bareNetwork(folder.at('bare.db'))

const callerOf = (n: number): AgentCaller => ({ kind: 'agent', n, id: `agent${n}`, name: `agent${n}` })
const me = callerOf(1)

async function samplesOf(run: (turn: number) => unknown): Promise<number[]> {
  for (let turn = 0; turn < TIMES / 10; turn++) await run(turn)
  const samples: number[] = []
  for (let turn = 0; turn < TIMES; turn++) {
    const begun = performance.now()
    await run(turn)
    samples.push(performance.now() - begun)
  }
  return samples
}

/** What a run comes to, and the milliseconds of processor it took. */
async function cpuOf<Value>(run: () => Promise<Value>): Promise<{ value: Value; cpu: number }> {
  const before = process.cpuUsage()
  const value = await run()
  const { user, system } = process.cpuUsage(before)
  return { value, cpu: (user + system) / 1_000 }
}

/** One kind of reading, with what the bare database takes for the same rows. */
async function read(what: string, run: (turn: number) => unknown, target: number, raw?: (turn: number) => unknown) {
  const { value: samples, cpu: spent } = await cpuOf(() => samplesOf(run))
  const cpu = spent / (TIMES * 1.1)
  const [middle, late] = [at(samples, 0.5), at(samples, 0.99)]
  const bareMiddle = raw && at(await samplesOf(raw), 0.5)
  const share = bareMiddle === undefined ? '' : `, ${(bareMiddle / middle).toFixed(2)} of raw (${ms(bareMiddle)})`
  const figure = `p50 ${ms(middle)}, p99 ${ms(late)}, cpu ${ms(cpu)}${share}`
  table.row(what, figure, `p99 < ${target} ms`, late < target)
}

type Listed = { next_cursor: string | null }

/** The cursor of a late page, reached page by page; of the last one where there are fewer. */
async function lateCursor(list: (cursor?: string) => Promise<Listed>): Promise<string | undefined> {
  let cursor: string | undefined
  for (let page = 1; page < LATE; page++) {
    const next = (await list(cursor)).next_cursor
    if (next === null) break
    cursor = next
  }
  return cursor
}

/** A list at its beginning and far in. */
async function readList(what: string, list: (cursor?: string) => Promise<Listed>, raw?: (turn: number) => unknown) {
  await read(`${what}, first page`, () => list(), TARGETS.page, raw)
  const cursor = await lateCursor(list)
  await read(`${what}, page ${whole(LATE)}`, () => list(cursor), TARGETS.page)
}

const more = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })

/** The first page of a list by nothing but its statements. */
function bareList(db: Database, sort: PostSort): () => unknown {
  const heads = runSql('all', sort)
  const columns = heads.split('?').length - 1
  const spans = sort === 'top' || sort === 'controversial' ? [0, 1, 2, 3, 4, 5] : [undefined]
  const run = db.prepare<{ n: number }, SQLQueryBindings[]>(heads)
  const whole = db.prepare(
    `${WHOLE_POSTS} FROM json_each(?2) j CROSS JOIN posts p ON p.n = j.value ${WITH_POSTS} ORDER BY j.key`,
  )
  return () => {
    const places = spans.flatMap((span) => {
      const bounds = Array.from({ length: columns - 2 - (span === undefined ? 0 : 1) }, () => Number.MAX_SAFE_INTEGER)
      return run.all(...(span === undefined ? [] : [span]), ...bounds, 0, 26)
    })
    return whole.all(1, JSON.stringify(places.slice(0, 25).map(({ n }) => n)))
  }
}

for (const sort of POST_SORTS) {
  const list = (cursor?: string) => network.posts.list(me, { sort, ...more(cursor) })
  await readList(`posts by ${sort}`, list, bareList(bare, sort))
}
await readList('top of the month', (cursor) => network.posts.list(me, { sort: 'top', t: 'month', ...more(cursor) }))
for (const sort of ['hot', 'top'] as const) {
  await readList(`one community by ${sort}`, (cursor) =>
    network.posts.ofSubmolt(me, 'submolt2', { sort, ...more(cursor) }),
  )
  await readList(`one author by ${sort}`, (cursor) =>
    network.posts.list(me, { author: 'agent2', sort, ...more(cursor) }),
  )
}
for (const sort of POST_SORTS) {
  const feed = (cursor?: string) => network.posts.feed(me, { sort, ...more(cursor) })
  await readList(`feed of ${whole(FOLLOWED)} agents and ${SUBSCRIBED} communities by ${sort}`, feed)
}
await readList('communities', (cursor) => network.submolts.list(me, { limit: 1, ...more(cursor) }))
const busiest =
  bare.query<{ id: string }, []>('SELECT id FROM posts ORDER BY comment_count DESC LIMIT 1').get()?.id ?? ''
for (const sort of ['top', 'new', 'controversial', 'best']) {
  await readList(`comments of the busiest post by ${sort}`, (cursor) =>
    network.comments.list(me, busiest, { sort, ...more(cursor) }),
  )
}

const matches = bare.prepare<unknown, [string]>(
  'SELECT rowid FROM post_search WHERE post_search MATCH ? ORDER BY rowid DESC LIMIT 2000',
)
const search = (what: string, text: (turn: number) => string) =>
  read(
    `search, ${what}`,
    (turn) => network.search.find(me, { q: text(turn) }),
    TARGETS.search,
    (turn) => matches.all(text(turn)),
  )
await search('the commonest word', () => 'w0')
await search('words as they are said', () => wordOf(random))
await search('two common words', () => 'w0 w1')
await search('two words as they are said', () => `${wordOf(random)} ${wordOf(random)}`)
await search('a rare word', (turn) => `w${19_000 + turn}`)
await search('a word nobody said', (turn) => `nobody${turn}`)

/** Many clients, each waiting for its write before the next: writes a second, and how long each took. */
async function clients(count: number, write: (turn: number) => Promise<unknown>) {
  const end = performance.now() + SECONDS * 1_000
  const samples: number[] = []
  let turn = 0
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const begun = performance.now()
      await write(turn++)
      samples.push(performance.now() - begun)
    }
  }
  const { cpu } = await cpuOf(() => Promise.all(Array.from({ length: count }, client)))
  return { rate: samples.length / SECONDS, samples, cpu: cpu / samples.length }
}

async function write(what: string, one: (turn: number) => Promise<unknown>, raw: BareWrite, target?: number) {
  for (const count of [1, CLIENTS]) {
    const { rate, samples, cpu } = await clients(count, one)
    const { value: bareRate, cpu: bareCpu } = await cpuOf(async () => bareWrites(bare, raw, count, SECONDS))
    const share = rate / bareRate
    const figure = `${whole(rate)}/s, p50 ${ms(at(samples, 0.5))}, p99 ${ms(at(samples, 0.99))}, cpu ${ms(cpu)}`
    const hasTarget = target !== undefined && count > 1
    table.row(
      `${what}, ${count === 1 ? 'alone' : `${count} clients`}`,
      `${figure}, ${share.toFixed(2)} of raw (${whole(bareRate)}/s, cpu ${ms(bareCpu / bareRate / SECONDS)})`,
      hasTarget ? `≥ ${target} of raw` : '',
      hasTarget ? share >= target : undefined,
    )
  }
}

/** The name of a community by its number: the first is there from the beginning. */
const placeOf = (n: number): string => (n === 1 ? 'general' : `submolt${n}`)

let turns = 0
await write(
  'a vote, on disk',
  () => {
    const turn = turns++
    return network.votes
      .toggle(callerOf(agentOf(turn, SIZE.agents)), 'post', `post${famousOf(turn, SIZE.posts)}`, 1)
      .catch(() => {})
  },
  bareVote(SIZE),
  TARGETS.raw,
)
await write(
  'a post, on disk',
  (turn) =>
    network.posts.create(callerOf(agentOf(turn, SIZE.agents)), {
      submolt: placeOf(famousOf(turn, SIZE.submolts)),
      title: wordsOf(random, 6),
      content: wordsOf(random, 20),
    }),
  barePost(SIZE, random),
)
await write(
  'a comment, on disk',
  (turn) =>
    network.comments.create(callerOf(agentOf(turn, SIZE.agents)), `post${famousOf(turn, SIZE.posts)}`, {
      content: wordsOf(random, 12),
    }),
  bareComment(SIZE, random),
)

table.print(
  `the network: ${whole(SIZE.posts)} posts, ${whole(SIZE.comments)} comments, ${whole(SIZE.votes)} votes, ${whole(SIZE.agents)} agents`,
)
bare.close(true)
await network.close()
deadlines.close()
