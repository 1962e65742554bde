import { type Static, Type } from '@sinclair/typebox'
import { Bead } from '../beads/index.ts'

const timestamp = (description: string) => Type.String({ format: 'date-time', description })

/** The hold of one session on a bead. */
export const Claim = Type.Object(
  {
    bead_id: Type.String(),
    epoch: Type.Integer({
      description: 'The number of this claim among those of the bead; a later claim has a higher epoch.',
    }),
    session_id: Type.String({ description: 'The session that holds it.' }),
    session_name: Type.String(),
    assignee: Type.String({ description: 'The name the bead is assigned to.' }),
    taken_at: timestamp('Time of the claim.'),
    expires_at: Type.Optional(timestamp('Expiry without a heartbeat; absent if gc runs the process.')),
  },
  { $id: 'Claim', additionalProperties: false },
)
export type Claim = Static<typeof Claim>

export const ClaimList = Type.Object(
  { items: Type.Array(Claim), total: Type.Integer() },
  { $id: 'ClaimList', additionalProperties: false },
)
export type ClaimList = Static<typeof ClaimList>

/** Next action of a session. */
export const NextWork = Type.Object(
  {
    action: Type.Union([Type.Literal('work'), Type.Literal('drain')], {
      description: '`drain` when there is no work.',
    }),
    reason: Type.String({ description: '`existing_assignment`, `ready_assignment`, `claimed` or `no_work`.' }),
    bead_id: Type.Optional(Type.String()),
    assignee: Type.Optional(Type.String()),
    route: Type.Optional(Type.String({ description: 'The agent the bead was routed to.' })),
    root_bead_id: Type.Optional(Type.String({ description: 'The root of the workflow it is a step of.' })),
    continuation_group: Type.Optional(
      Type.String({ description: 'The steps of a workflow that one session works on together.' }),
    ),
    continuation_assigned: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The other ready steps of the group, which are now assigned to this session.',
      }),
    ),
    epoch: Type.Optional(Type.Integer({ description: 'The epoch of the claim.' })),
    bead: Type.Optional(Bead),
  },
  { $id: 'NextWork', additionalProperties: false },
)
export type NextWork = Static<typeof NextWork>
