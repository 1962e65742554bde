import type { EventLog } from '../../core/events/index.ts'
import type { Tx } from '../../core/store/index.ts'
import { RunPaused } from '../events.ts'
import type { RunHold, RunHolds } from './holds.ts'
import type { RunRepository, RunRow } from './repository.ts'

export interface PauseOptions {
  log: EventLog
  runs: RunRepository
  holds: RunHolds
}

/** Pauses a run; returns whether more of its steps than one write holds may be ready. */
export function pauseRun(
  { log, runs, holds }: PauseOptions,
  tx: Tx,
  run: RunRow,
  hold: Omit<RunHold, 'state'>,
): boolean {
  const { rootId: id } = run
  const { reason } = hold
  holds.begin(tx, hold)
  log.append(tx, RunPaused, { subject: id, run_id: id }, { run_id: id, ...(reason && { reason }) })
  runs.move(tx, run, 'waiting')
  return holds.holdSlice(tx, id)
}

/** Pauses a run that a drain of a paused one has just started. */
export function pauseWithParent(options: PauseOptions, tx: Tx, id: string): void {
  const { runs, holds } = options
  const run = runs.get(id)
  const above = run.parentId === null ? undefined : holds.find(run.parentId)
  if (above?.state !== 'paused') return
  const hold = holdOfPart(above, id)
  for (let isMore = pauseRun(options, tx, run, hold); isMore; ) isMore = holds.holdSlice(tx, id)
}

/** The hold of a run that is paused because another is, until that is resumed. */
export const holdOfPart = (above: RunHold, rootId: string): RunHold => ({
  ...above,
  rootId,
  heldWith: above.heldWith ?? above.rootId,
})
