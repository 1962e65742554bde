import { query, stablePlan } from '../../core/store/index.ts'
import { fillPage, jsonSize, MAX_PAGE_BYTES, type PageItems } from '../../http/respond/index.ts'
import { AUTHOR_COLUMNS, type AuthorColumns, toAuthor } from '../accounts/index.ts'
import { type Post, postOf, votesOn } from '../posts/index.ts'
import { Kept, type NetworkContext, timestamp } from '../shared/index.ts'
import type { Match } from './matches.ts'
import { COMMENT, type FoundComment, type FoundRows, type Kind, POST } from './rows.ts'
import type { SearchResult } from './schema.ts'

/** A result with its match, and with the post if it is one. */
interface Hit {
  readonly match: Match
  readonly result: SearchResult
  readonly post?: Post
}

interface AuthoredComment {
  readonly row: FoundComment
  readonly author: Post['author']
}

/** Selects some agents as authors. */
export const AUTHORS = `SELECT a.n, ${AUTHOR_COLUMNS} FROM json_each(?1) j CROSS JOIN agents a ON a.n = j.value`

/** Selects some communities as posts show them. */
export const COMMUNITIES =
  'SELECT s.n, s.id, s.name, s.display_name FROM json_each(?1) j CROSS JOIN submolts s ON s.n = j.value'

/** Selects those of some agents that an agent follows. */
export const FOLLOWED_OF = `SELECT f.followee AS n FROM json_each(?2) j
  CROSS JOIN follows f ON f.follower = ?1 AND f.followee = j.value`

const SELECT_AUTHORS = query<AuthorColumns & { n: number }, [string]>(stablePlan(AUTHORS))

const SELECT_COMMUNITIES = query<Post['submolt'] & { n: number }, [string]>(stablePlan(COMMUNITIES))

const SELECT_FOLLOWED = query<{ n: number }, [number, string]>(stablePlan(FOLLOWED_OF))

/** Maximum authors that are kept, and maximum communities. */
const MAX_KEPT = 4_000

/** Reads what results show of matches. */
export class Hits {
  readonly #authors: Kept<number, Post['author']>
  readonly #communities: Kept<number, Post['submolt']>

  constructor(
    private readonly ctx: NetworkContext,
    private readonly rows: FoundRows,
  ) {
    const version = () => ctx.store.version
    this.#authors = new Kept(version, MAX_KEPT)
    this.#communities = new Kept(version, MAX_KEPT)
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
    const posts = this.#posts(viewer, numbersOf(matches, POST)).values()
    const comments = this.#comments(numbersOf(matches, COMMENT)).values()
    return matches.flatMap((match): Hit[] => {
      if (match.kind === POST) {
        const post = posts.next().value
        return post ? [{ match, result: postResult(post, match), post }] : []
      }
      const comment = comments.next().value
      return comment ? [{ match, result: commentResult(comment, match) }] : []
    })
  }

  /** Those with some numbers, in the order of these. */
  #posts(viewer: number, numbers: readonly number[]): (Post | undefined)[] {
    if (numbers.length === 0) return []
    const rows = this.rows.posts.find(numbers)
    const authors = this.#authorsOf(rows.map((row) => row?.author ?? 0))
    const communities = this.#communitiesOf(rows.map((row) => row?.submolt ?? 0))
    const votes = votesOn(this.ctx.store, viewer, numbers)
    const followed = this.#followed(
      viewer,
      rows.map((row) => row?.author ?? 0),
    )
    return rows.map((row, at) => {
      const [author, submolt] = [authors[at], communities[at]]
      if (!row || !author || !submolt) return undefined
      return postOf(row, { author, submolt, userVote: votes.get(at) ?? null, isFollowed: followed.has(row.author) })
    })
  }

  #comments(numbers: readonly number[]): (AuthoredComment | undefined)[] {
    if (numbers.length === 0) return []
    const rows = this.rows.comments.find(numbers)
    const authors = this.#authorsOf(rows.map((row) => row?.author ?? 0))
    return rows.map((row, at) => {
      const author = authors[at]
      return row && author && { row, author }
    })
  }

  #authorsOf(numbers: readonly number[]): (Post['author'] | undefined)[] {
    return this.#authors.findAll(numbers, (missing) =>
      this.ctx.store.all(SELECT_AUTHORS, JSON.stringify(missing)).map((row) => [row.n, toAuthor(row)]),
    )
  }

  #communitiesOf(numbers: readonly number[]): (Post['submolt'] | undefined)[] {
    return this.#communities.findAll(numbers, (missing) =>
      this.ctx.store.all(SELECT_COMMUNITIES, JSON.stringify(missing)).map(({ n, ...submolt }) => [n, submolt]),
    )
  }

  #followed(viewer: number, authors: readonly number[]): ReadonlySet<number> {
    if (viewer === 0 || authors.length === 0) return new Set()
    return new Set(this.ctx.store.all(SELECT_FOLLOWED, viewer, JSON.stringify(authors)).map(({ n }) => n))
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

const commentResult = ({ row, author }: AuthoredComment, { similarity }: Match): SearchResult => ({
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
  author,
  post: { id: row.post_id, title: row.post_title },
  post_id: row.post_id,
})
