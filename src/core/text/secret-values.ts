import {
  blankSecrets,
  isReference,
  isSecretName,
  isSecretTable,
  replaceInArguments,
  replaceSecrets,
  SECRET_MARKER,
} from './secrets.ts'

/** Shorter secrets are also ordinary words; they are blanked only where they are declared. */
const MIN_LENGTH = 8
/** Maximum known secrets; the oldest are dropped. */
const MAX_VALUES = 1000
/** Keys that say where a secret is: `token_file`, `secret_env`. */
const POINTING_KEY = /(?:^|_)(?:file|path|dir|env|name|helper|header|url|prefix)$/i
const NAMING_KEY = /^keys?$/i
/** A part of a random text: letters and digits, mixed. */
const RANDOM_PART = /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9+/=]{12,}$/

/** The secrets that declarations hold, to be found again in other texts: output, errors, events. */
export class SecretValues {
  readonly #values = new Set<string>()
  #pattern: RegExp | undefined

  /** Takes the secrets of a declared value, which stands under this key. */
  add(value: unknown, key = ''): void {
    if (typeof value === 'string') this.#addText(value, key)
    else if (Array.isArray(value)) this.#addList(value)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        if (isSecretTable(key) && typeof item === 'string') this.#addVariable(item, name)
        else this.add(item, name)
      }
    }
    this.#pattern = undefined
  }

  get isEmpty(): boolean {
    return this.#values.size === 0
  }

  /** A text, or JSON, with every secret replaced by the marker. */
  strike(text: string): string {
    if (this.#values.size === 0) return text
    this.#pattern ??= patternOf(this.#values)
    return text.replace(this.#pattern, SECRET_MARKER)
  }

  /** A declaration, as JSON has it, as programs are shown it. */
  blank<Value>(value: Value): Value {
    return value === undefined ? value : JSON.parse(this.strike(JSON.stringify(blankSecrets(value))))
  }

  #addText(value: string, key: string): void {
    if (isSecretName(key) && !NAMING_KEY.test(key) && !POINTING_KEY.test(key)) this.#addValue(value)
    replaceSecrets(value, this.#collect)
  }

  #addList(list: readonly unknown[]): void {
    const texts = list.filter((item) => typeof item === 'string')
    replaceInArguments(texts, this.#collect)
    for (const item of list) if (typeof item !== 'string') this.add(item)
  }

  /** A variable whose value is an ordinary word, such as a model or a mode, is not a secret elsewhere. */
  #addVariable(value: string, name: string): void {
    replaceSecrets(value, this.#collect)
    if ((isSecretName(name) && !POINTING_KEY.test(name)) || looksRandom(value)) this.#addValue(value)
  }

  #addValue(value: string): void {
    if (value.length >= MIN_LENGTH && !isReference(value) && value !== SECRET_MARKER) this.#keep(value)
  }

  #keep(value: string): void {
    this.#values.delete(value)
    this.#values.add(value)
    const [oldest] = this.#values
    if (this.#values.size > MAX_VALUES && oldest !== undefined) this.#values.delete(oldest)
  }

  readonly #collect = (secret: string): string => {
    this.#addValue(secret)
    return secret
  }
}

const looksRandom = (value: string): boolean =>
  !isReference(value) && value.split(/[-_.:~]/).some((part) => RANDOM_PART.test(part))

/** Each value unchanged, as JSON and server-sent events write it, and as an address does; the longest first. */
function patternOf(values: ReadonlySet<string>): RegExp {
  const forms = new Set([...values].flatMap(formsOf))
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  return new RegExp(longestFirst.map(RegExp.escape).join('|'), 'g')
}

function formsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const escaped = json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [value, json, escaped, encodeURIComponent(value.toWellFormed())]
}
