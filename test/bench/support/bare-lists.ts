import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { COMMENT_PAGE, type CommentSort } from '../../../src/social/comments/schema.ts'
import { levelSql, repliesSql } from '../../../src/social/comments/threads.ts'
import { JOIN_COMMENT, SELECT_COMMENT } from '../../../src/social/comments/view.ts'
import { ageClassesWithin, type Time } from '../../../src/social/posts/ranks.ts'
import type { PostSort } from '../../../src/social/posts/schema.ts'
import { JOIN_POST, SELECT_POST } from '../../../src/social/posts/view.ts'

/** The numbers after which a page begins; none for the first. */
export type From = readonly number[] | undefined

/** Scope of a list of posts: all, one submolt or author, or those followed by agent 1. */
export type Of = 'all' | 'feed' | readonly [scope: 'submolt' | 'author', n: number]

const PAGE = 25
const BY: Readonly<Record<PostSort, string>> = {
  ...{ hot: 'hot', new: '', top: 'score', rising: 'rising', controversial: 'controversy' },
}
const THEIRS = `(EXISTS (SELECT 1 FROM follows f WHERE f.follower = 1 AND f.followee = p.author)
  OR EXISTS (SELECT 1 FROM subscriptions s WHERE s.agent = 1 AND s.submolt = p.submolt))`

/** Contents of a cursor. */
export function fromOf(cursor: string | undefined): From {
  if (cursor === undefined) return undefined
  const { at }: { at: number[] } = JSON.parse(Buffer.from(cursor.slice('v1:'.length), 'base64url').toString())
  return at
}

/** A page of posts by nothing but statements. */
export function barePosts(db: Database, of: Of, sort: PostSort, from: From, time: Time = 'all'): () => unknown {
  const columns = [BY[sort], 'created_at', 'n'].filter(Boolean)
  const hasSpans = sort === 'top' || sort === 'controversial'
  const scope = typeof of === 'string' ? '' : `${of[0]}_`
  const narrowed = typeof of === 'string' ? (of === 'feed' ? `AND ${THEIRS}` : '') : `AND p.${of[0]} = ${of[1]}`
  const run = db.prepare<Record<string, number>, SQLQueryBindings[]>(
    `SELECT ${columns.join(', ')} FROM posts p INDEXED BY posts_${scope}${sort}
     WHERE p.deleted_at IS NULL ${scope === 'author_' ? '' : 'AND p.unlisted IS NULL'} ${narrowed} ${hasSpans ? 'AND p.span = ?' : ''}
       AND (${columns.join(', ')}) < (${columns.map(() => '?').join(', ')})
     ORDER BY ${columns.map((column) => `${column} DESC`).join(', ')} LIMIT ${PAGE + 1}`,
  )
  const whole = db.prepare(
    `${SELECT_POST} FROM json_each(?2) j CROSS JOIN posts p ON p.n = j.value ${JOIN_POST} ORDER BY j.key`,
  )
  const bounds = from ?? columns.map(() => Number.MAX_SAFE_INTEGER)
  const order = (one: Record<string, number>, other: Record<string, number>) =>
    columns.reduce((so, column) => so || (other[column] ?? 0) - (one[column] ?? 0), 0)
  return () => {
    const places = (hasSpans ? ageClassesWithin(time) : [undefined]).flatMap((span) =>
      run.all(...(span === undefined ? [] : [span]), ...bounds),
    )
    const page = places.sort(order).slice(0, PAGE)
    return whole.all(1, JSON.stringify(page.map(({ n }) => n)))
  }
}

/** The most comments in one answer. */
const COMMENTS = 100

/** A page of the comments on a post, with their replies. */
export function bareComments(db: Database, post: number, sort: CommentSort, from: From): () => unknown {
  const level = db.prepare<{ n: number }, SQLQueryBindings[]>(levelSql(sort))
  const replies = db.prepare<{ n: number }, SQLQueryBindings[]>(repliesSql(sort))
  const whole = db.prepare(
    `${SELECT_COMMENT} FROM json_each(?2) j CROSS JOIN comments c ON c.n = j.value ${JOIN_COMMENT}`,
  )
  const edge = sort === 'new' ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER
  const bounds = from ?? Array.from({ length: sort === 'new' || sort === 'old' ? 2 : 3 }, () => edge)
  return () => {
    const all = level
      .all(post, 0, ...bounds, COMMENT_PAGE.default + 1, 0)
      .slice(0, COMMENT_PAGE.default)
      .map(({ n }) => n)
    for (let some = all; some.length > 0 && all.length < COMMENTS; ) {
      some = replies.all(JSON.stringify(some), post).map(({ n }) => n)
      all.push(...some.slice(0, COMMENTS - all.length))
    }
    return whole.all(1, JSON.stringify(all))
  }
}

/** A page of communities, one to a page. */
export function bareSubmolts(db: Database, from: From): () => unknown {
  const run = db.prepare<unknown, SQLQueryBindings[]>(
    `SELECT * FROM submolts WHERE (subscriber_count, created_at, n) < (?, ?, ?)
     ORDER BY subscriber_count DESC, created_at DESC, n DESC LIMIT 2`,
  )
  const bounds = from ?? [1, 2, 3].map(() => Number.MAX_SAFE_INTEGER)
  return () => run.all(...bounds)
}

/** The best of the newest matches of all words, whole. */
export function bareSearch(db: Database): (words: string) => unknown {
  const best = (index: string, table: string, newest: number) =>
    db.prepare<{ n: number; score: number }, [string]>(
      `SELECT x.n, coalesce(w.score, 0) AS score
       FROM (SELECT rowid AS n FROM ${index} WHERE ${index} MATCH ? ORDER BY rowid DESC LIMIT ${newest}) x
       LEFT JOIN ${table}_weights w ON w.n = x.n ORDER BY score DESC, x.n DESC LIMIT ${PAGE + 1}`,
    )
  const posts = best('post_stems', 'post', 2_000)
  const titles = best('title_stems', 'post', 200)
  const comments = best('comment_stems', 'comment', 2_000)
  const whole = {
    posts: db.prepare(`${SELECT_POST} FROM json_each(?2) j CROSS JOIN posts p ON p.n = j.value ${JOIN_POST}`),
    comments: db.prepare(
      `${SELECT_COMMENT} FROM json_each(?2) j CROSS JOIN comments c ON c.n = j.value ${JOIN_COMMENT}`,
    ),
  }
  return (words) => {
    const postHits = [...posts.all(words), ...titles.all(words)].map((hit) => ({ ...hit, kind: 'posts' as const }))
    const commentHits = comments.all(words).map((hit) => ({ ...hit, kind: 'comments' as const }))
    const page = [...postHits, ...commentHits].sort((one, other) => other.score - one.score).slice(0, PAGE + 1)
    const of = (kind: 'posts' | 'comments') => JSON.stringify(page.filter((hit) => hit.kind === kind).map(({ n }) => n))
    return [whole.posts.all(1, of('posts')), whole.comments.all(1, of('comments'))]
  }
}
