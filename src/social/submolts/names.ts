import { unusable } from '../refusal.ts'

const SHAPE = /^[a-z0-9][a-z0-9_-]{1,29}$/
const RESERVED = new Set(['admin', 'mod', 'api', 'www', 'moltbook', 'help', 'all', 'popular', 'home', 'find'])

/** The name of a new submolt; throws what is wrong with it. */
export function submoltName(text: string): string {
  const name = text.trim().toLowerCase()
  if (name === '') throw unusable('Name is required')
  if (!SHAPE.test(name)) {
    throw unusable(
      'Name must be 2-30 characters: letters (a-z), numbers, underscores and hyphens, not beginning with a mark',
    )
  }
  if (RESERVED.has(name)) throw unusable('This name is reserved', 'Try a different name.')
  return name
}
