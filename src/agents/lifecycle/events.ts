import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/event.ts'

export const BeadParked = defineEvent(
  'bead.parked',
  Type.Object(
    {
      bead_id: Type.String(),
      agent: Type.String({ description: 'The agent whose sessions it ended.' }),
      deaths: Type.Integer({ description: 'How many of them.' }),
    },
    { $id: 'BeadParkedPayload', additionalProperties: false },
  ),
  'A bead ended so many sessions that it is not offered any more, until a person lets it back.',
)
