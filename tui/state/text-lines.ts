import type { Line } from '../../client/views/index.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import { wrap } from '../../src/client/wrap.ts'

interface Wrapped {
  readonly columns: number
  readonly lines: readonly Line[]
}

const wrapped = new WeakMap<Line, Wrapped>()
const wrappedTexts = new WeakMap<readonly Line[], Wrapped>()

/** A line on as many lines of the screen as it needs; computed once, since every key and every frame needs it. */
export function wrapLine(line: Line, columns: number): readonly Line[] {
  const known = wrapped.get(line)
  if (known?.columns === columns) return known.lines
  const lines = partsOf(line, columns)
  wrapped.set(line, { columns, lines })
  return lines
}

/** A text on as many lines of the screen as it needs. */
export function wrapLines(text: readonly Line[], columns: number): readonly Line[] {
  const known = wrappedTexts.get(text)
  if (known?.columns === columns) return known.lines
  const lines = text.flatMap((line) => wrapLine(line, columns))
  wrappedTexts.set(text, { columns, lines })
  return lines
}

function partsOf(line: Line, columns: number): readonly Line[] {
  if (line.isPicture) return [line]
  const text = sanitizeLine(line.text)
  const indent = text.length - text.trimStart().length + (line.hang ?? 0)
  const parts = wrap(text, Math.max(1, columns), indent)
  // The syntax of a line is that of its places.
  return parts.length === 1 ? [line] : parts.map((part) => ({ ...line, syntax: undefined, text: part }))
}

/** On which line of the screen a line of a text begins. */
export const placeOfLine = (text: readonly Line[], at: number, columns: number): number =>
  wrapLines(text, columns).length - wrapLines(text.slice(at), columns).length

/** Text line at a line of the screen. */
export function lineAtPlace(text: readonly Line[], place: number, columns: number): number {
  let end = 0
  const at = text.findIndex((line) => {
    end += wrapLine(line, columns).length
    return end > place
  })
  return at === -1 ? Math.max(0, text.length - 1) : at
}
