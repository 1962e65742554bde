import type { CityConfig } from '../../config/city/index.ts'
import type { ModelUsage, Tokens } from '../../programs/entries/index.ts'
import type { PriceLists } from './price-list.ts'
import type { Rates } from './schema.ts'

/** A price that `[[pricing]]` of city.toml declares for a model. */
interface DeclaredPrice {
  readonly provider: string | undefined
  readonly model: string
  readonly rates: Rates
}

/** Prices model responses: as the city declares, else as the log records, else by list price. */
export class Prices {
  #cache: { config: CityConfig; declared: readonly DeclaredPrice[] } | undefined

  constructor(
    private readonly config: { readonly current: CityConfig },
    private readonly lists: Pick<PriceLists, 'find' | 'dearest'>,
  ) {}

  /** The cost of a response; undefined when its price is not known. */
  cost(provider: string | undefined, { model, tokens, cost }: ModelUsage): number | undefined {
    const declared = this.#declared().find((price) => matches(price, provider, model))
    if (declared) return costOf(declared.rates, tokens)
    if (cost !== undefined) return cost
    const rates = this.lists.find(model, tokens.input + tokens.cacheRead + tokens.cacheWrite)
    return rates && costOf(rates, tokens)
  }

  /** The most that a response can have cost whose price is not known: as if of the dearest model that is. */
  ceiling({ tokens }: ModelUsage): number {
    const declared = this.#declared().map(({ rates }) => costOf(rates, tokens))
    return Math.max(costOf(this.lists.dearest, tokens), ...declared)
  }

  #declared(): readonly DeclaredPrice[] {
    const { current } = this.config
    if (this.#cache?.config !== current) this.#cache = { config: current, declared: readDeclared(current) }
    return this.#cache.declared
  }
}

const costOf = (rates: Rates, { input, output, cacheRead, cacheWrite }: Tokens): number =>
  (input * rates.prompt_usd_per_1m +
    output * rates.completion_usd_per_1m +
    cacheRead * (rates.cache_read_usd_per_1m ?? 0) +
    cacheWrite * (rates.cache_creation_usd_per_1m ?? 0)) /
  1e6

/** A declared model name may leave out the date or size that follows it. */
const matches = (price: DeclaredPrice, provider: string | undefined, model: string): boolean =>
  (price.provider === undefined || price.provider === provider) &&
  (model === price.model || model.startsWith(`${price.model}-`))

/** The declared prices, the most specific names first. */
function readDeclared({ pricing }: CityConfig): DeclaredPrice[] {
  const prices = pricing.map(({ provider, model, input, output, cacheRead, cacheWrite }) => ({
    provider,
    model,
    rates: {
      prompt_usd_per_1m: input,
      completion_usd_per_1m: output,
      cache_read_usd_per_1m: cacheRead,
      cache_creation_usd_per_1m: cacheWrite,
    },
  }))
  return prices.sort((a, b) => b.model.length - a.model.length)
}
