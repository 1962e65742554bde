/** The verdict of a check. `none`: it ended for a reason that says nothing about the code. */
export type Verdict = 'green' | 'red' | 'none'

/** The verdict on a head: it passed with what is ahead of it, or failed behind what passes. */
export type HeadVerdict = Exclude<Verdict, 'none'>

/** The verdicts of each position of a batch, oldest first. */
export function verdictsOf(checks: readonly { position: number; verdict: Verdict | null }[]): Map<number, Verdict[]> {
  const verdicts = new Map<number, Verdict[]>()
  for (const { position, verdict } of checks)
    if (verdict) verdicts.set(position, [...(verdicts.get(position) ?? []), verdict])
  return verdicts
}

/** The next step of a batch. Position -1 is the base. */
export type Decision =
  | {
      readonly is: 'check'
      readonly position: number
      /** Others that are checked at the same time, so that fewer rounds are needed. */
      readonly also: readonly number[]
      readonly lo: number
      readonly hi: number
    }
  /** The candidates up to `upto` passed, -1 for none; the next one is to blame, if there is one. */
  | { readonly is: 'settled'; readonly upto: number; readonly blamed?: number }
  | { readonly is: 'base-red' }
  | { readonly is: 'no-verdict'; readonly position: number }

interface Batch {
  readonly size: number
  /** The verdicts so far of each position, oldest first. */
  readonly verdicts: ReadonlyMap<number, readonly Verdict[]>
  /** True if a check must fail twice before it counts. */
  readonly confirms: boolean
  /** Maximum checks together. */
  readonly parallel?: number
}

/** A check that ended this often without a verdict is not begun again. */
const MAX_WITHOUT_VERDICT = 2

/**
 * Decides from the verdicts what a batch needs. The whole is checked first; a red one is halved until one candidate
 * fails behind one that passes, or divided into more parts if several checks may run together. One failure that does
 * not repeat is a flake, and counts as passed.
 */
export function decide({ size, verdicts, confirms, parallel = 1 }: Batch): Decision {
  const of = (position: number): readonly Verdict[] => verdicts.get(position) ?? []
  const isGreen = (position: number) => of(position).includes('green')
  const reds = (position: number) => of(position).filter((verdict) => verdict === 'red').length
  const needed = confirms ? 2 : 1
  let [lo, hi] = [-1, size - 1]
  const isLost = (position: number) =>
    of(position).length >= MAX_WITHOUT_VERDICT &&
    of(position)
      .slice(-MAX_WITHOUT_VERDICT)
      .every((verdict) => verdict === 'none')
  const check = (position: number, ...also: number[]): Decision => {
    const lost = [position, ...also].find(isLost)
    return lost === undefined ? { is: 'check', position, also, lo, hi } : { is: 'no-verdict', position: lost }
  }
  if (isGreen(hi)) return { is: 'settled', upto: hi }
  if (reds(hi) === 0) return check(hi)
  while (hi - lo > 1) {
    const middle = (lo + hi) >> 1
    const known = nearest(middle, { lo, hi }, (position) => isGreen(position) || reds(position) > 0)
    if (known === undefined) return check(...divide(lo, hi, parallel))
    if (isGreen(known)) lo = known
    else hi = known
  }
  if (reds(hi) < needed) return check(hi)
  if (lo >= 0 || isGreen(-1)) return { is: 'settled', upto: lo, blamed: hi }
  return reds(-1) < needed ? check(-1) : { is: 'base-red' }
}

/** The position between two others that is nearest to one of them and fits. */
function nearest(
  middle: number,
  { lo, hi }: { lo: number; hi: number },
  fits: (position: number) => boolean,
): number | undefined {
  for (let away = 0; away < hi - lo; away++) {
    for (const position of [middle - away, middle + away])
      if (position > lo && position < hi && fits(position)) return position
  }
  return undefined
}

/** Positions that divide what is between two others into equal parts. */
function divide(lo: number, hi: number, parallel: number): [number, ...number[]] {
  const parts = Math.min(parallel + 1, hi - lo)
  const [first = (lo + hi) >> 1, ...rest] = Array.from({ length: parts - 1 }, (_, at) =>
    Math.floor(lo + ((at + 1) * (hi - lo)) / parts),
  )
  return [first, ...rest]
}
