import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

/** Kind of restart of a session. */
export const Restart = Type.Object(
  {
    fresh: Type.Optional(Type.Boolean({ description: 'Begins a new conversation instead of resuming the old one.' })),
  },
  { $id: 'SessionRestart', ...closed },
)
export type Restart = Static<typeof Restart>

export const Heartbeat = Type.Object(
  {
    duration: Type.Optional(
      Type.String({ description: 'Maximum time without activity, such as `30m`; default 45 minutes.' }),
    ),
  },
  { $id: 'SessionHeartbeat', ...closed },
)
export type Heartbeat = Static<typeof Heartbeat>

export const Conversation = Type.Object(
  {
    key: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$',
      description: 'The program’s id of the conversation, with which it is resumed after a restart.',
    }),
    source: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'Reason the program opened it, as its hook reports: after `clear`, `resume`, `compact` or `fork` it replaces the previous one.',
      }),
    ),
  },
  { $id: 'SessionConversation', ...closed },
)
export type Conversation = Static<typeof Conversation>

/** Facts that an external program needs to work as a session. */
export const SessionLoan = Type.Object(
  {
    id: Type.String({ description: 'The session.' }),
    token: Type.String({
      description: 'Shown only once: send it as a Bearer token, or set it as GC_TOKEN for `gc` and `bd`.',
    }),
  },
  { $id: 'SessionLoan', ...closed },
)
export type SessionLoan = Static<typeof SessionLoan>

export const SessionDrift = Type.Object(
  {
    id: Type.String(),
    session_name: Type.String(),
    template: Type.String({ description: 'Its agent.' }),
    fields: Type.Array(Type.String(), {
      description: 'The changed parts, such as `command`, `env`, `prompt` or `pre_start`.',
    }),
  },
  { $id: 'SessionDrift', ...closed },
)

export const SessionDrifts = Type.Object(
  { items: Type.Array(SessionDrift), total: Type.Integer() },
  { $id: 'SessionDriftList', ...closed },
)
export type SessionDrifts = Static<typeof SessionDrifts>
