/** A line that is being typed, and the caret in it, counted in characters. */
export interface LineEdit {
  readonly text: string
  readonly caret: number
}

export const emptyLine: LineEdit = { text: '', caret: 0 }

/** A line with the caret at its end. */
export const lineOf = (text: string): LineEdit => ({ text, caret: [...text].length })

const splice = ({ text, caret }: LineEdit, remove: number, insert: string): LineEdit => {
  const characters = [...text]
  const start = Math.max(0, caret - remove)
  const added = [...insert]
  characters.splice(start, caret - start, ...added)
  return { text: characters.join(''), caret: start + added.length }
}

/** How many characters there are from the start of the word before the caret to the caret. */
function wordBefore({ text, caret }: LineEdit): number {
  const before = [...text].slice(0, caret).join('')
  return [...(/\S+\s*$/.exec(before)?.[0] ?? '')].length
}

/** What each key does to a line, as shells have it. */
const EDITS: Readonly<Record<string, (line: LineEdit) => LineEdit>> = {
  left: ({ text, caret }) => ({ text, caret: Math.max(0, caret - 1) }),
  right: ({ text, caret }) => ({ text, caret: Math.min([...text].length, caret + 1) }),
  home: ({ text }) => ({ text, caret: 0 }),
  end: ({ text }) => lineOf(text),
  'ctrl+a': ({ text }) => ({ text, caret: 0 }),
  'ctrl+e': ({ text }) => lineOf(text),
  'ctrl+u': (line) => splice(line, line.caret, ''),
  'ctrl+w': (line) => splice(line, wordBefore(line), ''),
  backspace: (line) => splice(line, 1, ''),
}

/** The line after a key; the same line for a key that types nothing. */
export function editLine(line: LineEdit, key: string): LineEdit {
  const edit = EDITS[key]
  if (edit) return edit(line)
  return isTyped(key) ? splice(line, 0, key) : line
}

const isTyped = (key: string): boolean => [...key].length === 1 && key >= ' '
