import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const closed = { additionalProperties: false } as const
const change = {
  change_id: Type.String(),
  rig: Type.String(),
  agent: Type.String(),
  bead_id: Type.Optional(Type.String()),
  round: Type.Integer({ description: 'Number of times the change became ready for review, including this one.' }),
}
const person = Type.String({ description: 'Actor.' })
const head = Type.String({ description: 'The last commit of the change.' })

export const ChangeReady = defineEvent(
  'change.ready',
  Type.Object(
    {
      ...{ ...change, base: Type.String(), head, branch: Type.Optional(Type.String()), target: Type.String() },
      ...{ files: Type.Integer(), added: Type.Integer(), removed: Type.Integer() },
    },
    { $id: 'ChangeReadyPayload', ...closed },
  ),
  'The work of a session waits for review: its bead was closed, the session ended, or what was asked for is done.',
)
export const ChangeLooked = defineEvent(
  'change.looked',
  Type.Object({ ...change, person, head }, { $id: 'ChangeLookedPayload', ...closed }),
  'A person began to review a change, or saw new commits of it.',
)
export const ChangeAsked = defineEvent(
  'change.asked',
  Type.Object(
    { ...change, person, head, comments: Type.Integer({ description: 'Number of comments sent.' }) },
    { $id: 'ChangeAskedPayload', ...closed },
  ),
  'A person asked the session of a change for changes.',
)
export const ChangeReplied = defineEvent(
  'change.replied',
  Type.Object({ ...change, comment: Type.Integer() }, { $id: 'ChangeRepliedPayload', ...closed }),
  'A comment on a change was answered.',
)
export const ChangeApproved = defineEvent(
  'change.approved',
  Type.Object({ ...change, person, head, target: Type.String() }, { $id: 'ChangeApprovedPayload', ...closed }),
  'A person approved a change at its last commit.',
)
export const ChangeDiscarded = defineEvent(
  'change.discarded',
  Type.Object(
    { ...change, person, head, reason: Type.Optional(Type.String()) },
    { $id: 'ChangeDiscardedPayload', ...closed },
  ),
  'A person decided against a change. Its commits are kept for 30 days.',
)
export const ChangeLanded = defineEvent(
  'change.landed',
  Type.Object(
    { ...change, head, target: Type.String(), commit: Type.String({ description: 'Commit on the target.' }) },
    { $id: 'ChangeLandedPayload', ...closed },
  ),
  'The work of a change is in the branch that it was for.',
)
