import { stablePlan } from '../../../core/stable-plan.ts'
import type { Statement } from '../../../core/statement.ts'
import type { Store } from '../../../core/store.ts'

/** A run of an order as lists of runs show it. Times are milliseconds since 1970. */
export interface ListedRun {
  readonly id: string
  readonly scopedName: string
  readonly rig: string
  readonly kind: 'exec' | 'formula'
  readonly state: 'starting' | 'running' | 'done'
  readonly outcome: 'success' | 'failed' | 'canceled' | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly exitCode: number | null
  readonly signal: string | null
  readonly error: string | null
  readonly hasOutput: number
  readonly rootId: string | null
  readonly feedRank: number
}

const COLUMNS = `tracking_id AS id, scoped_name AS scopedName, rig, kind, state, outcome, created_at AS createdAt,
  started_at AS startedAt, ended_at AS endedAt, exit_code AS exitCode, signal, error, has_output AS hasOutput,
  root_id AS rootId, feed_rank AS feedRank`
const NEWEST_FIRST = 'ORDER BY created_at DESC, tracking_id DESC'
const BEFORE = '(created_at, tracking_id) < (?, ?)'
const AS_FED = 'ORDER BY feed_rank, kind DESC, updated_at DESC, tracking_id LIMIT ?'

/** Where a page of runs begins: behind the run of that id, or, without an id, before that moment. */
export type RunBoundary = Pick<ListedRun, 'createdAt' | 'id'>

/** Reads runs of orders page by page, each page by an index. */
export class OrderHistoryRepository {
  readonly #byId: Statement<ListedRun, [string]>
  readonly #ofOrder: Statement<ListedRun, [string, number, string, number]>
  readonly #all: Statement<ListedRun, [number, string, number]>
  readonly #besides: Statement<ListedRun, [string, number, string]>
  readonly #fed: Statement<ListedRun, [number]>
  readonly #fedOfRig: Statement<ListedRun, [string, number]>

  constructor(store: Store) {
    const prepare = <Parameters extends (string | number)[]>(rest: string) =>
      store.prepare<ListedRun, Parameters>(stablePlan(`SELECT ${COLUMNS} FROM order_runs ${rest}`))
    this.#byId = prepare('WHERE tracking_id = ?')
    this.#ofOrder = prepare(`WHERE scoped_name = ? AND ${BEFORE} ${NEWEST_FIRST} LIMIT ?`)
    this.#all = prepare(`WHERE ${BEFORE} ${NEWEST_FIRST} LIMIT ?`)
    this.#besides = prepare(`WHERE scoped_name = ? AND created_at = ? AND tracking_id < ? ${NEWEST_FIRST}`)
    this.#fed = prepare(`WHERE root_id IS NULL ${AS_FED}`)
    this.#fedOfRig = prepare(`WHERE root_id IS NULL AND rig != '' AND rig = ? ${AS_FED}`)
  }

  find(id: string): ListedRun | undefined {
    return this.#byId.get(id) ?? undefined
  }

  /** Runs behind a boundary, the latest first; those of every order when none is named. */
  page(scopedName: string | undefined, { createdAt, id }: RunBoundary, limit: number): ListedRun[] {
    if (scopedName === undefined) return this.#all.all(createdAt, id, limit)
    return this.#ofOrder.all(scopedName, createdAt, id, limit)
  }

  /** Runs of an order that began in the same millisecond as one, and stand behind it. */
  besides(scopedName: string, { createdAt, id }: RunBoundary): ListedRun[] {
    return this.#besides.all(scopedName, createdAt, id)
  }

  /** Runs that made nothing that feeds show itself, in the order of feeds; those of every rig when none is named. */
  feed(rig: string | undefined, limit: number): ListedRun[] {
    return rig === undefined ? this.#fed.all(limit) : this.#fedOfRig.all(rig, limit)
  }
}
