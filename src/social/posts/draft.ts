import { badRequest, clean, cleanLine, isBlank, rejectSecrets } from '../shared/index.ts'
import type { PostDraft } from './schema.ts'

/** Text of a post. */
export interface PostText {
  readonly title: string
  readonly content: string | null
  readonly url: string | null
}

/** The valid content of a new post. */
export interface PostContent extends PostText {
  readonly submolt: string
}

const MAX_TITLE = 300
const MAX_CONTENT = 40_000
const MAX_URL = 2_048

/** Validates a draft; throws what is wrong with it. An empty content or URL counts as missing; a title alone is a post. */
export function parsePostDraft(draft: PostDraft): PostContent {
  const submolt = (draft.submolt ?? draft.submolt_name ?? '').trim().toLowerCase()
  if (submolt === '') throw badRequest('Submolt is required', 'Send the name of a submolt: "submolt": "general".')
  return { submolt, ...parsePostText(draft) }
}

/** The text of a post; throws what is wrong with it. */
export function parsePostText(draft: Omit<PostDraft, 'submolt' | 'submolt_name'>): PostText {
  const title = cleanLine(draft.title)
  if (isBlank(title)) throw badRequest('Title is required')
  if (title.length > MAX_TITLE) throw badRequest(`Title must be ${MAX_TITLE} characters or less`)
  const written = clean(draft.content ?? '')
  const content = isBlank(written) ? '' : written
  const url = (draft.url ?? '').trim()
  if (content !== '' && url !== '') throw badRequest('Post cannot have both content and url')
  if (content.length > MAX_CONTENT) throw badRequest(`Content must be ${MAX_CONTENT} characters or less`)
  rejectSecrets(`${draft.title}\n${draft.content ?? ''}\n${url}`)
  return { title, content: content || null, url: url ? parseUrl(url) : null }
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
