const ESC = 0x1b
const BEL = 0x07
const ENQ = 0x05

/** Maximum length of a sequence that is held back as a possible query; longer ones are drawings. */
const MAX_HELD_BYTES = 512
const NOTHING = new Uint8Array(0)

/** Operating-system commands whose `?` asks for a value. */
const ASKING_OSC = new Set(['4', '5', '10', '11', '12', '13', '14', '15', '16', '17', '18', '19', '21', '22', '52'])
/** Window reports: position, size in pixels and cells, titles. */
const ASKING_WINDOW = new Set(['11', '13', '14', '15', '16', '18', '19', '20', '21'])

/**
 * Takes out of a terminal's output what asks the terminal something. The host's own emulator answers, so a viewer's
 * terminal must not answer as well. A sequence that is cut by the end of a chunk is held until the rest is there.
 */
export class QueryFilter {
  #held: Uint8Array = NOTHING

  push(bytes: Uint8Array): Uint8Array {
    const input = this.#held.length > 0 ? concat([this.#held, bytes]) : bytes
    this.#held = NOTHING
    if (input.indexOf(ESC) < 0 && input.indexOf(ENQ) < 0) return input
    const passed: Uint8Array[] = []
    let from = 0
    for (let at = nextMark(input, 0); at < input.length; at = nextMark(input, at)) {
      const end = input[at] === ENQ ? at + 1 : endOf(input, at)
      if (end === undefined) {
        if (input.length - at > MAX_HELD_BYTES) break
        passed.push(input.subarray(from, at))
        this.#held = input.slice(at)
        return concat(passed)
      }
      if (asks(input, at, end)) {
        passed.push(input.subarray(from, at))
        from = end
      }
      at = end
    }
    if (from === 0) return input
    passed.push(input.subarray(from))
    return concat(passed)
  }

  /** Bytes held back at the end of the output. */
  flush(): Uint8Array {
    const held = this.#held
    this.#held = NOTHING
    return held
  }
}

function nextMark(input: Uint8Array, from: number): number {
  const sequence = input.indexOf(ESC, from)
  const enquiry = input.indexOf(ENQ, from)
  if (sequence < 0 && enquiry < 0) return input.length
  return sequence < 0 ? enquiry : enquiry < 0 ? sequence : Math.min(sequence, enquiry)
}

/** Offset behind the sequence that begins at `at`; undefined while its end is not there. */
function endOf(input: Uint8Array, at: number): number | undefined {
  const kind = input[at + 1]
  if (kind === undefined) return undefined
  if (kind === 0x5b) return endOfControl(input, at + 2)
  if (kind === 0x5d || kind === 0x50 || kind === 0x5f) return endOfString(input, at + 2)
  return at + (kind === ESC ? 1 : 2)
}

function endOfControl(input: Uint8Array, from: number): number | undefined {
  for (let at = from; at < input.length; at++) {
    const byte = input[at] ?? 0
    if (byte >= 0x40 && byte <= 0x7e) return at + 1
    if (byte < 0x20 || byte > 0x7e) return at
  }
  return undefined
}

/** A string that cannot ask is let through immediately: its beginning is enough to know. */
function endOfString(input: Uint8Array, from: number): number | undefined {
  for (let at = from; at < input.length; at++) {
    if (at - from > MAX_HELD_BYTES) return at
    const byte = input[at]
    if (byte === BEL || byte === 0x18 || byte === 0x1a) return at + 1
    if (byte !== ESC) continue
    const after = input[at + 1]
    if (after === undefined) return undefined
    return after === 0x5c ? at + 2 : at
  }
  return undefined
}

const latin = (input: Uint8Array, from: number, to: number): string => {
  let text = ''
  for (let at = from; at < to; at++) text += String.fromCharCode(input[at] ?? 0)
  return text
}

function asks(input: Uint8Array, from: number, to: number): boolean {
  if (input[from] === ENQ) return true
  const kind = input[from + 1]
  if (kind === 0x5a) return true
  if (kind === 0x5b) return to - from <= 64 && controlAsks(latin(input, from + 2, to))
  if (kind !== 0x5d && kind !== 0x50 && kind !== 0x5f) return false
  const end = to - (input[to - 1] === BEL ? 1 : input[to - 2] === ESC ? 2 : 0)
  const text = latin(input, from + 2, end)
  if (kind === 0x5d) return commandAsks(text)
  if (kind === 0x50) return text.startsWith('$q') || text.startsWith('+q')
  return text.startsWith('G') && /[G,]a=q([,;]|$)/.test(text)
}

const CONTROL = /^([<=>?]?)([\d;:]*)([ -/]*)([@-~])$/

function controlAsks(text: string): boolean {
  const [, prefix = '', numbers = '', between = '', final = ''] = CONTROL.exec(text) ?? []
  switch (between + final) {
    case 'c':
      return prefix !== '?' && /^0*$/.test(numbers)
    case 'n':
      return prefix === '' || prefix === '?'
    case 'q':
      return prefix === '>'
    case 'u':
    case 'S':
    case 'm':
      return prefix === '?'
    case 't':
      return prefix === '' && ASKING_WINDOW.has(numbers.split(';')[0] ?? '')
    case 'x':
      return prefix === ''
    case '$p':
    case '$w':
    case '$u':
    case '*y':
      return true
    default:
      return false
  }
}

function commandAsks(text: string): boolean {
  const [code = '', ...values] = text.split(';')
  return ASKING_OSC.has(code) && values.some((value) => value === '?' || value.endsWith('=?'))
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
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
