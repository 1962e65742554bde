import { type Query, query, stablePlan } from '../../core/store/index.ts'
import { Kept, type NetworkContext } from '../shared/index.ts'

/** 0 for comments, 1 for posts: of equal ranks posts come first. */
export type Kind = 0 | 1
export const COMMENT: Kind = 0
export const POST: Kind = 1

/** A post that matches, as it is stored. */
export interface FoundPost {
  n: number
  id: string
  author: number
  submolt: number
  title: string
  content: string | null
  url: string | null
  score: number
  upvotes: number
  downvotes: number
  comment_count: number
  pinned: number
  created_at: number
  updated_at: number
  edited_at: number | null
}

/** A comment that matches, as it is stored. */
export interface FoundComment {
  n: number
  id: string
  author: number
  content: string
  score: number
  upvotes: number
  downvotes: number
  created_at: number
  post_id: string
  post_title: string
}

const POST_COLUMNS = `p.n, p.id, p.author, p.submolt, p.title, p.content, p.url, p.score, p.upvotes, p.downvotes, p.comment_count,
  p.pinned, p.created_at, p.updated_at, p.edited_at`
const COMMENT_COLUMNS = `c.n, c.id, c.author, c.content, c.score, c.upvotes, c.downvotes, c.created_at, p.id AS post_id,
  p.title AS post_title`

/** Selects those of some posts that everybody sees. */
export const LISTED_POSTS = `SELECT ${POST_COLUMNS} FROM json_each(?1) j CROSS JOIN posts p ON p.n = j.value
  WHERE p.deleted_at IS NULL AND p.unlisted IS NULL`

/** Selects those of some comments that everybody sees. */
export const LISTED_COMMENTS = `SELECT ${COMMENT_COLUMNS} FROM json_each(?1) j CROSS JOIN comments c ON c.n = j.value
  JOIN posts p ON p.n = c.post WHERE c.deleted_at IS NULL AND c.unlisted IS NULL AND p.deleted_at IS NULL`

/** Number of the newest texts of one author that are searched. */
const MAX_BY_AUTHOR = 500

/** Selects the newest posts of an author that everybody sees. */
export const POSTS_BY = `SELECT ${POST_COLUMNS} FROM posts p INDEXED BY posts_author_new
  WHERE p.author = ?1 AND p.deleted_at IS NULL AND p.unlisted IS NULL
  AND p.n >= ?2 AND p.n < ?3 AND (?4 IS NULL OR p.submolt = ?4) ORDER BY p.created_at DESC LIMIT ${MAX_BY_AUTHOR}`

/** Selects the newest comments of an author that everybody sees. */
export const COMMENTS_BY = `SELECT ${COMMENT_COLUMNS} FROM comments c INDEXED BY comments_author JOIN posts p ON p.n = c.post
  WHERE c.author = ?1 AND c.deleted_at IS NULL AND c.unlisted IS NULL
  AND c.n >= ?2 AND c.n < ?3 AND (?4 IS NULL OR p.submolt = ?4) ORDER BY c.n DESC LIMIT ${MAX_BY_AUTHOR}`

type ByAuthor = [author: number, from: number, to: number, submolt: number | null]

const SELECT_POSTS = query<FoundPost, [string]>(stablePlan(LISTED_POSTS))

const SELECT_COMMENTS = query<FoundComment, [string]>(stablePlan(LISTED_COMMENTS))

const SELECT_POSTS_BY = query<FoundPost, ByAuthor>(stablePlan(POSTS_BY))

const SELECT_COMMENTS_BY = query<FoundComment, ByAuthor>(stablePlan(COMMENTS_BY))

/** Number of characters that all kept rows of one kind have together, and what one has besides its texts. */
const MAX_CHARACTERS = 4 * 1024 * 1024
const REST = 200

/** The rows of one kind that matches are, kept while nothing changes: a row is read once to compare and to show it. */
class KeptRows<Row extends { readonly n: number }> {
  readonly #kept: Kept<number, Row>

  constructor(
    private readonly ctx: NetworkContext,
    private readonly listed: Query<Row, [string]>,
    private readonly byAuthor: Query<Row, ByAuthor>,
    lengthOf: (row: Row) => number,
  ) {
    this.#kept = new Kept(
      () => ctx.store.version,
      MAX_CHARACTERS,
      (row) => REST + lengthOf(row),
    )
  }

  /** Those with some numbers, in the order of these; undefined for one that not everybody sees. */
  find(numbers: readonly number[]): (Row | undefined)[] {
    return this.#kept.findAll(numbers, (missing, add) => {
      for (const row of this.ctx.store.all(this.listed, JSON.stringify(missing))) add(row.n, row)
    })
  }

  /** The newest by an author. */
  newestBy(...of: ByAuthor): Row[] {
    return this.ctx.store.all(this.byAuthor, ...of)
  }
}

/** The posts and comments that searches compare and show. */
export class FoundRows {
  readonly posts: KeptRows<FoundPost>
  readonly comments: KeptRows<FoundComment>

  constructor(ctx: NetworkContext) {
    const lengthOfPost = ({ title, content, url }: FoundPost) => title.length + (content ?? url ?? '').length
    const lengthOfComment = ({ content, post_title }: FoundComment) => content.length + post_title.length
    this.posts = new KeptRows(ctx, SELECT_POSTS, SELECT_POSTS_BY, lengthOfPost)
    this.comments = new KeptRows(ctx, SELECT_COMMENTS, SELECT_COMMENTS_BY, lengthOfComment)
  }
}
