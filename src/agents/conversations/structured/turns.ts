import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

export const OutputTurn = Type.Object(
  {
    role: Type.String({ description: '`user`, `assistant`, `system`, `result`, or `output` for a screen.' }),
    text: Type.String(),
    timestamp: Type.Optional(Type.String()),
  },
  { $id: 'OutputTurn', ...closed },
)
export type OutputTurn = Static<typeof OutputTurn>

export const PaginationInfo = Type.Object(
  {
    has_older_messages: Type.Boolean(),
    has_newer_messages: Type.Optional(Type.Boolean()),
    total_message_count: Type.Integer(),
    returned_message_count: Type.Integer(),
    truncated_before_message: Type.Optional(
      Type.String({ description: 'Give it as `before` for the page before this one.' }),
    ),
    total_compactions: Type.Integer({ description: 'How often the conversation was shortened.' }),
  },
  { $id: 'PaginationInfo', ...closed },
)
export type PaginationInfo = Static<typeof PaginationInfo>
