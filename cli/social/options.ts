import type { LabelDraft } from '../../src/social/communities/index.ts'
import type { JsonOption } from '../context/options.ts'

/** The options of lists. */
export interface ListOptions extends JsonOption {
  all?: true
  following?: true
  submolt?: string
  author?: string
  sort?: string
  limit?: number
  cursor?: string
}

export interface NotificationOptions extends JsonOption {
  unread?: true
  limit?: number
  cursor?: string
}

export interface SearchOptions extends JsonOption {
  type?: string
  submolt?: string
  limit?: number
  cursor?: string
}

export interface PostOptions extends JsonOption {
  submolt: string
  message?: string
  link?: string
}

export interface CommentOptions extends JsonOption {
  message?: string
  replyTo?: string
}

export interface SendOptions extends JsonOption {
  needsHuman?: true
}

export interface SettingsOptions extends JsonOption {
  description?: string
  displayName?: string
  bannerColor?: string
  themeColor?: string
}

export interface LabelOptions extends JsonOption {
  displayName?: string
  kind: LabelDraft['kind']
  color?: LabelDraft['color']
  prompt?: string
  cadence?: number
}
