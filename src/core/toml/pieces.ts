/** A part of a TOML text that begins with a header, and what is before it: lines and characters. */
export interface TomlPiece {
  readonly text: string
  readonly line: number
  readonly offset: number
}

/** Characters of a piece; the last element of a list may make it longer. */
const PIECE = 32 * 1024
/** Marks that change the meaning of a bracket at the start of a line. */
const MARK = /"""|'''|["'#[\]{}\n]/g

/** Splits a long TOML text before `[[headers]]`. A text that is not TOML may be split anywhere. */
export function piecesOf(text: string): TomlPiece[] {
  const pieces: TomlPiece[] = []
  let [begin, beginLine, line, depth] = [0, 0, 0, 0]
  MARK.lastIndex = 0
  for (let match = MARK.exec(text); match; match = MARK.exec(text)) {
    const [mark] = match
    if (mark === '\n') {
      line++
      const next = match.index + 1
      if (depth > 0 || next - begin < PIECE || !text.startsWith('[[', next)) continue
      pieces.push({ text: text.slice(begin, next), line: beginLine, offset: begin })
      begin = next
      beginLine = line
    } else if (mark === '[' || mark === '{') depth++
    else if (mark === ']' || mark === '}') depth--
    else {
      const end = endOf(text, match.index, mark)
      line += linesIn(text, match.index, end)
      MARK.lastIndex = end
    }
  }
  pieces.push({ text: text.slice(begin), line: beginLine, offset: begin })
  return pieces
}

/** End of a comment or string that starts with a mark, without a following line break. */
function endOf(text: string, start: number, mark: string): number {
  const lineEnd = indexOrEnd(text, '\n', start)
  if (mark === '#') return lineEnd
  const isLiteral = mark.startsWith("'")
  let end = text.indexOf(mark, start + mark.length)
  while (end !== -1 && !isLiteral && isEscaped(text, end)) end = text.indexOf(mark, end + 1)
  if (end === -1) return mark.length === 3 ? text.length : lineEnd
  if (mark.length === 1) return Math.min(end + 1, lineEnd)
  end += 3
  // Up to two quotes may stand before those that end the string.
  for (let more = 0; more < 2 && text[end] === mark[0]; more++) end++
  return end
}

/** True if a character has an odd number of backslashes before it. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}

function linesIn(text: string, from: number, to: number): number {
  let lines = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from)
  return index === -1 ? text.length : index
}
