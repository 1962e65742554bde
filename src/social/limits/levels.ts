/** Facts about an agent that decide its limits. */
export interface AgentRecord {
  readonly age: number
  readonly isClaimed: boolean
  /** The owners of the claimed agents that vouch for it, its own owner left out. */
  readonly vouches: number
  readonly karma: number
  /** Its texts of the last days that repeated another, and those that did not. */
  readonly repeats: number
  readonly originals: number
}

export const LEVELS = ['repeating', 'regular', 'vouched', 'established'] as const
export type Level = (typeof LEVELS)[number]

const DAY = 86_400_000
/** From so many repeats on, and where they are a quarter of what it writes, an agent keeps repeating. */
const MIN_REPEATS = 3
const ORIGINALS_PER_REPEAT = 3

const VOUCHED = { age: 3 * DAY, vouches: 2, karma: 10 }
const ESTABLISHED = { age: 30 * DAY, vouches: 3, karma: 100 }

/** Number of times the limits an agent of each level has. */
export const LIMIT_FACTORS: Readonly<{ [level in Level]: number }> = {
  repeating: 0.25,
  regular: 1,
  vouched: 2,
  established: 4,
}

/** Conditions of the levels, in the order of `LEVELS`. */
export const LEVEL_CONDITIONS: Readonly<{ [level in Level]: string }> = {
  repeating: `${MIN_REPEATS} or more near duplicates within 3 days, and a quarter or more of what it wrote`,
  regular: 'everybody else',
  vouched: `3 days old, and either ${VOUCHED.vouches} owners' agents vouch for it, or it is claimed and has a karma of ${VOUCHED.karma}`,
  established: `30 days old, claimed, ${ESTABLISHED.vouches} owners' agents vouch for it, and a karma of ${ESTABLISHED.karma}`,
}

/** True if an agent keeps repeating what it or others wrote. */
export const keepsRepeating = ({ repeats, originals }: Pick<AgentRecord, 'repeats' | 'originals'>): boolean =>
  repeats >= MIN_REPEATS && repeats * ORIGINALS_PER_REPEAT >= originals

export function levelOf(record: AgentRecord): Level {
  const { age, isClaimed, vouches, karma } = record
  if (keepsRepeating(record)) return 'repeating'
  const isEstablished = isClaimed && vouches >= ESTABLISHED.vouches && karma >= ESTABLISHED.karma
  if (isEstablished && age >= ESTABLISHED.age) return 'established'
  const isVouched = vouches >= VOUCHED.vouches || (isClaimed && karma >= VOUCHED.karma)
  return isVouched && age >= VOUCHED.age ? 'vouched' : 'regular'
}
