import type { ModelUsage, Tokens } from '../conversations/entries/entry.ts'

/** No answer of a model takes more tokens, or costs more dollars. */
const MOST_TOKENS = 1e9
const MOST_USD = 1e5
/** A model has no longer name. */
const LONGEST = 200

/** What a log tells of an answer, as far as it can be: an agent writes its log itself, and may not spend less than nothing. */
export const believed = ({ id, model, tokens, timestamp: at, cost }: ModelUsage, now: number): ModelUsage => ({
  id,
  model: model.slice(0, LONGEST),
  tokens: counted(tokens),
  timestamp: Math.floor(Math.min(at, now)),
  ...(cost !== undefined && { cost: within(cost, MOST_USD) }),
})

const counted = ({ input, output, cacheRead, cacheWrite, reasoning }: Tokens): Tokens => ({
  input: tokensOf(input),
  output: tokensOf(output),
  cacheRead: tokensOf(cacheRead),
  cacheWrite: tokensOf(cacheWrite),
  reasoning: tokensOf(reasoning),
})

const within = (value: number, most: number): number => Math.min(Math.max(0, value), most)
const tokensOf = (value: number): number => Math.round(within(value, MOST_TOKENS))
