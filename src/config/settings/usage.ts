import { type Declaration, type FieldReader, locationOf, number, string, type ValuesOf } from '../declare/index.ts'
import type { Diagnostics } from '../files/index.ts'

/** `[usage]`: the destination of usage records, which is `local` or elsewhere. */
export const USAGE = { provider: string('provider') }
export type UsageFields = ValuesOf<typeof USAGE>
export type UsageConfig = Readonly<UsageFields>

/** A price is in `[pricing.tier]`, or in the block itself when it has no tier. */
const price = (token: string): FieldReader<number> => {
  const { key, read } = number(`${token}_usd_per_1m`)
  return { key, read: (section) => read(section.has('tier') ? section.child('tier') : section) }
}

/** `[[pricing]]`: what a model costs. */
export const PRICING = {
  provider: string('provider'),
  model: string('model'),
  input: price('prompt'),
  output: price('completion'),
  cacheRead: price('cache_read'),
  cacheWrite: price('cache_creation'),
}
export type PricingFields = ValuesOf<typeof PRICING>

/** The prices of models that the others do not give. */
export function withoutPrices(
  prices: readonly Declaration<PricingFields>[],
  hiding: readonly Declaration<PricingFields>[],
): readonly Declaration<PricingFields>[] {
  const keyOf = ({ values }: Declaration<PricingFields>) => `${values.provider ?? ''}/${values.model ?? ''}`
  const keys = new Set(hiding.map(keyOf))
  return prices.filter((price) => !keys.has(keyOf(price)))
}

/** `[[pricing]]`: what a million tokens of a model cost, in US dollars. */
export interface PricingConfig {
  /** Absent for every provider. */
  readonly provider?: string
  readonly model: string
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export const resolveUsage = (declared: Declaration<UsageFields> | undefined): UsageConfig => ({
  provider: 'local',
  ...declared?.values,
})

/** The declared prices; what a price leaves out costs nothing. */
export function resolvePricing(
  pricing: readonly Declaration<PricingFields>[],
  diagnostics: Diagnostics,
): PricingConfig[] {
  return pricing.flatMap((declaration) => {
    const { model, provider, input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = declaration.values
    if (model !== undefined) return [{ provider, model, input, output, cacheRead, cacheWrite }]
    diagnostics.warning(locationOf(declaration, 'model'), 'is required; this price is ignored')
    return []
  })
}
