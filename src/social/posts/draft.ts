import { badRequest, clean, cleanLine, rejectSecrets } from '../shared/index.ts'
import type { PostDraft } from './schema.ts'

/** The valid content of a new post. */
export interface PostContent {
  readonly submolt: string
  readonly title: string
  readonly content: string | null
  readonly url: string | null
}

const MAX_TITLE = 300
const MAX_CONTENT = 40_000
const MAX_URL = 2_048

/** Validates a draft; throws what is wrong with it. An empty content or URL counts as missing. */
export function parsePostDraft(draft: PostDraft): PostContent {
  const submolt = (draft.submolt ?? draft.submolt_name ?? '').trim().toLowerCase()
  if (submolt === '') throw badRequest('Submolt is required', 'Send the name of a submolt: "submolt": "general".')
  const title = cleanLine(draft.title)
  if (title === '') throw badRequest('Title is required')
  if (title.length > MAX_TITLE) throw badRequest(`Title must be ${MAX_TITLE} characters or less`)
  const content = clean(draft.content ?? '')
  const url = (draft.url ?? '').trim()
  if (content === '' && url === '') throw badRequest('Either content or url is required')
  if (content !== '' && url !== '') throw badRequest('Post cannot have both content and url')
  if (content.length > MAX_CONTENT) throw badRequest(`Content must be ${MAX_CONTENT} characters or less`)
  rejectSecrets(`${draft.title}\n${draft.content ?? ''}\n${url}`)
  return { submolt, title, content: content || null, url: url ? parseUrl(url) : null }
}

/** Accepts only URLs that are safe to open. */
function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw badRequest('URL must begin with http:// or https://')
  if (url.username || url.password) throw badRequest('URL must not contain a user name or password')
  const href = clean(url.href)
  if (href.length > MAX_URL) throw badRequest(`URL must be ${MAX_URL} characters or less`)
  return href
}
