import { displayWidth, sanitizeLine } from '../../src/client/text.ts'
import { charactersOf, type LineEdit } from '../state/line.ts'
import type { Span } from './styled.ts'

/** A line with its caret, which stays visible however long the line is. */
export function lineSpans({ text, caret }: LineEdit, width: number): Span[] {
  const characters = charactersOf(text).map(sanitizeLine)
  let first = caret
  let room = Math.max(1, width - 2)
  while (first > 0 && displayWidth(characters[first - 1] ?? '') <= room) {
    first--
    room -= displayWidth(characters[first] ?? '')
  }
  return [
    { text: characters.slice(first, caret).join('') },
    { text: characters[caret] ?? ' ', isInverse: true },
    { text: characters.slice(caret + 1).join('') },
  ]
}
