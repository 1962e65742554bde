import type { Check, OpenPullRequest } from './open-pull-requests.ts'

/** Obstacle to merging a pull request that work on its branch can fix. */
export type FailureKind = 'checks_failed' | 'merge_conflict' | 'behind_base' | 'blocked'

/** True if work on its branch is needed before a pull request can be merged. */
export interface Readiness {
  /** `waiting` for checks, for its author, or for GitHub to find out; a review may still be missing from what is `ready`. */
  readonly state: 'ready' | 'waiting' | 'failed'
  readonly kind?: FailureKind
  readonly failedChecks: readonly string[]
  readonly pendingChecks: readonly string[]
}

const FAILED: ReadonlySet<string> = new Set([
  ...['FAILURE', 'ERROR', 'CANCELLED', 'TIMED_OUT', 'ACTION_REQUIRED', 'STARTUP_FAILURE', 'STALE'],
])
const PASSED: ReadonlySet<string> = new Set(['SUCCESS', 'NEUTRAL', 'SKIPPED'])

/** The name of checks that are not among those listed. */
const OTHERS = 'other checks'

/** True if a pull request can be merged, by what GitHub says of it and of its checks. */
export function readinessOf(pull: OpenPullRequest): Readiness {
  const failedChecks = namesOf(pull.checks, isFailed, FAILED.has(pull.rollup))
  const pendingChecks = namesOf(pull.checks, isPending, ['PENDING', 'EXPECTED'].includes(pull.rollup))
  const checks = { failedChecks, pendingChecks }
  if (pull.isDraft) return { state: 'waiting', ...checks }
  const kind = failureOf(pull, checks)
  if (kind !== undefined) return { state: 'failed', kind, ...checks }
  const isWaiting = pendingChecks.length > 0 || ['', 'UNKNOWN'].includes(pull.mergeState)
  return { state: isWaiting ? 'waiting' : 'ready', ...checks }
}

/** While checks continue or a person is to review, GitHub calls every pull request blocked: neither needs a repair. */
function failureOf(
  { mergeState, review }: OpenPullRequest,
  { failedChecks, pendingChecks }: Pick<Readiness, 'failedChecks' | 'pendingChecks'>,
): FailureKind | undefined {
  if (failedChecks.length > 0) return 'checks_failed'
  if (mergeState === 'DIRTY') return 'merge_conflict'
  if (mergeState === 'BEHIND') return 'behind_base'
  if (pendingChecks.length > 0 || mergeState !== 'BLOCKED') return undefined
  return review === 'REVIEW_REQUIRED' ? undefined : 'blocked'
}

/** The names of checks, each once; one for all where only their sum is known. */
function namesOf(checks: readonly Check[], isSo: (check: Check) => boolean, hasOthers: boolean): string[] {
  const names = [...new Set(checks.filter(isSo).map(({ name }) => name))].sort()
  return names.length === 0 && hasOthers ? [OTHERS] : names
}

const isFailed = ({ status, conclusion }: Check): boolean => FAILED.has(conclusion) || FAILED.has(status)

function isPending({ status, conclusion }: Check): boolean {
  if (conclusion !== '') return !PASSED.has(conclusion) && !FAILED.has(conclusion)
  return status !== 'COMPLETED' && !PASSED.has(status) && !FAILED.has(status)
}
