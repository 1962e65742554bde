import { defineEvent } from '../../core/events/event.ts'
import { BeadClaimRejectedPayload, BeadDeadAssigneeReopenedPayload } from './schema.ts'

export const BeadClaimRejected = defineEvent(
  'bead.claim_rejected',
  BeadClaimRejectedPayload,
  'A session asked for a bead that somebody else has.',
)
export const BeadDeadAssigneeReopened = defineEvent(
  'bead.dead_assignee_reopened',
  BeadDeadAssigneeReopenedPayload,
  'A bead was taken from a session that is gone, so that another can work on it.',
)
