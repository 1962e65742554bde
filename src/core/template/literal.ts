const MAX_INT = 2n ** 63n - 1n
const MIN_INT = -(2n ** 63n)
const SIMPLE: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' },
}
const ESCAPE = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/

/** The text that a literal in quotes stands for; undefined when it is malformed. */
export function unquote(literal: string): string | undefined {
  const quote = literal[0] ?? ''
  const body = literal.slice(1, -1)
  if (quote === '`') return body.replaceAll('\r', '')
  const bytes: Buffer[] = []
  let position = 0
  while (position < body.length) {
    const next = body.indexOf('\\', position)
    const plain = body.slice(position, next < 0 ? undefined : next)
    bytes.push(Buffer.from(plain))
    if (next < 0) break
    const escaped = readEscape(body.slice(next + 1), quote)
    if (!escaped) return undefined
    bytes.push(escaped.bytes)
    position = next + 1 + escaped.length
  }
  return Buffer.concat(bytes).toString('utf8')
}

function readEscape(rest: string, quote: string): { bytes: Buffer; length: number } | undefined {
  const char = rest[0] ?? ''
  if (char === quote) return { bytes: Buffer.from(quote), length: 1 }
  const simple = SIMPLE[char]
  if (simple !== undefined) return { bytes: Buffer.from(simple), length: 1 }
  const [whole, byte, short, long, octal] = ESCAPE.exec(rest) ?? []
  if (whole === undefined) return undefined
  const code = Number.parseInt(byte ?? short ?? long ?? octal ?? '', octal === undefined ? 16 : 8)
  if (byte !== undefined || octal !== undefined) {
    return code > 255 ? undefined : { bytes: Buffer.from([code]), length: whole.length }
  }
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined
  return { bytes: Buffer.from(String.fromCodePoint(code)), length: whole.length }
}

/** The number of a literal: a bigint for a whole one; undefined when it is malformed or too large. */
export function parseNumber(literal: string): bigint | number | undefined {
  const { sign, digits } = splitSign(literal)
  const isHex = /^0[xX]/.test(digits)
  const isFraction = isHex ? /[.pP]/.test(digits) : /[.eE]/.test(digits)
  if (isFraction) return isHex ? parseHexFraction(sign, digits) : parseFraction(sign, digits)
  const whole = parseWhole(digits)
  if (whole === undefined) return undefined
  const value = sign < 0 ? -whole : whole
  return value > MAX_INT || value < MIN_INT ? undefined : value
}

/** The code of a character literal. */
export function parseChar(literal: string): bigint | undefined {
  const text = /\\["]/.test(literal) ? undefined : unquote(literal)
  const [char, ...rest] = text ?? ''
  const escapedByte = /^'\\(?:x([0-9a-fA-F]{2})|([0-7]{3}))'$/.exec(literal)
  if (escapedByte) return BigInt(Number.parseInt(escapedByte[1] ?? escapedByte[2] ?? '', escapedByte[1] ? 16 : 8))
  return char === undefined || rest.length > 0 ? undefined : BigInt(char.codePointAt(0) ?? 0)
}

function splitSign(literal: string): { sign: 1 | -1; digits: string } {
  if (literal.startsWith('-')) return { sign: -1, digits: literal.slice(1) }
  return { sign: 1, digits: literal.startsWith('+') ? literal.slice(1) : literal }
}

function parseWhole(digits: string): bigint | undefined {
  const isSeparated = digits.includes('_')
  if (isSeparated && !/^(?:0[xXbBoO]?_?)?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*$/.test(digits)) return undefined
  const plain = digits.replaceAll('_', '')
  if (/^0[0-7]+$/.test(plain)) return BigInt(`0o${plain.slice(1)}`)
  if (!/^(?:0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/.test(plain)) return undefined
  return BigInt(plain)
}

function parseFraction(sign: number, digits: string): number | undefined {
  if (!/^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(digits)) return undefined
  const value = sign * Number(digits)
  return Number.isFinite(value) ? value : undefined
}

function parseHexFraction(sign: number, digits: string): number | undefined {
  const [, whole = '', fraction = '', exponent] =
    /^0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/.exec(digits) ?? []
  if (exponent === undefined || whole + fraction === '') return undefined
  const value = sign * Number.parseInt(whole + fraction, 16) * 2 ** (Number(exponent) - 4 * fraction.length)
  return Number.isFinite(value) ? value : undefined
}
