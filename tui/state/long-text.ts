import { charactersOf, editLine, type LineEdit, lineOf } from './line.ts'

/** Position of the caret in a multi-line text: its line, and the number of characters before it. */
interface Place {
  readonly lines: readonly string[]
  readonly line: number
  readonly column: number
}

/** Keys that mean the line that the caret is on, and no other. */
const OF_LINE: ReadonlySet<string> = new Set(['home', 'end', 'ctrl+a', 'ctrl+e', 'ctrl+u', 'ctrl+k'])
const NEW_LINE: ReadonlySet<string> = new Set(['ctrl+j', 'alt+enter'])

/** The lines of a text, and the caret on one of them. */
export function placeIn({ text, caret }: LineEdit): Place {
  const before = charactersOf(text).slice(0, caret).join('').split('\n')
  return { lines: text.split('\n'), line: before.length - 1, column: charactersOf(before.at(-1) ?? '').length }
}

/** The text after a key; undefined for a key that leaves it: up on the first line, down on the last. */
export function editLong(edit: LineEdit, key: string): LineEdit | undefined {
  if (NEW_LINE.has(key)) return editLine(edit, '\n')
  const { lines, line, column } = placeIn(edit)
  if (key === 'up' || key === 'down') {
    const next = line + (key === 'up' ? -1 : 1)
    return lines[next] === undefined ? undefined : caretAt(lines, next, column)
  }
  if (!OF_LINE.has(key)) return editLine(edit, key)
  const edited = editLine({ text: lines[line] ?? '', caret: column }, key)
  return caretAt(lines.with(line, edited.text), line, edited.caret)
}

function caretAt(lines: readonly string[], line: number, column: number): LineEdit {
  const current = charactersOf(lines[line] ?? '').slice(0, column)
  const before = [...lines.slice(0, line), current.join('')].join('\n')
  return { text: lines.join('\n'), caret: lineOf(before).caret }
}
