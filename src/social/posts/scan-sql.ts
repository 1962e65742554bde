import type { PostSort } from './schema.ts'
import { COLUMNS, isSplitByAge, rankColumns } from './sort-keys.ts'

/** The posts in a list: all, those of one submolt, all by one author, or those by a followed author. */
export type Scope = 'all' | 'submolt' | 'author' | 'followed'

const SCOPE_COLUMNS = { submolt: 'submolt', author: 'author', followed: 'author' } as const

/** The indexes by author have all posts, since an author sees all of them: there, `+` leaves the choice of the index alone. */
const isListed = (scope: Scope): string => `${scope === 'followed' ? '+' : ''}unlisted IS NULL`

/** Entries of a list, unsorted. */
const within = (scope: Scope, key: string): string[] => [
  'deleted_at IS NULL',
  ...(scope === 'author' ? [] : [isListed(scope)]),
  ...(scope === 'all' ? [] : [`${SCOPE_COLUMNS[scope]} = ${key}`]),
]

const orderOf = (sort: PostSort): string => COLUMNS[sort].map((column) => `${column} DESC`).join(', ')

/** Selects the pinned posts of a community, the newest first. */
export const PINNED =
  'SELECT n FROM posts INDEXED BY posts_pinned WHERE submolt = ? AND pinned = 1 AND deleted_at IS NULL ORDER BY n DESC'

/** Selects those of some posts that are in a submolt. */
export const IN_SUBMOLT = 'SELECT p.n FROM json_each(?1) j CROSS JOIN posts p ON p.n = j.value WHERE p.submolt = ?2'

/** Scans the index of a sort. */
export function scanSql(scope: Scope, sort: PostSort): string {
  const columns = COLUMNS[sort]
  const conditions = [
    ...within(scope, '?'),
    ...(isSplitByAge(sort) ? ['span = ?'] : []),
    `(${columns.join(', ')}) < (${columns.map(() => '?').join(', ')})`,
    'created_at >= ?',
  ]
  return `SELECT ${columns.join(', ')} FROM posts WHERE ${conditions.join(' AND ')} ORDER BY ${orderOf(sort)} LIMIT ?`
}

/** Selects the sort key that is `?1` posts further, from the index of a sort, or of the first age classes of it. */
export function skipSql(scope: Scope, sort: PostSort, ageClasses: readonly (number | undefined)[]): string {
  const columns = COLUMNS[sort]
  const bound = columns.map((_, index) => `?${index + 4}`).join(', ')
  const scans = ageClasses.map(
    (ageClass) => `SELECT ${columns.join(', ')} FROM posts WHERE ${within(scope, '?2').join(' AND ')}
      ${scope === 'all' ? 'AND ?2 IS NULL' : ''} ${ageClass === undefined ? '' : `AND span = ${ageClass}`}
      AND (${columns.join(', ')}) < (${bound}) AND created_at >= ?3`,
  )
  return `${scans.join(' UNION ALL ')} ORDER BY ${orderOf(sort)} LIMIT 1 OFFSET ?1`
}

/** Selects the sort key of the first post of every source of a feed: followed agents or subscribed submolts. */
export function firstKeysSql(scope: 'submolt' | 'followed', sort: PostSort): string {
  const columns = COLUMNS[sort]
  const [source, sources] =
    scope === 'followed' ? ['followee', 'follows WHERE follower = ?1'] : ['submolt', 'subscriptions WHERE agent = ?1']
  const bound = columns.map((_, index) => `?${index + 4}`).join(', ')
  const firstValue = (column: string) => `(SELECT ${column} FROM posts
    WHERE ${within(scope, `q.${source}`).join(' AND ')} ${isSplitByAge(sort) ? 'AND span = ?2' : 'AND ?2 IS NULL'}
      AND (${columns.join(', ')}) < (${bound}) AND created_at >= ?3
    ORDER BY ${orderOf(sort)} LIMIT 1) AS ${column}`
  return `SELECT q.${source} AS source, ${rankColumns(sort).map(firstValue).join(', ')} FROM (SELECT ${source} FROM ${sources}) q`
}
