import { Database } from 'bun:sqlite'
import { constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { socialMigrations } from '../../../src/social/network/migrations.ts'
import { ageClassOf, best, controversy, hot, rising } from '../../../src/social/posts/ranks.ts'
import { COPY_SQL } from '../../../src/social/search/index-rebuild.ts'
import { OLD_INDEXES, OLD_TRIGGERS } from '../../../src/social/search/old-indexes.ts'
import { say } from './figures.ts'

/** Size of a network. */
export interface Size {
  readonly agents: number
  readonly submolts: number
  readonly posts: number
  readonly comments: number
  readonly votes: number
}

/** Agents that agent 1 follows and its subscriptions, which make up its feed. */
export const FOLLOWED = 1_000
export const SUBSCRIBED = 100

const YEAR = 365 * 86_400_000
const SOURCE = `${import.meta.dir}/network-fill.ts`

/** Numbers that look random and are the same in every run. */
export function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A word: the lower its number, the more often it is said. */
export const wordOf = (random: () => number): string => `w${Math.floor(20_000 * random() ** 3)}`
export const wordsOf = (random: () => number, count: number): string =>
  Array.from({ length: count }, () => wordOf(random)).join(' ')

/** Puts a network of a size at `path`: made once for these sources, then copied. Returns the moment of its newest post. */
export async function filledNetwork(path: string, size: Size): Promise<number> {
  const made = [socialMigrations.join(), await Bun.file(SOURCE).text(), JSON.stringify(size)].join('\n')
  const folder = join(
    tmpdir(),
    `gc-bench-network-${new Bun.CryptoHasher('sha256').update(made).digest('hex').slice(0, 12)}`,
  )
  const cached = join(folder, 'social.db')
  if (!existsSync(cached)) {
    mkdirSync(folder, { recursive: true })
    const [begun, part] = [performance.now(), join(folder, `part-${process.pid}.db`)]
    rmSync(part, { force: true })
    fill(part, size)
    renameSync(part, cached)
    say(`made ${cached} in ${Math.round((performance.now() - begun) / 1000)} s`)
  }
  copyFileSync(cached, path, constants.COPYFILE_FICLONE)
  const db = new Database(path, { strict: true })
  const newest = db.query<{ at: number }, []>('SELECT max(created_at) AS at FROM posts').get()?.at ?? 0
  db.close(true)
  return newest
}

function fill(path: string, size: Size): void {
  const db = new Database(path, { create: true, strict: true })
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -400000', 'temp_store = MEMORY']) {
    db.run(`PRAGMA ${pragma}`)
  }
  for (const sql of socialMigrations) db.run(sql)
  for (const trigger of OLD_TRIGGERS) db.run(`DROP TRIGGER ${trigger}`)
  for (const index of OLD_INDEXES) db.run(`DROP TABLE ${index}`)
  db.run('DELETE FROM search_rebuilds')
  db.run(`PRAGMA user_version = ${socialMigrations.length}`)
  const dropped = [
    ...withoutIndexes(db, ['posts', 'comments', 'votes', 'follows']),
    ...withoutTriggers(db, ['agents', 'posts', 'comments']),
  ]
  new Filling(db, size).run()
  db.transaction(() => deriveAll(db, size))()
  for (const sql of dropped) db.run(sql)
  db.close(true)
}

/** Drops the indexes of some tables; what makes them again, sorted instead of row by row. */
const withoutIndexes = (db: Database, tables: readonly string[]): string[] => without(db, 'INDEX', tables, 'CREATE%')

/** Drops what each new row of some tables sets off, which takes longer than the row; what makes it again. */
const withoutTriggers = (db: Database, tables: readonly string[]): string[] =>
  without(db, 'TRIGGER', tables, '%AFTER INSERT%')

function without(db: Database, what: 'INDEX' | 'TRIGGER', tables: readonly string[], like: string): string[] {
  const rows = db
    .query<{ name: string; tbl_name: string; sql: string }, [string, string]>(
      'SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = ? AND sql LIKE ?',
    )
    .all(what.toLowerCase(), like)
    .filter(({ tbl_name }) => tables.includes(tbl_name))
  for (const { name } of rows) db.run(`DROP ${what} ${name}`)
  return rows.map(({ sql }) => sql)
}

/** Rows that triggers would have written, from all rows together. */
function deriveAll(db: Database, { agents, posts, comments }: Size): void {
  const lasts = [
    [COPY_SQL.agents, agents],
    [COPY_SQL.posts, posts],
    [COPY_SQL.titles, posts],
    [COPY_SQL.comments, comments],
  ] as const
  for (const [sql, last] of lasts) db.run(sql, [0, last])
  db.run('INSERT INTO post_weights SELECT n, score FROM posts WHERE score <> 0')
  db.run('INSERT INTO comment_weights SELECT n, score FROM comments WHERE score <> 0')
  db.run('UPDATE totals SET agents = ?, posts = ?, comments = ?', [agents, posts, comments])
}

/** Tallies by row number. */
class Tallies {
  readonly up: Int32Array
  readonly down: Int32Array

  constructor(count: number) {
    this.up = new Int32Array(count + 1)
    this.down = new Int32Array(count + 1)
  }

  of(n: number) {
    const [upvotes, downvotes] = [this.up[n] ?? 0, this.down[n] ?? 0]
    return { upvotes, downvotes, score: upvotes - downvotes }
  }
}

/**
 * A network as they grow: a few agents write most, a few posts get most of the votes, comments come while a post is
 * young. Every counter is what its rows say.
 */
class Filling {
  readonly #random = dice(1)
  readonly #now = Date.now()
  readonly #authors: Uint32Array
  readonly #places: Uint16Array
  readonly #speakers: Uint32Array
  readonly #on: Uint32Array
  readonly #parents: Uint32Array
  readonly #depths: Uint8Array
  readonly #onPosts: Tallies
  readonly #onComments: Tallies

  constructor(
    private readonly db: Database,
    private readonly size: Size,
  ) {
    const { posts, comments } = size
    this.#authors = new Uint32Array(posts + 1)
    this.#places = new Uint16Array(posts + 1)
    this.#speakers = new Uint32Array(comments + 1)
    this.#on = new Uint32Array(comments + 1)
    this.#parents = new Uint32Array(comments + 1)
    this.#depths = new Uint8Array(comments + 1)
    this.#onPosts = new Tallies(posts)
    this.#onComments = new Tallies(comments)
  }

  run(): void {
    const steps = [this.#decide, this.#vote, this.#tie, this.#createSubmolts, this.#post, this.#comment, this.#count]
    for (const step of steps) this.db.transaction(() => step.call(this))()
  }

  /** A number from 1 on, the lower the likelier. */
  #low(most: number, skew: number): number {
    return Math.floor(most * this.#random() ** skew) + 1
  }

  /** A number from 1 on: a few, spread over all, are much likelier than the rest. */
  #famous(most: number): number {
    return ((this.#low(most, 4) * 7_368_787) % most) + 1
  }

  #at(n: number, of: number): number {
    return this.#now - Math.floor(((of - n) / of) * YEAR)
  }

  #decide(): void {
    const { agents, submolts, posts, comments } = this.size
    const last = new Uint32Array(posts + 1)
    for (let n = 1; n <= posts; n++) {
      this.#authors[n] = this.#low(agents, 3)
      this.#places[n] = this.#low(submolts, 2)
    }
    for (let n = 1; n <= comments; n++) {
      const newest = Math.max(1, Math.floor((n / comments) * posts))
      const post =
        this.#random() < 0.05 ? this.#famous(newest) : newest - Math.floor((newest - 1) * this.#random() ** 5)
      const to = this.#random() < 0.5 ? (last[post] ?? 0) : 0
      const parent = (this.#depths[to] ?? 0) < 10 ? to : 0
      this.#on[n] = post
      this.#speakers[n] = this.#low(agents, 3)
      this.#parents[n] = parent
      this.#depths[n] = parent > 0 ? (this.#depths[parent] ?? 0) + 1 : 0
      if (this.#random() < 0.6) last[post] = n
    }
  }

  #vote(): void {
    const { agents, posts, comments, votes } = this.size
    const insert = this.db.prepare('INSERT INTO votes (agent, kind, target, value, at) VALUES (?, ?, ?, ?, ?)')
    const cast = (agent: number, kind: number, target: number) => {
      const [tallies, owners] = kind ? [this.#onComments, this.#speakers] : [this.#onPosts, this.#authors]
      if (owners[target] === agent) return
      const isUp = this.#random() < 0.55 + 0.004 * ((target * 31) % 100)
      const side = isUp ? tallies.up : tallies.down
      side[target] = (side[target] ?? 0) + 1
      insert.run(agent, kind, target, isUp ? 1 : -1, this.#now)
    }
    for (let agent = 1; agent <= agents; agent++) {
      const count = Math.floor(-Math.log(1 - this.#random()) * (votes / agents) * 1.02)
      for (const [kind, share, most] of [
        [0, 0.8, posts],
        [1, 0.2, comments],
      ] as const) {
        const targets = new Set(Array.from({ length: Math.round(count * share) }, () => this.#famous(most)))
        for (const target of [...targets].sort((one, other) => one - other)) cast(agent, kind, target)
      }
    }
  }

  #tie(): void {
    const { agents, submolts } = this.size
    const follow = this.db.prepare('INSERT OR IGNORE INTO follows VALUES (?, ?, 0)')
    const subscribe = this.db.prepare('INSERT OR IGNORE INTO subscriptions VALUES (?, ?, 0)')
    const tie = (agent: number, followed: number, subscribed: number) => {
      for (const other of this.#some(agents, followed, agent)) follow.run(agent, other)
      for (const place of this.#some(submolts, subscribed, 0)) subscribe.run(agent, place)
    }
    tie(1, FOLLOWED, SUBSCRIBED)
    for (let agent = 2; agent <= agents; agent++) tie(agent, Math.floor(this.#random() * 8), 2)
  }

  /** So many different numbers, in order, without one. */
  #some(most: number, count: number, without: number): number[] {
    const picked = new Set<number>()
    while (picked.size < Math.min(count, most - 1)) {
      const one = this.#low(most, 2)
      if (one !== without) picked.add(one)
    }
    return [...picked].sort((one, other) => one - other)
  }

  #createSubmolts(): void {
    const { agents, submolts } = this.size
    const agent = this.db.prepare(
      `INSERT INTO agents (id, name, handle, likeness, display_name, description, metadata, created_at, updated_at, last_active_at)
       VALUES (?1, ?1, ?1, ?1, ?1, ?2, '{}', 0, 0, 0)`,
    )
    const submolt = this.db.prepare(
      `INSERT OR IGNORE INTO submolts (id, name, display_name, description, created_at, updated_at, last_activity_at)
       VALUES (?1, ?1, ?1, '', 0, 0, 0)`,
    )
    for (let n = 1; n <= agents; n++) agent.run(`agent${n}`, wordsOf(this.#random, 8))
    for (let n = 2; n <= submolts; n++) submolt.run(`submolt${n}`)
  }

  #post(): void {
    const { posts } = this.size
    const insert = this.db.prepare(
      `INSERT INTO posts (id, submolt, author, title, content, score, upvotes, downvotes, hot, rising, controversy, span, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    for (let n = 1; n <= posts; n++) {
      const at = this.#at(n, posts)
      const tally = this.#onPosts.of(n)
      const ranks = [hot(tally, at, this.#now), rising(tally, at, this.#now), controversy(tally)] as const
      const texts = [wordsOf(this.#random, 6), wordsOf(this.#random, 20)] as const
      const counts = [tally.score, tally.upvotes, tally.downvotes] as const
      const place = this.#places[n] ?? 1
      insert.run(
        `post${n}`,
        place,
        this.#authors[n] ?? 1,
        ...texts,
        ...counts,
        ...ranks,
        ageClassOf(at, this.#now),
        at,
        at,
      )
    }
  }

  #comment(): void {
    const { comments } = this.size
    const insert = this.db.prepare(
      `INSERT INTO comments (id, post, parent, author, content, depth, score, upvotes, downvotes, best, controversy, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    for (let n = 1; n <= comments; n++) {
      const at = this.#at(n, comments)
      const tally = this.#onComments.of(n)
      const counts = [tally.score, tally.upvotes, tally.downvotes, best(tally), controversy(tally)] as const
      const place = [this.#on[n] ?? 1, this.#parents[n] ?? 0, this.#speakers[n] ?? 1] as const
      insert.run(`comment${n}`, ...place, wordsOf(this.#random, 12), this.#depths[n] ?? 0, ...counts, at, at)
    }
  }

  /** Sums up in one pass over each table what the rows say. */
  #count(): void {
    const sums = [
      ['posts', 'comment_count', 'SELECT post AS n, count(*) AS c FROM comments GROUP BY post'],
      ['comments', 'reply_count', 'SELECT parent AS n, count(*) AS c FROM comments WHERE parent > 0 GROUP BY parent'],
      ['agents', 'posts_count', 'SELECT author AS n, count(*) AS c FROM posts GROUP BY author'],
      ['agents', 'comments_count', 'SELECT author AS n, count(*) AS c FROM comments GROUP BY author'],
      ['agents', 'follower_count', 'SELECT followee AS n, count(*) AS c FROM follows GROUP BY followee'],
      ['agents', 'following_count', 'SELECT follower AS n, count(*) AS c FROM follows GROUP BY follower'],
      ['agents', 'subscriptions_count', 'SELECT agent AS n, count(*) AS c FROM subscriptions GROUP BY agent'],
      ['submolts', 'subscriber_count', 'SELECT submolt AS n, count(*) AS c FROM subscriptions GROUP BY submolt'],
      ['submolts', 'post_count', 'SELECT submolt AS n, count(*) AS c FROM posts GROUP BY submolt'],
      ['agents', 'karma', 'SELECT author AS n, sum(score) AS c FROM posts GROUP BY author'],
    ]
    for (const [table, column, counted] of sums) {
      this.db.run(`UPDATE ${table} SET ${column} = x.c FROM (${counted}) x WHERE x.n = ${table}.n`)
    }
    const more = 'SELECT author AS n, sum(score) AS c FROM comments GROUP BY author'
    this.db.run(`UPDATE agents SET karma = karma + x.c FROM (${more}) x WHERE x.n = agents.n`)
  }
}
