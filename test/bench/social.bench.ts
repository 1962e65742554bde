/**
 * Cost of lists, feeds, searches and writes in a network of 1,000,000 posts, 5,000,000 comments, 10,000,000 votes and
 * 200,000 agents, beside plain bun:sqlite with the same rows. `bun test/bench/social.bench.ts [share]`: a share below 1
 * makes a smaller network. One client is this process; 64 clients that read do so over HTTP, from the program in a
 * process of its own.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import type { Clock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import type { AgentCaller } from '../../src/http/caller.ts'
import { Network } from '../../src/social/network/network.ts'
import { POST_SORTS } from '../../src/social/posts/schema.ts'
import { tempFolder } from '../support/folder.ts'
import { UNLIMITED } from '../support/unlimited.ts'
import { bareComments, barePosts, bareSearch, bareSubmolts, type From, fromOf } from './support/bare-lists.ts'
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
import { at, both, ms, say, Table, whole } from './support/figures.ts'
import { load } from './support/load.ts'
import { dice, FOLLOWED, filledNetwork, SUBSCRIBED, wordOf, wordsOf } from './support/network-fill.ts'
import { KEY, ServedNetwork } from './support/served-network.ts'

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
/** Time 64 clients ask for one thing. */
const SECONDS_ASKED = 1
const TIMES = 300
/** Page number that counts as late. */
const LATE = 1_000

const table = new Table()
const random = dice(5)
using folder = tempFolder()
const home = folder.at('home')
mkdirSync(home, { mode: 0o700 })
const path = folder.at('home', 'social.db')
const newest = await filledNetwork(path, SIZE)
copyFileSync(path, folder.at('bare.db'))

/** It is the moment at which the network was made: none of it has aged. */
const started = performance.now()
const clock: Clock = { now: () => Math.round(newest + performance.now() - started), monotonic: () => performance.now() }
const deadlines = new Deadlines(clock)
const network = await Network.open({
  ...{ path, clock, deadlines, address: () => 'http://localhost' },
  settings: { limits: UNLIMITED },
  report: (error) => say(String(error)),
})
const bare = bareNetwork(folder.at('bare.db'))

const callerOf = (n: number): AgentCaller => ({ kind: 'agent', n, id: `agent${n}`, name: `agent${n}` })
const me = callerOf(1)

interface Samples {
  readonly taken: number[]
  /** Milliseconds of processor that each took: what others do on this machine is not in them. */
  readonly cpu: number[]
}

const processor = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function samplesOf(run: (turn: number) => unknown): Promise<Samples> {
  for (let turn = 0; turn < TIMES / 10; turn++) await run(turn)
  const [taken, cpu]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < TIMES; turn++) {
    const [begun, spent] = [performance.now(), processor()]
    await run(turn)
    taken.push(performance.now() - begun)
    cpu.push(processor() - spent)
  }
  return { taken, cpu }
}

/** Result of a run, with its processor time in milliseconds. */
async function cpuOf<Value>(run: () => Promise<Value>): Promise<{ value: Value; cpu: number }> {
  const before = processor()
  const value = await run()
  return { value, cpu: processor() - before }
}

/** One kind of reading, with what the bare database takes for the same rows. */
async function read(what: string, run: (turn: number) => unknown, target: number, raw?: (turn: number) => unknown) {
  const { taken, cpu } = await samplesOf(run)
  const [middle, late] = [at(taken, 0.5), at(taken, 0.99)]
  const bareMiddle = raw && at((await samplesOf(raw)).taken, 0.5)
  const share = bareMiddle === undefined ? '' : `, ${(bareMiddle / middle).toFixed(2)} of raw (${ms(bareMiddle)})`
  const figure = `${both(taken)}, cpu ${both(cpu)}${share}`
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

/** Requests of 64 clients, once nothing else runs. */
const requests: (readonly [what: string, path: (turn: number) => string])[] = []

/** A list at its beginning and far in. */
async function readList(
  what: string,
  query: string,
  list: (cursor?: string) => Promise<Listed>,
  raw: (from: From) => () => unknown,
) {
  const late = await lateCursor(list)
  for (const [page, cursor] of [[1, undefined] as const, [LATE, late] as const]) {
    const named = `${what}, ${page === 1 ? 'first page' : `page ${whole(page)}`}`
    await read(named, () => list(cursor), TARGETS.page, raw(fromOf(cursor)))
    const path = `/api/v1${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`
    requests.push([named, () => path])
  }
}

const more = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor })

for (const sort of POST_SORTS) {
  await readList(
    `posts by ${sort}`,
    `/posts?sort=${sort}`,
    async (cursor) => (await network.posts.list(me, { sort, ...more(cursor) })).value,
    (from) => barePosts(bare, 'all', sort, from),
  )
}
await readList(
  'top of the month',
  '/posts?sort=top&t=month',
  async (cursor) => (await network.posts.list(me, { sort: 'top', t: 'month', ...more(cursor) })).value,
  (from) => barePosts(bare, 'all', 'top', from, 'month'),
)
for (const sort of ['hot', 'top'] as const) {
  await readList(
    `one community by ${sort}`,
    `/submolts/submolt2/feed?sort=${sort}`,
    async (cursor) => (await network.posts.listBySubmolt(me, 'submolt2', { sort, ...more(cursor) })).value,
    (from) => barePosts(bare, ['submolt', 2], sort, from),
  )
  await readList(
    `one author by ${sort}`,
    `/posts?author=agent2&sort=${sort}`,
    async (cursor) => (await network.posts.list(me, { author: 'agent2', sort, ...more(cursor) })).value,
    (from) => barePosts(bare, ['author', 2], sort, from),
  )
}
for (const sort of POST_SORTS) {
  await readList(
    `feed of ${whole(FOLLOWED)} agents and ${SUBSCRIBED} communities by ${sort}`,
    `/feed?sort=${sort}`,
    async (cursor) => (await network.posts.feed(me, { sort, ...more(cursor) })).value,
    (from) => barePosts(bare, 'feed', sort, from),
  )
}
await readList(
  'communities',
  '/submolts?limit=1',
  (cursor) => network.submolts.list(me, { limit: 1, ...more(cursor) }),
  (from) => bareSubmolts(bare, from),
)
const busiest = bare
  .query<{ id: string; n: number }, []>('SELECT id, n FROM posts ORDER BY comment_count DESC LIMIT 1')
  .get() ?? { id: '', n: 0 }
for (const sort of ['top', 'new', 'controversial', 'best'] as const) {
  await readList(
    `comments of the busiest post by ${sort}`,
    `/posts/${busiest.id}/comments?sort=${sort}`,
    (cursor) => network.comments.list(me, busiest.id, { sort, ...more(cursor) }),
    (from) => bareComments(bare, busiest.n, sort, from),
  )
}

const matches = bareSearch(bare)
async function search(what: string, text: (turn: number) => string) {
  const texts = Array.from({ length: TIMES }, (_, turn) => text(turn))
  const textOf = (turn: number) => texts[turn % TIMES] ?? ''
  const find = (turn: number) => network.search.find(me, { q: textOf(turn) })
  await read(`search, ${what}`, find, TARGETS.search, (turn) => matches(textOf(turn)))
  requests.push([`search, ${what}`, (turn) => `/api/v1/search?q=${encodeURIComponent(textOf(turn))}`])
}
await search('the commonest word', () => 'w0')
await search('words as they are said', () => wordOf(random))
await search('two common words', () => 'w0 w1')
await search('two words as they are said', () => `${wordOf(random)} ${wordOf(random)}`)
await search('five words', () => 'w1 w30 w500 w2000 w9000')
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

bare.close(true)
await network.close()
deadlines.close()

await using served = await ServedNetwork.open(home)
for (const [what, path] of requests) {
  const { rate, micros, samples } = await load(served, CLIENTS, SECONDS_ASKED, async (wire, turn) => {
    const { status } = await wire.ask('GET', path(turn), undefined, KEY)
    if (status !== 200) throw new Error(`${path(turn)} answered ${status}`)
  })
  table.row(`${what}, ${CLIENTS} clients`, `${whole(rate)}/s, ${both(samples)}, cpu ${ms(micros / 1000)}`)
}

table.print(
  `the network: ${whole(SIZE.posts)} posts, ${whole(SIZE.comments)} comments, ${whole(SIZE.votes)} votes, ${whole(SIZE.agents)} agents`,
)
