import type { BeadRepository } from '../../work/beads/repository.ts'
import type { Bead } from '../../work/beads/schema.ts'
import { EngineKey, ResultKey, WorkflowKey, WorkKey } from '../../work/metadata.ts'
import type { RunMembers } from '../runs/members.ts'
import { LEFTOVER_REASON, metadataValue } from '../runs/node.ts'
import type { ControlStep } from './control.ts'
import type { Graph } from './graph.ts'

const SPEC_REASON = 'workflow cleanup: generated spec sidecar closed with workflow root'
/** How many members that are left are closed at once: the loop is free between those. */
const SLICE = 10
const MAX_SOURCES = 50

interface FinalizeOptions {
  beads: BeadRepository
  graph: Graph
  members: RunMembers
}

/**
 * Ends a run: its root first, then what is left of it, on success the work it came from, and last the finalizer itself.
 * What is left is closed in slices; each bead that is closed brings the finalizer back until nothing is left.
 */
export function finalize({ beads, graph, members }: FinalizeOptions, { tx, bead, root }: ControlStep): void {
  if (root.status !== 'closed') {
    const failed = graph.hasFailedBlocker(bead.id) || graph.hasAbortedScope(root.id)
    beads.closeWith(tx, root.id, { [ResultKey.outcome]: failed ? 'fail' : 'pass' })
  }
  const left = members.open(root.id, SLICE + 2).filter((id) => id !== bead.id)
  for (const id of left.slice(0, SLICE)) beads.closeWith(tx, id, leftoverMetadata(beads.get(id)))
  if (left.length > SLICE) return
  const outcome = metadataValue(beads.get(root.id), ResultKey.outcome)
  if (outcome === 'pass') closeSources(beads, tx, root)
  beads.closeWith(tx, bead.id, { [ResultKey.outcome]: 'pass', [WorkKey.closeReason]: LEFTOVER_REASON })
}

function leftoverMetadata(bead: Bead): Record<string, string> {
  const isSpec = metadataValue(bead, WorkflowKey.kind) === 'spec'
  return isSpec
    ? { [ResultKey.outcome]: 'pass', [WorkKey.closeReason]: SPEC_REASON }
    : { [ResultKey.outcome]: 'skipped', [WorkKey.closeReason]: LEFTOVER_REASON }
}

/** Closes the work that a graph was attached to, and what that came from in its turn. */
function closeSources(beads: BeadRepository, tx: ControlStep['tx'], root: Bead): void {
  let id = metadataValue(root, EngineKey.sourceBeadId)
  for (let depth = 0; id !== '' && depth < MAX_SOURCES; depth++) {
    const source = beads.find(id)
    if (!source || source.status === 'closed') return
    beads.closeWith(tx, id, { [ResultKey.outcome]: 'pass' })
    id = metadataValue(source, EngineKey.sourceBeadId)
  }
}
