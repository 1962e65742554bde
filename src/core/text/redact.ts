import { type ByteKind, EscapeParser, MAX_STRING } from './escape-parser.ts'
import { SECRET_MARKER } from './secrets.ts'

/** A prefix followed by this many characters is a secret; with fewer it is a word. */
const MIN_SECRET_LENGTH = 16
const REPLACEMENT_BYTES = Buffer.from(SECRET_MARKER)
const UNDERSCORE = 0x5f
const ESCAPE_BYTE = 0x1b
/** Longer than every prefix. */
const TAIL_LENGTH = 16
/** More than a prefix and the colour codes in it: what must be looked at of a chunk that cannot complete a prefix. */
const CHUNK_END = 256

/** An escape character, as it is and as JSON writes it. */
const ESCAPE = String.raw`(?:\x1b|\\u001[bB])`
/** Colour codes and hyperlinks, which may stand between the characters of a secret. */
const STYLING = String.raw`(?:${ESCAPE}(?:\[[0-9;:]*m|\]8;[^\x07\x1b\\]*(?:\x07|\\u0007|${ESCAPE}\\{1,2})))*`

const BODY = `(?:${STYLING}[A-Za-z0-9_-])`

/** The beginning of a secret with this prefix: some characters of the prefix, or all and too few behind it. */
const beginning = (prefix: string): string =>
  [...prefix].reduceRight(
    (rest, character, index) => (index === 0 ? character + rest : `(?:${STYLING}${character}${rest})?`),
    `${BODY}{0,${MIN_SECRET_LENGTH - 1}}`,
  )

/** Replaces secrets, which are known by their fixed prefixes; the prefix stays, so that the kind of secret can be read. */
export class Redactor {
  readonly #pattern: RegExp
  readonly #beginning: RegExp

  constructor(private readonly prefixes: readonly string[]) {
    const styled = prefixes.map((prefix) => [...prefix].join(STYLING))
    this.#pattern = new RegExp(`(${styled.join('|')})${BODY}{${MIN_SECRET_LENGTH},}`, 'g')
    this.#beginning = new RegExp(`(?:${prefixes.map(beginning).join('|')})$`)
  }

  redact(text: string): string {
    return text.replace(this.#pattern, `$1${SECRET_MARKER}`)
  }

  /** True if a text ends in what may be the beginning of a secret. */
  endsInBeginning(text: string): boolean {
    return this.#beginning.test(text)
  }

  /** For bytes that arrive in chunks. */
  createStream(): RedactionStream {
    return new RedactionStream(this.prefixes)
  }
}

/** Position of a run of characters: in a prefix, behind one, or in neither. */
class SecretPosition {
  /** The last characters, of which a prefix may be made: a ring, and how many there were. */
  readonly #tail = new Uint8Array(TAIL_LENGTH)
  #characters = 0
  /** Number of characters that were read after a prefix; undefined when there was none. */
  body: number | undefined

  constructor(private readonly prefixes: readonly Uint8Array[]) {}

  /** The run has ended. */
  reset(): void {
    this.body = undefined
    this.#characters = 0
  }

  /** True if this character is the last of a prefix. */
  completesPrefix(byte: number): boolean {
    this.#tail[this.#characters++ % TAIL_LENGTH] = byte
    return byte === UNDERSCORE && this.prefixes.some((prefix) => this.#endsWith(prefix))
  }

  #endsWith(prefix: Uint8Array): boolean {
    const from = this.#characters - prefix.length
    return from >= 0 && prefix.every((byte, at) => this.#tail[(from + at) % TAIL_LENGTH] === byte)
  }
}

/**
 * Redacts a stream of bytes, wherever its chunks are cut and whatever colour codes stand between its characters, also
 * in titles and addresses of hyperlinks. The first characters after a prefix are held back until it is clear what they
 * are; `flush` releases them when nothing more arrives.
 */
export class RedactionStream {
  readonly #escapes = new EscapeParser()
  readonly #text: SecretPosition
  /** Sequence in a title or address, while no secret is read in the text around it. */
  readonly #string: SecretPosition
  /** The bytes after a prefix that are not out yet. */
  #held: number[] = []

  constructor(prefixes: readonly string[]) {
    const bytes = prefixes.map((prefix) => Buffer.from(prefix))
    this.#text = new SecretPosition(bytes)
    this.#string = new SecretPosition(bytes)
  }

  /** Number of bytes that are held back. */
  get held(): number {
    return this.#held.length
  }

  /** The bytes that may be shown now. */
  push(bytes: Uint8Array): Uint8Array {
    const isInSecret = this.#text.body !== undefined || this.#string.body !== undefined
    if (!isInSecret && !bytes.includes(UNDERSCORE)) return this.#pass(bytes)
    const out = new Output(bytes)
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      const kind = this.#escapes.next(byte)
      if (this.#escapes.isInString && this.#text.body === undefined) this.#readString(byte, at, out)
      else this.#readText(byte, kind, at, out)
    }
    return out.end()
  }

  /** Text held back. If it turns out to be a secret after all, the rest of it is still struck out. */
  flush(): Uint8Array {
    const held = Uint8Array.from(this.#held)
    this.#held = []
    return held
  }

  #readString(byte: number, at: number, out: Output): void {
    if (!isBody(byte)) this.#end(this.#string, at, out)
    if (this.#string.body !== undefined) this.#readBody(this.#string, byte, at, out)
    else if (this.#string.completesPrefix(byte)) this.#string.body = 0
  }

  #readText(byte: number, kind: ByteKind, at: number, out: Output): void {
    const text = this.#text
    this.#end(this.#string, at, out)
    if (text.body !== undefined && (kind === 'control' || (kind === 'text' && !isBody(byte)))) this.#end(text, at, out)
    if (text.body === undefined) {
      if (kind === 'control') text.reset()
      if (kind === 'text' && text.completesPrefix(byte)) text.body = 0
    } else if (kind === 'text') {
      this.#readBody(text, byte, at, out)
    } else if (text.body < MIN_SECRET_LENGTH) {
      this.#held.push(byte)
      out.skip(at)
    }
  }

  /** Releases held text that was not a secret. */
  #end(position: SecretPosition, at: number, out: Output): void {
    if (position.body !== undefined) out.insert(at, this.flush())
    position.reset()
  }

  /** The next character after a prefix: with enough of them, all are replaced, and only colour codes are left. */
  #readBody(position: SecretPosition, byte: number, at: number, out: Output): void {
    out.skip(at)
    const body = (position.body ?? 0) + 1
    position.body = body
    if (body < MIN_SECRET_LENGTH) this.#held.push(byte)
    if (body !== MIN_SECRET_LENGTH) return
    out.insert(at, REPLACEMENT_BYTES)
    out.insert(at, escapesIn(this.flush()))
  }

  /** A chunk that completes no prefix: only its end is read, from the start of the escape sequence it may begin in. */
  #pass(bytes: Uint8Array): Uint8Array {
    const end = Math.max(0, bytes.length - CHUNK_END)
    const sequence = bytes.lastIndexOf(ESCAPE_BYTE, end)
    const from = sequence >= 0 && end - sequence < MAX_STRING ? sequence : end
    if (from > 0) {
      this.#escapes.reset()
      this.#text.reset()
      this.#string.reset()
    }
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      const kind = this.#escapes.next(byte)
      if (this.#escapes.isInString) this.#string.completesPrefix(byte)
      else this.#string.reset()
      if (kind === 'control') this.#text.reset()
      else if (kind === 'text') this.#text.completesPrefix(byte)
    }
    return bytes
  }
}

/** A chunk on its way out, without what is left out of it and with what is put in. */
class Output {
  readonly #parts: Uint8Array[] = []
  #from = 0

  constructor(private readonly bytes: Uint8Array) {}

  /** Leaves out the byte at this place. */
  skip(at: number): void {
    if (at > this.#from) this.#parts.push(this.bytes.subarray(this.#from, at))
    this.#from = at + 1
  }

  /** Puts bytes before the next that is not left out; all before `at` are out or left out. */
  insert(at: number, bytes: Uint8Array): void {
    if (at > this.#from) {
      this.#parts.push(this.bytes.subarray(this.#from, at))
      this.#from = at
    }
    if (bytes.length > 0) this.#parts.push(bytes)
  }

  end(): Uint8Array {
    if (this.#parts.length === 0 && this.#from === 0) return this.bytes
    return Buffer.concat([...this.#parts, this.bytes.subarray(this.#from)])
  }
}

/** The escape sequences among bytes. */
function escapesIn(bytes: Uint8Array): Uint8Array {
  const escapes = new EscapeParser()
  return bytes.filter((byte) => escapes.next(byte) !== 'text')
}

const isBody = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === UNDERSCORE ||
  byte === 0x2d
