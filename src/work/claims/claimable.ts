import { stablePlan } from '../../core/stable-plan.ts'
import type { Statement } from '../../core/statement.ts'
import type { Store } from '../../core/store.ts'
import { WorkflowKey } from '../metadata.ts'
import type { Worker } from './worker.ts'

/** A bead that a worker may claim, and why it is offered. */
export interface ClaimableBead {
  id: string
  reason: 'existing_assignment' | 'ready_assignment' | 'claimed'
}

interface IdRow {
  id: string
}

/** How many of each kind are offered at once; each is rejected only when another worker of the same name has it. */
const MAX_OFFERED = 16

/** Finds the beads that a worker may claim, from indexes. */
export class ClaimableBeads {
  readonly #inProgress: Statement<IdRow, [string]>
  readonly #assigned: Statement<IdRow, [string, number]>
  readonly #routed: Statement<IdRow, [string, number]>
  readonly #continuation: Statement<IdRow, [string, string, number]>

  constructor(store: Store) {
    const assigned = "FROM beads WHERE assignee = ? AND assignee != '' AND workable = 1"
    this.#inProgress = store.prepare(
      stablePlan(`SELECT id ${assigned} AND status = 'in_progress' AND status != 'closed'
       ORDER BY created_at, id LIMIT ${MAX_OFFERED}`),
    )
    this.#assigned = store.prepare(
      stablePlan(`SELECT id ${assigned} AND status = 'open' AND status != 'closed' AND ready = 1
         AND (defer_until IS NULL OR defer_until <= ?) ORDER BY created_at, id LIMIT ${MAX_OFFERED}`),
    )
    this.#routed = store.prepare(
      stablePlan(`SELECT id FROM beads
       WHERE routed_to = ? AND routed_to IS NOT NULL AND ready = 1 AND assignee = '' AND type != 'epic'
         AND (defer_until IS NULL OR defer_until <= ?) ORDER BY created_at, id LIMIT ${MAX_OFFERED}`),
    )
    this.#continuation = store.prepare(
      stablePlan(`SELECT id FROM beads
       WHERE root_id = ? AND root_id IS NOT NULL AND metadata ->> '$."${WorkflowKey.continuationGroup}"' = ?
         AND ready = 1 AND assignee = '' AND (defer_until IS NULL OR defer_until <= ?) ORDER BY created_at, id`),
    )
  }

  /** In the order they are to be tried: work in progress first, then what is assigned, then what is routed. */
  *listFor(worker: Worker, now: number): Generator<ClaimableBead> {
    for (const name of worker.names) {
      for (const { id } of this.#inProgress.all(name)) yield { id, reason: 'existing_assignment' }
    }
    for (const name of worker.names) {
      for (const { id } of this.#assigned.all(name, now)) yield { id, reason: 'ready_assignment' }
    }
    for (const { id } of this.#routed.all(worker.agent, now)) yield { id, reason: 'claimed' }
  }

  /** The ready steps of a workflow that belong to one continuation group. */
  listContinuation(root: string, group: string, now: number): string[] {
    return this.#continuation.all(root, group, now).map(({ id }) => id)
  }
}
