import type { RecordedEvent } from '../../../core/events/event.ts'
import { payloadBeadOf } from '../../../work/beads/events.ts'
import type { Bead } from '../../../work/beads/schema.ts'
import { orderActorName, TRACKING_LABEL } from './labels.ts'

/** What is looked up to tell whose doing an event is. */
export interface EventContext {
  /** The order whose run made a root; undefined for any other bead. */
  orderOfRoot(id: string): { readonly scopedName: string } | undefined
  findBead(id: string): Bead | undefined
}

const MAX_DEPTH = 50

/**
 * Whether an event may start an order that waits for its type: not when it is about a tracking bead, about the order
 * itself, or comes of what a run of that order wrote, so that none starts itself again.
 */
export function mayTrigger(scopedName: string, recorded: RecordedEvent, context: EventContext): boolean {
  if (recorded.actor === orderActorName(scopedName)) return false
  if (recorded.type.startsWith('order.')) return recorded.subject !== scopedName
  const bead = payloadBeadOf(recorded)
  if (bead?.labels?.includes(TRACKING_LABEL)) return false
  const isOwn = (id: string | undefined) => id !== undefined && context.orderOfRoot(id)?.scopedName === scopedName
  if (isOwn(recorded.run_id) || isOwn(recorded.subject)) return false
  let parent = bead?.parent
  for (let depth = 0; parent && depth < MAX_DEPTH; depth++) {
    if (isOwn(parent)) return false
    parent = context.findBead(parent)?.parent
  }
  return true
}
