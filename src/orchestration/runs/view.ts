import { toSecond } from '../../core/clock.ts'
import type { Bead } from '../../work/beads/index.ts'
import { ResultKey } from '../../work/metadata.ts'
import type { RunStatus } from '../schema.ts'
import { metadataValue } from './node.ts'
import { isFinal, type RunRow, type RunScope } from './repository.ts'
import type { Run, RunStep, RunStepStatus } from './schema.ts'
import { NO_STEPS } from './steps.ts'

/** A run as the wire shows it. */
export function toRun(row: RunRow, title: string, scope: RunScope): Run {
  const { errorCode: code, errorMessage: message } = row
  const hasError = code !== null && (row.state === 'failed' || row.state === 'canceled')
  return {
    run_id: row.rootId,
    title,
    status: row.state,
    scope: { ...scope },
    ...(row.formula !== '' && { formula: row.formula }),
    target: row.target,
    started_at: toSecond(row.startedAt),
    updated_at: toSecond(row.updatedAt),
    ...(hasError && { last_error: { code, ...(message && { message }) } }),
  }
}

export const isStep = ({ issue_type }: Bead): boolean => !NO_STEPS.includes(issue_type)

/** A member of a run as one of its steps. */
export const toStep = (bead: Bead, run: RunStatus): RunStep => ({
  id: bead.id,
  title: bead.title,
  status: stepStatus(bead, run),
  kind: bead.issue_type,
  ...(bead.assignee && { assignee: bead.assignee }),
})

const ENDS: Readonly<Record<string, RunStepStatus>> = { fail: 'failed', skipped: 'skipped', canceled: 'canceled' }

export function stepStatus(bead: Bead, run: RunStatus): RunStepStatus {
  if (bead.status === 'closed') return ENDS[metadataValue(bead, ResultKey.outcome)] ?? 'completed'
  if (isFinal(run)) return bead.status === 'open' ? 'skipped' : run === 'completed' ? 'completed' : 'canceled'
  if (bead.status === 'in_progress') return 'active'
  return bead.status === 'blocked' ? 'blocked' : 'pending'
}
