import { toTimestamp } from '../../core/clock.ts'
import type { ListedRun, RunRepository, RunRow } from '../runs/repository.ts'
import type { FormulaRecentRunResponse, MonitorFeedItemResponse } from './schema.ts'

/** What formulas show of their runs. */
export type FormulaRuns = Pick<RunRepository, 'countOf' | 'latestOf' | 'feed'>

/** The states of runs as feeds name them. */
const STATUSES: Readonly<Partial<Record<RunRow['state'], string>>> = {
  waiting: 'active',
  canceling: 'active',
  completed: 'done',
}

const statusOf = (state: RunRow['state']): string => STATUSES[state] ?? state

export const toRecentRun = ({ rootId, state, target, startedAt, updatedAt }: RunRow): FormulaRecentRunResponse => ({
  ...{ workflow_id: rootId, status: statusOf(state), target: target || 'workflow' },
  ...{ started_at: toSeconds(startedAt), updated_at: toSeconds(updatedAt) },
})

const toSeconds = (at: number): string => toTimestamp(at).replace(/\.\d+Z$/, 'Z')

export const toFeedItem = (run: ListedRun, city: string): MonitorFeedItemResponse => {
  const [kind, ref] = run.scopeKind === 'rig' ? ['rig', run.scopeRef] : ['city', city]
  return {
    ...{ id: run.rootId, type: 'formula', status: statusOf(run.state), title: run.title },
    ...{ scope_kind: kind, scope_ref: ref, target: run.target || 'workflow' },
    ...{ started_at: toTimestamp(run.startedAt), updated_at: toTimestamp(run.updatedAt) },
    ...{ workflow_id: run.rootId, root_bead_id: run.rootId, root_store_ref: `${kind}:${ref}` },
    ...{ logical_bead_id: run.rootId, run_detail_available: true },
  }
}
