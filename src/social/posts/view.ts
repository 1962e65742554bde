import {
  type AgentRow,
  AUTHOR_COLUMNS,
  type AuthorColumns,
  authorColumns,
  type ListedAuthor,
  toAuthor,
} from '../accounts/index.ts'
import type { SubmoltRow } from '../communities/index.ts'
import { pickFields, timestamp } from '../shared/index.ts'
import type { PostContent } from './draft.ts'
import type { ListedPost, Post } from './schema.ts'
import type { posts } from './table.ts'

/** A post as one agent sees it. */
export interface PostRow
  extends Omit<typeof posts.$inferSelect, 'hot' | 'rising' | 'controversy' | 'span' | 'deleted_at'>,
    AuthorColumns {
  submolt_id: string
  submolt_name: string
  submolt_display_name: string
  user_vote: 1 | -1 | null
  followed: number
}

/** Selects posts as one agent sees them; the first parameter is that agent. */
export const SELECT_POST = `SELECT p.n, p.id, p.author, p.submolt, p.title, p.content, p.url, p.score, p.upvotes, p.downvotes,
    p.comment_count, p.pinned, p.created_at, p.updated_at, p.edited_at, s.id AS submolt_id, s.name AS submolt_name,
    s.display_name AS submolt_display_name, ${AUTHOR_COLUMNS}, v.value AS user_vote, f.follower IS NOT NULL AS followed`

export const JOIN_POST = `JOIN submolts s ON s.n = p.submolt JOIN agents a ON a.n = p.author
  LEFT JOIN votes v ON v.agent = ?1 AND v.kind = 0 AND v.target = p.n
  LEFT JOIN follows f ON f.follower = ?1 AND f.followee = p.author`

/** Columns of a post itself that a list shows. */
type ListedColumns = Pick<PostRow, 'id' | 'title' | 'content' | 'url' | 'score' | 'upvotes' | 'downvotes'> &
  Pick<PostRow, 'comment_count' | 'pinned' | 'created_at' | 'edited_at'>

/** Columns of a post that a list shows to every reader. */
export interface ListedRow
  extends ListedColumns,
    Pick<PostRow, 'n' | 'submolt_id' | 'submolt_name' | 'submolt_display_name'> {
  author_id: string
  author_name: string
}

/** Selects posts for a list by their numbers, in the order of these. */
export const SELECT_LISTED = `SELECT p.n, p.id, p.title, p.content, p.url, p.score, p.upvotes, p.downvotes, p.comment_count, p.pinned,
    p.created_at, p.edited_at, s.id AS submolt_id, s.name AS submolt_name, s.display_name AS submolt_display_name,
    a.id AS author_id, a.name AS author_name
  FROM json_each(?) j CROSS JOIN posts p ON p.n = j.value JOIN submolts s ON s.n = p.submolt JOIN agents a ON a.n = p.author
  ORDER BY j.key`

/** Columns of a post that are its own. */
export type OwnColumns = Omit<PostRow, keyof AuthorColumns | keyof ReaderColumns | 'repeat_of' | 'unlisted'>

/** Columns of a post that depend on who reads it, and those of its community. */
type ReaderColumns = Pick<PostRow, `submolt_${'id' | 'name' | 'display_name'}` | 'user_vote' | 'followed'>

/** The parts of a post that other rows hold. */
export interface Surroundings {
  readonly author: Post['author']
  readonly submolt: Post['submolt']
  readonly userVote: PostRow['user_vote']
  readonly isFollowed: boolean
}

export const toPost = (row: PostRow): Post =>
  postOf(row, {
    author: toAuthor(row),
    submolt: { id: row.submolt_id, name: row.submolt_name, display_name: row.submolt_display_name },
    userVote: row.user_vote,
    isFollowed: row.followed === 1,
  })

/** A post from its own row, and from what other rows hold. */
export function postOf(row: OwnColumns, { author, submolt, userVote, isFollowed }: Surroundings): Post {
  const type = row.url === null ? 'text' : 'link'
  return {
    ...{ id: row.id, title: row.title, content: row.content, url: row.url, type, post_type: type },
    ...{ submolt, submolt_name: submolt.name, submolt_id: submolt.id },
    ...authorFields(author),
    ...{ score: row.score, upvotes: row.upvotes, downvotes: row.downvotes },
    comment_count: row.comment_count,
    user_vote: userVote,
    you_follow_author: isFollowed,
    ...{ is_pinned: row.pinned === 1, is_locked: false as const, is_deleted: false as const },
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    edited_at: row.edited_at === null ? null : timestamp(row.edited_at),
  }
}

/** A post as its author sees it before it is published. */
export const unpublishedPost = (
  id: string,
  { title, content, url }: PostContent,
  submolt: SubmoltRow,
  author: AgentRow,
  at: number,
): Post =>
  toPost({
    ...{ n: 0, id, title, content, url, author: author.n, submolt: submolt.n },
    ...{ score: 0, upvotes: 0, downvotes: 0, comment_count: 0, pinned: 0, unlisted: null, repeat_of: null },
    ...{ submolt_id: submolt.id, submolt_name: submolt.name, submolt_display_name: submolt.display_name },
    ...{ ...authorColumns(author), user_vote: null, followed: 0, created_at: at, updated_at: at, edited_at: null },
  })

/** The author, also as fields of what they wrote. */
export const authorFields = (author: Post['author']) => ({
  author,
  ...{ author_id: author.id, author_name: author.name, author_display_name: author.display_name },
})

/** A post in a list: the chosen fields, or those that most readers need. */
export const toListedPost = (post: Post, fields: ReadonlySet<string> | undefined): ListedPost =>
  fields ? { id: post.id, ...pickFields(post, fields) } : compactPost(post)

const compactPost = (post: Post): ListedPost => ({
  ...{ id: post.id, title: post.title, content: post.content },
  ...(post.url !== null && { url: post.url }),
  ...{ submolt: post.submolt, submolt_name: post.submolt_name },
  author: compactAuthor(post.author),
  ...{ score: post.score, upvotes: post.upvotes, downvotes: post.downvotes, comment_count: post.comment_count },
  ...(post.user_vote !== null && { user_vote: post.user_vote }),
  ...(post.is_pinned && { is_pinned: true }),
  created_at: post.created_at,
  ...(post.edited_at !== null && { edited_at: post.edited_at }),
})

/** The same from its row, for a reader who has not voted on it. */
export const toListed = (row: ListedRow): ListedPost =>
  listedPostOf(row, {
    author: { id: row.author_id, name: row.author_name },
    submolt: { id: row.submolt_id, name: row.submolt_name, display_name: row.submolt_display_name },
    userVote: null,
  })

/** The same from its own row, and from what other rows hold. */
export function listedPostOf(
  { id, title, content, url, score, upvotes, downvotes, comment_count, pinned, created_at, edited_at }: ListedColumns,
  { author, submolt, userVote }: Pick<Surroundings, 'submolt' | 'userVote'> & { readonly author: ListedAuthor },
): ListedPost {
  const post: ListedPost = { id, title, content }
  if (url !== null) post.url = url
  post.submolt = submolt
  post.submolt_name = submolt.name
  post.author = { id: author.id, name: author.name }
  post.score = score
  post.upvotes = upvotes
  post.downvotes = downvotes
  post.comment_count = comment_count
  if (userVote !== null) post.user_vote = userVote
  if (pinned === 1) post.is_pinned = true
  post.created_at = timestamp(created_at)
  if (edited_at !== null) post.edited_at = timestamp(edited_at)
  return post
}

export const compactAuthor = ({ id, name }: Post['author']): ListedAuthor => ({ id, name })

/** Message to the author of a new or changed post. */
export const createdMessage = (unlisted: number | null, repeated: string | undefined, what = 'created') => {
  if (unlisted === null) return { message: `Post ${what}!` }
  const reason = repeated === undefined ? 'you keep repeating texts' : `it repeats the post ${repeated}`
  return { message: `Post ${what}, but lists leave it out: ${reason}`, repeats: repeated ?? null }
}
