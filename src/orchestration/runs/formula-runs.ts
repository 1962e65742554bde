import type { CityConfig } from '../../config/city/index.ts'
import { toSecond, toTimestamp } from '../../core/clock.ts'
import {
  type FormulaFeedBody,
  type FormulaFeedQuery,
  type FormulaRecentRunResponse,
  type FormulaRunsQuery,
  type FormulaRunsResponse,
  type MonitorFeedItemResponse,
  ofRig,
  requireScope,
} from '../formulas/index.ts'
import type { ListedRun, RunRepository, RunRow } from './repository.ts'

const [DEFAULT_RUNS, MAX_RUNS] = [3, 20]
const [DEFAULT_FEED, MAX_FEED] = [50, 500]

/** The runs of formulas as the clients of formulas see them. */
export class FormulaRuns {
  constructor(
    private readonly config: { readonly current: CityConfig },
    private readonly runRepository: RunRepository,
  ) {}

  /** The number of runs of a formula, and the latest of them. */
  list(formula: string, query: FormulaRunsQuery): FormulaRunsResponse {
    const { runRepository, config } = this
    const scope = ofRig(requireScope(config.current, query))
    const limit = Math.min(query.limit || DEFAULT_RUNS, MAX_RUNS)
    return {
      ...{ formula, run_count: runRepository.countOf(formula, scope) },
      ...{ recent_runs: runRepository.latestOf(formula, scope, limit).map(toRecentRun), partial: false },
    }
  }

  /** Runs of all formulas, active ones first. */
  feed(query: FormulaFeedQuery): FormulaFeedBody {
    const { runRepository, config } = this
    const runs = runRepository.feed(
      ofRig(requireScope(config.current, query)),
      Math.min(query.limit || DEFAULT_FEED, MAX_FEED),
    )
    return { items: runs.map((run) => toFeedItem(run, config.current.name)), partial: false }
  }
}

/** The states of runs as feeds name them. */
const STATUSES: Readonly<Partial<Record<RunRow['state'], string>>> = {
  waiting: 'active',
  canceling: 'active',
  completed: 'done',
}

const statusOf = (state: RunRow['state']): string => STATUSES[state] ?? state

const toRecentRun = ({ rootId, state, target, startedAt, updatedAt }: RunRow): FormulaRecentRunResponse => ({
  ...{ workflow_id: rootId, status: statusOf(state), target: target || 'workflow' },
  ...{ started_at: toSecond(startedAt), updated_at: toSecond(updatedAt) },
})

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
