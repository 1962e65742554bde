import { type Static, Type } from '@sinclair/typebox'
import { Bead } from '../beads/schema.ts'

const moment = (description: string) => Type.String({ format: 'date-time', description })

/** A bead in the hands of one session. */
export const Claim = Type.Object(
  {
    bead_id: Type.String(),
    epoch: Type.Integer({ description: 'Counts the claims of this bead; a later claim has a higher one.' }),
    session_id: Type.String({ description: 'The session that holds it.' }),
    session_name: Type.String(),
    assignee: Type.String({ description: 'The name the bead is assigned to.' }),
    taken_at: moment('When it was claimed.'),
    expires_at: Type.Optional(moment('When it ends unless a heartbeat comes; absent when gc watches the process.')),
  },
  { $id: 'Claim', additionalProperties: false },
)
export type Claim = Static<typeof Claim>

export const ClaimList = Type.Object(
  { items: Type.Array(Claim), total: Type.Integer() },
  { $id: 'ClaimList', additionalProperties: false },
)
export type ClaimList = Static<typeof ClaimList>

/** What a session should do next. */
export const NextWork = Type.Object(
  {
    action: Type.Union([Type.Literal('work'), Type.Literal('drain')], { description: '`drain`: there is nothing.' }),
    reason: Type.String({ description: '`existing_assignment`, `ready_assignment`, `claimed` or `no_work`.' }),
    bead_id: Type.Optional(Type.String()),
    assignee: Type.Optional(Type.String()),
    route: Type.Optional(Type.String({ description: 'The agent the bead was routed to.' })),
    root_bead_id: Type.Optional(Type.String({ description: 'The root of the run it is a step of.' })),
    continuation_group: Type.Optional(Type.String({ description: 'Steps of a run that one session does together.' })),
    continuation_assigned: Type.Optional(
      Type.Array(Type.String(), { description: 'The other ready steps of the group, now in this session’s name.' }),
    ),
    epoch: Type.Optional(Type.Integer({ description: 'The epoch of the claim.' })),
    bead: Type.Optional(Bead),
  },
  { $id: 'NextWork', additionalProperties: false },
)
export type NextWork = Static<typeof NextWork>

export const BeadClaimRejectedPayload = Type.Object(
  { bead_id: Type.String(), existing_claimant: Type.String(), attempted_claimant: Type.String() },
  { $id: 'BeadClaimRejectedPayload', additionalProperties: false },
)
export type BeadClaimRejectedPayload = Static<typeof BeadClaimRejectedPayload>

export const BeadDeadAssigneeReopenedPayload = Type.Object(
  {
    bead_id: Type.String(),
    dead_assignee: Type.Optional(Type.String()),
    routed_to: Type.Optional(Type.String()),
  },
  { $id: 'BeadDeadAssigneeReopenedPayload', additionalProperties: false },
)
export type BeadDeadAssigneeReopenedPayload = Static<typeof BeadDeadAssigneeReopenedPayload>
