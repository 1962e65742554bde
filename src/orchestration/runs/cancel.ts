import type { Tx } from '../../core/store/index.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkKey } from '../../work/metadata.ts'
import type { RunMembers } from './members.ts'
import type { RunRepository, RunRow } from './repository.ts'

export interface CancelOptions {
  beads: BeadRepository
  runs: RunRepository
  members: RunMembers
}

/** Maximum beads that one write closes. */
const SLICE = 100
export const CANCELED_ERROR = { code: 'canceled', message: 'run canceled via POST /runs/{id}/cancel' }
const CANCELED = { [ResultKey.outcome]: 'canceled', [WorkKey.closeReason]: CANCELED_ERROR.message }

/** Cancels a run, or a part of a large one: what is open of it, and at last its root. */
export function cancelSlice({ beads, runs, members }: CancelOptions, tx: Tx, run: RunRow) {
  const open = members.open(run.rootId, SLICE + 1)
  const isOver = open.length <= SLICE
  if (!isOver) {
    beads.change(tx, run.rootId, { metadata: { [EngineKey.cancelRequested]: 'true' } })
    runs.move(tx, run, 'canceling')
  }
  const slice = open.slice(0, SLICE)
  for (const id of slice) beads.closeWith(tx, id, CANCELED)
  if (!isOver) return { closed: slice.length, isOver }
  beads.closeWith(tx, run.rootId, { ...CANCELED, [EngineKey.cancelRequested]: 'true' })
  runs.move(tx, run, 'canceled', CANCELED_ERROR)
  return { closed: slice.length + 1, isOver }
}
