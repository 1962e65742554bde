/** What votes came to. */
export interface Tally {
  readonly score: number
  readonly upvotes: number
  readonly downvotes: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const WEEK = 7 * DAY

/** A share by which a rank may be off: nobody sees the difference, and moving it costs a place in each of three lists. */
const SLIGHT = 0.02
/** The same of hotness, which is no share: seven minutes of age. */
const SLIGHTLY_HOT = 0.01

/** Whether a rank is off by more than anybody would see. */
export const hasMoved = (from: number, to: number): boolean => Math.abs(to - from) > SLIGHT * Math.abs(from)
export const hasHeated = (from: number, to: number): boolean => Math.abs(to - from) > SLIGHTLY_HOT

/** How old a post of each span may be at most; the last has no end. */
const SPANS = [HOUR, DAY, WEEK, 30 * DAY, 365 * DAY]
export const OLDEST_SPAN = SPANS.length

/** The ranges of time a list can be narrowed to, with their length in spans. */
export const TIMES = ['all', 'hour', 'day', 'week', 'month', 'year'] as const
export type Time = (typeof TIMES)[number]

/** The spans that a range of time reaches over. */
export const spansOf = (time: Time): number[] => {
  const last = time === 'all' ? OLDEST_SPAN : TIMES.indexOf(time) - 1
  return Array.from({ length: last + 1 }, (_, span) => span)
}

/** The moment at which a range of time begins: a post is in it as long as its span says so. */
export const sinceOf = (time: Time, now: number): number =>
  time === 'all' ? 0 : now - (SPANS[TIMES.indexOf(time) - 1] ?? 0) + 1

export function spanOf(createdAt: number, now: number): number {
  const span = SPANS.findIndex((length) => now - createdAt < length)
  return span < 0 ? OLDEST_SPAN : span
}

/** When a post of a span leaves it. */
export const endOfSpan = (span: number, createdAt: number): number =>
  createdAt + (SPANS[span] ?? Number.POSITIVE_INFINITY)

/** Ten votes weigh as much as half a day. A date that lies ahead counts as now. */
export const hot = ({ score }: Pick<Tally, 'score'>, createdAt: number, now: number): number =>
  Math.log10(Math.max(Math.abs(score), 1)) * Math.sign(score) + Math.min(createdAt, now) / 1000 / 45_000

/** The votes of a post against its age; nothing once it is a week old. A date that lies ahead counts as now. */
export function rising({ score }: Pick<Tally, 'score'>, createdAt: number, now: number): number {
  const age = Math.max(now - createdAt, 0)
  return age >= WEEK ? 0 : (score + 1) / (age / HOUR + 2) ** 1.5
}

/** How much, and how evenly, votes are divided. */
export const controversy = ({ upvotes, downvotes }: Tally): number => {
  const total = upvotes + downvotes
  return total === 0 ? 0 : total * (1 - Math.abs(upvotes - downvotes) / total)
}

const Z = 1.281551565545

/** The share of upvotes that is to be expected at least, four times out of five (Wilson's lower bound). */
export function best({ upvotes, downvotes }: Tally): number {
  const total = upvotes + downvotes
  if (total === 0) return 0
  const share = upvotes / total
  const spread = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * total)) / total)
  return (share + (Z * Z) / (2 * total) - spread) / (1 + (Z * Z) / total)
}
