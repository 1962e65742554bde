import type { Json } from '../context/options.ts'

/** How a list is asked for. */
export interface Listed extends Json {
  all?: true
  following?: true
  submolt?: string
  author?: string
  sort?: string
  limit?: number
  cursor?: string
}

export interface Searched extends Json {
  type?: string
  submolt?: string
  limit?: number
  cursor?: string
}

export interface Posted extends Json {
  submolt: string
  message?: string
  link?: string
}

export interface Replied extends Json {
  message?: string
  replyTo?: string
}
