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
