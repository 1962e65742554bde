import type { Tx } from '../../../core/store/index.ts'
import { type Bead, type BeadRepository, isControl } from '../../../work/beads/index.ts'
import { EngineKey, ResultKey, WorkflowKey } from '../../../work/metadata.ts'
import { metadataValue } from '../node.ts'
import type { Graph } from './graph.ts'

export interface SkipOptions {
  beads: BeadRepository
  graph: Graph
}

/** Skips a step that is open, with all that is made of it: its gate, its attempts, and its fan-out. */
export function skip({ beads, graph }: SkipOptions, tx: Tx, step: Bead): void {
  const queue = [step]
  for (let next = queue.shift(); next; next = queue.shift()) {
    if (next.status === 'closed' || next.issue_type === 'spec') continue
    const parts = partsOf({ beads, graph }, next)
    beads.closeWith(tx, next.id, { [ResultKey.outcome]: 'skipped' })
    queue.push(...parts)
  }
}

function partsOf(options: SkipOptions, step: Bead): Bead[] {
  const { beads, graph } = options
  const blockers = graph.blockers(step.id)
  const gates = blockers.filter(({ issue_type }) => issue_type === 'gate')
  const fanOuts = beads
    .list(beads.dependentsOf(step.id).map(({ issue_id }) => issue_id))
    .filter((each) => metadataValue(each, WorkflowKey.kind) === 'fanout')
  return [...gates, ...fanOuts, ...ownParts(options, step, blockers)]
}

/** Parts that a control created, or the members of a round. */
function ownParts({ graph }: SkipOptions, step: Bead, blockers: readonly Bead[]): Bead[] {
  const kind = metadataValue(step, WorkflowKey.kind)
  if (kind === 'scope') {
    return graph.scopeMembers(metadataValue(step, WorkflowKey.rootBeadId), metadataValue(step, WorkflowKey.stepRef))
  }
  if (kind === 'fanout') return itemsOf(graph, blockers)
  if (step.issue_type === 'epic') return graph.children(step)
  return isControl(kind) ? graph.attempts(step).filter((each) => metadataValue(each, WorkflowKey.attempt) !== '') : []
}

/** The steps of the items that a fan-out waits for, and what those wait for among themselves. */
function itemsOf(graph: Graph, blockers: readonly Bead[]): Bead[] {
  const items = blockers.filter((each) => metadataValue(each, EngineKey.dynamicFragment) === 'true')
  return [...items, ...items.flatMap(({ id }) => itemsOf(graph, graph.blockers(id)))]
}
