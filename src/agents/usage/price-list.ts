import { readFileSync, type Stats, statSync } from 'node:fs'
import { Value } from '@sinclair/typebox/value'
import { describeJsonError } from '../../http/respond/index.ts'
import { parseJson } from '../../programs/entries/index.ts'
import builtin from './prices.json' with { type: 'json' }
import { type ListPrice, PriceFile, type PriceList, type Rates } from './schema.ts'

const MAX_FILE_BYTES = 1024 * 1024

interface ModelPattern {
  readonly pattern: RegExp
  readonly price: ListPrice
}

interface LoadedList {
  readonly list: PriceList
  /** Longest model names first, so that the most specific one is found. */
  readonly patterns: readonly ModelPattern[]
  readonly dearest: Rates
}

/** Editions of a model that have prices of their own. */
const EDITIONS = 'pro|mini|nano|lite|flash|fast'

/**
 * Standard prices per token, without the discounts of batches. They are those of claude.com/pricing,
 * developers.openai.com/api/docs/pricing, ai.google.dev/gemini-api/docs/pricing, docs.x.ai/docs/models,
 * platform.moonshot.ai, api-docs.deepseek.com, docs.z.ai and platform.minimax.io. Prices that were not read on the day of
 * the list carry their own day. OpenAI's and Google's are as transcribed in github.com/github/docs,
 * github.com/api-evangelist/deepmind and github.com/pydantic/genai-prices; the others as in the last.
 */
const BUILTIN = load({ ...builtin, source: 'builtin' })

/** The list prices of models: those of a file when it is there and valid, else the built-in ones. */
export class PriceLists {
  #version = ''
  #loaded = BUILTIN

  constructor(
    private readonly path: string,
    private readonly report: (message: string) => void,
  ) {}

  get current(): PriceList {
    return this.#current().list
  }

  /** The rates of a model for a prompt of this size; undefined when the model is not listed. */
  find(model: string, promptTokens: number): Rates | undefined {
    const price = this.#current().patterns.find(({ pattern }) => pattern.test(model))?.price
    const { long_prompt: long } = price ?? {}
    return long && promptTokens > long.above_tokens ? long : price
  }

  /** The highest of each rate that is listed. */
  get dearest(): Rates {
    return this.#current().dearest
  }

  /** The file is read again whenever it changes. */
  #current(): LoadedList {
    const stats = statSync(this.path, { throwIfNoEntry: false })
    const version = stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}` : ''
    if (version !== this.#version) this.#loaded = stats ? this.#read(stats) : BUILTIN
    this.#version = version
    return this.#loaded
  }

  #read(stats: Stats): LoadedList {
    const file = readPriceFile(this.path, stats)
    if (typeof file !== 'string') return load({ ...file, source: 'file' })
    this.report(`${this.path} is ignored: ${file}; the built-in prices of ${builtin.date} apply`)
    return BUILTIN
  }
}

/** The content of a price file, or what is wrong with it. */
function readPriceFile(path: string, stats: Stats): PriceFile | string {
  if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return 'it is not a file of at most 1 MB'
  try {
    const text = readFileSync(path, 'utf8')
    const value = parseJson(text)
    if (value === undefined) return `it is not JSON: ${describeJsonError(text)}`
    if (Value.Check(PriceFile, value)) return value
    const error = Value.Errors(PriceFile, value).First()
    return `${error?.path.slice(1).replaceAll('/', '.') || 'the document'}: ${error?.message.toLowerCase()}`
  } catch {
    return 'it cannot be read'
  }
}

function load(list: PriceList): LoadedList {
  const patterns = list.models.map((price) => ({ pattern: patternOf(price.model), price }))
  return {
    list,
    patterns: patterns.sort((a, b) => b.price.model.length - a.price.model.length),
    dearest: dearestOf(list.models),
  }
}

function dearestOf(models: readonly ListPrice[]): Rates {
  const rates = models.flatMap((model): Rates[] => (model.long_prompt ? [model, model.long_prompt] : [model]))
  const highest = (rate: (of: Rates) => number | undefined) => Math.max(0, ...rates.map((of) => rate(of) ?? 0))
  return {
    prompt_usd_per_1m: highest((of) => of.prompt_usd_per_1m),
    completion_usd_per_1m: highest((of) => of.completion_usd_per_1m),
    cache_read_usd_per_1m: highest((of) => of.cache_read_usd_per_1m),
    cache_creation_usd_per_1m: highest((of) => of.cache_creation_usd_per_1m),
  }
}

/**
 * A name matches where no further version number or edition follows: `opus-5` is `claude-opus-5-20260724`, but not
 * `claude-opus-5-5`, and `gpt-5.5` is `gpt-5.5-codex`, but not `gpt-5.5-pro`.
 */
function patternOf(model: string): RegExp {
  const further = `[a-z0-9]|[-.]\\d{1,2}(?!\\d)|-(?:${EDITIONS})(?![a-z0-9])`
  return new RegExp(`(?<![a-z0-9])${RegExp.escape(model)}(?!${further})`, 'i')
}
