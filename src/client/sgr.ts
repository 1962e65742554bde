import { sanitizeLine } from './text.ts'

/** A part of a line in one style: the numbers of its SGR sequence, such as `1;38;5;2`; empty for none. */
export interface StyledPart {
  readonly text: string
  readonly style: string
}

/** SGR sequences as gc sends them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are sequences of a terminal
const SGR = /\x1b\[([\d;]{0,64})m/g

/** Styles that a line may have: bold, dim, italic, underlined, inverse, struck through. */
const STYLES = new Set(['1', '2', '3', '4', '7', '9'])

/** The parts of a line by their colours and styles. Every other sequence in it is removed or shown as text. */
export function styledParts(line: string): readonly StyledPart[] {
  const parts: StyledPart[] = []
  let style = ''
  let end = 0
  for (const match of line.matchAll(SGR)) {
    parts.push({ text: sanitizeLine(line.slice(end, match.index)), style })
    end = match.index + match[0].length
    style = styleAfter(style, match[1] ?? '')
  }
  parts.push({ text: sanitizeLine(line.slice(end)), style })
  return parts.filter(({ text }) => text !== '')
}

/** A line with its colours and styles, without any other sequence, and without an effect on what follows it. */
export const keepStyles = (line: string): string =>
  styledParts(line)
    .map(({ text, style }) => (style === '' ? text : `\x1b[${style}m${text}\x1b[0m`))
    .join('')

/** The style after a sequence. */
function styleAfter(style: string, codes: string): string {
  const found: string[] = style === '' ? [] : [style]
  const numbers = codes.split(';')
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? ''
    if (code === '' || code === '0') found.length = 0
    else if (STYLES.has(code) || isNamedColour(Number(code))) found.push(code)
    else if (code === '38' || code === '48') {
      const taken = numbers.slice(at, at + (numbers[at + 1] === '2' ? 5 : 3))
      if (isColour(taken)) found.push(taken.join(';'))
      at += taken.length - 1
    }
  }
  const next = found.join(';')
  return next.length > MAX_STYLE ? '' : next
}

const MAX_STYLE = 128

const isNamedColour = (code: number): boolean =>
  (code >= 30 && code <= 37) || (code >= 40 && code <= 47) || (code >= 90 && code <= 97) || (code >= 100 && code <= 107)

const isColour = ([, kind, ...values]: readonly string[]): boolean =>
  values.length === (kind === '2' ? 3 : 1) &&
  (kind === '2' || kind === '5') &&
  values.every((value) => /^\d{1,3}$/.test(value) && Number(value) < 256)
