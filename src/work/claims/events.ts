import { defineEvent } from '../../core/events/event.ts'
import { BeadClaimRejectedPayload, BeadDeadAssigneeReopenedPayload } from './schema.ts'

export const BeadClaimRejected = defineEvent(
  'bead.claim_rejected',
  BeadClaimRejectedPayload,
  'A session tried to claim a bead that another holds.',
)
export const BeadDeadAssigneeReopened = defineEvent(
  'bead.dead_assignee_reopened',
  BeadDeadAssigneeReopenedPayload,
  'A bead was reopened because its session is gone, so that another can work on it.',
)
