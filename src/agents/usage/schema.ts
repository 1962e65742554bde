import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const count = (description: string) => Type.Integer({ description })
const tokens = {
  input_tokens: count('What models were given anew.'),
  output_tokens: count('What models wrote, thoughts included.'),
  cache_read_tokens: count('What models had read before.'),
  cache_creation_tokens: count('What models were given to keep in mind.'),
}
const cost_usd_estimate = Type.Number({ description: 'By list prices, in US dollars; an estimate.' })
const unpriced = count('Answers of models whose price is not known; they are not in the cost.')

export const UsageTotals = Type.Object(
  {
    invocations: count('Answers of models.'),
    compute_facts: count('Runs of sessions that ended.'),
    ...tokens,
    wall_seconds: Type.Number({ description: 'How long those runs were, added up.' }),
    cost_usd_estimate,
    unpriced,
  },
  { $id: 'UsageTotals', ...closed },
)
export type UsageTotals = Static<typeof UsageTotals>

export const UsageSessionRecent = Type.Object(
  {
    session: Type.String({ description: 'What the session is called.' }),
    session_id: Type.Optional(Type.String()),
    ...tokens,
    cost_usd_estimate,
    unpriced,
  },
  { $id: 'UsageSessionRecent', ...closed },
)
export type UsageSessionRecent = Static<typeof UsageSessionRecent>

export const UsageBody = Type.Object(
  {
    available: Type.Boolean({ description: 'Whether anything can be told.' }),
    recording: Type.Boolean({ description: 'Whether usage is written down.' }),
    source: Type.Union([Type.Literal('local_estimate'), Type.Literal('unavailable')]),
    today: UsageTotals,
    last_24h: Type.Optional(UsageTotals),
    recent: UsageTotals,
    recent_window_secs: Type.Integer({ description: 'How long ago `recent` begins.' }),
    recent_by_session: Type.Optional(Type.Array(UsageSessionRecent, { description: 'The 24 that used most.' })),
    observed_from: Type.Optional(Type.String({ description: 'When the oldest usage known was.' })),
    updated_at: Type.String(),
    partial: Type.Optional(Type.Boolean({ description: 'Some usage could not be read.' })),
    partial_reasons: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'UsageBody', ...closed },
)
export type UsageBody = Static<typeof UsageBody>
