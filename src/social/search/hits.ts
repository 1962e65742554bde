import { query, stablePlan } from '../../core/store/index.ts'
import { fillPage, jsonSize, MAX_PAGE_BYTES, type PageItems } from '../../http/respond/index.ts'
import { AUTHOR_COLUMNS, type Author, type AuthorColumns, toAuthor } from '../accounts/index.ts'
import { type ListedPost, listedPostOf, type Post, postOf, type Surroundings, votesOn } from '../posts/index.ts'
import { Kept, type NetworkContext, timestamp } from '../shared/index.ts'
import type { Match, RankedMatches } from './matches.ts'
import { COMMENT, type FoundComment, type FoundPost, type FoundRows, type Kind, POST } from './rows.ts'
import type { SearchResult } from './schema.ts'

/** A result with its match, and with the post if it is one. */
export interface Hit<Shown> {
  readonly match: Match
  readonly result: SearchResult
  readonly post?: Shown
}

/** Form in which a page shows posts. */
export interface PostShape<Shown> {
  /** True if it shows whether the reader follows the author. */
  readonly hasFollowing: boolean
  toPost(row: FoundPost, surroundings: Surroundings): Shown
}

export const WHOLE_POST: PostShape<Post> = { hasFollowing: true, toPost: postOf }

export const LISTED_POST: PostShape<ListedPost> = { hasFollowing: false, toPost: listedPostOf }

/** A part of some matches. */
interface Part {
  readonly matches: RankedMatches
  readonly from: number
  readonly limit: number
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

  /** Some matches from one on, without those that not everybody sees. */
  async page<Shown>(
    viewer: number,
    { matches, from, limit }: Part,
    shape: PostShape<Shown>,
  ): Promise<PageItems<Hit<Shown>, Hit<Shown>>> {
    const hits: Hit<Shown>[] = []
    for (let start = from; hits.length <= limit; start += limit + 1) {
      const some = await matches.slice(start, start + limit + 1)
      if (some.length === 0) break
      hits.push(...this.#load(viewer, some, shape))
    }
    const isSmall = hits.reduce((sum, hit) => sum + maxSizeOf(hit), 0) <= MAX_PAGE_BYTES
    return fillPage(hits, limit, (hit) => hit, { sizeOf: isSmall ? () => 0 : sizeOf })
  }

  #load<Shown>(viewer: number, matches: readonly Match[], shape: PostShape<Shown>): Hit<Shown>[] {
    const posts = this.#posts(viewer, ofKind(matches, POST), shape)
    const comments = this.#comments(ofKind(matches, COMMENT))
    let [post, comment] = [0, 0]
    return matches.flatMap(({ kind }) => (kind === POST ? posts[post++] : comments[comment++]) ?? [])
  }

  /** Those that match, in the order of these. */
  #posts<Shown>(viewer: number, matches: readonly Match[], shape: PostShape<Shown>): (Hit<Shown> | undefined)[] {
    if (matches.length === 0) return []
    const numbers = matches.map(({ n }) => n)
    const rows = this.rows.posts.find(numbers)
    const writers = rows.map((row) => row?.author ?? 0)
    const authors = this.#authorsOf(writers)
    const communities = this.#communitiesOf(rows.map((row) => row?.submolt ?? 0))
    const votes = votesOn(this.ctx.store, viewer, numbers)
    const followed = shape.hasFollowing ? this.#followed(viewer, writers) : NOBODY
    return matches.map((match, at) => {
      const [row, author, submolt] = [rows[at], authors[at], communities[at]]
      if (!row || !author || !submolt) return undefined
      const around = { author, submolt, userVote: votes.get(at) ?? null, isFollowed: followed.has(row.author) }
      return { match, result: postResult(row, around, match), post: shape.toPost(row, around) }
    })
  }

  #comments(matches: readonly Match[]): (Hit<never> | undefined)[] {
    if (matches.length === 0) return []
    const rows = this.rows.comments.find(matches.map(({ n }) => n))
    const authors = this.#authorsOf(rows.map((row) => row?.author ?? 0))
    return matches.map((match, at) => {
      const [row, author] = [rows[at], authors[at]]
      return row && author && { match, result: commentResult(row, author, match) }
    })
  }

  #authorsOf(numbers: readonly number[]): (Post['author'] | undefined)[] {
    return this.#authors.findAll(numbers, (missing, add) => {
      for (const row of this.ctx.store.all(SELECT_AUTHORS, JSON.stringify(missing))) add(row.n, toAuthor(row))
    })
  }

  #communitiesOf(numbers: readonly number[]): (Post['submolt'] | undefined)[] {
    return this.#communities.findAll(numbers, (missing, add) => {
      for (const { n, ...submolt } of this.ctx.store.all(SELECT_COMMUNITIES, JSON.stringify(missing))) add(n, submolt)
    })
  }

  #followed(viewer: number, authors: readonly number[]): ReadonlySet<number> {
    if (viewer === 0 || authors.length === 0) return NOBODY
    return new Set(this.ctx.store.all(SELECT_FOLLOWED, viewer, JSON.stringify(authors)).map(({ n }) => n))
  }
}

const NOBODY: ReadonlySet<number> = new Set()

const ofKind = (matches: readonly Match[], kind: Kind): Match[] => matches.filter((match) => match.kind === kind)

/** Number of bytes of a post or comment in JSON that are neither its text nor its author's. */
const MAX_REST = 4096
/** Maximum bytes of a character in JSON: a control character is `\\u` and four digits. */
const MAX_CHARACTER = 6

/** Number of bytes that a hit has at most in the response: a post is in it as a result and as a post, with the same text. */
function maxSizeOf({ result, post }: Hit<unknown>): number {
  const { title, content, url, author } = result
  const texts = [title ?? result.post.title, content, url ?? '', author.description, author.avatar_url ?? '']
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  return (MAX_REST + MAX_CHARACTER * characters) * (post ? 2 : 1)
}

/** The same, more or less exactly. */
const sizeOf = ({ result, post }: Hit<unknown>): number => jsonSize(result) * (post ? 2 : 1)

/** Relevance of a result, in thousandths. */
const rounded = (similarity: number): number => Math.round(similarity * 1_000) / 1_000

const postResult = (row: FoundPost, { author, submolt }: Surroundings, { similarity }: Match): SearchResult => ({
  id: row.id,
  type: 'post',
  title: row.title,
  content: row.content ?? '',
  url: row.url,
  score: row.score,
  upvotes: row.upvotes,
  downvotes: row.downvotes,
  created_at: timestamp(row.created_at),
  similarity: rounded(similarity),
  author,
  submolt,
  post: { id: row.id, title: row.title },
  post_id: row.id,
})

const commentResult = (row: FoundComment, author: Author, { similarity }: Match): SearchResult => ({
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
