import { type Static, Type } from '@sinclair/typebox'
import { listOf } from '../../http/schema.ts'
import { RULE_KINDS } from './rule.ts'

const closed = { additionalProperties: false } as const
const Text = Type.String()
const Kind = Type.Union(RULE_KINDS.map((kind) => Type.Literal(kind)))

const NamedFileState = Type.Object(
  {
    name: Type.String({ description: 'The file as the command names it, or a manifest of its program.' }),
    state: Type.String({ description: '`absent`, `folder`, `sha256:…`; `link` and `large` cannot be reviewed.' }),
  },
  { $id: 'RuleFile', ...closed },
)

export const RuleView = Type.Object(
  {
    id: Text,
    kind: Kind,
    value: Type.String({ description: 'The command line, path, host, or `server/tool` that it allows.' }),
    rig: Type.Optional(Text),
    agent: Type.Optional(Text),
    unconfined: Type.Boolean({ description: 'True if it is also for sessions that are not sandboxed.' }),
    added: Text,
    by: Text,
    until: Type.Optional(Type.String({ format: 'date-time' })),
    expired: Type.Optional(Type.Boolean()),
    uses: Type.Integer({ description: 'Number of times it answered.' }),
    last_used_at: Type.Optional(Type.String({ format: 'date-time' })),
    void: Type.Array(Type.Object({ session: Text, files: Type.Array(Text) }, closed), {
      description: 'Sessions that ask for what it allows, and changed files that it depends on.',
    }),
    warning: Type.Optional(Type.String({ description: 'Further effects that it allows.' })),
  },
  { $id: 'Rule', ...closed },
)
export type RuleView = Static<typeof RuleView>

export const RuleList = Type.Object(
  {
    ...listOf(RuleView, 'RuleListPage').properties,
    file: Type.String({ description: 'Path of the rules.' }),
    problem: Type.Optional(Type.String({ description: 'Reason no rule applies.' })),
  },
  { $id: 'RuleList', ...closed },
)
export type RuleList = Static<typeof RuleList>

export const RuleDraft = Type.Object(
  {
    kind: Type.Optional(Kind),
    value: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000 })),
    question: Type.Optional(
      Type.String({ description: 'A question instead of kind, value, rig and agent: exactly what it asks.' }),
    ),
    rig: Type.Optional(Text),
    agent: Type.Optional(Text),
    unconfined: Type.Optional(Type.Boolean({ description: 'Also for sessions that are not sandboxed.' })),
    until: Type.Optional(
      Type.String({ format: 'date-time', description: 'End time; absent if it lasts until removed.' }),
    ),
  },
  { $id: 'RuleDraft', ...closed },
)
export type RuleDraft = Static<typeof RuleDraft>

export const RuleSuggestion = Type.Object(
  { kind: Kind, value: Text, agent: Text, times: Type.Integer({ description: 'Number of times people allowed it.' }) },
  { $id: 'RuleSuggestion', ...closed },
)
export const RuleSuggestions = listOf(RuleSuggestion, 'RuleSuggestions')
export type RuleSuggestions = Static<typeof RuleSuggestions>

export const RuleFiles = Type.Object(
  {
    rule: Text,
    session: Text,
    files: Type.Array(
      Type.Object(
        { ...NamedFileState.properties, reviewed: Type.Boolean(), text: Type.Optional(Text) },
        { $id: 'RuleFileText', ...closed },
      ),
    ),
    digest: Type.String({ description: 'Identifies what was shown; a review names it.' }),
  },
  { $id: 'RuleFiles', ...closed },
)
export type RuleFiles = Static<typeof RuleFiles>

const Path = Type.String({ minLength: 1, maxLength: 4_096 })

export const ToolCall = Type.Object(
  {
    kind: Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('command')]),
    paths: Type.Array(Path, {
      minItems: 1,
      maxItems: 100,
      description: 'Every file that the call reads or writes, or the folder that its command runs in; absolute paths.',
    }),
    line: Type.Optional(Type.String({ maxLength: 65_536, description: 'The command line, with the kind `command`.' })),
    asks: Type.Optional(
      Type.Boolean({ description: 'The program asks in any case: the call only says what its dialog is about.' }),
    ),
  },
  { $id: 'ToolCall', ...closed },
)
export type ToolCall = Static<typeof ToolCall>

export const ToolCallDecision = Type.Object(
  {
    decision: Type.Union([Type.Literal('allow'), Type.Literal('ask')], {
      description: '`ask`: no rule allows this call, and the program asks as it would have.',
    }),
  },
  { $id: 'ToolCallDecision', ...closed },
)
export type ToolCallDecision = Static<typeof ToolCallDecision>

export const RuleReview = Type.Object(
  { session: Text, digest: Type.String({ description: 'The `digest` of the files that were read.' }) },
  { $id: 'RuleReview', ...closed },
)
export type RuleReview = Static<typeof RuleReview>
