import { type Actor, gcPart } from '../../core/actor.ts'
import { AppError } from '../../core/errors.ts'
import type { Store } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller, ProcessCaller, SessionCaller } from '../../http/caller.ts'
import { unknownOutcome } from '../../http/idempotency.ts'
import { fillPage, JsonRows, responseTooLarge } from '../../http/respond/index.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import { VARIABLE_PREFIX, WorkflowKey } from '../../work/metadata.ts'
import { cancelSlice } from './cancel.ts'
import type { RunMembers } from './members.ts'
import { metadataValue } from './node.ts'
import { cursorAfterRun, runsFrom, totalOf } from './pages.ts'
import { isFinal, type ListedRun, type RunRepository, type RunScope } from './repository.ts'
import type {
  Run,
  RunCancelOutputBody,
  RunStepsOutputBody,
  RunsCensusOutputBody,
  RunsListOutputBody,
  RunsPage,
  RunsPageQuery,
  RunsProgress,
} from './schema.ts'
import { isStep, toRun, toStep } from './view.ts'

export interface RunsOptions {
  /** The city's name. */
  city: string
  store: Store
  beads: BeadRepository
  runs: RunRepository
  members: RunMembers
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 500
/** Maximum runs per progress request. */
const MAX_STANDING = 100

const variablesOf = (metadata: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadata).flatMap(([key, value]) =>
      key.startsWith(VARIABLE_PREFIX) ? [[key.slice(VARIABLE_PREFIX.length), value]] : [],
    ),
  )

/** The runs of a city as callers see and change them. */
export class Runs {
  constructor(private readonly options: RunsOptions) {}

  list(limit = 0): RunsListOutputBody {
    const size = Math.min(limit === 0 ? DEFAULT_LIMIT : limit, MAX_LIMIT)
    const rows = this.options.runs.list(size + 1)
    const isCut = rows.length > size
    return {
      runs: rows.slice(0, size).map((row) => this.#view(row)),
      status_counts: this.options.runs.counts(),
      ...(isCut && { partial: true, partial_errors: [`only the first ${size} runs are listed`] }),
    }
  }

  /** Runs in the order of the list, from a cursor on. */
  page({ show = 'all', limit = 0, cursor }: RunsPageQuery): RunsPage {
    const { runs } = this.options
    const size = Math.min(limit === 0 ? DEFAULT_LIMIT : limit, MAX_LIMIT)
    const status_counts = runs.counts()
    const { items, last } = fillPage(runsFrom(runs, show, cursor, size + 1), size, (row) => this.#view(row))
    return {
      runs: items,
      total: totalOf(show, status_counts),
      status_counts,
      ...(last && { next_cursor: cursorAfterRun(last) }),
    }
  }

  census(): RunsCensusOutputBody {
    return { status_counts: this.options.runs.counts() }
  }

  /** Progress and input of runs; unknown ids are left out. */
  standing(list: string): RunsProgress {
    const ids = list.split(',').filter((id) => id !== '')
    if (ids.length > MAX_STANDING)
      throw new AppError('invalid-request', `ask for at most ${MAX_STANDING} runs per request, not ${ids.length}`)
    const { runs, beads, members } = this.options
    const found = ids.flatMap((id) => runs.find(id) ?? [])
    return {
      runs: Object.fromEntries(
        found.map(({ rootId: id, errorMessage: failure }) => {
          const vars = variablesOf(beads.find(id)?.metadata ?? {})
          return [id, { ...members.counts(id), vars, ...(failure && { failure }) }]
        }),
      ),
    }
  }

  get(id: string): Run {
    return this.#view(this.options.runs.getListed(id))
  }

  /** True if a run is the caller's own: it started it, or works on one of its steps. */
  isOwn(caller: SessionCaller | ProcessCaller, id: string): boolean {
    const { runs, beads } = this.options
    if (caller.kind === 'process') return runs.isStartedBy(id, caller.name)
    const bead = caller.bead === undefined ? undefined : beads.find(caller.bead)
    if (bead && metadataValue(bead, WorkflowKey.rootBeadId) === id) return true
    return runs.isStartedBy(id, caller.session)
  }

  steps(id: string): JsonRows<RunStepsOutputBody> {
    const { rootId, state } = this.options.runs.get(id)
    const { members } = this.options
    function* rows() {
      for (const bead of members.of(rootId)) if (isStep(bead)) yield JSON.stringify(toStep(bead, state))
    }
    return new JsonRows({
      head: `{"run_id":${JSON.stringify(rootId)},"steps":[`,
      rows: rows(),
      tail: (isComplete) => {
        if (!isComplete) throw responseTooLarge(`run ${id}`, `read it page by page at runs/${id}/timeline`)
        return ']}'
      },
    })
  }

  /** Closes the run and what is open of it: in one write, or in slices that continue after a restart. */
  async cancel(caller: Caller, id: string): Promise<RunCancelOutputBody> {
    const isOver = isFinal(this.options.runs.get(id).state)
    if (isOver && caller.request?.isRetry) throw unknownOutcome(`run ${id} is over`)
    if (isOver) throw alreadyOver(id)
    const closed = await this.#cancelAll(id, actorOf(caller))
    return this.#canceled(id, closed)
  }

  #canceled(id: string, closed: number): RunCancelOutputBody {
    return { run_id: id, status: this.options.runs.find(id)?.state ?? 'canceled', closed }
  }

  /** Continues with what was being canceled when the city was closed. */
  async continueCanceling(): Promise<void> {
    for (const id of this.options.runs.canceling()) await this.#cancelAll(id, gcPart('runs'))
  }

  async #cancelAll(id: string, actor: Actor): Promise<number> {
    let closed = 0
    for (let isOver = false; !isOver; ) {
      const slice = await this.options.store.write((tx) => {
        const run = this.options.runs.find(id)
        const slice = !run || isFinal(run.state) ? { closed: 0, isOver: true } : cancelSlice(this.options, tx, run)
        tx.answer(slice.isOver ? this.#canceled(id, closed + slice.closed) : undefined)
        return slice
      }, actor)
      closed += slice.closed
      isOver = slice.isOver
    }
    return closed
  }

  #view(run: ListedRun): Run {
    const { scopeKind, scopeRef, rig, title } = run
    const scope = scopeKind === '' ? storeScope(this.options.city, rig) : { kind: scopeKind, ref: scopeRef }
    return toRun(run, title, scope)
  }
}

const storeScope = (city: string, rig: string): RunScope =>
  rig === '' ? { kind: 'city', ref: city } : { kind: 'rig', ref: rig }

const alreadyOver = (id: string): AppError =>
  new AppError('conflict-wrong-state', `run ${id} is already terminal; nothing to cancel`)
