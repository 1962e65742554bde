import type { Clock } from '../../core/clock.ts'
import { type NumberMetric, samplesBy } from '../../core/metrics/index.ts'
import type { Tx } from '../../core/store/index.ts'
import { FINAL, type LandingRows } from './rows.ts'
import { LANDING_STATES, type LandingRow, type TrainRow } from './table.ts'

/** States that are counted each time that a landing enters them. */
const OUTCOMES: readonly string[] = [
  ...['landed', 'already', 'conflict', 'red', 'waits_turn', 'held', 'parked', 'lost', 'cancelled', 'given_up'],
]
const DECISIONS = ['release', 'hold', 'retry', 'cancel', 'give-up'] as const
const VERDICTS = ['green', 'red', 'none'] as const
const MINUTE = 60
/** Bounds of the time from the submission of a branch to its landing, in seconds. */
const BOUNDS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE, 240 * MINUTE, 1440 * MINUTE, Number.POSITIVE_INFINITY]
const boundName = (bound: number): string => (Number.isFinite(bound) ? String(bound) : '+Inf')

/** Counts that a landing entered another state. */
export function countEntry(rows: LandingRows, tx: Tx, before: LandingRow, after: LandingRow): void {
  if (before.state === after.state || !OUTCOMES.includes(after.state)) return
  rows.count(tx, `outcome:${after.state}`)
  if (after.state !== 'landed') return
  const seconds = Math.max(0, after.updatedAt - after.submittedAt) / 1000
  rows.count(tx, 'seconds', seconds)
  for (const bound of BOUNDS) if (seconds <= bound) rows.count(tx, `seconds:${boundName(bound)}`)
}

/** Outcomes of batches whose checks decided nothing. */
const WASTED: readonly string[] = ['abandoned', 'dissolved', 'lost', 'no-verdict', 'overtaken']

/** Ends a batch, and counts its checks if they decided nothing. */
export function endBatch(rows: LandingRows, tx: Tx, batch: string, outcome: string, now: number): void {
  rows.updateBatch(tx, batch, { state: 'done', outcome, endedAt: now })
  const checks = WASTED.includes(outcome) ? rows.checksOf(batch).length : 0
  if (checks > 0) rows.count(tx, 'wasted', checks)
}

const CONFLICT = 'conflict:'
/** Paths whose conflicts are counted, and those of them that are shown. */
const MAX_PATHS = 1_000
const TOP_PATHS = 20

/** Counts a conflict in each of its files. The paths with the fewest make room for others. */
export function countConflict(rows: LandingRows, tx: Tx, rig: string, paths: readonly string[]): void {
  for (const path of paths.slice(0, TOP_PATHS)) rows.count(tx, `${CONFLICT}${rig}\n${path}`)
  const counted = [...rows.totals()].filter(([name]) => name.startsWith(CONFLICT))
  const fewest = counted.sort(([, a], [, b]) => a - b).slice(0, Math.max(0, counted.length - MAX_PATHS))
  for (const [name] of fewest) rows.forget(tx, name)
}

/** The usage of an owner between a letter and the next submission. */
export interface Resolution {
  readonly seconds: number
  readonly tokens: number
  readonly cost: number
  readonly unpriced: number
  /** Responses of models; 0 where the program of the owner reports no usage. */
  readonly responses: number
}

export function countResolution(rows: LandingRows, tx: Tx, kind: string, resolution: Resolution): void {
  const { responses, ...used } = resolution
  rows.count(tx, `resolved:${kind}`)
  if (responses === 0) rows.count(tx, `resolved_unmetered:${kind}`)
  for (const [name, n] of Object.entries(used)) rows.count(tx, `resolved_${name}:${kind}`, n)
}

/** Counts the time for which nothing landed because the check failed on the target itself, once that is over. */
export function countStanding(rows: LandingRows, tx: Tx, train: TrainRow | undefined, now: number): void {
  if (train) rows.count(tx, 'base_red_seconds', redSeconds(train, now))
}

const redSeconds = ({ standingFor, standingSince }: TrainRow, now: number): number =>
  standingFor === 'base-red' && standingSince !== null ? Math.max(0, now - standingSince) / 1000 : 0

/** The metrics of what lands in a city, from counters. */
export function landingMetrics({ rows, clock }: { rows: LandingRows; clock: Clock }): NumberMetric[] {
  const totals = rows.totals()
  const of = (name: string): number => totals.get(name) ?? 0
  const by = (prefix: string, names: readonly string[]) =>
    names.map((name) => [name, of(`${prefix}:${name}`)] as [string, number])
  const states = LANDING_STATES.filter((state) => !FINAL.includes(state))
  const counts = new Map<string, number>(states.map((state) => [state, 0]))
  for (const { state } of rows.everywhere(...states)) counts.set(state, (counts.get(state) ?? 0) + 1)
  const red = rows.standing().reduce((sum, train) => sum + redSeconds(train, clock.now()), of('base_red_seconds'))
  const pushes: [string, number][] = [
    ['arrived', of('push:landed')],
    ['overtaken', of('push:overtaken')],
    ['refused', of('land.refused')],
  ]
  const counter = (name: string, help: string, samples: NumberMetric['samples']): NumberMetric => ({
    ...{ name, help, type: 'counter', samples },
  })
  const total = (name: string, help: string, value: number) => counter(name, help, [{ labels: {}, value }])
  return [
    {
      ...{ name: 'gc_landings', help: 'Submitted branches that have not landed, by state.', type: 'gauge' },
      samples: samplesBy('state', counts),
    },
    counter(
      'gc_landings_total',
      'Branches that landed, were given back to their owners or had to wait, by outcome.',
      samplesBy('outcome', by('outcome', OUTCOMES)),
    ),
    total('gc_landing_seconds_total', 'Time from the submission of branches until they landed.', of('seconds')),
    counter(
      'gc_landing_seconds_bucket',
      'Branches that landed, by the longest time since their submission.',
      samplesBy('le', by('seconds', BOUNDS.map(boundName))),
    ),
    counter(
      'gc_landing_checks_total',
      'Checks of merged branches, by verdict; none if a timeout or a signal ended it.',
      samplesBy('verdict', by('verdict', VERDICTS)),
    ),
    total('gc_landing_wasted_checks_total', 'Checks of batches that were given up before they decided.', of('wasted')),
    total('gc_landing_flakes_total', 'Checks that failed and then passed with the same files.', of('land.flaky')),
    counter('gc_landing_pushes_total', 'Pushes to targets, by outcome.', samplesBy('outcome', pushes)),
    total('gc_landing_base_red_seconds_total', 'Time for which the check failed on the target itself.', red),
    counter(
      'gc_landing_submissions_total',
      'Commits that were submitted: the first of a branch, or one that replaced another.',
      samplesBy('kind', by('submitted', ['first', 'again'])),
    ),
    counter(
      'gc_landing_decisions_total',
      'Decisions of people about landings. Approvals are among the reviews.',
      samplesBy('decision', by('decision', DECISIONS)),
    ),
    counter('gc_landing_conflicts_total', 'Conflicts by file, of the files with the most.', conflictSamples(totals)),
    ...RESOLUTIONS.map(([name, key, help]) => counter(name, help, samplesBy('kind', by(key, ['conflict', 'red'])))),
  ]
}

const RESOLUTIONS = [
  ['gc_landing_resolutions_total', 'resolved', 'Branches that owners submitted again, or gave up, after a letter.'],
  ['gc_landing_resolution_unmetered_total', 'resolved_unmetered', 'Those whose program reported no usage.'],
  ['gc_landing_resolution_seconds_total', 'resolved_seconds', 'Time from letters until their owners went on.'],
  ['gc_landing_resolution_tokens_total', 'resolved_tokens', 'Tokens that owners used in that time.'],
  ['gc_landing_resolution_cost_usd_total', 'resolved_cost', 'Estimated cost of these tokens.'],
  ['gc_landing_resolution_unpriced_total', 'resolved_unpriced', 'Model responses of them whose price is not known.'],
] as const

function conflictSamples(totals: ReadonlyMap<string, number>): NumberMetric['samples'] {
  const counted = [...totals].filter(([name]) => name.startsWith(CONFLICT))
  return counted
    .sort(([, a], [, b]) => b - a)
    .slice(0, TOP_PATHS)
    .map(([name, value]) => {
      const [rig = '', path = ''] = name.slice(CONFLICT.length).split('\n')
      return { labels: { rig, path }, value }
    })
}
