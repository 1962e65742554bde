import type { Bead } from '../../work/beads/schema.ts'
import { type MetadataKey, ResultKey, WorkflowKey } from '../../work/metadata.ts'
import type { WorkflowAttemptSummary, WorkflowBeadResponse } from './schema.ts'

/** A value of a bead's metadata without blanks around it; '' when there is none. */
export const told = ({ metadata }: Bead, key: MetadataKey): string => metadata?.[key]?.trim() ?? ''

/** Whether a workflow begins with this bead. */
export const isWorkflowRoot = (bead: Bead): boolean => told(bead, WorkflowKey.kind) === 'workflow'

/** A bead as its workflow shows it. */
export function toNode(bead: Bead): WorkflowBeadResponse {
  const attempt = numberOf(told(bead, WorkflowKey.attempt))
  const [step, logical, scope] = [WorkflowKey.stepRef, WorkflowKey.logicalBeadId, WorkflowKey.scopeRef].map((key) =>
    told(bead, key),
  )
  return {
    id: bead.id,
    title: bead.title,
    status: statusOf(bead),
    kind: told(bead, WorkflowKey.kind) || bead.issue_type,
    ...(step && { step_ref: step }),
    ...(attempt !== undefined && { attempt }),
    ...(logical && { logical_bead_id: logical }),
    ...(scope && { scope_ref: scope }),
    ...(bead.assignee && { assignee: bead.assignee }),
    metadata: bead.metadata ?? {},
  }
}

/** Which try this is, of how many; undefined for what is not tried again. */
export function attemptsOf(bead: Bead): WorkflowAttemptSummary | undefined {
  const attempt = numberOf(told(bead, WorkflowKey.attempt))
  const most = numberOf(told(bead, WorkflowKey.maxAttempts))
  if (attempt === undefined) return undefined
  return { attempt_count: attempt, active_attempt: attempt, ...(most !== undefined && { max_attempts: most }) }
}

const OUTCOMES: Readonly<Record<string, string>> = { fail: 'failed', skipped: 'skipped', canceled: 'canceled' }

function statusOf(bead: Bead): string {
  const outcome = OUTCOMES[told(bead, ResultKey.outcome)]
  if (bead.status === 'closed') return outcome ?? 'completed'
  if (bead.status === 'open') return 'pending'
  if (bead.status === 'in_progress') return bead.assignee ? 'active' : 'pending'
  return outcome ?? bead.status
}

/** A count from 1, if that is what the text is. */
function numberOf(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}
