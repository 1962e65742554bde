import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const item = {
  id: Type.String({ description: 'Names the item; both events of an item have the same.' }),
  kind: Type.String(),
  asks: Type.String({ description: 'The item in a sentence, cut after 1,000 characters.' }),
  since: Type.String({ format: 'date-time' }),
  agent: Type.Optional(Type.String()),
  bead_id: Type.Optional(Type.String()),
  session_id: Type.Optional(Type.String()),
}

export const AttentionRaised = defineEvent(
  'attention.raised',
  Type.Object(
    { ...item, to_do: Type.String({ description: 'Fix, for a person.' }) },
    { $id: 'AttentionRaisedPayload', additionalProperties: false },
  ),
  'Something waits for a person. `GET attention` lists all that does.',
)
export const AttentionMuted = defineEvent(
  'attention.muted',
  Type.Object(
    { kind: Type.String(), until: Type.Optional(Type.String({ format: 'date-time' })) },
    { $id: 'AttentionMutedPayload', additionalProperties: false },
  ),
  'A person hid a kind of what waits for a person, for good or until a time.',
)
export const AttentionUnmuted = defineEvent(
  'attention.unmuted',
  Type.Object({ kind: Type.String() }, { $id: 'AttentionUnmutedPayload', additionalProperties: false }),
  'A kind of what waits for a person is shown again.',
)
export const AttentionCleared = defineEvent(
  'attention.cleared',
  Type.Object(
    {
      ...item,
      resolution: Type.Optional(Type.String({ description: 'Outcome, if known.' })),
      by: Type.Optional(Type.String({ description: 'Actor.' })),
    },
    { $id: 'AttentionClearedPayload', additionalProperties: false },
  ),
  'An item no longer needs a person.',
)
