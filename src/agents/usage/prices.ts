import type { CityConfig } from '../../config/city-config.ts'
import type { ModelUsage, Tokens } from '../conversations/entries/entry.ts'

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

const price = (input: number, output: number, cacheRead: number, cacheWrite: number): Price => ({
  ...{ input, output, cacheRead, cacheWrite },
})

/** List prices by what the name of a model holds; the first that fits. */
const LISTED: readonly (readonly [RegExp, Price])[] = [
  [/opus-4-[678]|opus-5/, price(5, 25, 0.5, 6.25)],
  [/sonnet-4-6/, price(3, 15, 0.3, 3.75)],
  [/sonnet-5/, price(2, 10, 0.2, 2.5)],
  [/haiku-4-5/, price(1, 5, 0.1, 1.25)],
  [/fable-5/, price(10, 50, 1, 12.5)],
]

/** `[[pricing]]`: what a city declares of one model. */
interface Declared {
  readonly provider: string | undefined
  readonly model: string
  readonly price: Price
}

/** What answers of models cost: by what the city declares, else as their log says, else by list. */
export class Prices {
  #read: { of: CityConfig; declared: readonly Declared[] } | undefined

  constructor(private readonly config: { readonly current: CityConfig }) {}

  /** The cost of an answer; undefined when its price is not known. */
  cost(provider: string | undefined, use: ModelUsage): number | undefined {
    const own = this.#declared().find((one) => fits(one, provider, use.model))
    if (own) return costOf(own.price, use.tokens)
    if (use.cost !== undefined) return use.cost
    const listed = LISTED.find(([name]) => name.test(use.model))
    return listed && costOf(listed[1], use.tokens)
  }

  #declared(): readonly Declared[] {
    const { current } = this.config
    if (this.#read?.of !== current) this.#read = { of: current, declared: declaredIn(current) }
    return this.#read.declared
  }
}

const costOf = (of: Price, { input, output, cacheRead, cacheWrite }: Tokens): number =>
  (input * of.input + output * of.output + cacheRead * of.cacheRead + cacheWrite * of.cacheWrite) / 1e6

/** A declared model may be written without the date or size that follows its name. */
const fits = (one: Declared, provider: string | undefined, model: string): boolean =>
  (one.provider === undefined || one.provider === provider) &&
  (model === one.model || model.startsWith(`${one.model}-`))

/** The most exact names come first. */
function declaredIn({ pricing }: CityConfig): Declared[] {
  const all = pricing.map(({ provider, model, input, output, cacheRead, cacheWrite }) => ({
    ...{ provider, model, price: price(input, output, cacheRead, cacheWrite) },
  }))
  return all.sort((a, b) => b.model.length - a.model.length)
}
