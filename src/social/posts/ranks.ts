/** The votes on a post or comment. */
export interface Tally {
  readonly score: number
  readonly upvotes: number
  readonly downvotes: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WEEK = 7 * DAY

/**
 * The relative change below which a stored rank is not updated: no one sees it, and an update moves three index
 * entries.
 */
const RANK_TOLERANCE = 0.02
/** The same for hotness, in absolute terms: seven minutes of age. */
const HOT_TOLERANCE = 0.01

/** True if a rank has changed enough to be stored. */
export const rankChanged = (from: number, to: number): boolean => Math.abs(to - from) > RANK_TOLERANCE * Math.abs(from)
export const hotChanged = (from: number, to: number): boolean => Math.abs(to - from) > HOT_TOLERANCE

/** The maximum age of each age class; the last has none. */
const MAX_AGES = [HOUR, DAY, WEEK, 30 * DAY, 365 * DAY]
export const OLDEST_AGE_CLASS = MAX_AGES.length

/** The time ranges that a list can be limited to. */
export const TIMES = ['all', 'hour', 'day', 'week', 'month', 'year'] as const
export type Time = (typeof TIMES)[number]

/** The age classes within a time range. */
export const ageClassesWithin = (time: Time): number[] => {
  const last = time === 'all' ? OLDEST_AGE_CLASS : TIMES.indexOf(time) - 1
  return Array.from({ length: last + 1 }, (_, ageClass) => ageClass)
}

/** Start of a time range. */
export const startOf = (time: Time, now: number): number =>
  time === 'all' ? 0 : now - (MAX_AGES[TIMES.indexOf(time) - 1] ?? 0) + 1

export function ageClassOf(createdAt: number, now: number): number {
  const ageClass = MAX_AGES.findIndex((maxAge) => now - createdAt < maxAge)
  return ageClass < 0 ? OLDEST_AGE_CLASS : ageClass
}

/** Time at which a post leaves its age class. */
export const ageClassEnd = (ageClass: number, createdAt: number): number =>
  createdAt + (MAX_AGES[ageClass] ?? Number.POSITIVE_INFINITY)

/** Ten votes weigh as much as half a day. A future date counts as now. */
export const hot = ({ score }: Pick<Tally, 'score'>, createdAt: number, now: number): number =>
  Math.log10(Math.max(Math.abs(score), 1)) * Math.sign(score) + Math.min(createdAt, now) / 1000 / 45_000

/** The votes of a post relative to its age; 0 after a week. A future date counts as now. */
export function rising({ score }: Pick<Tally, 'score'>, createdAt: number, now: number): number {
  const age = Math.max(now - createdAt, 0)
  return age >= WEEK ? 0 : (score + 1) / (age / HOUR + 2) ** 1.5
}

/** High for many and evenly divided votes. */
export const controversy = ({ upvotes, downvotes }: Tally): number => {
  const total = upvotes + downvotes
  return total === 0 ? 0 : total * (1 - Math.abs(upvotes - downvotes) / total)
}

const Z = 1.281551565545

/** The lower bound of Wilson's 80% confidence interval for the share of upvotes. */
export function best({ upvotes, downvotes }: Tally): number {
  const total = upvotes + downvotes
  if (total === 0) return 0
  const share = upvotes / total
  const spread = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * total)) / total)
  return (share + (Z * Z) / (2 * total) - spread) / (1 + (Z * Z) / total)
}
