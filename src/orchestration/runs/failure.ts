import type { Bead } from '../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey } from '../../work/metadata.ts'
import { manifestOf } from './drain-manifest.ts'
import { metadataValue } from './node.ts'

/** Kinds of beads whose failure only follows from that of others. */
const FOLLOWING_KINDS: ReadonlySet<string> = new Set(['scope', 'scope-check', 'fanout', 'workflow-finalize'])

/** The error of the run with this root, once there is one. */
type RunErrorOf = (root: string) => string | null | undefined

/** Failure that began at this step; an attempt that may be repeated does not count. */
export function failureOf(bead: Bead, errorOf: RunErrorOf = () => undefined): string | null {
  if (bead.status !== 'closed' || metadataValue(bead, ResultKey.outcome) !== 'fail') return null
  const kind = metadataValue(bead, WorkflowKey.kind)
  if (kind === 'workflow' || metadataValue(bead, WorkflowKey.attempt) !== '') return null
  const written = metadataValue(bead, EngineKey.controllerError) || metadataValue(bead, ResultKey.failureReason)
  const reason = written || memberFailure(bead, errorOf)
  if (FOLLOWING_KINDS.has(kind) && reason === '') return null
  return `step "${bead.title}" failed${reason === '' ? '' : `: ${reason}`}`
}

/** Reason the first member failed that a drain ran its formula for; '' for any other step. */
function memberFailure(bead: Bead, errorOf: RunErrorOf): string {
  const failed = manifestOf(bead)?.rows.find(({ status }) => status === 'failed')
  if (!failed) return ''
  const { member_id, item_root_id = '', failure_reason = '' } = failed
  return `run ${item_root_id} for ${member_id}: ${errorOf(item_root_id) || failure_reason}`
}
