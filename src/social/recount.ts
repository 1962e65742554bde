import type { Statement } from 'bun:sqlite'
import type { Store } from '../core/store.ts'

/** A counter that does not say what is there. */
export interface Miscount {
  counter: string
  id: string
  stored: number
  counted: number
}

interface Row {
  n: number
  id: string
  stored: number
  counted: number
}

const votes = (kind: number, what: string) =>
  `coalesce((SELECT ${what} FROM votes v WHERE v.kind = ${kind} AND v.target = t.n), 0)`

/** What a search weighs a post or comment by. */
const weighed = (table: string, weights: string) =>
  [
    table,
    'weight',
    'iif(t.deleted_at IS NULL, t.score, 0)',
    `coalesce((SELECT w.score FROM ${weights} w WHERE w.n = t.n), 0)`,
  ] as const

/** What each counter has to be, and what it is where it is no column of the table. */
const COUNTERS: readonly (readonly [table: string, column: string, counted: string, stored?: string])[] = [
  ['posts', 'score', votes(0, 'sum(v.value)')],
  ['posts', 'upvotes', votes(0, 'sum(v.value = 1)')],
  ['posts', 'downvotes', votes(0, 'sum(v.value = -1)')],
  weighed('posts', 'post_weights'),
  ['posts', 'comment_count', '(SELECT count(*) FROM comments c WHERE c.post = t.n AND c.deleted_at IS NULL)'],
  ['comments', 'score', votes(1, 'sum(v.value)')],
  ['comments', 'upvotes', votes(1, 'sum(v.value = 1)')],
  ['comments', 'downvotes', votes(1, 'sum(v.value = -1)')],
  weighed('comments', 'comment_weights'),
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
  ['submolts', 'post_count', '(SELECT count(*) FROM posts p WHERE p.submolt = t.n AND p.deleted_at IS NULL)'],
]

const SLICE = 200

/** Counts again whatever is counted, a few rows at a time; says which counters are wrong. */
export async function recount(store: Store): Promise<Miscount[]> {
  const wrong: Miscount[] = []
  for (const [table, column, counted, stored = `t.${column}`] of COUNTERS) {
    const sql = `SELECT t.n, t.id, ${stored} AS stored, ${counted} AS counted FROM ${table} t WHERE t.n > ? ORDER BY t.n LIMIT ${SLICE}`
    const statement: Statement<Row, [number]> = store.prepare(sql)
    for (let rows = statement.all(0); rows.length > 0; rows = statement.all(rows.at(-1)?.n ?? 0)) {
      const off = rows.filter(({ stored, counted }) => stored !== counted)
      wrong.push(...off.map(({ id, stored, counted }) => ({ counter: `${table}.${column}`, id, stored, counted })))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return wrong
}
