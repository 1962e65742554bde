import { displayWidth } from './text.ts'

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** A text as lines of at most so many columns, broken between words where that can be; all but the first are indented. */
export function wrap(text: string, columns: number, indent: number): string[] {
  const margin = ' '.repeat(Math.min(indent, Math.floor(columns / 2)))
  const lines: string[] = []
  let rest = text
  for (;;) {
    const before = lines.length === 0 ? '' : margin
    const end = breakOf(rest, Math.max(1, columns - before.length))
    if (end === undefined) return [...lines, before + rest]
    lines.push(before + rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
}

/** Position at which a long text breaks: between words, unless the line would be mostly empty. */
function breakOf(text: string, room: number): number | undefined {
  let used = 0
  let space = 0
  for (const { segment, index } of graphemes.segment(text)) {
    used += displayWidth(segment)
    if (used > room) {
      if (text.slice(index).trim() === '') return undefined
      if (segment === ' ') return index
      return space > room / 3 ? space : Math.max(index, 1)
    }
    if (segment === ' ') space = index + 1
  }
  return undefined
}
