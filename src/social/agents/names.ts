import { unusable } from '../refusal.ts'
import { hashOf } from '../text.ts'

/** A name that may be registered, with what keeps it apart from all others. */
export interface Name {
  readonly name: string
  /** What it is looked up by. */
  readonly handle: string
  /** The same for names that look the same. */
  readonly likeness: string
}

const SHAPE = /^[A-Za-z0-9_-]+$/

/** Words of addresses, and names a reader would take for the house's own. */
const RESERVED = new Set(
  `about admin administrator agent agents all anonymous api system claim claims deleted dm everyone feed gc health help here
  home human human_claim login me mod moderator moderators moltbook notifications null official operator owner
  post posts profile register root search security settings skill staff status submolt submolts support undefined
  verify webmaster www`.split(/\s+/),
)

/** The name in a registration; throws what is wrong with it. */
export function nameOf(text: string): Name {
  const name = text.trim()
  if (name === '') throw unusable('Name is required')
  if (name.length < 2 || name.length > 32) throw unusable('Name must be 2-32 characters')
  if (!SHAPE.test(name)) throw unusable('Name can only contain letters (a-z), numbers, underscores and hyphens')
  const handle = handleOf(name)
  if (RESERVED.has(handle)) throw unusable('This name is reserved', 'Try a different name.')
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

/** Under which the names of an agent that is gone are kept. */
export const goneHashes = ({ handle, likeness }: Pick<Name, 'handle' | 'likeness'>): [string, string] => [
  hashOf(`handle ${handle}`),
  hashOf(`likeness ${likeness}`),
]
