const MAX_DIGITS = 100

/** How a fraction is written: with so many digits, or with as few as tell it apart when that is undefined. */
export function formatFloat(value: number, verb: 'e' | 'f' | 'g', precision: number | undefined): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  if (verb === 'e') return exponential(value, precision)
  if (verb === 'f') return precision === undefined ? fixedShortest(value) : fixed(value, precision)
  return general(value, precision)
}

/** A fraction as it is printed without a format. */
export const printFloat = (value: number): string => formatFloat(value, 'g', undefined)

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
