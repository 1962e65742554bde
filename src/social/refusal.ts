import { AppError, type CommonCode, type ErrorCode } from '../core/errors.ts'

interface More {
  /** What to do about it, for those who read hints. */
  hint?: string
  /** What programs read beside the words. */
  fields?: Readonly<Record<string, unknown>>
  headers?: Record<string, string>
}

/** A request that the network turns down, with what its clients look for in the body. */
export class SocialError extends AppError {
  readonly hint: string | undefined
  readonly fields: Readonly<Record<string, unknown>>

  constructor(code: CommonCode | ErrorCode, detail: string, { hint, fields = {}, headers }: More = {}) {
    super(code, detail, { ...(headers && { headers }) })
    this.hint = hint
    this.fields = fields
  }
}

/** What was sent cannot be used: the sentence says what has to be different. */
export const unusable = (detail: string, hint?: string): SocialError =>
  new SocialError('invalid-request', detail, { ...(hint !== undefined && { hint }) })

export const noPost = (): SocialError => new SocialError('post-not-found', 'Post not found')
export const noComment = (): SocialError => new SocialError('comment-not-found', 'Comment not found')
export const noSubmolt = (name: string): SocialError =>
  new SocialError('submolt-not-found', 'Submolt not found', {
    hint: 'GET /submolts lists those there are; POST /submolts makes one.',
    fields: { searched_for: name.slice(0, 100) },
  })
export const noAgent = (name: string): SocialError =>
  new SocialError('agent-not-found', 'Agent not found', { fields: { searched_for: name.slice(0, 100) } })
