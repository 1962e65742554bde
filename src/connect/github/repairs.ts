import { and, eq } from 'drizzle-orm'
import type { PullRequestMonitorConfig, RepairConfig } from '../../config/github/monitor.ts'
import { gcPart } from '../../core/actor.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { BeadRepository } from '../../work/beads/repository.ts'
import type { OpenPullRequest, OpenPullRequests } from './open-pull-requests.ts'
import { type Readiness, readinessOf } from './readiness.ts'
import {
  pullRequestName,
  REPAIR_LABELS,
  reasonOf,
  repairMetadata,
  repairText,
  repairTitle,
  repairVariables,
} from './repair-bead.ts'
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
  store: Store
  beads: BeadRepository
  repairs: RepairGiver
  /** Sends mail from gc; throws for a recipient that is not known. */
  sendMail(tx: Tx, to: string, subject: string, body: string): void
  report(message: string): void
}

const MONITOR = gcPart('github')

/** What happened to a pull request since it was last looked at. */
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

  constructor(private readonly options: RepairsOptions) {}

  async follow(monitor: PullRequestMonitorConfig, { items, isWhole }: OpenPullRequests): Promise<void> {
    const rows = new Map(this.#rowsOf(monitor).map((row) => [row.number, row]))
    const watched = items.filter((pull) => isWatched(monitor, pull))
    const changes = watched.flatMap((pull) => changeOf(monitor, pull, rows.get(pull.number)))
    const open = new Set(watched.map(({ number }) => number))
    const gone = isWhole ? [...rows.values()].filter(({ number }) => !open.has(number)) : []
    if (changes.length > 0 || gone.length > 0) {
      await this.options.store.write((tx) => {
        for (const row of gone) tx.orm.delete(pullRequestReadiness).where(isRow(row)).run()
        for (const change of changes) this.#record(tx, monitor, change)
      }, MONITOR)
    }
    if (monitor.repair) await this.#giveAll(monitor, monitor.repair)
  }

  #rowsOf({ name }: PullRequestMonitorConfig): ReadinessRow[] {
    const ofMonitor = eq(pullRequestReadiness.monitor, name)
    return this.options.store.read((orm) => orm.select().from(pullRequestReadiness).where(ofMonitor).all())
  }

  #record(tx: Tx, monitor: PullRequestMonitorConfig, change: Change): void {
    const { what, pull, readiness, row } = change
    const failed = { monitor, pull, readiness }
    const shown = JSON.stringify(repairMetadata(failed))
    const base = { monitor: monitor.name, number: pull.number, headSha: pull.headSha, shown }
    if (what === 'mended') {
      this.#save(tx, { ...base, failure: '', repair: row?.repair ?? '', isGiven: row?.isGiven ?? true })
      this.#notify(tx, monitor, `${pullRequestName(monitor, pull)} needs no repair any more`, pull.url)
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
        this.options.report(`monitor ${name} cannot notify ${to}: ${errorMessage(error)}`)
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
    const { store, beads, repairs, report } = this.options
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

/** Anybody can open a pull request from a fork, and its code would run here: such an author has to be named. */
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
