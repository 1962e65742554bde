import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'
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
export const BeadClaimDisplaced = defineEvent(
  'bead.claim_displaced',
  Type.Object(
    {
      bead_id: Type.String(),
      session_id: Type.String(),
      displaced: Type.String({ description: 'Person who held it.' }),
    },
    { $id: 'BeadClaimDisplacedPayload', additionalProperties: false },
  ),
  'A bead was closed or taken away while a session held it, by somebody else.',
)
