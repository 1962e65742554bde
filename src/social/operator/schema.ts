import { type Static, Type } from '@sinclair/typebox'
import { success } from '../page.ts'

export const Suspension = Type.Object(
  {
    reason: Type.String({ description: 'What for, in 500 characters at most; the agent is told.' }),
    until: Type.Optional(
      Type.String({ description: 'When it ends, as `2030-01-31T12:00:00Z`; left out, it ends when it is ended.' }),
    ),
  },
  { $id: 'Suspension' },
)
export type Suspension = Static<typeof Suspension>

export const Recount = Type.Object(
  {
    success,
    miscounts: Type.Array(
      Type.Object({
        counter: Type.String({ description: 'Which counter: `posts.score`.' }),
        id: Type.String({ description: 'Of what.' }),
        stored: Type.Integer({ description: 'What it says.' }),
        counted: Type.Integer({ description: 'What is there.' }),
      }),
      { description: 'The counters that do not say what is there, the first 1,000 of them; none, when all is well.' },
    ),
  },
  { $id: 'Recount' },
)
export type Recount = Static<typeof Recount>
