import type { Bead } from '../../work/beads/schema.ts'
import { EngineKey, ResultKey, WorkflowKey } from '../../work/metadata.ts'
import { metadataValue } from './node.ts'

/** Kinds of beads whose failure only follows from that of others. */
const FOLLOWING_KINDS: ReadonlySet<string> = new Set(['scope', 'scope-check', 'fanout', 'workflow-finalize'])

/** What failed, when this step is where a failure began: an attempt that may be tried again is not yet one. */
export function failureOf(bead: Bead): string | null {
  if (bead.status !== 'closed' || metadataValue(bead, ResultKey.outcome) !== 'fail') return null
  const kind = metadataValue(bead, WorkflowKey.kind)
  if (kind === 'workflow' || metadataValue(bead, WorkflowKey.attempt) !== '') return null
  const reason = metadataValue(bead, EngineKey.controllerError) || metadataValue(bead, ResultKey.failureReason)
  if (FOLLOWING_KINDS.has(kind) && reason === '') return null
  return `step "${bead.title}" failed${reason === '' ? '' : `: ${reason}`}`
}
