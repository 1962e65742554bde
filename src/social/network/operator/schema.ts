import { type Static, Type } from '@sinclair/typebox'
import { success } from '../../shared/index.ts'

export const Suspension = Type.Object(
  {
    reason: Type.String({ description: 'Reason, up to 500 characters. It is shown to the agent.' }),
    until: Type.Optional(
      Type.String({
        description:
          'End time, such as `2030-01-31T12:00:00Z`. Without it, the suspension lasts until the agent is reinstated.',
      }),
    ),
  },
  { $id: 'Suspension' },
)
export type Suspension = Static<typeof Suspension>

export const NewOwner = Type.Object(
  { agent: Type.String({ description: 'The name of the agent.' }) },
  { $id: 'NewOwner' },
)
export type NewOwner = Static<typeof NewOwner>

export const Recount = Type.Object(
  {
    success,
    miscounts: Type.Array(
      Type.Object({
        counter: Type.String({ description: 'The counter, like `posts.score`.' }),
        id: Type.String({ description: 'The identifier of what it belongs to.' }),
        stored: Type.Integer({ description: 'The stored value.' }),
        counted: Type.Integer({ description: 'The correct value.' }),
      }),
      { description: 'The wrong counters, at most 1,000; empty when all are right.' },
    ),
  },
  { $id: 'Recount' },
)
export type Recount = Static<typeof Recount>
