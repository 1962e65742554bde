import type { Key } from 'ink'

/** What a key does on every page. */
export type Verb =
  | 'up'
  | 'down'
  | 'pageUp'
  | 'pageDown'
  | 'top'
  | 'bottom'
  | 'open'
  | 'back'
  | 'next'
  | 'previous'
  | 'filter'
  | 'command'
  | 'sort'
  | 'system'
  | 'waiting'
  | 'undo'
  | 'help'
  | 'quit'

export interface Binding {
  readonly verb: Verb
  readonly keys: readonly string[]
  readonly help: string
}

/** The keys of every page; the help lists them. Pages add keys of their own. */
export const bindings: readonly Binding[] = [
  { verb: 'down', keys: ['down', 'j'], help: 'next row' },
  { verb: 'up', keys: ['up', 'k'], help: 'previous row' },
  { verb: 'pageDown', keys: ['pagedown', 'ctrl+f'], help: 'a page down' },
  { verb: 'pageUp', keys: ['pageup', 'ctrl+b'], help: 'a page up' },
  { verb: 'top', keys: ['home', 'g'], help: 'first row' },
  { verb: 'bottom', keys: ['end', 'G'], help: 'last row; a text follows its end' },
  { verb: 'next', keys: ['tab', 'right', 'l'], help: 'next panel' },
  { verb: 'previous', keys: ['shift+tab', 'left', 'h'], help: 'previous panel' },
  { verb: 'open', keys: ['enter'], help: 'open what this row is about' },
  { verb: 'back', keys: ['esc'], help: 'back: the filter first, then the page' },
  { verb: 'filter', keys: ['/'], help: 'show only rows with this text' },
  { verb: 'command', keys: [':', 'ctrl+p'], help: 'enter a command or the name of a page; tab completes' },
  { verb: 'sort', keys: ['o'], help: 'the next order of the rows' },
  { verb: 'system', keys: ['.'], help: 'show bookkeeping too, or hide it' },
  { verb: 'waiting', keys: ['!'], help: 'what waits for a person' },
  { verb: 'undo', keys: ['ctrl+z'], help: 'take the last action back, where that can be' },
  { verb: 'help', keys: ['?'], help: 'the keys and commands of this page' },
  { verb: 'quit', keys: ['q', 'ctrl+c'], help: 'leave; everything runs on' },
]

const verbs = new Map(bindings.flatMap(({ verb, keys }) => keys.map((key) => [key, verb] as const)))

export const verbOf = (key: string): Verb | undefined => verbs.get(key)

const NAMED: readonly (readonly [keyof Key, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
]

/**
 * The keys of one input. Text that was typed ahead or pasted arrives as one input: an Enter at its end counts, other
 * control characters are dropped.
 */
export function keysOf(input: string, key: Key): string[] {
  if (input.length < 2 || key.ctrl || key.meta) return [keyName(input, key)]
  const text = [...input].filter((character) => character >= ' ' && character !== '\x7f')
  return /[\r\n]$/.test(input) ? [...text, 'enter'] : text
}

/** The name of a pressed key, as `bindings` has it. */
export function keyName(input: string, key: Key): string {
  if (key.tab) return key.shift ? 'shift+tab' : 'tab'
  for (const [flag, name] of NAMED) if (key[flag]) return name
  return key.ctrl ? `ctrl+${input}` : input
}
