import { and, eq } from 'drizzle-orm'
import type { PullRequestMonitorConfig, RepairConfig } from '../../config/settings/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import type { OpenPullRequest, OpenPullRequests } from './open-pull-requests.ts'
import { type FailureKind, type Readiness, readinessOf } from './readiness.ts'
import { pullRequestReadiness, type ReadinessRow } from './table.ts'

/** Gives the bead of a repair to its route. */
export interface RepairGiver {
  /** Giving one that was given before changes nothing. */
  give(
    bead: string,
    repair: RepairConfig,
    launch: { readonly rig?: string; readonly variables: Readonly<Record<string, string>> },
  ): Promise<void>
}

export interface RepairsOptions {
  beads: BeadRepository
  repairs: RepairGiver
  /** Sends mail from gc; throws for a recipient that is not known. */
  sendMail(tx: Tx, to: string, subject: string, body: string): void
}

const MONITOR = gcPart('github')

/** Change of a pull request since the last check. */
interface Change {
  readonly what: 'failed' | 'differs' | 'mended'
  readonly pull: OpenPullRequest
  readonly readiness: Readiness
  readonly row: ReadinessRow | undefined
}

/**
 * Follows whether open pull requests can be merged. One that cannot gets one repair, which says what is known of it for as
 * long as it is open; when that is closed, another only begins after the branch or its state changed.
 */
export class PullRequestRepairs {
  /** Repairs whose route did not take them, and people know. */
  readonly #reported = new Set<string>()

  constructor(
    private readonly context: CityContext,
    private readonly options: RepairsOptions,
  ) {}

  async follow(monitor: PullRequestMonitorConfig, { items, isWhole }: OpenPullRequests): Promise<void> {
    const rows = new Map(this.#rowsOf(monitor).map((row) => [row.number, row]))
    const watched = items.filter((pull) => isWatched(monitor, pull))
    const changes = watched.flatMap((pull) => changeOf(monitor, pull, rows.get(pull.number)))
    const open = new Set(watched.map(({ number }) => number))
    const gone = isWhole ? [...rows.values()].filter(({ number }) => !open.has(number)) : []
    if (changes.length > 0 || gone.length > 0) {
      await this.context.store.write((tx) => {
        for (const row of gone) tx.orm.delete(pullRequestReadiness).where(isRow(row)).run()
        for (const change of changes) this.#record(tx, monitor, change)
      }, MONITOR)
    }
    if (monitor.repair) await this.#giveAll(monitor, monitor.repair)
  }

  #rowsOf({ name }: PullRequestMonitorConfig): ReadinessRow[] {
    const ofMonitor = eq(pullRequestReadiness.monitor, name)
    return this.context.store.read((orm) => orm.select().from(pullRequestReadiness).where(ofMonitor).all())
  }

  #record(tx: Tx, monitor: PullRequestMonitorConfig, change: Change): void {
    const { what, pull, readiness, row } = change
    const failed = { monitor, pull, readiness }
    const shown = JSON.stringify(repairMetadata(failed))
    const base = { monitor: monitor.name, number: pull.number, headSha: pull.headSha, shown }
    if (what === 'mended') {
      this.#save(tx, { ...base, failure: '', repair: row?.repair ?? '', isGiven: row?.isGiven ?? true })
      this.#notify(tx, monitor, `${pullRequestName(monitor, pull)} no longer needs a repair`, pull.url)
      return
    }
    const repair = this.#isOpen(row) ? this.#refresh(tx, row, failed) : what === 'failed' && this.#begin(tx, failed)
    this.#save(tx, {
      ...base,
      failure: readiness.kind ?? '',
      ...(repair || { repair: row?.repair ?? '', isGiven: true }),
    })
    if (what === 'failed') {
      const subject = `${pullRequestName(monitor, pull)} needs a repair: ${reasonOf(readiness)}`
      this.#notify(tx, monitor, subject, repairText(failed))
    }
  }

  #isOpen(row: ReadinessRow | undefined): row is ReadinessRow {
    const bead = row && row.repair !== '' ? this.options.beads.find(row.repair) : undefined
    return bead !== undefined && bead.status !== 'closed'
  }

  #refresh(tx: Tx, { repair, isGiven }: ReadinessRow, failed: Parameters<typeof repairText>[0]) {
    this.options.beads.change(tx, repair, { description: repairText(failed), metadata: repairMetadata(failed) })
    return { repair, isGiven }
  }

  #begin(tx: Tx, failed: Parameters<typeof repairText>[0]) {
    const { rig, repair } = failed.monitor
    if (!repair) return { repair: '', isGiven: true }
    const bead = this.options.beads.add(tx, {
      ...{ title: repairTitle(failed), description: repairText(failed), metadata: repairMetadata(failed) },
      ...{ type: 'task', priority: 1, labels: REPAIR_LABELS, rig },
    })
    return { repair: bead.id, isGiven: false }
  }

  #save(tx: Tx, row: ReadinessRow): void {
    const target = [pullRequestReadiness.monitor, pullRequestReadiness.number]
    tx.orm.insert(pullRequestReadiness).values(row).onConflictDoUpdate({ target, set: row }).run()
  }

  #notify(tx: Tx, { name, notify }: PullRequestMonitorConfig, subject: string, body: string): void {
    for (const to of notify) {
      try {
        this.options.sendMail(tx, to, subject, body)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        this.context.report(`monitor ${name} cannot notify ${to}: ${errorMessage(error)}`)
      }
    }
  }

  async #giveAll(monitor: PullRequestMonitorConfig, repair: RepairConfig): Promise<void> {
    for (const row of this.#rowsOf(monitor)) {
      if (!row.isGiven && this.#isOpen(row)) await this.#give(monitor, repair, row)
    }
  }

  /** One that cannot be given is given with the next look. */
  async #give(monitor: PullRequestMonitorConfig, repair: RepairConfig, row: ReadinessRow): Promise<void> {
    const { store, report } = this.context
    const { beads, repairs } = this.options
    const { title, metadata = {} } = beads.get(row.repair)
    const { rig } = monitor
    const launch = { ...(rig !== undefined && { rig }), variables: repairVariables(row.repair, title, metadata) }
    try {
      await repairs.give(row.repair, repair, launch)
      await store.write((tx) => this.#save(tx, { ...row, isGiven: true }), MONITOR)
      this.#reported.delete(row.repair)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (this.#reported.has(row.repair)) return
      this.#reported.add(row.repair)
      report(`repair ${row.repair} of monitor ${monitor.name} cannot be given to ${repair.route}: ${error.message}`)
    }
  }
}

const isRow = ({ monitor, number }: ReadinessRow) =>
  and(eq(pullRequestReadiness.monitor, monitor), eq(pullRequestReadiness.number, number))

/** Anybody can open a pull request from a fork, and its code would run here: such an author must be named. */
function isWatched({ baseBranches, authors }: PullRequestMonitorConfig, pull: OpenPullRequest): boolean {
  if (baseBranches.length > 0 && !baseBranches.includes(pull.base)) return false
  return authors.length > 0 ? authors.includes(pull.author) : !pull.isFromFork
}

function changeOf(monitor: PullRequestMonitorConfig, pull: OpenPullRequest, row: ReadinessRow | undefined): Change[] {
  const readiness = readinessOf(pull)
  const change = (what: Change['what']): Change[] => [{ what, pull, readiness, row }]
  if (readiness.state === 'waiting') return []
  if (readiness.state === 'ready') return row && row.failure !== '' ? change('mended') : []
  if (!row || row.failure === '' || row.headSha !== pull.headSha) return change('failed')
  return row.shown === JSON.stringify(repairMetadata({ monitor, pull, readiness })) ? [] : change('differs')
}

/** A pull request that cannot be merged, and why. */
interface FailedPullRequest {
  readonly monitor: PullRequestMonitorConfig
  readonly pull: OpenPullRequest
  readonly readiness: Readiness
}

const MAX_TITLE = 200

const REASONS: Readonly<Record<FailureKind, string>> = {
  checks_failed: 'checks failed',
  merge_conflict: 'it conflicts with its base',
  behind_base: 'it is behind its base',
  blocked: 'GitHub blocks its merge',
}
const STATES: Readonly<Record<FailureKind, string>> = {
  ...{ checks_failed: 'failed', merge_conflict: 'conflicted', behind_base: 'behind', blocked: 'blocked' },
}

const REPAIR_LABELS = ['github', 'ci', 'repair', 'pr-monitor']

/** `owner/name#12`. */
const pullRequestName = ({ owner, repo }: PullRequestMonitorConfig, { number }: { number: number }): string =>
  `${owner}/${repo}#${number}`

/** Reason a pull request needs a repair. */
const reasonOf = ({ kind }: Readiness): string => (kind === undefined ? '' : REASONS[kind])

const repairTitle = ({ monitor, pull }: FailedPullRequest): string =>
  `Repair ${pullRequestName(monitor, pull)}: ${pull.title}`.slice(0, MAX_TITLE).toWellFormed()

/** Facts about a pull request, for its repair and mail about it. */
function repairText({ monitor, pull, readiness }: FailedPullRequest): string {
  const { failedChecks, pendingChecks } = readiness
  const list = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : ['', `${title}:`, ...names.map((name) => `- ${name}`)]
  return [
    `Pull request ${pullRequestName(monitor, pull)} cannot be merged: ${reasonOf(readiness)}.`,
    '',
    `Title: ${pull.title}`,
    `Address: ${pull.url}`,
    `Author: ${pull.author}`,
    `Branch: ${pull.head} at ${pull.headSha}, for ${pull.base}`,
    `GitHub calls it: ${pull.mergeState}`,
    ...list('Failed checks', failedChecks),
    ...list('Checks that still run', pendingChecks),
  ].join('\n')
}

/** The metadata of a repair: which pull request it is for, and what is known of it. */
function repairMetadata({ monitor, pull, readiness }: FailedPullRequest): Record<string, string> {
  const { owner, repo, name } = monitor
  const { kind, failedChecks, pendingChecks } = readiness
  return {
    source: 'github-pr-monitor',
    ...{ 'github.monitor': name, 'github.owner': owner, 'github.repo': repo, 'github.pr': String(pull.number) },
    ...{ 'github.url': pull.url, 'github.base': pull.base, 'github.head': pull.head, 'github.head_sha': pull.headSha },
    ...(kind !== undefined && { 'github.failure_kind': kind, 'github.state': STATES[kind] }),
    'github.merge_state_status': pull.mergeState,
    'github.failed_checks': failedChecks.join('\n'),
    'github.pending_checks': pendingChecks.join('\n'),
  }
}

/** Variables of a repair's formula. */
const repairVariables = (bead: string, title: string, metadata: Readonly<Record<string, string>>) => ({
  ...{ bead, bead_id: bead, title, pr: metadata['github.pr'] ?? '', branch: metadata['github.head'] ?? '' },
  repo: `${metadata['github.owner']}/${metadata['github.repo']}`,
})
