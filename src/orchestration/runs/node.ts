import type { Bead } from '../../work/beads/index.ts'
import { type MetadataKey, ResultKey, WorkflowKey } from '../../work/metadata.ts'
import type { WorkflowAttemptSummary, WorkflowBeadResponse } from './schema.ts'

/** A trimmed metadata value of a bead; '' when there is none. */
export const metadataValue = ({ metadata }: Bead, key: MetadataKey): string => metadata?.[key]?.trim() ?? ''

/** The close reason of what is left of a run when it ends, and how that of a step begins which a person skipped. */
export const LEFTOVER_REASON = 'workflow cleanup: subtree bead force-closed via skip directive'
export const SKIPPED_BY = 'skipped by '

/** The step whose failure a guard holds up others for: its title, and its name in the formula. */
export const guardedStep = ({ title, ref = '' }: Bead): { title: string; name: string } => ({
  title: title.replace(/^Guard of /, ''),
  name: ref.replace(/-guard$/, ''),
})

/** True if a workflow begins with this bead. */
export const isWorkflowRoot = (bead: Bead): boolean => metadataValue(bead, WorkflowKey.kind) === 'workflow'

/** A bead as its workflow shows it. */
export function toNode(bead: Bead): WorkflowBeadResponse {
  const attempt = parseCount(metadataValue(bead, WorkflowKey.attempt))
  const [step, logical, scope] = [WorkflowKey.stepRef, WorkflowKey.logicalBeadId, WorkflowKey.scopeRef].map((key) =>
    metadataValue(bead, key),
  )
  return {
    id: bead.id,
    title: bead.title,
    status: statusOf(bead),
    kind: metadataValue(bead, WorkflowKey.kind) || bead.issue_type,
    ...(step && { step_ref: step }),
    ...(attempt !== undefined && { attempt }),
    ...(logical && { logical_bead_id: logical }),
    ...(scope && { scope_ref: scope }),
    ...(bead.assignee && { assignee: bead.assignee }),
    metadata: bead.metadata ?? {},
  }
}

/** Number of this attempt and their maximum; undefined for other beads. */
export function attemptsOf(bead: Bead): WorkflowAttemptSummary | undefined {
  const attempt = parseCount(metadataValue(bead, WorkflowKey.attempt))
  const max = parseCount(metadataValue(bead, WorkflowKey.maxAttempts))
  if (attempt === undefined) return undefined
  return { attempt_count: attempt, active_attempt: attempt, ...(max !== undefined && { max_attempts: max }) }
}

const OUTCOMES: Readonly<Record<string, string>> = { fail: 'failed', skipped: 'skipped', canceled: 'canceled' }

function statusOf(bead: Bead): string {
  const outcome = OUTCOMES[metadataValue(bead, ResultKey.outcome)]
  if (bead.status === 'closed') return outcome ?? 'completed'
  if (bead.status === 'open') return 'pending'
  if (bead.status === 'in_progress') return bead.assignee ? 'active' : 'pending'
  return outcome ?? bead.status
}

/** Parses a count of 1 or more. */
function parseCount(value: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(value) ? Number(value) : undefined
}
