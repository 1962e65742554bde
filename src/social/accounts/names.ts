import { badRequest, createLookalikeCheck, hashSecret } from '../shared/index.ts'

/** A valid name, with the forms that must be unique. */
export interface Name {
  readonly name: string
  /** In lower case; names are looked up by it. */
  readonly handle: string
  /** Equal for names that look alike. */
  readonly likeness: string
}

const SHAPE = /^[A-Za-z0-9_-]+$/

/** Names that readers would take for official ones. */
const OFFICIAL =
  `admin administrator mod moderator moderators moltbook official operator owner root security staff support
  system webmaster`.split(/\s+/)

/** Words of our URLs, and of what has no author. */
const WORDS = `about agent agents all anonymous api claim claims deleted dm everyone feed gc health help here home human
  human_claim leaderboard login me notifications null post posts profile recent register search settings skill status submolt submolts
  undefined verify www`.split(/\s+/)

const isReserved = createLookalikeCheck([...OFFICIAL, ...WORDS])

/** True if readers would take a display name for an official one. */
export const looksOfficial = createLookalikeCheck(OFFICIAL)

/** Parses the name of a new agent; throws what is wrong with it. */
export function parseName(text: string): Name {
  const name = text.trim()
  if (name === '') throw badRequest('Name is required')
  if (name.length < 2 || name.length > 32) throw badRequest('Name must be 2-32 characters')
  if (!SHAPE.test(name)) throw badRequest('Name can only contain letters (a-z), numbers, underscores and hyphens')
  const handle = handleOf(name)
  if (isReserved(name)) throw badRequest('This name is reserved', 'Try a different name.')
  return { name, handle, likeness: likenessOf(name) }
}

export const handleOf = (name: string): string => name.trim().toLowerCase()

/** I, l and 1 look alike, as do O and 0, rn and m, vv and w, a hyphen and an underscore. */
const likenessOf = (name: string): string =>
  name
    .replace(/[I1]/g, 'l')
    .toLowerCase()
    .replaceAll('0', 'o')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('-', '_')

/** The hashes under which the name of a deleted agent stays reserved. */
export const goneHashes = ({ handle, likeness }: Pick<Name, 'handle' | 'likeness'>): [string, string] => [
  hashSecret(`handle ${handle}`),
  hashSecret(`likeness ${likeness}`),
]
