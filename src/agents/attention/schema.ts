import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

/** Ours: one thing that does not go on before a person has done something. */
export const AttentionItem = Type.Object(
  {
    kind: Type.Union(
      [Type.Literal('permission'), Type.Literal('dialog'), Type.Literal('failed'), Type.Literal('parked')],
      {
        description:
          'An agent asks whether it may; a program shows a dialog; an agent cannot be started; a bead ended so many sessions that it is not offered any more.',
      },
    ),
    agent: Type.String({
      description: 'The agent, or the provider of a session without one; empty for a bead that is routed to none.',
    }),
    bead_id: Type.Optional(Type.String({ description: 'Which bead is parked; `unpark` offers it again.' })),
    session_id: Type.Optional(Type.String({ description: 'Which session waits; absent when the agent has none.' })),
    session_name: Type.Optional(Type.String()),
    session_state: Type.Optional(
      Type.String({
        description: 'Of a session that failed: one that is failed-create is closed, others can be woken.',
      }),
    ),
    since: Type.String({ description: 'Since when it waits, RFC 3339.' }),
    asks: Type.String({ description: 'What is asked, or what is wrong, in a sentence.' }),
    request_id: Type.Optional(Type.String({ description: 'Names the question when it is answered.' })),
    answers: Type.Array(Type.String(), {
      description: 'Actions that `respond` takes; none when a person has to go to its terminal.',
    }),
    options: Type.Optional(
      Type.Array(Type.String(), { description: 'What the answers to a dialog say on its screen, in their order.' }),
    ),
  },
  { $id: 'AttentionItem', ...closed },
)
export type AttentionItem = Static<typeof AttentionItem>

export const AttentionList = listOf(AttentionItem, 'AttentionList')
export type AttentionList = Static<typeof AttentionList>
