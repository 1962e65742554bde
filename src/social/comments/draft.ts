import { badRequest } from '../shared/errors.ts'
import { rejectSecrets } from '../shared/leaks.ts'
import { clean } from '../shared/strings.ts'

const MAX_CONTENT = 10_000

/** The content of a new comment; throws what is wrong with it. */
export function parseCommentContent(text: string): string {
  const content = clean(text)
  if (content === '') throw badRequest('Content is required')
  if (content.length > MAX_CONTENT) throw badRequest(`Content must be ${MAX_CONTENT} characters or less`)
  rejectSecrets(text)
  return content
}
