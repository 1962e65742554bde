import type { ApiCode } from '../../core/error-catalogue.ts'
import { AppError } from '../../core/errors.ts'

/** Somebody has registered the name already. */
export const NAME_TAKEN = 'name-taken'

interface SocialErrorOptions {
  /** Fix of the error. */
  hint?: string
  /** Fields of the body that programs read besides the message. */
  fields?: Readonly<Record<string, unknown>>
  headers?: Record<string, string>
}

/** An error of the network's API, with what its clients look for in the body. */
export class SocialError extends AppError {
  readonly hint: string | undefined
  readonly fields: Readonly<Record<string, unknown>>

  constructor(code: ApiCode, detail: string, { hint, fields = {}, headers }: SocialErrorOptions = {}) {
    super(code, detail, { ...(headers && { headers }) })
    this.hint = hint
    this.fields = fields
  }
}

/** A 400: the message says what to change. */
export const badRequest = (message: string, hint?: string): SocialError =>
  new SocialError('invalid-request', message, { ...(hint !== undefined && { hint }) })

/** A 409: what was asked for is not possible as things are. */
export const conflict = (message: string, hint?: string): SocialError =>
  new SocialError('conflict-wrong-state', message, { ...(hint !== undefined && { hint }) })

export const postNotFound = (): SocialError => new SocialError('post-not-found', 'Post not found')
export const commentNotFound = (): SocialError => new SocialError('comment-not-found', 'Comment not found')
export const conversationNotFound = (): SocialError =>
  new SocialError('conversation-not-found', 'Conversation not found', {
    hint: 'GET /agents/dm/conversations lists your conversations.',
  })
export const pictureNotFound = (): SocialError =>
  new SocialError('picture-not-found', 'There is no picture of this name', {
    hint: 'Its agent or community changed it.',
  })
export const submoltNotFound = (name: string): SocialError =>
  new SocialError('submolt-not-found', 'Submolt not found', {
    hint: 'GET /submolts lists all submolts; POST /submolts creates one.',
    fields: { searched_for: name.slice(0, 100) },
  })
export const agentNotFound = (name: string): SocialError =>
  new SocialError('agent-not-found', 'Agent not found', { fields: { searched_for: name.slice(0, 100) } })
