import { type EventAttributes, payloadOf, type RecordedEvent } from '../../core/events/index.ts'
import { BeadClosed, BeadCreated, BeadDeleted, type BeadEventPayload, BeadUpdated } from '../events.ts'
import { WorkflowKey, WorkKey } from '../metadata.ts'
import type { Bead } from '../schema.ts'
import { BEAD_LIMITS } from './limits.ts'
import { withoutOutput } from './row.ts'

const BEAD_EVENTS = [BeadCreated, BeadUpdated, BeadClosed, BeadDeleted]

/** The bead of an event about one, as it was then; undefined for any other event. */
export function payloadBeadOf(recorded: RecordedEvent): Bead | undefined {
  const definition = BEAD_EVENTS.find(({ type }) => type === recorded.type)
  return definition && payloadOf(definition, recorded)?.bead
}

/** A bead as its events have it: without an output that is longer than all metadata beside it may be. */
export function eventPayloadOf(bead: Bead): BeadEventPayload {
  const { rest, output } = withoutOutput(bead)
  return { bead: Buffer.byteLength(output) > BEAD_LIMITS.metadata ? rest : bead }
}

/** Facts about a bead's event besides its payload. */
export function eventFactsOf(bead: Bead): EventAttributes {
  const metadata = bead.metadata ?? {}
  const session = metadata[WorkKey.sessionId]
  const step = metadata[WorkflowKey.stepId]
  const dependencies = parseStepIds(metadata[WorkflowKey.stepDependencies])
  return {
    subject: bead.id,
    run_id:
      metadata[WorkflowKey.olderWorkflowId] ||
      metadata[WorkflowKey.olderMoleculeId] ||
      metadata[WorkflowKey.rootBeadId] ||
      bead.id,
    ...(session && { session_id: session }),
    ...(step && { step_id: step }),
    ...(dependencies && { depends_on_step_ids: dependencies }),
  }
}

function parseStepIds(json: string | undefined): string[] | undefined {
  if (!json) return undefined
  try {
    const parsed: unknown = JSON.parse(json)
    return Array.isArray(parsed) && parsed.every((id) => typeof id === 'string') ? parsed : undefined
  } catch {
    return undefined
  }
}
