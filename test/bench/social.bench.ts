/**
 * What lists, feeds, searches, votes and posts cost in a network of a million posts (the first argument says how many):
 * every page of the hot feed, and a search for any word, rare or common. The client is this process.
 */
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { systemClock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import type { AgentCaller } from '../../src/server/caller.ts'
import { socialMigrations } from '../../src/social/migrations.ts'
import { Network } from '../../src/social/network.ts'
import { controversy, hot, rising, spanOf } from '../../src/social/posts/ranks.ts'
import { tempFolder } from '../support/folder.ts'

const POSTS = Number(process.argv[2] ?? 1_000_000)
const AGENTS = 5_000
const SUBMOLTS = 500
const TARGETS = { page: 5, search: 10 }
const YEAR = 365 * 86_400_000

const say = (line: string) => void process.stdout.write(`${line}\n`)

/** Numbers that look random and are the same in every run. */
let state = 1
function roll(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}

/** A word: the lower its number, the more often it is said. */
const word = (): string => `w${Math.floor(20_000 * (roll(1_000_000) / 1_000_000) ** 3)}`
const words = (count: number): string => Array.from({ length: count }, word).join(' ')

function fill(path: string): void {
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA synchronous = OFF')
  db.run('PRAGMA cache_size = -400000')
  for (const sql of socialMigrations) db.run(sql)
  db.run(`PRAGMA user_version = ${socialMigrations.length}`)
  const now = Date.now()
  db.run('BEGIN')
  const agent = db.prepare(
    `INSERT INTO agents (id, name, handle, likeness, display_name, description, metadata, created_at, updated_at, last_active_at)
     VALUES (?1, ?1, ?1, ?1, ?1, '', '{}', 0, 0, 0)`,
  )
  for (let at = 0; at < AGENTS; at++) agent.run(`agent${at}`)
  const submolt = db.prepare(
    `INSERT INTO submolts (id, name, display_name, description, created_at, updated_at, last_activity_at)
     VALUES (?1, ?1, ?1, '', 0, 0, 0)`,
  )
  for (let at = 0; at < SUBMOLTS; at++) submolt.run(`submolt${at}`)
  const post = db.prepare(
    `INSERT INTO posts (id, submolt, author, title, content, score, upvotes, downvotes, hot, rising, controversy, span, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  for (let at = 0; at < POSTS; at++) {
    const created = now - Math.floor(((POSTS - at) / POSTS) * YEAR)
    const [upvotes, downvotes] = [roll(roll(200) + 1), roll(20)]
    const tally = { score: upvotes - downvotes, upvotes, downvotes }
    const ranks = [hot(tally, created, now), rising(tally, created, now), controversy(tally)] as const
    const place = Math.floor(SUBMOLTS * (roll(1_000) / 1_000) ** 2) + 1
    post.run(
      `post${at}`,
      place,
      roll(AGENTS) + 1,
      words(6),
      words(20),
      tally.score,
      upvotes,
      downvotes,
      ...ranks,
      spanOf(created, now),
      created,
      created,
    )
  }
  const follow = db.prepare('INSERT OR IGNORE INTO follows VALUES (1, ?, 0)')
  for (let at = 0; at < 300; at++) follow.run(roll(AGENTS - 2) + 2)
  const subscribe = db.prepare('INSERT OR IGNORE INTO subscriptions VALUES (1, ?, 0)')
  for (let at = 0; at < 100; at++) subscribe.run(roll(SUBMOLTS) + 1)
  db.run('COMMIT')
  db.close(true)
}

/** How long each of some runs took, in milliseconds: the middle one, the slowest hundredth, and the processor's mean. */
async function measure(name: string, target: number | undefined, runs: number, run: (at: number) => Promise<unknown>) {
  const times: number[] = []
  const before = process.cpuUsage()
  for (let at = 0; at < runs; at++) {
    const start = performance.now()
    await run(at)
    times.push(performance.now() - start)
  }
  const { user, system } = process.cpuUsage(before)
  times.sort((one, other) => one - other)
  const [half, late] = [times[Math.floor(runs / 2)] ?? 0, times[Math.floor(runs * 0.99)] ?? 0]
  const verdict = target === undefined ? '' : late < target ? `ok, below ${target} ms` : `NOT below ${target} ms`
  const [middle, slow, cpu] = [half, late, (user + system) / 1000 / runs].map((ms) => `${ms.toFixed(2).padStart(7)} ms`)
  say(`${name.padEnd(44)} p50 ${middle}  p99 ${slow}  cpu ${cpu}  ${verdict}`)
}

const folder = tempFolder()
const path = join(folder.path, 'social.db')
const begun = performance.now()
fill(path)
say(
  `${POSTS} posts, ${(Bun.file(path).size / 2 ** 30).toFixed(2)} GB, written in ${Math.round((performance.now() - begun) / 1000)} s`,
)

const many = { count: 1_000_000, window: 60_000 }
const limits = { general: many, post: many, comment: many, vote: many, follow: many, submolt: many, register: many }
const deadlines = new Deadlines()
const network = Network.open({
  path,
  clock: systemClock,
  deadlines,
  settings: { limits },
  report: (thrown) => say(String(thrown)),
})
const caller: AgentCaller = { kind: 'agent', n: 1, id: 'agent0', name: 'agent0' }

/** Walks a list from page to page, from its beginning again when it ends. */
function walker(
  list: (query: { sort: string; cursor?: string; t?: string }) => Promise<{ next_cursor: string | null }>,
  sort: string,
  t = 'all',
) {
  let cursor: string | null = null
  return async () => {
    const page = await list({ sort, t, ...(cursor !== null && { cursor }) })
    cursor = page.next_cursor
  }
}

for (const sort of ['hot', 'new', 'top', 'rising', 'controversial']) {
  await measure(
    `${sort}, page after page`,
    TARGETS.page,
    400,
    walker((query) => network.posts.list(caller, query), sort),
  )
}
await measure(
  'top of the month, page after page',
  TARGETS.page,
  400,
  walker((query) => network.posts.list(caller, query), 'top', 'month'),
)
const deep = Buffer.from(JSON.stringify({ k: 'posts.all.hot', at: [Date.now() / 45_000_000 - 400, 0, 0] })).toString(
  'base64url',
)
await measure('hot, the middle of the list', TARGETS.page, 400, () =>
  network.posts.list(caller, { sort: 'hot', cursor: `v1:${deep}` }),
)
await measure(
  'hot of one submolt',
  TARGETS.page,
  400,
  walker((query) => network.posts.ofSubmolt(caller, 'submolt0', query), 'hot'),
)
await measure('top by one author', TARGETS.page, 400, (at) =>
  network.posts.list(caller, { sort: 'top', author: `agent${at}` }),
)
for (const sort of ['hot', 'top']) {
  await measure(
    `feed by ${sort}, of 300 agents and 100 submolts`,
    TARGETS.page,
    200,
    walker((query) => network.posts.feed(caller, query), sort),
  )
}
await measure('search, the commonest word', TARGETS.search, 200, () => network.search.find(caller, { q: 'w0' }))
await measure('search, words as they are said', TARGETS.search, 200, () => network.search.find(caller, { q: word() }))
await measure('search, two words', TARGETS.search, 200, () => network.search.find(caller, { q: `${word()} ${word()}` }))
await measure('search, a rare word', TARGETS.search, 200, (at) => network.search.find(caller, { q: `w${19_000 + at}` }))
await measure('a vote, on disk', undefined, 300, (at) =>
  network.votes.toggle(caller, 'post', `post${at * 3}`, 1).catch(() => {}),
)
await measure('a post, on disk', undefined, 300, () =>
  network.posts.create(caller, { submolt: 'general', title: words(6), content: words(20) }),
)
const voting = performance.now()
await Promise.all(
  Array.from({ length: 2_000 }, (_, at) =>
    network.votes.toggle(caller, 'post', `post${POSTS - 1 - at}`, 1).catch(() => {}),
  ),
)
say(`${Math.round(2_000_000 / (performance.now() - voting))} votes/s, 2,000 at once`)
await network.close()
deadlines.close()
folder[Symbol.dispose]()
