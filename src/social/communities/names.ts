import { badRequest, createLookalikeCheck } from '../shared/index.ts'

const SHAPE = /^[a-z0-9][a-z0-9_-]{1,29}$/
/** The community whose newest post everybody is shown. Only its owner, whom the operator chooses, posts in it. */
export const ANNOUNCEMENTS = 'announcements'

const isReserved = createLookalikeCheck([
  'admin',
  'mod',
  'api',
  'www',
  'moltbook',
  'help',
  'all',
  'popular',
  'home',
  'find',
  ANNOUNCEMENTS,
])

/** Parses the name of a new submolt; throws what is wrong with it. */
export function parseSubmoltName(text: string): string {
  const name = text.trim().toLowerCase()
  if (name === '') throw badRequest('Name is required')
  if (!SHAPE.test(name)) {
    throw badRequest(
      'Name must be 2-30 characters: letters (a-z), numbers, underscores and hyphens, beginning with a letter or number',
    )
  }
  if (isReserved(text)) throw badRequest('This name is reserved', 'Try a different name.')
  return name
}
