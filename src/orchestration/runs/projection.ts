import { payloadOf, type RecordedEvent } from '../../core/events/index.ts'
import type { Bead, BeadRepository } from '../../work/beads/index.ts'
import { BeadClosed, BeadCreated, BeadUpdated } from '../../work/events.ts'
import { WorkflowKey } from '../../work/metadata.ts'
import { attemptsOf, isWorkflowRoot, metadataValue, toNode } from './node.ts'
import type { WorkflowEventProjection } from './schema.ts'

/** The events that concern workflows, and the fields that they change. */
const PROJECTED_EVENTS = [
  { def: BeadCreated, fields: ['status', 'metadata'] },
  { def: BeadUpdated, fields: ['snapshot'] },
  { def: BeadClosed, fields: ['status'] },
] as const

/** The event types that streams extend by a workflow projection. */
export const PROJECTED_TYPES: ReadonlySet<string> = new Set(PROJECTED_EVENTS.map(({ def }) => def.type))

/** Projects bead events to the workflows of one city. */
export class WorkflowEvents {
  constructor(
    private readonly city: string,
    private readonly beads: BeadRepository,
  ) {}

  /** Undefined for a bead of no workflow, or of one whose root is missing. */
  project(recorded: RecordedEvent): WorkflowEventProjection | undefined {
    for (const { def, fields } of PROJECTED_EVENTS) {
      const payload = payloadOf(def, recorded)
      if (payload) return this.#project(recorded, payload.bead, fields)
    }
    return undefined
  }

  #project(recorded: RecordedEvent, bead: Bead, fields: readonly string[]): WorkflowEventProjection | undefined {
    const root = this.#rootOf(bead)
    if (!root) return undefined
    const rig = this.beads.rigOf(root.id)
    const [kind, ref] = [metadataValue(root, WorkflowKey.scopeKind), metadataValue(root, WorkflowKey.scopeRef)]
    const attempts = attemptsOf(bead)
    return {
      type: 'workflow:event',
      workflow_id: metadataValue(root, WorkflowKey.workflowId) || root.id,
      root_bead_id: root.id,
      root_store_ref: rig === '' ? `city:${this.city}` : `rig:${rig}`,
      ...(kind && ref ? { scope_kind: kind, scope_ref: ref } : { scope_kind: 'city', scope_ref: this.city }),
      watch_generation: 'pending',
      event_seq: recorded.seq,
      workflow_seq: recorded.seq,
      event_ts: recorded.ts.replace(/\.\d+Z$/, 'Z'),
      event_type: recorded.type,
      bead: toNode(bead),
      changed_fields: [...fields],
      logical_node_id: metadataValue(bead, WorkflowKey.logicalBeadId) || bead.id,
      ...(attempts && { attempt_summary: attempts }),
      ...(recorded.type === BeadUpdated.type && { requires_resync: true }),
    }
  }

  #rootOf(bead: Bead): Bead | undefined {
    if (!bead.metadata) return undefined
    const id = metadataValue(bead, WorkflowKey.rootBeadId) || (isWorkflowRoot(bead) ? bead.id : '')
    const root = id === '' ? undefined : this.beads.find(id)
    return root && isWorkflowRoot(root) ? root : undefined
  }
}
