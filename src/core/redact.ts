/** What our secrets begin with: session tokens, the operator's token, keys of the network. */
const PREFIXES = ['gcs_', 'gco_', 'moltbook_'] as const
/** So many characters behind a prefix make a secret; fewer are a word. */
const SECRET_LEAST = 16
const STRUCK = '***'

const WHOLE = new RegExp(`(${PREFIXES.join('|')})[A-Za-z0-9_-]{${SECRET_LEAST},}`, 'g')

/** A text without our secrets; what kind of secret stood there can still be read. */
export const redact = (text: string): string => text.replace(WHOLE, `$1${STRUCK}`)

const NOTHING = new Uint8Array(0)
const PREFIX_BYTES = PREFIXES.map((prefix) => Buffer.from(prefix))
const PREFIX_MOST = Math.max(...PREFIX_BYTES.map(({ length }) => length))
const STRUCK_BYTES = Buffer.from(STRUCK)

/**
 * Strikes our secrets out of a stream of bytes, wherever its chunks are cut. The first characters behind a prefix are
 * held back until it is clear what they are; `flush` lets them go when nothing more comes.
 */
export class Redactor {
  /** The undecided end of the stream, of which `#shown` bytes are out already. */
  #open: Uint8Array = NOTHING
  #shown = 0
  #inside = false

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
    this.#open = NOTHING
    this.#shown = 0
    if (this.#inside) {
      shown = endOfBody(input, 0)
      from = shown
      this.#inside = shown === input.length
    }
    for (let found = findPrefix(input, from); found; found = findPrefix(input, from)) {
      const end = endOfBody(input, found.body)
      const secret = end - found.body >= SECRET_LEAST
      from = secret ? end : found.body
      if (secret) {
        if (shown < found.body) out.push(input.subarray(shown, found.body))
        out.push(STRUCK_BYTES)
        shown = end
        this.#inside = end === input.length
      } else if (end === input.length) {
        return joined([...out, ...this.#hold(input, shown, found.at, found.body)])
      }
    }
    if (!this.#inside) return joined([...out, ...this.#hold(input, shown, input.length - cutPrefix(input))])
    return joined(out)
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
    return this.#open.length === 0 ? bytes : joined([this.#open, bytes])
  }
}

/** The first prefix at or behind `from`, and where its body begins. */
function findPrefix(input: Uint8Array, from: number): { at: number; body: number } | undefined {
  const view = Buffer.from(input.buffer, input.byteOffset, input.length)
  let first: { at: number; body: number } | undefined
  for (const prefix of PREFIX_BYTES) {
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
function cutPrefix(input: Uint8Array): number {
  for (let length = Math.min(PREFIX_MOST - 1, input.length); length > 0; length--) {
    const end = input.subarray(input.length - length)
    if (PREFIX_BYTES.some((prefix) => prefix.length > length && end.every((byte, at) => byte === prefix[at]))) {
      return length
    }
  }
  return 0
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
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
