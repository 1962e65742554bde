/** A prefix followed by this many characters is a secret; with fewer it is a word. */
const MIN_SECRET_LENGTH = 16
const REPLACEMENT = '***'
const REPLACEMENT_BYTES = Buffer.from(REPLACEMENT)
const EMPTY = new Uint8Array(0)

/** Replaces secrets, which are known by their fixed prefixes; the prefix stays, so that the kind of secret can be read. */
export class Redactor {
  readonly #pattern: RegExp
  readonly #prefixes: readonly Buffer[]

  constructor(prefixes: readonly string[]) {
    this.#pattern = new RegExp(`(${prefixes.join('|')})[A-Za-z0-9_-]{${MIN_SECRET_LENGTH},}`, 'g')
    this.#prefixes = prefixes.map((prefix) => Buffer.from(prefix))
  }

  redact(text: string): string {
    return text.replace(this.#pattern, `$1${REPLACEMENT}`)
  }

  /** For bytes that arrive in chunks. */
  createStream(): RedactionStream {
    return new RedactionStream(this.#prefixes)
  }
}

/**
 * Redacts a stream of bytes, wherever its chunks are cut. The first characters after a prefix are held back until it is
 * clear what they are; `flush` releases them when nothing more arrives.
 */
export class RedactionStream {
  /** The undecided end of the stream, of which `#shown` bytes are out already. */
  #open: Uint8Array = EMPTY
  #shown = 0
  #inside = false
  readonly #maxPrefix: number

  constructor(private readonly prefixes: readonly Buffer[]) {
    this.#maxPrefix = Math.max(...prefixes.map(({ length }) => length))
  }

  /** How many bytes are held back. */
  get held(): number {
    return this.#open.length - this.#shown
  }

  /** The bytes that may be shown now. */
  push(bytes: Uint8Array): Uint8Array {
    const input = this.#joined(bytes)
    const out: Uint8Array[] = []
    let shown = this.#shown
    let from = 0
    this.#open = EMPTY
    this.#shown = 0
    if (this.#inside) {
      shown = endOfBody(input, 0)
      from = shown
      this.#inside = shown === input.length
    }
    for (let match = findPrefix(this.prefixes, input, from); match; match = findPrefix(this.prefixes, input, from)) {
      const end = endOfBody(input, match.body)
      const secret = end - match.body >= MIN_SECRET_LENGTH
      from = secret ? end : match.body
      if (secret) {
        if (shown < match.body) out.push(input.subarray(shown, match.body))
        out.push(REPLACEMENT_BYTES)
        shown = end
        this.#inside = end === input.length
      } else if (end === input.length) {
        return concatBytes([...out, ...this.#hold(input, shown, match.at, match.body)])
      }
    }
    if (!this.#inside)
      return concatBytes([
        ...out,
        ...this.#hold(input, shown, input.length - partialPrefixLength(this.prefixes, this.#maxPrefix, input)),
      ])
    return concatBytes(out)
  }

  /** What was held back. If it turns out to be a secret after all, the rest of it is still struck out. */
  flush(): Uint8Array {
    const held = this.#open.subarray(this.#shown)
    this.#shown = this.#open.length
    return held
  }

  /** Keeps what begins at `from` undecided; shows what comes before `body`. */
  #hold(input: Uint8Array, shown: number, from: number, body = input.length): Uint8Array[] {
    const show = Math.max(shown, body)
    this.#open = input.slice(from)
    this.#shown = show - from
    return show > shown ? [input.subarray(shown, show)] : []
  }

  #joined(bytes: Uint8Array): Uint8Array {
    return this.#open.length === 0 ? bytes : concatBytes([this.#open, bytes])
  }
}

/** The first prefix at or behind `from`, and where its body begins. */
function findPrefix(
  prefixes: readonly Buffer[],
  input: Uint8Array,
  from: number,
): { at: number; body: number } | undefined {
  const view = Buffer.from(input.buffer, input.byteOffset, input.length)
  let first: { at: number; body: number } | undefined
  for (const prefix of prefixes) {
    const at = view.indexOf(prefix, from)
    if (at >= 0 && (!first || at < first.at)) first = { at, body: at + prefix.length }
  }
  return first
}

function endOfBody(input: Uint8Array, from: number): number {
  for (let at = from; at < input.length; at++) if (!isBody(input[at] ?? 0)) return at
  return input.length
}

const isBody = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x5f ||
  byte === 0x2d

/** How many bytes at the end may be the beginning of a prefix. */
function partialPrefixLength(prefixes: readonly Buffer[], maxPrefix: number, input: Uint8Array): number {
  for (let length = Math.min(maxPrefix - 1, input.length); length > 0; length--) {
    const end = input.subarray(input.length - length)
    if (prefixes.some((prefix) => prefix.length > length && end.every((byte, at) => byte === prefix[at]))) {
      return length
    }
  }
  return 0
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (only && parts.length === 1) return only
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
