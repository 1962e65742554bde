import type { Keymap, Verb } from '../state/keys.ts'
import { CLEAR } from '../state/line.ts'

interface Word {
  readonly verb: Verb
  readonly help: string
}

/** Words that can be typed instead of keys. */
export const WORDS: Readonly<Record<string, Word>> = {
  next: { verb: 'down', help: 'the next row' },
  previous: { verb: 'up', help: 'the row before' },
  first: { verb: 'top', help: 'the first row' },
  last: { verb: 'bottom', help: 'the last row' },
  open: { verb: 'open', help: 'open what the row is about' },
  back: { verb: 'back', help: 'back to the page before, or leave a question' },
  panel: { verb: 'next', help: 'the next panel of the page' },
  waiting: { verb: 'waiting', help: 'the next that waits for you' },
  mark: { verb: 'mark', help: 'mark the row, or unmark it: what is done then is done to all that are marked' },
  'mark-all': { verb: 'markAll', help: 'mark all rows, or unmark them' },
  undo: { verb: 'undo', help: 'take the last action back, where that can be' },
  quit: { verb: 'quit', help: 'leave; everything runs on' },
}

/**
 * The keys of a line: a word, one key, an answer to a question, or a command with or without its colon. While something
 * is typed the line is that text; an empty one leaves what is there.
 */
export function keysOf(line: string, { bindings }: Keymap, isTyping: boolean): readonly string[] {
  const keyOf = (verb: Verb) => bindings.find((each) => each.verb === verb)?.keys[0] ?? ''
  const word = WORDS[line]
  if (isTyping) return line === 'back' ? ['esc'] : [...(line === '' ? [] : [CLEAR, ...line]), 'enter']
  if (word) return [keyOf(word.verb)]
  if (line === '') return []
  if ([...line].length === 1) return [line]
  if (line.startsWith('/')) return [keyOf('filter'), 'ctrl+u', ...line.slice(1), 'enter']
  return [keyOf('command'), ...line.replace(/^:/, ''), 'enter']
}

/** True if a line agrees to what was asked; any other leaves everything unchanged. */
export const isYes = (line: string): boolean => /^y(es)?$/i.test(line)
