import { type Static, Type } from '@sinclair/typebox'

const text = (description: string) => Type.Optional(Type.String({ description }))

/** A wait of a session for beads to be closed. */
export const WaitView = Type.Object(
  {
    id: Type.String({ description: 'The id of its bead.' }),
    session_id: Type.String({ description: 'The session that waits.' }),
    kind: Type.String({ description: '`deps`: a wait for beads.' }),
    state: Type.String({ description: '`pending`, `ready`, `closed`, `canceled`, `expired` or `failed`.' }),
    status: Type.String({ description: 'The status of its bead: `open` until the wait is over.' }),
    session_name: text('The run-time name of the session.'),
    dep_ids: Type.Optional(Type.Array(Type.String(), { description: 'The beads it waits for.' })),
    dep_mode: text('Required closed beads: `all` or `any`.'),
    registered_epoch: text('Number of starts of the session when it began to wait.'),
    delivery_attempt: text('The number of the nudge.'),
    nudge_id: text('The name of the nudge that the session was sent.'),
    expires_at: text('Expiry.'),
    note: text('Further text of the nudge.'),
    created_at: text('Start time.'),
    labels: Type.Optional(Type.Array(Type.String(), { description: 'The labels of its bead.' })),
  },
  { $id: 'WaitView', additionalProperties: false },
)
export type WaitView = Static<typeof WaitView>

export const WaitListBody = Type.Object(
  {
    waits: Type.Array(WaitView),
    capped: Type.Boolean({ description: 'There are more than are shown.' }),
    partial: Type.Optional(Type.Boolean({ description: 'Some source could not be read.' })),
    partial_errors: Type.Optional(Type.Array(Type.String(), { description: 'Names, with reasons.' })),
  },
  { $id: 'WaitListBody', additionalProperties: false },
)
export type WaitListBody = Static<typeof WaitListBody>

export const WaitCreate = Type.Object(
  {
    session: text(
      'The session that waits, by id, alias or name. A session can only wait itself, and may leave this out.',
    ),
    on_beads: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 100,
      description: 'The beads to wait for; all of them have to exist.',
    }),
    mode: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Literal('any')], {
        description: 'Required closed beads: `all` (default) or `any`.',
      }),
    ),
    note: text('Further text of the nudge, up to 8 KB.'),
    expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'Expiry of the wait.' })),
  },
  { $id: 'WaitCreateInputBody', additionalProperties: false },
)
export type WaitCreate = Static<typeof WaitCreate>

export const WaitQuery = Type.Object({
  state: text('Only waits in this state; those that are over are not listed.'),
  session: text('Only waits of the session with this id.'),
})
export type WaitQuery = Static<typeof WaitQuery>
