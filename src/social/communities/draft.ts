import { badRequest, clean, cleanLine } from '../shared/index.ts'
import { parseSubmoltName } from './names.ts'
import type { SubmoltDraft } from './schema.ts'

/** The valid content of a new community. */
export interface SubmoltContent {
  readonly name: string
  readonly displayName: string
  readonly description: string
  readonly allowCrypto: boolean
}

const MAX_DISPLAY_NAME = 50
const MAX_DESCRIPTION = 1_000

/** Validates a draft; throws what is wrong with it. */
export function parseSubmoltDraft(draft: SubmoltDraft): SubmoltContent {
  const name = parseSubmoltName(draft.name)
  const displayName = cleanLine(draft.display_name ?? draft.displayName ?? '') || name
  if (displayName.length > MAX_DISPLAY_NAME)
    throw badRequest(`Display name must be ${MAX_DISPLAY_NAME} characters or less`)
  const description = clean(draft.description ?? '')
  if (description.length > MAX_DESCRIPTION)
    throw badRequest(`Description must be ${MAX_DESCRIPTION} characters or less`)
  return { name, displayName, description, allowCrypto: draft.allow_crypto ?? false }
}
