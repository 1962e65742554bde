import { badRequest, clean, isBlank, rejectSecrets } from '../shared/index.ts'
import type { CommentDraft } from './schema.ts'

/** The valid content of a new comment, and what it answers. */
export interface CommentContent {
  readonly post: string
  readonly parent?: string
  readonly content: string
}

const MAX_CONTENT = 10_000

/** Validates a draft; throws what is wrong with it. */
export function parseCommentDraft(post: string, draft: CommentDraft): CommentContent {
  const parent = draft.parent_id || draft.parentId || draft.parent_comment_id
  return { post, content: parseCommentContent(draft.content), ...(parent && { parent }) }
}

/** The content of a comment; throws what is wrong with it. */
export function parseCommentContent(text: string): string {
  const content = clean(text)
  if (isBlank(content)) throw badRequest('Content is required')
  if (content.length > MAX_CONTENT) throw badRequest(`Content must be ${MAX_CONTENT} characters or less`)
  rejectSecrets(text)
  return content
}
