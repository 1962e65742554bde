import type { Statement } from 'bun:sqlite'
import { stablePlan } from '../../../core/stable-plan.ts'
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
const NEWEST_FIRST = 'ORDER BY created_at DESC, tracking_id DESC LIMIT ?'
const AS_FED = 'ORDER BY feed_rank, kind DESC, updated_at DESC, tracking_id LIMIT ?'

/** Reads runs of orders page by page, each page by an index. */
export class OrderHistoryRepository {
  readonly #byId: Statement<ListedRun, [string]>
  readonly #ofOrder: Statement<ListedRun, [string, number, number]>
  readonly #all: Statement<ListedRun, [number, number]>
  readonly #fed: Statement<ListedRun, [number]>
  readonly #fedOfRig: Statement<ListedRun, [string, number]>

  constructor(store: Store) {
    const prepare = <Parameters extends (string | number)[]>(rest: string) =>
      store.prepare<ListedRun, Parameters>(stablePlan(`SELECT ${COLUMNS} FROM order_runs ${rest}`))
    this.#byId = prepare('WHERE tracking_id = ?')
    this.#ofOrder = prepare(`WHERE scoped_name = ? AND created_at < ? ${NEWEST_FIRST}`)
    this.#all = prepare(`WHERE created_at < ? ${NEWEST_FIRST}`)
    this.#fed = prepare(`WHERE root_id IS NULL ${AS_FED}`)
    this.#fedOfRig = prepare(`WHERE root_id IS NULL AND rig != '' AND rig = ? ${AS_FED}`)
  }

  find(id: string): ListedRun | undefined {
    return this.#byId.get(id) ?? undefined
  }

  /** Runs that began before a moment, the latest first; those of every order when none is named. */
  page(scopedName: string | undefined, before: number, limit: number): ListedRun[] {
    return scopedName === undefined ? this.#all.all(before, limit) : this.#ofOrder.all(scopedName, before, limit)
  }

  /** Runs that made nothing that feeds show itself, in the order of feeds; those of every rig when none is named. */
  feed(rig: string | undefined, limit: number): ListedRun[] {
    return rig === undefined ? this.#fed.all(limit) : this.#fedOfRig.all(rig, limit)
  }
}
