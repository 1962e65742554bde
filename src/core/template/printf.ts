import { sortedEntries, toBytes, typeName, type Value } from './value.ts'

/** A value as it is printed inside of a text; `nil` stands for no value. */
export function printed(value: Value, nil = '<nil>'): string {
  if (value === undefined) return nil
  if (typeof value === 'number') return printFloat(value)
  if (typeof value === 'object')
    return `map[${sortedEntries(value)
      .map((entry) => entry.join(':'))
      .join(' ')}]`
  return String(value)
}

/** Values side by side, with a blank between two of which neither is a text. */
export function print(values: readonly Value[], nil?: string): string {
  return values
    .map((value, index) => {
      const before = values[index - 1]
      const isSpaced = index > 0 && typeof value !== 'string' && typeof before !== 'string'
      return `${isSpaced ? ' ' : ''}${printed(value, nil)}`
    })
    .join('')
}

interface Directive {
  readonly verb: string
  readonly flags: string
  readonly width: number | undefined
  readonly precision: number | undefined
}

const DIRECTIVE = /%([-+# 0]*)(?:\[(\d+)\])?(\*|\d+)?(?:\.(?:\[(\d+)\])?(\*|\d*))?(?:\[(\d+)\])?([\s\S])?/gu
const MAX_WIDTH = 1_000_000

/** Fills in a format; what does not fit is written into the text, as templates expect. */
export function printf(format: string, values: readonly Value[]): string {
  const args = new Arguments(values)
  const text = format.replace(DIRECTIVE, (...match: (string | undefined)[]) => {
    const [, flags = '', first, width, second, precision, third, verb] = match
    if (verb === '%') return '%'
    args.jump(first)
    const columns = args.count(width)
    args.jump(second)
    const digits = precision === '' ? 0 : args.count(precision)
    args.jump(third)
    if (verb === undefined) return '%!(NOVERB)'
    if (args.isBadIndex) return `%!${verb}(BADINDEX)`
    if ((columns ?? 0) > MAX_WIDTH)
      return `%!(BADWIDTH)${args.isAtEnd ? '' : formatNext(args, { verb, flags, width: undefined, precision: digits })}`
    if (args.isAtEnd) return `%!${verb}(MISSING)`
    return formatNext(args, toDirective(verb, flags, columns, digits))
  })
  return text + args.extra()
}

const formatNext = (args: Arguments, directive: Directive) => formatValue(args.next(), directive)

function toDirective(verb: string, flags: string, width: number | undefined, precision: number | undefined): Directive {
  if (width === undefined || width >= 0) return { verb, flags, width, precision }
  return { verb, flags: `${flags}-`, width: -width, precision }
}

/** The arguments of a format, in the order in which it takes them. */
class Arguments {
  #next = 0
  #isReordered = false
  isBadIndex = false

  constructor(private readonly values: readonly Value[]) {}

  get isAtEnd(): boolean {
    return this.#next >= this.values.length
  }

  jump(index: string | undefined): void {
    if (index === undefined) return
    this.#isReordered = true
    this.isBadIndex = Number(index) < 1 || Number(index) > this.values.length
    this.#next = Number(index) - 1
  }

  /** A width or a precision: written down, or the next argument. */
  count(text: string | undefined): number | undefined {
    if (text === undefined) return undefined
    if (text !== '*') return Number(text)
    const value = this.next()
    return typeof value === 'bigint' ? Number(value) : undefined
  }

  next(): Value {
    return this.values[this.#next++]
  }

  extra(): string {
    if (this.#isReordered || this.isAtEnd) return ''
    const rest = this.values.slice(this.#next)
    return `%!(EXTRA ${rest.map((value) => (value === undefined ? '<nil>' : `${typeName(value)}=${printed(value)}`)).join(', ')})`
  }
}

function formatValue(value: Value, directive: Directive): string {
  if (directive.verb === 'T') return pad(value === undefined ? '<nil>' : typeName(value), directive)
  const text = formatKnown(value, directive)
  return text ?? mismatch(value, directive.verb)
}

function formatKnown(value: Value, directive: Directive): string | undefined {
  if (typeof value === 'string') return formatText(value, textDirective(directive))
  if (typeof value === 'bigint') return formatInteger(value, directive)
  return typeof value === 'number' ? formatFraction(value, directive) : formatOther(value, directive)
}

/** %v of a text is %s, and %#v is %q. */
function textDirective(directive: Directive): Directive {
  const { verb, flags } = directive
  if (verb !== 'v') return directive
  return { ...directive, verb: flags.includes('#') ? 'q' : 's', flags: flags.replace('#', '') }
}

const mismatch = (value: Value, verb: string): string =>
  value === undefined ? `%!${verb}(<nil>)` : `%!${verb}(${typeName(value)}=${printed(value)})`

function formatOther(value: Value, directive: Directive): string | undefined {
  const { verb } = directive
  if (value === undefined) return verb === 'v' ? pad('<nil>', directive) : undefined
  if (typeof value === 'boolean') return verb === 'v' || verb === 't' ? pad(String(value), directive) : undefined
  if (typeof value !== 'object') return undefined
  const entries = sortedEntries(value).map(
    ([key, text]) => `${formatValue(key, directive)}:${formatValue(text, directive)}`,
  )
  return directive.verb === 'v' && directive.flags.includes('#')
    ? `map[string]string{${entries.join(', ')}}`
    : `map[${entries.join(' ')}]`
}

function formatText(value: string, directive: Directive): string | undefined {
  const { verb, precision, flags } = directive
  const text = precision === undefined ? value : [...value].slice(0, precision).join('')
  if (verb === 's') return pad(text, directive)
  if (verb === 'q')
    return pad(flags.includes('#') && isRawQuotable(text) ? `\`${text}\`` : quote(text, flags.includes('+')), directive)
  if (verb !== 'x' && verb !== 'X') return undefined
  const bytes = [...toBytes(value).subarray(0, precision)].map((byte) => byte.toString(16).padStart(2, '0'))
  const prefix = flags.includes('#') && bytes.length > 0 ? '0x' : ''
  const hex = flags.includes(' ') ? bytes.map((byte) => prefix + byte).join(' ') : prefix + bytes.join('')
  return pad(verb === 'X' ? hex.toUpperCase() : hex, directive)
}

const BASES: Readonly<Record<string, { radix: number; prefix: string }>> = {
  d: { radix: 10, prefix: '' },
  v: { radix: 10, prefix: '' },
  b: { radix: 2, prefix: '0b' },
  o: { radix: 8, prefix: '0' },
  O: { radix: 8, prefix: '' },
  x: { radix: 16, prefix: '0x' },
  X: { radix: 16, prefix: '0X' },
}

function formatInteger(value: bigint, directive: Directive): string | undefined {
  const { verb, flags, precision, width } = directive
  if (verb === 'c') return pad(codePoint(value), directive)
  if (verb === 'q') return pad(quoteChar(codePoint(value)), directive)
  if (verb === 'U') return pad(unicodeOf(value, flags), directive)
  const base = BASES[verb]
  if (!base) return undefined
  const sign = value < 0n ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  const plain = (value < 0n ? -value : value).toString(base.radix)
  const digits = verb === 'X' ? plain.toUpperCase() : plain
  if (precision === 0 && value === 0n) return pad('', { ...directive, flags: flags.replaceAll('0', '') })
  const prefix = verb === 'O' ? '0o' : flags.includes('#') ? base.prefix : ''
  const isZeroPadded = flags.includes('0') && !flags.includes('-') && precision === undefined && width !== undefined
  const least = isZeroPadded ? width - sign.length : (precision ?? 0)
  const padded = digits.padStart(least, '0')
  const head = prefix === '0' && padded.startsWith('0') ? '' : prefix
  return pad(`${sign}${head}${padded}`, { ...directive, flags: flags.replaceAll('0', '') })
}

function formatFraction(value: number, directive: Directive): string | undefined {
  const { verb, flags, precision } = directive
  const form = verb === 'v' ? 'g' : verb.toLowerCase()
  if (form !== 'e' && form !== 'f' && form !== 'g') return undefined
  const digits = precision ?? (form === 'g' ? undefined : 6)
  const text = formatFloat(value, form, digits)
  const sign =
    text.startsWith('-') || text.startsWith('+') ? '' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  const cased = verb === 'E' || verb === 'G' ? text.toUpperCase().replace('INF', 'Inf').replace('NAN', 'NaN') : text
  return pad(sign + cased, directive)
}

/** Fills a text up to its width: blanks before it, or after it, or zeros behind its sign. */
function pad(text: string, { flags, width = 0 }: Directive): string {
  const missing = width - [...text].length
  if (missing <= 0) return text
  if (flags.includes('-')) return text + ' '.repeat(missing)
  if (!flags.includes('0')) return ' '.repeat(missing) + text
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  return sign + '0'.repeat(missing) + text.slice(sign.length)
}

const isRawQuotable = (text: string) => !/[`\p{Cc}\uFEFF]/u.test(text.replaceAll('\t', ''))
const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '\x07': '\\a', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\v': '\\v', '\\': '\\\\' },
}

const quote = (text: string, isAscii: boolean): string =>
  `"${[...text].map((char) => (char === '"' ? '\\"' : escapeChar(char, isAscii))).join('')}"`

const quoteChar = (char: string): string => `'${char === "'" ? "\\'" : escapeChar(char, false)}'`

function escapeChar(char: string, isAscii: boolean): string {
  const sequence = ESCAPES[char]
  if (sequence !== undefined) return sequence
  const code = char.codePointAt(0) ?? 0
  if (PRINTABLE.test(char) && (char === ' ' || !/\s/.test(char)) && (code < 0x80 || !isAscii)) return char
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`
}

const codePoint = (value: bigint): string =>
  value < 0n || value > 0x10ffffn || (value >= 0xd800n && value < 0xe000n)
    ? '\uFFFD'
    : String.fromCodePoint(Number(value))

const unicodeOf = (value: bigint, flags: string): string =>
  `U+${value.toString(16).toUpperCase().padStart(4, '0')}${flags.includes('#') ? ` '${codePoint(value)}'` : ''}`

const MAX_DIGITS = 100

/** Formats a fraction: with the given digits, or with the fewest that identify it. */
function formatFloat(value: number, verb: 'e' | 'f' | 'g', precision: number | undefined): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  if (verb === 'e') return exponential(value, precision)
  if (verb === 'f') return precision === undefined ? fixedShortest(value) : fixed(value, precision)
  return general(value, precision)
}

/** A fraction as it is printed without a format. */
const printFloat = (value: number): string => formatFloat(value, 'g', undefined)

function exponential(value: number, precision: number | undefined): string {
  const [mantissa = '', exponent = '+0'] = signed(
    value,
    precision === undefined ? value.toExponential() : value.toExponential(Math.min(precision, MAX_DIGITS)),
  ).split('e')
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`
}

function fixed(value: number, precision: number): string {
  if (Math.abs(value) < 1e21) return roundToEven(value, Math.min(precision, MAX_DIGITS))
  const whole = BigInt(value).toString()
  return precision === 0 ? whole : `${whole}.${'0'.repeat(precision)}`
}

/** Rounds what lies just between two values to the even one. */
function roundToEven(value: number, precision: number): string {
  const exact = Math.abs(value).toFixed(MAX_DIGITS)
  const end = exact.indexOf('.') + 1 + precision
  const [last = ''] = /\d(?=\.?$)/.exec(exact.slice(0, end)) ?? []
  const isBetween = /^50*$/.test(exact.slice(end))
  if (!isBetween || Number(last) % 2 !== 0) return signed(value, value.toFixed(precision))
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  return sign + exact.slice(0, precision === 0 ? end - 1 : end)
}

function fixedShortest(value: number): string {
  const [mantissa = '', exponent = '0'] = signed(value, value.toExponential()).split('e')
  const digits = mantissa.replace(/[-.]/g, '')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const point = Number(exponent) + 1
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`.replace(/\.0*$/, '')
  if (digits.length <= point) return `${sign}${digits.padEnd(point, '0')}`
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** The shorter of the two forms: an exponent for very small and large values. */
function general(value: number, precision: number | undefined): string {
  const digits = precision === 0 ? 1 : precision
  const [mantissa = '', power = '0'] = (
    digits === undefined ? value.toExponential() : value.toExponential(Math.min(digits - 1, MAX_DIGITS))
  ).split('e')
  const shown = mantissa.replace(/[-.]/g, '').replace(/0+$/, '').length
  const exponent = Number(power)
  const bound = digits === undefined ? 6 : digits > shown && shown >= exponent + 1 ? shown : digits
  const rounded = Number(`${mantissa}e${power}`)
  const number = Object.is(value, -0) ? -0 : rounded
  return exponent < -4 || exponent >= bound ? exponential(number, undefined) : fixedShortest(number)
}

const signed = (value: number, text: string): string => (Object.is(value, -0) ? `-${text}` : text)
