import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'
import { fillPage, jsonSize, MAX_PAGE_BYTES, type PageItems } from '../../http/respond/index.ts'
import { AUTHOR_COLUMNS, type AuthorColumns, toAuthor } from '../accounts/index.ts'
import type { Post, Posts } from '../posts/index.ts'
import { timestamp } from '../shared/index.ts'
import { COMMENT, type Kind, type Match, POST } from './matches.ts'
import type { SearchResult } from './schema.ts'

/** A result with its match, and with the post if it is one. */
interface Hit {
  readonly match: Match
  readonly result: SearchResult
  readonly post?: Post
}

/** Columns of a comment that a result shows. */
interface CommentRow extends AuthorColumns {
  n: number
  id: string
  content: string
  score: number
  upvotes: number
  downvotes: number
  created_at: number
  post_id: string
  title: string
}

/** Selects the numbers of those of some posts that everybody sees. */
export const LISTED_POSTS = `SELECT p.n FROM json_each(?1) j CROSS JOIN posts p ON p.n = j.value
  WHERE p.deleted_at IS NULL AND p.unlisted IS NULL`

/** Selects those of some comments that everybody sees, with what a result shows of them. */
export const LISTED_COMMENTS = `SELECT c.n, c.id, c.content, c.score, c.upvotes, c.downvotes, c.created_at, p.id AS post_id,
    p.title, ${AUTHOR_COLUMNS}
  FROM json_each(?1) j CROSS JOIN comments c ON c.n = j.value JOIN posts p ON p.n = c.post JOIN agents a ON a.n = c.author
  WHERE c.deleted_at IS NULL AND c.unlisted IS NULL AND p.deleted_at IS NULL`

/** Reads what results show of matches. */
export class Hits {
  readonly #listedPosts: Statement<{ n: number }, [string]>
  readonly #comments: Statement<CommentRow, [string]>

  constructor(
    store: Store,
    private readonly posts: Posts,
  ) {
    this.#listedPosts = store.prepare(stablePlan(LISTED_POSTS))
    this.#comments = store.prepare(stablePlan(LISTED_COMMENTS))
  }

  /** The first of some matches, without those that not everybody sees. */
  page(viewer: number, matches: readonly Match[], limit: number): PageItems<Hit, Hit> {
    const hits: Hit[] = []
    for (let start = 0; start < matches.length && hits.length <= limit; start += limit + 1) {
      hits.push(...this.#load(viewer, matches.slice(start, start + limit + 1)))
    }
    const isSmall = hits.reduce((sum, hit) => sum + maxSizeOf(hit), 0) <= MAX_PAGE_BYTES
    return fillPage(hits, limit, (hit) => hit, { sizeOf: isSmall ? () => 0 : sizeOf })
  }

  #load(viewer: number, matches: readonly Match[]): Hit[] {
    const posts = this.#postsOf(viewer, numbersOf(matches, POST))
    const comments = this.#commentsOf(numbersOf(matches, COMMENT))
    return matches.flatMap((match): Hit[] => {
      const post = match.kind === POST ? posts.get(match.n) : undefined
      if (post) return [{ match, result: postResult(post, match), post }]
      const comment = match.kind === COMMENT ? comments.get(match.n) : undefined
      return comment ? [{ match, result: commentResult(comment, match) }] : []
    })
  }

  #postsOf(viewer: number, numbers: readonly number[]): ReadonlyMap<number, Post | undefined> {
    if (numbers.length === 0) return new Map()
    const listed = this.#listedPosts.all(JSON.stringify(numbers)).map(({ n }) => n)
    const posts = this.posts.postsByNumber(viewer, listed)
    return new Map(listed.map((n, index) => [n, posts[index]]))
  }

  #commentsOf(numbers: readonly number[]): ReadonlyMap<number, CommentRow> {
    if (numbers.length === 0) return new Map()
    return new Map(this.#comments.all(JSON.stringify(numbers)).map((row) => [row.n, row]))
  }
}

const numbersOf = (matches: readonly Match[], kind: Kind): number[] =>
  matches.flatMap((match) => (match.kind === kind ? match.n : []))

/** Number of bytes of a post or comment in JSON that are neither its text nor its author's. */
const MAX_REST = 4096
/** Maximum bytes of a character in JSON: a control character is `\\u` and four digits. */
const MAX_CHARACTER = 6

/** Number of bytes that a hit has at most in the response: a post is in it as a result and as a post, with the same text. */
function maxSizeOf({ result, post }: Hit): number {
  const { title, content, url, author } = result
  const texts = [title ?? result.post.title, content, url ?? '', author.description, author.avatar_url ?? '']
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  return (MAX_REST + MAX_CHARACTER * characters) * (post ? 2 : 1)
}

/** The same, more or less exactly. */
const sizeOf = ({ result, post }: Hit): number => jsonSize(result) * (post ? 2 : 1)

/** Relevance of a result, in thousandths. */
const rounded = (similarity: number): number => Math.round(similarity * 1_000) / 1_000

const postResult = (post: Post, { similarity }: Match): SearchResult => ({
  id: post.id,
  type: 'post',
  title: post.title,
  content: post.content ?? '',
  url: post.url,
  score: post.score,
  upvotes: post.upvotes,
  downvotes: post.downvotes,
  created_at: post.created_at,
  similarity: rounded(similarity),
  author: post.author,
  submolt: post.submolt,
  post: { id: post.id, title: post.title },
  post_id: post.id,
})

const commentResult = (row: CommentRow, { similarity }: Match): SearchResult => ({
  id: row.id,
  type: 'comment',
  title: null,
  content: row.content,
  url: null,
  score: row.score,
  upvotes: row.upvotes,
  downvotes: row.downvotes,
  created_at: timestamp(row.created_at),
  similarity: rounded(similarity),
  author: toAuthor(row),
  post: { id: row.post_id, title: row.title },
  post_id: row.post_id,
})
