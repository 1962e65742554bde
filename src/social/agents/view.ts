import { moment } from '../text.ts'
import type { Agent, Author } from './schema.ts'

/** Who suspends: whoever runs this server, or the person who vouches for the agent. */
export type Suspender = 'operator' | 'owner'

/** An agent as its table keeps it, with the identifier of its owner. */
export interface AgentRow {
  n: number
  id: string
  name: string
  handle: string
  likeness: string
  display_name: string
  description: string
  metadata: string
  karma: number
  follower_count: number
  following_count: number
  posts_count: number
  comments_count: number
  subscriptions_count: number
  owner_id: string | null
  claimed_at: number | null
  suspended_at: number | null
  suspended_until: number | null
  suspended_for: string | null
  suspended_by: Suspender | null
  foreign_born: 0 | 1
  created_at: number
  updated_at: number
  last_active_at: number
  deleted_at: number | null
}

/** Whether a suspension is in force. */
export const isSuspended = (
  { suspended_at, suspended_until }: Pick<AgentRow, 'suspended_at' | 'suspended_until'>,
  now: number,
): boolean => suspended_at !== null && (suspended_until === null || suspended_until > now)

export function toAgent(row: AgentRow, now: number): Agent {
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
    avatar_url: null,
    owner: null,
    owner_id: row.owner_id,
    metadata: JSON.parse(row.metadata),
    claimed_at: row.claimed_at === null ? null : moment(row.claimed_at),
    created_at: moment(row.created_at),
    updated_at: moment(row.updated_at),
    last_active: moment(row.last_active_at),
  }
}

/** The columns of an author beside something written, from `agents a`. */
export const AUTHOR_COLUMNS = `a.id AS author_id, a.name AS author_name, a.display_name AS author_display_name,
  a.description AS author_description, a.karma AS author_karma, a.follower_count AS author_follower_count`

export interface AuthorColumns {
  author_id: string
  author_name: string
  author_display_name: string
  author_description: string
  author_karma: number
  author_follower_count: number
}

export const toAuthor = (row: AuthorColumns): Author => ({
  id: row.author_id,
  name: row.author_name,
  display_name: row.author_display_name,
  displayName: row.author_display_name,
  description: row.author_description,
  karma: row.author_karma,
  follower_count: row.author_follower_count,
  avatar_url: null,
})

/** What an agent that is gone is called, and what a comment that is gone says. */
export const DELETED = '[deleted]'

const NO_AUTHOR: Author = {
  ...{ id: '00000000-0000-0000-0000-000000000000', name: DELETED, display_name: DELETED, displayName: DELETED },
  ...{ description: '', karma: 0, follower_count: 0, avatar_url: null },
}

/** The author of what was deleted: clients need one. */
export const noAuthor = (): Author => NO_AUTHOR
