import type { Statement } from 'bun:sqlite'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import { WorkflowKey } from '../metadata.ts'
import type { Worker } from './worker.ts'

/** A bead a worker could take, and why it is offered. */
export interface Candidate {
  id: string
  reason: 'existing_assignment' | 'ready_assignment' | 'claimed'
}

interface Row {
  id: string
}

/** More than these are not looked at in one go: each is refused only when somebody else has it under a shared name. */
const SOME = 16

/** Which beads a worker is offered, from indexes: what it has, what waits in its name, what its agent is routed. */
export class Candidates {
  readonly #underWay: Statement<Row, [string]>
  readonly #assigned: Statement<Row, [string, number]>
  readonly #routed: Statement<Row, [string, number]>
  readonly #siblings: Statement<Row, [string, string, number]>

  constructor(store: Store) {
    const held = "FROM beads WHERE assignee = ? AND assignee != '' AND workable = 1"
    this.#underWay = store.prepare(
      stablePlan(
        `SELECT id ${held} AND status = 'in_progress' AND status != 'closed' ORDER BY created_at, id LIMIT ${SOME}`,
      ),
    )
    this.#assigned = store.prepare(
      stablePlan(`SELECT id ${held} AND status = 'open' AND status != 'closed' AND ready = 1
         AND (defer_until IS NULL OR defer_until <= ?) ORDER BY created_at, id LIMIT ${SOME}`),
    )
    this.#routed = store.prepare(
      stablePlan(`SELECT id FROM beads
       WHERE routed_to = ? AND routed_to IS NOT NULL AND ready = 1 AND assignee = '' AND type != 'epic'
         AND (defer_until IS NULL OR defer_until <= ?) ORDER BY created_at, id LIMIT ${SOME}`),
    )
    this.#siblings = store.prepare(
      stablePlan(`SELECT id FROM beads
       WHERE root_id = ? AND root_id IS NOT NULL AND metadata ->> '$."${WorkflowKey.continuationGroup}"' = ?
         AND ready = 1 AND assignee = '' AND (defer_until IS NULL OR defer_until <= ?) ORDER BY created_at, id`),
    )
  }

  /** In the order they are to be tried: what is under way first, and the oldest first within each kind. */
  *of(worker: Worker, now: number): Generator<Candidate> {
    for (const name of worker.names) {
      for (const { id } of this.#underWay.all(name)) yield { id, reason: 'existing_assignment' }
    }
    for (const name of worker.names) {
      for (const { id } of this.#assigned.all(name, now)) yield { id, reason: 'ready_assignment' }
    }
    for (const { id } of this.#routed.all(worker.agent, now)) yield { id, reason: 'claimed' }
  }

  /** Ready steps of the same run that belong into the same hands. */
  siblings(root: string, group: string, now: number): string[] {
    return this.#siblings.all(root, group, now).map(({ id }) => id)
  }
}
