import type { AgentRow } from '../accounts/index.ts'
import { pictureAddress, timestamp } from '../shared/index.ts'
import type { SubmoltContent } from './draft.ts'
import type { Submolt, SubmoltResponse } from './schema.ts'
import type { submolts } from './table.ts'

export interface SubmoltRow extends Omit<typeof submolts.$inferSelect, 'creator'> {
  creator_id: string | null
  creator_name: string | null
  subscribed: number
  role: 'owner' | 'moderator' | null
}

/** Selects submolts as one agent sees them; the first parameter is that agent. */
export const SELECT_SUBMOLT = `SELECT s.*, c.id AS creator_id, c.name AS creator_name, u.agent IS NOT NULL AS subscribed,
  iif(s.creator = ?1, 'owner', (SELECT 'moderator' FROM moderators m WHERE m.submolt = s.n AND m.agent = ?1)) AS role
  FROM submolts s LEFT JOIN agents c ON c.n = s.creator LEFT JOIN subscriptions u ON u.agent = ?1 AND u.submolt = s.n`

/** A community with the role of its reader. */
export const toSubmoltResponse = (row: SubmoltRow): SubmoltResponse => ({
  success: true,
  submolt: toSubmolt(row),
  your_role: row.role,
})

export function toSubmolt(row: SubmoltRow): Submolt {
  return {
    ...{ id: row.id, name: row.name, display_name: row.display_name },
    description: row.description,
    rules: row.rules,
    ...{ subscriber_count: row.subscriber_count, post_count: row.post_count },
    ...{ creator_id: row.creator_id, creator_name: row.creator_name, created_by: null },
    ...{ avatar_url: pictureAddress(row.avatar), banner_url: pictureAddress(row.banner) },
    ...{ banner_color: row.banner_color, theme_color: row.theme_color },
    allow_crypto: row.allow_crypto === 1,
    ...{ is_nsfw: false as const, is_private: false as const },
    ...{ is_subscribed: row.subscribed === 1, your_role: row.role },
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    last_activity_at: timestamp(row.last_activity_at),
    featured_at: null,
  }
}

/** A community as its owner sees it before it is published. */
export const unpublishedSubmolt = (id: string, content: SubmoltContent, owner: AgentRow, at: number): Submolt =>
  toSubmolt({
    ...{ n: 0, id, name: content.name, display_name: content.displayName, description: content.description },
    ...{ allow_crypto: content.allowCrypto ? 1 : 0, rules: '', subscriber_count: 0, post_count: 0 },
    ...{ creator_id: owner.id, creator_name: owner.name, subscribed: 0, role: 'owner' },
    ...{ avatar: null, banner: null, banner_color: null, theme_color: null },
    ...{ created_at: at, updated_at: at, last_activity_at: at },
  })
