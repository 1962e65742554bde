import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

/** Ours: one thing that waits for a person. */
export const AttentionItem = Type.Object(
  {
    kind: Type.Union(
      [
        Type.Literal('permission'),
        Type.Literal('dialog'),
        Type.Literal('failed'),
        Type.Literal('parked'),
        Type.Literal('detached'),
        Type.Literal('store'),
      ],
      {
        description:
          'An agent asks for a permission; a program shows a dialog; an agent or session cannot be started or is held; a bead is parked since it ended too many sessions; processes outlived the session that started them; the store takes no more writes.',
      },
    ),
    agent: Type.String({
      description: 'The agent, or the provider of a session without one; empty for a bead without a route.',
    }),
    bead_id: Type.Optional(Type.String({ description: 'The parked bead; `unpark` offers it again.' })),
    session_id: Type.Optional(
      Type.String({ description: 'The session that waits, or that left processes; absent when the agent has none.' }),
    ),
    session_name: Type.Optional(Type.String()),
    session_state: Type.Optional(
      Type.String({
        description: 'The state of a failed session: one that is `failed-create` is closed, others can be woken.',
      }),
    ),
    since: Type.String({ description: 'When it started to wait, RFC 3339.' }),
    until: Type.Optional(
      Type.String({
        description: 'Until when a session or agent is held, RFC 3339; it is tried again by itself then.',
      }),
    ),
    asks: Type.String({ description: 'The question or the problem in a sentence.' }),
    request_id: Type.Optional(Type.String({ description: 'Identifies the question in an answer.' })),
    answers: Type.Array(Type.String(), {
      description: 'The actions that `respond` accepts; none when a person has to use its terminal.',
    }),
    options: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The options of a dialog as its screen shows them, in the same order.',
      }),
    ),
  },
  { $id: 'AttentionItem', ...closed },
)
export type AttentionItem = Static<typeof AttentionItem>

export const AttentionList = listOf(AttentionItem, 'AttentionList')
export type AttentionList = Static<typeof AttentionList>
