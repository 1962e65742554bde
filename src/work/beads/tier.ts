import { WorkflowKey } from '../metadata.ts'
import type { BeadDraft } from './draft.ts'

/** How a bead is kept, as those who look at it are told. */
export interface Tier {
  ephemeral: number
  no_history: number
}

const WISPS = ['gc:wisp', 'wisp']
const TRACKING = ['gc:order-tracking', 'order-tracking']

/**
 * How a new bead is kept: wisps as bookkeeping, what tracks orders without a history, the steps of a run also as their
 * root is.
 */
export function tierOf(draft: BeadDraft, root: Tier | undefined): Tier {
  const { type, labels = [], metadata = {} } = draft
  const has = (some: readonly string[]) => some.some((label) => labels.includes(label))
  const wisp = type === 'wisp' || metadata[WorkflowKey.kind] === 'wisp' || has(WISPS)
  return {
    ephemeral: draft.ephemeral || wisp || root?.ephemeral ? 1 : 0,
    no_history: draft.noHistory || has(TRACKING) || root?.no_history ? 1 : 0,
  }
}
