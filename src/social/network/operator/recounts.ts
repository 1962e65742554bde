import type { Database } from 'bun:sqlite'
import { type CounterCheck, Recounts, repairCounters, rowCheck, type Store } from '../../../core/store/index.ts'

const votes = (kind: number, what: string) =>
  `coalesce((SELECT ${what} FROM votes v WHERE v.kind = ${kind} AND v.target = t.n), 0)`

/** The score by which search orders a post or comment: a trigger writes it whenever the score is written. */
const weight = (table: string, weights: string): CounterCheck =>
  rowCheck(table, 'weight', 'iif(t.deleted_at IS NULL, t.score, 0)', {
    stored: `coalesce((SELECT w.score FROM ${weights} w WHERE w.n = t.n), 0)`,
    set: 'score = score',
  })

/** Each counter of the network with the SQL of its correct value. A check may rely on those before it. */
const CHECKS: readonly CounterCheck[] = [
  rowCheck('posts', 'score', votes(0, 'sum(v.value)')),
  rowCheck('posts', 'upvotes', votes(0, 'sum(v.value = 1)')),
  rowCheck('posts', 'downvotes', votes(0, 'sum(v.value = -1)')),
  weight('posts', 'post_weights'),
  rowCheck('posts', 'comment_count', '(SELECT count(*) FROM comments c WHERE c.post = t.n AND c.deleted_at IS NULL)'),
  rowCheck('comments', 'score', votes(1, 'sum(v.value)')),
  rowCheck('comments', 'upvotes', votes(1, 'sum(v.value = 1)')),
  rowCheck('comments', 'downvotes', votes(1, 'sum(v.value = -1)')),
  weight('comments', 'comment_weights'),
  rowCheck(
    'comments',
    'reply_count',
    '(SELECT count(*) FROM comments c WHERE c.post = t.post AND c.parent = t.n AND c.deleted_at IS NULL)',
  ),
  rowCheck(
    'agents',
    'karma',
    `coalesce((SELECT sum(score) FROM posts p WHERE p.author = t.n), 0)
     + coalesce((SELECT sum(score) FROM comments c WHERE c.author = t.n), 0)`,
  ),
  rowCheck('agents', 'posts_count', '(SELECT count(*) FROM posts p WHERE p.author = t.n AND p.deleted_at IS NULL)'),
  rowCheck(
    'agents',
    'comments_count',
    '(SELECT count(*) FROM comments c WHERE c.author = t.n AND c.deleted_at IS NULL)',
  ),
  rowCheck('agents', 'follower_count', '(SELECT count(*) FROM follows f WHERE f.followee = t.n)'),
  rowCheck('agents', 'following_count', '(SELECT count(*) FROM follows f WHERE f.follower = t.n)'),
  rowCheck('agents', 'subscriptions_count', '(SELECT count(*) FROM subscriptions s WHERE s.agent = t.n)'),
  rowCheck('submolts', 'subscriber_count', '(SELECT count(*) FROM subscriptions s WHERE s.submolt = t.n)'),
  rowCheck('totals', 'agents', '(SELECT count(*) FROM agents WHERE deleted_at IS NULL)'),
  rowCheck(
    'totals',
    'claimed_agents',
    '(SELECT count(*) FROM agents WHERE deleted_at IS NULL AND claimed_at IS NOT NULL)',
  ),
  rowCheck('totals', 'submolts', '(SELECT count(*) FROM submolts)'),
  rowCheck('totals', 'posts', '(SELECT count(*) FROM posts WHERE deleted_at IS NULL)'),
  rowCheck('totals', 'comments', '(SELECT count(*) FROM comments WHERE deleted_at IS NULL)'),
  rowCheck('submolts', 'post_count', '(SELECT count(*) FROM posts p WHERE p.submolt = t.n AND p.deleted_at IS NULL)'),
]

/** Corrects every counter of the network's database, in the transaction under way. */
export const repairSocialCounters = (db: Database): void => void repairCounters(db, CHECKS)

export const openRecounts = (store: Store): Recounts =>
  new Recounts(store, CHECKS, { closing: 'the network is closing; check again once it is open' })
