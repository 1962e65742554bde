import { WorkflowKey } from '../metadata.ts'
import type { BeadDraft } from './draft.ts'

/** Whether a bead is only bookkeeping, and whether its changes are kept; clients read both. */
export interface HistoryFlags {
  ephemeral: number
  no_history: number
}

const WISP_LABELS = ['gc:wisp', 'wisp']
const ORDER_TRACKING_LABELS = ['gc:order-tracking', 'order-tracking']

/** Wisps are ephemeral, beads that track orders have no history, and the steps of a workflow follow its root. */
export function historyFlagsOf(draft: BeadDraft, root: HistoryFlags | undefined): HistoryFlags {
  const { type, labels = [], metadata = {} } = draft
  const hasAny = (candidates: readonly string[]) => candidates.some((label) => labels.includes(label))
  const isWisp = type === 'wisp' || metadata[WorkflowKey.kind] === 'wisp' || hasAny(WISP_LABELS)
  return {
    ephemeral: draft.ephemeral || isWisp || root?.ephemeral ? 1 : 0,
    no_history: draft.noHistory || hasAny(ORDER_TRACKING_LABELS) || root?.no_history ? 1 : 0,
  }
}
