import type { ModelUsage, Tokens } from '../../programs/entries/index.ts'

/** No single model response uses more tokens or costs more dollars. */
const MAX_TOKENS = 1e9
const MAX_USD = 1e5
const MAX_MODEL_LENGTH = 200

/** Keeps what a log claims within plausible limits: agents write their logs themselves, and cannot use less than nothing. */
export const sanitizeUsage = ({ id, model, tokens, timestamp, cost }: ModelUsage, now: number): ModelUsage => ({
  id,
  model: model.slice(0, MAX_MODEL_LENGTH),
  tokens: sanitizeTokens(tokens),
  timestamp: Math.floor(Math.min(timestamp, now)),
  ...(cost !== undefined && { cost: clamp(cost, MAX_USD) }),
})

const sanitizeTokens = ({ input, output, cacheRead, cacheWrite, reasoning }: Tokens): Tokens => ({
  input: toCount(input),
  output: toCount(output),
  cacheRead: toCount(cacheRead),
  cacheWrite: toCount(cacheWrite),
  reasoning: toCount(reasoning),
})

const clamp = (value: number, max: number): number => Math.min(Math.max(0, value), max)
const toCount = (value: number): number => Math.round(clamp(value, MAX_TOKENS))
