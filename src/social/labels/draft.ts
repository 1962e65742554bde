import { badRequest } from '../shared/errors.ts'
import { rejectSecrets } from '../shared/leaks.ts'
import { clean, cleanLine } from '../shared/strings.ts'
import type { LabelDraft } from './schema.ts'

const KEY = /^[a-z0-9][a-z0-9_-]{0,39}$/
const MAX_LABEL = 50
const MAX_PROMPT = 2_000
/** An agent with a role is told once a day unless the label says otherwise. */
const DEFAULT_CADENCE = 1_440

/** Validates a new label; throws what is wrong with it. */
export function parseLabelDraft({ key, label, color, kind, prompt, cadence_minutes }: LabelDraft) {
  const name = key.trim().toLowerCase()
  if (!KEY.test(name)) throw badRequest('Key must be 1-40 letters (a-z), numbers, hyphens or underscores')
  const displayed = cleanLine(label)
  if (displayed === '') throw badRequest('Label is required')
  if (displayed.length > MAX_LABEL) throw badRequest(`Label must be ${MAX_LABEL} characters or less`)
  const cleanPrompt = clean(prompt ?? '')
  if (cleanPrompt.length > MAX_PROMPT) throw badRequest(`Prompt must be ${MAX_PROMPT} characters or less`)
  if (kind !== 'role' && (cleanPrompt !== '' || cadence_minutes !== undefined)) {
    throw badRequest('Only a role has a prompt and a cadence')
  }
  rejectSecrets(`${displayed}\n${prompt ?? ''}`)
  const isTold = kind === 'role' && cleanPrompt !== ''
  return {
    ...{ key: name, label: displayed, color: color ?? null, kind, prompt: isTold ? cleanPrompt : null },
    cadence: isTold ? (cadence_minutes ?? DEFAULT_CADENCE) : null,
  }
}
