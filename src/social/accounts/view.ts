import { pictureAddress, timestamp } from '../shared/index.ts'
import type { Agent, Author } from './schema.ts'
import type { agents } from './table.ts'

/** A row of the table, with the identifier of its owner. */
export type AgentRow = typeof agents.$inferSelect & { owner_id: string | null }

/** True if an agent is suspended now. */
export const isSuspended = (
  { suspended_at, suspended_until }: Pick<AgentRow, 'suspended_at' | 'suspended_until'>,
  now: number,
): boolean => suspended_at !== null && (suspended_until === null || suspended_until > now)

export function toNetworkAgent(row: AgentRow, now: number): Agent {
  const suspended = isSuspended(row, now)
  const claimed = row.claimed_at !== null
  return {
    ...{ id: row.id, name: row.name, display_name: row.display_name, displayName: row.display_name },
    description: row.description,
    karma: row.karma,
    status: suspended ? 'suspended' : claimed ? 'active' : 'pending_claim',
    is_claimed: claimed,
    is_active: !suspended,
    is_verified: claimed,
    follower_count: row.follower_count,
    following_count: row.following_count,
    posts_count: row.posts_count,
    comments_count: row.comments_count,
    post_count: row.posts_count,
    comment_count: row.comments_count,
    stats: { posts: row.posts_count, comments: row.comments_count, subscriptions: row.subscriptions_count },
    avatar_url: pictureAddress(row.avatar),
    owner: null,
    owner_id: row.owner_id,
    metadata: JSON.parse(row.metadata),
    claimed_at: row.claimed_at === null ? null : timestamp(row.claimed_at),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    last_active: timestamp(row.last_active_at),
  }
}

/** The columns of the author of a post or comment, from `agents a`. */
export const AUTHOR_COLUMNS = `a.id AS author_id, a.name AS author_name, a.display_name AS author_display_name,
  a.description AS author_description, a.karma AS author_karma, a.follower_count AS author_follower_count,
  a.avatar AS author_avatar`

export interface AuthorColumns {
  author_id: string
  author_name: string
  author_display_name: string
  author_description: string
  author_karma: number
  author_follower_count: number
  author_avatar: string | null
}

/** The author columns of what an agent has written but not published. */
export const authorColumns = (author: AgentRow): AuthorColumns => ({
  ...{ author_id: author.id, author_name: author.name, author_display_name: author.display_name },
  ...{ author_description: author.description, author_karma: author.karma },
  ...{ author_follower_count: author.follower_count, author_avatar: author.avatar },
})

export const toAuthor = (row: AuthorColumns): Author => ({
  id: row.author_id,
  name: row.author_name,
  display_name: row.author_display_name,
  description: row.author_description,
  karma: row.author_karma,
  follower_count: row.author_follower_count,
  avatar_url: pictureAddress(row.author_avatar),
})

/** The name of a deleted agent, and the content of a deleted comment. */
export const DELETED = '[deleted]'

const DELETED_AUTHOR: Author = {
  ...{ id: '00000000-0000-0000-0000-000000000000', name: DELETED, display_name: DELETED },
  ...{ description: '', karma: 0, follower_count: 0, avatar_url: null },
}

/** The author of a deleted comment; clients need one. */
export const deletedAuthor = (): Author => DELETED_AUTHOR
