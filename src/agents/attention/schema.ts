import { type Static, Type } from '@sinclair/typebox'
import { ATTENTION_KINDS, type AttentionKindName } from '../../core/error-catalogue.ts'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

const describeKinds = (): string =>
  Object.entries(ATTENTION_KINDS)
    .map(([kind, { sentence }]) => `\`${kind}\`: ${sentence}`)
    .join('; ')

/** An answer whose text is one of a list. */
export const AnswerList = Type.Object(
  {
    answer: Type.String({ description: 'One of `answers`.' }),
    choices: Type.Array(Type.String(), { description: 'Options that its text names, by number from 1 or in words.' }),
    several: Type.Boolean({ description: 'True if it may name several, separated by commas.' }),
  },
  { $id: 'AttentionAnswerList', ...closed },
)

export type AnswerList = Static<typeof AnswerList>

/** Ours: one thing that waits for a person. */
export const AttentionItem = Type.Object(
  {
    id: Type.String({ description: 'The same for as long as the same thing waits.' }),
    kind: Type.Unsafe<AttentionKindName>(Type.String({ description: `${describeKinds()}. Others may be added.` })),
    agent: Type.String({
      description: 'The agent, or the provider of a session without one; empty for a bead without a route.',
    }),
    rig: Type.Optional(Type.String()),
    bead_id: Type.Optional(Type.String({ description: 'The bead that it concerns.' })),
    session_id: Type.Optional(
      Type.String({ description: 'The session that waits, or that left processes; absent when the agent has none.' }),
    ),
    session_name: Type.Optional(Type.String()),
    session_state: Type.Optional(
      Type.String({
        description: 'The state of a failed session: one that is `failed-create` is closed, others can be woken.',
      }),
    ),
    since: Type.String({ description: 'Start of the wait, RFC 3339.' }),
    until: Type.Optional(
      Type.String({
        description: 'End of the hold of a session or agent, RFC 3339; gc retries it then.',
      }),
    ),
    asks: Type.String({ description: 'The question or the problem in a sentence.' }),
    to_do: Type.String({ description: 'Fix for a person: a command line, or a sentence with one.' }),
    question_kind: Type.Optional(
      Type.String({ description: 'Subject of a question: `approval`, `trust`, `login`, `plan` …' }),
    ),
    folder: Type.Optional(Type.String({ description: 'The folder that a session which asks works in.' })),
    text: Type.Optional(Type.String({ description: 'The command, path, diff or text that is asked about.' })),
    cut: Type.Optional(Type.Boolean({ description: 'True if that is only a part of it.' })),
    picture: Type.Optional(Type.Array(Type.String(), { description: 'The rows of the screen that asks.' })),
    subject: Type.Optional(
      Type.String({
        description: 'The command, paths, hosts or tool that a question is about, where that is beyond doubt.',
      }),
    ),
    same: Type.Optional(
      Type.String({
        description: 'The same for questions that are equal to the byte: one answer can cover all of them.',
      }),
    ),
    request_id: Type.Optional(Type.String({ description: 'Identifies the question in an answer.' })),
    answers: Type.Array(Type.String(), {
      description: 'The actions that `respond` accepts; none when a person has to use its terminal.',
    }),
    options: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The answers in the words of the program, in the same order.',
      }),
    ),
    descriptions: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Explanations of `options`, in the same order; empty if there are none.',
      }),
    ),
    texts: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Those of `answers` that take a text of your own in the dialog; with any other it is sent as a message.',
      }),
    ),
    ticks: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Those of `answers` that are boxes to tick: any number of them is one answer, as in `1,3`.',
      }),
    ),
    lists: Type.Optional(Type.Array(AnswerList, { description: 'Those of `texts` whose text is one of a list.' })),
  },
  { $id: 'AttentionItem', ...closed },
)
export type AttentionItem = Static<typeof AttentionItem>

type Filled = 'since' | 'agent' | 'answers'
/** An item as its source lists it; what is missing is filled in. */
export type ListedItem = Omit<AttentionItem, Filled> & Partial<Pick<AttentionItem, Filled>>

/** A kind that a person does not want to be shown. */
export const AttentionMute = Type.Object(
  {
    kind: Type.String(),
    by: Type.String({ description: 'Person who muted it.' }),
    since: Type.String({ format: 'date-time' }),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'End of the mute.' })),
  },
  { $id: 'AttentionMute', ...closed },
)
export type AttentionMute = Static<typeof AttentionMute>

export const AttentionKind = Type.Object(
  {
    kind: Type.String(),
    meaning: Type.String({ description: 'The problem that items of the kind report.' }),
    fix: Type.String({ description: 'The usual fix; each item has its own.' }),
    muted: Type.Optional(AttentionMute),
  },
  { $id: 'AttentionKind', ...closed },
)
export type AttentionKind = Static<typeof AttentionKind>
export const AttentionKindList = listOf(AttentionKind, 'AttentionKindList')

export const MuteRequest = Type.Object(
  {
    until: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'End of the mute; absent until unmuted.',
      }),
    ),
  },
  { $id: 'AttentionMuteRequest', ...closed },
)

export const AttentionList = Type.Object(
  {
    ...listOf(AttentionItem, 'AttentionListPage').properties,
    muted: Type.Optional(
      Type.Array(AttentionMute, { description: 'The kinds that a person muted: their items are left out.' }),
    ),
  },
  { $id: 'AttentionList', ...closed },
)
export type AttentionList = Static<typeof AttentionList>
