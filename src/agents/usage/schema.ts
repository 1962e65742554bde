import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const count = (description: string) => Type.Integer({ description })
const tokens = {
  input_tokens: count('Input tokens that were not cached.'),
  output_tokens: count('Output tokens, reasoning included.'),
  cache_read_tokens: count('Input tokens read from the cache.'),
  cache_creation_tokens: count('Input tokens written to the cache.'),
}
const cost_usd_estimate = Type.Number({ description: 'The estimated cost in US dollars.' })
const unpriced = count('Model responses whose price is not known; the cost leaves them out.')

export const UsageTotals = Type.Object(
  {
    invocations: count('Model responses.'),
    compute_facts: count('Completed runs of sessions.'),
    ...tokens,
    wall_seconds: Type.Number({ description: 'Total duration of those runs and of active ones.' }),
    cost_usd_estimate,
    unpriced,
  },
  { $id: 'UsageTotals', ...closed },
)
export type UsageTotals = Static<typeof UsageTotals>

export const UsageSessionRecent = Type.Object(
  {
    session: Type.String({ description: 'The display name of the session.' }),
    session_id: Type.Optional(Type.String()),
    ...tokens,
    cost_usd_estimate,
    unpriced,
  },
  { $id: 'UsageSessionRecent', ...closed },
)
export type UsageSessionRecent = Static<typeof UsageSessionRecent>

const usd = () => Type.Number({ minimum: 0 })

/** US dollars for a million tokens, under the names that `[[pricing]]` has. */
const rates = {
  prompt_usd_per_1m: usd(),
  completion_usd_per_1m: usd(),
  cache_read_usd_per_1m: Type.Optional(usd()),
  cache_creation_usd_per_1m: Type.Optional(usd()),
}
const Rates = Type.Object(rates)
export type Rates = Static<typeof Rates>

const LongPrompt = Type.Object(
  {
    above_tokens: Type.Integer({ minimum: 1, description: 'The size of a prompt above which these prices apply.' }),
    ...rates,
  },
  { $id: 'LongPromptPrice', ...closed },
)

const day = (description: string) => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description })

export const ListPrice = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description: 'A part of the model’s name; the longest one that matches applies.',
    }),
    date: Type.Optional(day('The day of this price, if that is not the day of the list.')),
    ...rates,
    long_prompt: Type.Optional(LongPrompt),
  },
  { $id: 'ListPrice', ...closed },
)
export type ListPrice = Static<typeof ListPrice>

const date = day('The day of these prices.')
const models = Type.Array(ListPrice)

/** The content of `prices.json`. */
export const PriceFile = Type.Object({ date, models }, closed)
export type PriceFile = Static<typeof PriceFile>

/** Ours: the list prices in use. */
export const PriceList = Type.Object(
  {
    date,
    source: Type.Union([Type.Literal('builtin'), Type.Literal('file')], {
      description: '`file` when `$GC_HOME/prices.json` replaces the built-in list.',
    }),
    models,
  },
  { $id: 'PriceList', ...closed },
)
export type PriceList = Static<typeof PriceList>

export const UsageBody = Type.Object(
  {
    available: Type.Boolean({ description: 'True if usage can be shown.' }),
    recording: Type.Boolean({ description: 'True if usage is recorded.' }),
    source: Type.Union([Type.Literal('local_estimate'), Type.Literal('unavailable')]),
    today: UsageTotals,
    last_24h: Type.Optional(UsageTotals),
    recent: UsageTotals,
    recent_window_secs: Type.Integer({ description: 'The length of `recent` in seconds.' }),
    recent_by_session: Type.Optional(
      Type.Array(UsageSessionRecent, { description: 'The 24 sessions that used the most.' }),
    ),
    observed_from: Type.Optional(Type.String({ description: 'The time of the oldest recorded usage.' })),
    updated_at: Type.String(),
    partial: Type.Optional(Type.Boolean({ description: 'Some usage could not be read.' })),
    partial_reasons: Type.Optional(Type.Array(Type.String())),
  },
  { $id: 'UsageBody', ...closed },
)
export type UsageBody = Static<typeof UsageBody>

const UsageSeries = Type.Object(
  {
    name: Type.String({ description: 'The agent or model; empty for what belongs to none, and for the city.' }),
    invocations: count('Model responses.'),
    tokens: count('Tokens of every kind.'),
    cost_usd_estimate,
    unpriced,
    daily_tokens: Type.Array(Type.Integer(), { description: 'One for each of `days`.' }),
    daily_cost_usd: Type.Array(Type.Number(), { description: 'One for each of `days`.' }),
  },
  { $id: 'UsageSeries', ...closed },
)
export type UsageSeries = Static<typeof UsageSeries>

/** Ours: what was used day by day. */
export const UsageHistory = Type.Object(
  {
    days: Type.Array(Type.String(), {
      description: 'In the local time of the supervisor, oldest first; the last is today.',
    }),
    city: UsageSeries,
    agents: Type.Array(UsageSeries, { description: 'The 50 agents that used the most.' }),
    models: Type.Array(UsageSeries, { description: 'The 50 models that were used the most.' }),
  },
  { $id: 'UsageHistory', ...closed },
)
export type UsageHistory = Static<typeof UsageHistory>

/** Ours: what one session used. */
export const SessionUsage = Type.Object(
  { session_id: Type.String(), invocations: count('Model responses.'), ...tokens, cost_usd_estimate, unpriced },
  { $id: 'SessionUsage', ...closed, description: 'Usage of a session in the last 35 days.' },
)
export type SessionUsage = Static<typeof SessionUsage>
