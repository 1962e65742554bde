import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

/** Ours: something that a confined session was refused. */
export const Denial = Type.Object(
  {
    call: Type.String({
      description: 'Denied operation, such as `connect` or `chmod`; empty for the sum of further kinds.',
    }),
    target: Type.String({ description: 'The path, address or process that it was about.' }),
    count: Type.Integer({ minimum: 1 }),
    last_at: Type.String({ format: 'date-time' }),
    allow: Type.Optional(
      Type.String({
        description: 'The line of the agent’s `confine` table that would allow it; absent where none does.',
      }),
    ),
  },
  { $id: 'SessionDenial', ...closed },
)
export type Denial = Static<typeof Denial>

export const DenialList = Type.Object(
  {
    session_id: Type.String(),
    confine: Type.String({ description: 'Sandbox of its agent now: `default`, `network` or `off`.' }),
    confined: Type.Optional(
      Type.String({ description: 'Sandbox of its running program; `confine` may have changed since its start.' }),
    ),
    inherited: Type.Optional(
      Type.Boolean({
        description:
          'True when gc runs in a confined session itself, whose rules for ports, modes and priorities hold instead of its own.',
      }),
    ),
    unconfined: Type.Optional(
      Type.Boolean({
        description:
          'True if it runs without a sandbox although its agent, or another agent of the city, must have one.',
      }),
    ),
    items: Type.Array(Denial, { description: 'The most frequent first.' }),
    allowing: Type.Optional(
      Type.Object(
        {
          lines: Type.Array(Type.String(), {
            description: 'Each key of the table once, with what it lists already.',
          }),
          table: Type.String({ description: 'Agent whose `confine` table they go into, and its declaration.' }),
          replaces: Type.Optional(
            Type.String({ description: 'The line that stands for a table so far, and makes room for one.' }),
          ),
        },
        {
          $id: 'SessionDenialAllowing',
          ...closed,
          description: 'Rule that covers all items of the line; absent if there is none.',
        },
      ),
    ),
    total: Type.Integer({ description: 'Number of denials of all kinds.' }),
  },
  { $id: 'SessionDenialList', ...closed },
)
export type DenialList = Static<typeof DenialList>

export const UnconfinedList = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { session_id: Type.String(), session_name: Type.String(), template: Type.String() },
        { $id: 'UnconfinedSession', ...closed },
      ),
    ),
    total: Type.Integer(),
  },
  { $id: 'UnconfinedSessionList', ...closed },
)
export type UnconfinedList = Static<typeof UnconfinedList>
