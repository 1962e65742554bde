import { toTimestamp } from '../../../core/clock.ts'
import type { MonitorFeedItemResponse } from '../../formulas/schema.ts'
import { RUN_LABEL, TRACKING_LABEL } from '../dispatch/labels.ts'
import type { OrderHistoryEntry } from '../schema.ts'
import { storeRefOf } from '../view.ts'
import type { ListedRun } from './repository.ts'

/** A run as histories show it, with the labels of its bead. */
export function toHistoryEntry(run: ListedRun, labels: string[] | undefined, city: string): OrderHistoryEntry {
  const { id, scopedName, rig, kind, exitCode, signal, error, rootId } = run
  const duration = run.endedAt === null ? undefined : Math.max(0, run.endedAt - (run.startedAt ?? run.createdAt))
  return {
    ...{ bead_id: id, store_ref: storeRefOf(rig, city), name: nameOf(run), scoped_name: scopedName },
    created_at: toTimestamp(run.createdAt),
    labels: labels ?? [`${RUN_LABEL}${scopedName}`, TRACKING_LABEL],
    ...{ capture_output: kind === 'exec', has_output: run.hasOutput === 1 },
    ...(rig !== '' && { rig }),
    ...(duration !== undefined && { duration_ms: String(duration) }),
    ...(exitCode !== null && { exit_code: String(exitCode) }),
    ...(signal !== null && { signal }),
    ...(error !== null && { error }),
    ...(rootId !== null && { wisp_root_id: rootId }),
  }
}

/** A run as feeds show it; `target` is who works on it. */
export function toFeedItem(run: ListedRun, target: string, city: string): MonitorFeedItemResponse {
  const { id, scopedName, rig, kind, createdAt } = run
  const storeRef = storeRefOf(rig, city)
  return {
    ...{ id: `order:${storeRef}:${id}`, type: kind, status: statusOf(run), title: scopedName },
    ...{ scope_kind: rig === '' ? 'city' : 'rig', scope_ref: rig || city, target },
    ...{ started_at: toTimestamp(createdAt), updated_at: toTimestamp(run.endedAt ?? createdAt) },
    ...{ bead_id: id, store_ref: storeRef, detail_available: kind === 'exec' },
  }
}

const statusOf = ({ state, outcome }: ListedRun): string => {
  if (state !== 'done') return 'active'
  return outcome === 'success' ? 'done' : 'failed'
}

const nameOf = ({ scopedName, rig }: ListedRun): string =>
  rig === '' ? scopedName : scopedName.slice(0, -`:rig:${rig}`.length)
