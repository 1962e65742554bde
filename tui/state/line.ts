const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Characters as a person sees them: a letter with its accents is one. */
export const charactersOf = (text: string): string[] => [...graphemes.segment(text)].map(({ segment }) => segment)

/** A line that is being typed, and the caret in it, counted in characters. */
export interface LineEdit {
  readonly text: string
  readonly caret: number
}

export const emptyLine: LineEdit = { text: '', caret: 0 }

/** A line with the caret at its end. */
export const lineOf = (text: string): LineEdit => ({ text, caret: charactersOf(text).length })

/** Replaces characters before the caret, and after it, by a text. */
function splice({ text, caret }: LineEdit, before: number, insert: string, after = 0): LineEdit {
  const characters = charactersOf(text)
  const head = characters.slice(0, Math.max(0, caret - before)).join('') + insert
  return { text: head + characters.slice(caret + after).join(''), caret: charactersOf(head).length }
}

/** Number of characters from the start of the word before the caret to the caret. */
function wordBefore({ text, caret }: LineEdit): number {
  const before = charactersOf(text).slice(0, caret).join('')
  return charactersOf(/\S+\s*$/.exec(before)?.[0] ?? '').length
}

function wordAfter({ text, caret }: LineEdit): number {
  const after = charactersOf(text).slice(caret).join('')
  return charactersOf(/^\s*\S+/.exec(after)?.[0] ?? '').length
}

const left = (line: LineEdit, by = 1): LineEdit => ({ ...line, caret: Math.max(0, line.caret - by) })
const right = ({ text, caret }: LineEdit, by = 1): LineEdit => ({
  text,
  caret: Math.min(charactersOf(text).length, caret + by),
})
const wordLeft = (line: LineEdit): LineEdit => left(line, wordBefore(line))
const wordRight = (line: LineEdit): LineEdit => right(line, wordAfter(line))
const toStart = ({ text }: LineEdit): LineEdit => ({ text, caret: 0 })
const toEnd = ({ text }: LineEdit): LineEdit => lineOf(text)

/** Takes all of a text away, however many lines it has; no terminal sends it. */
export const CLEAR = 'clear'

/** Edit of each key on a line, as in shells. */
const EDITS: Readonly<Record<string, (line: LineEdit) => LineEdit>> = {
  left: (line) => left(line),
  right: (line) => right(line),
  'ctrl+left': wordLeft,
  'alt+b': wordLeft,
  'ctrl+right': wordRight,
  'alt+f': wordRight,
  home: toStart,
  end: toEnd,
  'ctrl+a': toStart,
  'ctrl+e': toEnd,
  'ctrl+u': (line) => splice(line, line.caret, ''),
  'ctrl+k': (line) => splice(line, 0, '', charactersOf(line.text).length),
  'ctrl+w': (line) => splice(line, wordBefore(line), ''),
  backspace: (line) => splice(line, 1, ''),
  delete: (line) => splice(line, 0, '', 1),
  [CLEAR]: () => emptyLine,
}

/** The line after a key; the same line for a key that types nothing. */
export function editLine(line: LineEdit, key: string): LineEdit {
  const edit = EDITS[key]
  if (edit) return edit(line)
  return isTyped(key) ? splice(line, 0, key) : line
}

/** The line with a text pasted into it: lines become one, and control characters are left out. */
export const pasteInto = (line: LineEdit, text: string): LineEdit =>
  splice(line, 0, withoutControls(text.replace(/[\t\r\n]+/g, ' ')))

/** The text with another pasted into it, whose lines stay lines. */
export const pasteLines = (edit: LineEdit, text: string): LineEdit =>
  splice(
    edit,
    0,
    text
      .replace(/\t/g, '  ')
      .split(/\r\n?|\n/)
      .map(withoutControls)
      .join('\n'),
  )

const withoutControls = (text: string): string => text.replace(/\p{Cc}/gu, '')

const isTyped = (key: string): boolean => key === '\n' || ([...key].length === 1 && key >= ' ')
