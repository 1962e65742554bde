import { AppError } from '../../core/errors.ts'
import type { Store } from '../../core/store.ts'
import type { ReadRows } from '../../core/store-files.ts'

/** A counter whose stored value is wrong. */
export interface Miscount {
  counter: string
  id: string
  stored: number
  counted: number
}

const votes = (kind: number, what: string) =>
  `coalesce((SELECT ${what} FROM votes v WHERE v.kind = ${kind} AND v.target = t.n), 0)`

/** The score by which search orders a post or comment. */
const weight = (table: string, weights: string) =>
  [
    table,
    'weight',
    'iif(t.deleted_at IS NULL, t.score, 0)',
    `coalesce((SELECT w.score FROM ${weights} w WHERE w.n = t.n), 0)`,
  ] as const

type Counter = readonly [table: string, column: string, counted: string, stored?: string]

/** Each counter with the SQL of its correct value, and of its stored value where that is not a column of the table. */
const COUNTERS: readonly Counter[] = [
  ['posts', 'score', votes(0, 'sum(v.value)')],
  ['posts', 'upvotes', votes(0, 'sum(v.value = 1)')],
  ['posts', 'downvotes', votes(0, 'sum(v.value = -1)')],
  weight('posts', 'post_weights'),
  ['posts', 'comment_count', '(SELECT count(*) FROM comments c WHERE c.post = t.n AND c.deleted_at IS NULL)'],
  ['comments', 'score', votes(1, 'sum(v.value)')],
  ['comments', 'upvotes', votes(1, 'sum(v.value = 1)')],
  ['comments', 'downvotes', votes(1, 'sum(v.value = -1)')],
  weight('comments', 'comment_weights'),
  [
    'comments',
    'reply_count',
    '(SELECT count(*) FROM comments c WHERE c.post = t.post AND c.parent = t.n AND c.deleted_at IS NULL)',
  ],
  [
    'agents',
    'karma',
    `coalesce((SELECT sum(score) FROM posts p WHERE p.author = t.n), 0)
     + coalesce((SELECT sum(score) FROM comments c WHERE c.author = t.n), 0)`,
  ],
  ['agents', 'posts_count', '(SELECT count(*) FROM posts p WHERE p.author = t.n AND p.deleted_at IS NULL)'],
  ['agents', 'comments_count', '(SELECT count(*) FROM comments c WHERE c.author = t.n AND c.deleted_at IS NULL)'],
  ['agents', 'follower_count', '(SELECT count(*) FROM follows f WHERE f.followee = t.n)'],
  ['agents', 'following_count', '(SELECT count(*) FROM follows f WHERE f.follower = t.n)'],
  ['agents', 'subscriptions_count', '(SELECT count(*) FROM subscriptions s WHERE s.agent = t.n)'],
  ['submolts', 'subscriber_count', '(SELECT count(*) FROM subscriptions s WHERE s.submolt = t.n)'],
  ['totals', 'agents', '(SELECT count(*) FROM agents WHERE deleted_at IS NULL)'],
  ['totals', 'claimed_agents', '(SELECT count(*) FROM agents WHERE deleted_at IS NULL AND claimed_at IS NOT NULL)'],
  ['totals', 'submolts', '(SELECT count(*) FROM submolts)'],
  ['totals', 'posts', '(SELECT count(*) FROM posts WHERE deleted_at IS NULL)'],
  ['totals', 'comments', '(SELECT count(*) FROM comments WHERE deleted_at IS NULL)'],
  ['submolts', 'post_count', '(SELECT count(*) FROM posts p WHERE p.submolt = t.n AND p.deleted_at IS NULL)'],
]

/** Rows checked by one query. */
const SLICE = 5_000
const MAX_MISCOUNTS = 1_000

/** Checks all counters, off the event loop and one run at a time. */
export class Recounts {
  #running: Promise<Miscount[]> | undefined
  #stopped = false

  constructor(private readonly store: Store) {}

  /** The wrong counters, at most a thousand. */
  run(): Promise<Miscount[]> {
    this.#running ??= this.store.files
      .readInWorker((query) => this.#findWrong(query))
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running?.catch(() => {})
  }

  async #findWrong(query: ReadRows): Promise<Miscount[]> {
    const wrong: Miscount[] = []
    for (const counter of COUNTERS) {
      const [table] = counter
      const [end] = await query<{ n: number | null }>(`SELECT max(n) AS n FROM ${table}`)
      for (let from = 0; from < (end?.n ?? 0); from += SLICE) {
        if (this.#stopped) throw new AppError('store-unavailable', 'the network is closing')
        if (wrong.length >= MAX_MISCOUNTS) return wrong.slice(0, MAX_MISCOUNTS)
        wrong.push(...(await query<Miscount>(wrongRowsSql(counter), from, from + SLICE)))
      }
    }
    return wrong.slice(0, MAX_MISCOUNTS)
  }
}

/** Selects the rows of a slice whose counter is wrong. */
const wrongRowsSql = ([table, column, counted, stored = `t.${column}`]: Counter): string =>
  `SELECT '${table}.${column}' AS counter, id, stored, counted
   FROM (SELECT t.id, ${stored} AS stored, ${counted} AS counted FROM ${table} t WHERE t.n > ? AND t.n <= ?)
   WHERE stored <> counted`
