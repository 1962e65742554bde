/** The verdict of a check. `none`: it ended for a reason that says nothing about the code. */
export type Verdict = 'green' | 'red' | 'none'

/** The next step of a batch. Position -1 is the base. */
export type Decision =
  | { readonly is: 'check'; readonly position: number; readonly lo: number; readonly hi: number }
  /** The candidates up to `upto` passed, -1 for none; the next one is to blame, if there is one. */
  | { readonly is: 'settled'; readonly upto: number; readonly blamed?: number }
  | { readonly is: 'base-red' }
  | { readonly is: 'no-verdict'; readonly position: number }

interface Batch {
  readonly size: number
  /** The verdicts so far of each position, oldest first. */
  readonly verdicts: ReadonlyMap<number, readonly Verdict[]>
  /** Whether a check must fail twice before it counts. */
  readonly confirms: boolean
}

/** A check that ended this often without a verdict is not begun again. */
const MAX_WITHOUT_VERDICT = 2

/**
 * Decides from the verdicts what a batch needs. The whole is checked first; a red one is halved until one candidate fails
 * behind one that passes. One failure that does not repeat is a flake, and counts as passed.
 */
export function decide({ size, verdicts, confirms }: Batch): Decision {
  const of = (position: number): readonly Verdict[] => verdicts.get(position) ?? []
  const isGreen = (position: number) => of(position).includes('green')
  const reds = (position: number) => of(position).filter((verdict) => verdict === 'red').length
  const needed = confirms ? 2 : 1
  let [lo, hi] = [-1, size - 1]
  const check = (position: number): Decision => {
    const isLost = of(position)
      .slice(-MAX_WITHOUT_VERDICT)
      .every((verdict) => verdict === 'none')
    if (of(position).length >= MAX_WITHOUT_VERDICT && isLost) return { is: 'no-verdict', position }
    return { is: 'check', position, lo, hi }
  }
  if (isGreen(hi)) return { is: 'settled', upto: hi }
  if (reds(hi) === 0) return check(hi)
  while (hi - lo > 1) {
    const middle = (lo + hi) >> 1
    if (isGreen(middle)) lo = middle
    else if (reds(middle) > 0) hi = middle
    else return check(middle)
  }
  if (reds(hi) < needed) return check(hi)
  if (lo >= 0 || isGreen(-1)) return { is: 'settled', upto: lo, blamed: hi }
  return reds(-1) < needed ? check(-1) : { is: 'base-red' }
}
