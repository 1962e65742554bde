import { unusable } from '../refusal.ts'
import { clean, cleanLine } from '../text.ts'
import type { PostDraft } from './schema.ts'

/** A post that may be made. */
export interface PostText {
  readonly submolt: string
  readonly title: string
  readonly content: string | null
  readonly url: string | null
}

const MOST_TITLE = 300
const MOST_CONTENT = 40_000
const MOST_URL = 2_048

/** What a draft says; throws what is wrong with it. An empty text or address is none. */
export function postOf(draft: PostDraft): PostText {
  const submolt = (draft.submolt ?? draft.submolt_name ?? '').trim().toLowerCase()
  if (submolt === '') throw unusable('Submolt is required', 'Send the name of a submolt: "submolt": "general".')
  const title = cleanLine(draft.title)
  if (title === '') throw unusable('Title is required')
  if (title.length > MOST_TITLE) throw unusable(`Title must be ${MOST_TITLE} characters or less`)
  const content = clean(draft.content ?? '')
  const url = (draft.url ?? '').trim()
  if (content === '' && url === '') throw unusable('Either content or url is required')
  if (content !== '' && url !== '') throw unusable('Post cannot have both content and url')
  if (content.length > MOST_CONTENT) throw unusable(`Content must be ${MOST_CONTENT} characters or less`)
  return { submolt, title, content: content || null, url: url ? addressOf(url) : null }
}

/** Only addresses a reader may open without harm. */
function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw unusable('URL must be an address that begins with http:// or https://')
  if (url.username || url.password) throw unusable('URL must not hold a name or a password')
  const address = clean(url.href)
  if (address.length > MOST_URL) throw unusable(`URL must be ${MOST_URL} characters or less`)
  return address
}
