import { type Static, Type } from '@sinclair/typebox'
import { paging } from '../../../http/schema.ts'

export const TranscriptSearch = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Words that must all occur in one entry, in any order and case, also as parts of words.',
    }),
  ),
  session: Type.Optional(Type.String({ description: 'Only this session, live or closed, by any of its names.' })),
  since: Type.Optional(Type.String({ description: 'Only what was said in this duration up to now: `30m`, `1h30m`.' })),
  ...paging,
})
export type TranscriptSearch = Static<typeof TranscriptSearch>

export const TranscriptMatch = Type.Object(
  {
    session: Type.String({ description: 'The id of the session.' }),
    session_name: Type.String({ description: 'Its alias, or else its run-time name.' }),
    template: Type.String({ description: 'The agent it ran, or the provider of a session without an agent.' }),
    entry: Type.Optional(
      Type.String({ description: 'The entry of the transcript; absent for the screen of a program without a log.' }),
    ),
    sub_agent: Type.Optional(
      Type.String({
        description: 'The sub-agent whose entry it is; absent for the conversation of the session itself.',
      }),
    ),
    timestamp: Type.Optional(Type.String({ description: 'Time of the entry, if the log has it.' })),
    role: Type.String({
      description: '`user`, `assistant`, `system`, `tool` for what one returned, or `output` for a screen.',
    }),
    excerpt: Type.String({ description: 'The line with most of the words, cut around the first of them.' }),
  },
  { $id: 'TranscriptMatch', additionalProperties: false },
)
export type TranscriptMatch = Static<typeof TranscriptMatch>

export const TranscriptMatches = Type.Object(
  {
    items: Type.Array(TranscriptMatch, {
      description: 'By session, the newest first; of each, what was said last first.',
    }),
    searched: Type.Integer({ description: 'Number of conversations read for this page.' }),
    next_cursor: Type.Optional(
      Type.String({
        description: 'Send it as `cursor` to read on; a page may be short, even empty, and still have one.',
      }),
    ),
  },
  { $id: 'TranscriptMatches', additionalProperties: false },
)
export type TranscriptMatches = Static<typeof TranscriptMatches>
