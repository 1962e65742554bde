import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

export const BeadParked = defineEvent(
  'bead.parked',
  Type.Object(
    {
      bead_id: Type.String(),
      agent: Type.String({ description: 'The agent whose sessions exited.' }),
      deaths: Type.Integer({ description: 'Number of exited sessions.' }),
    },
    { $id: 'BeadParkedPayload', additionalProperties: false },
  ),
  'Too many sessions exited while they worked on a bead; gc does not offer it again until a person unparks it.',
)
