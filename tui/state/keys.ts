import type { Key } from 'ink'

/** What a key does, on every page. */
export type Verb =
  | 'up'
  | 'down'
  | 'top'
  | 'bottom'
  | 'open'
  | 'back'
  | 'next'
  | 'previous'
  | 'filter'
  | 'command'
  | 'help'
  | 'quit'

export interface Binding {
  verb: Verb
  keys: readonly string[]
  help: string
}

/** Every key of the dashboard; the help page lists them. */
export const bindings: readonly Binding[] = [
  { verb: 'down', keys: ['down', 'j'], help: 'next row' },
  { verb: 'up', keys: ['up', 'k'], help: 'previous row' },
  { verb: 'top', keys: ['home', 'g'], help: 'first row' },
  { verb: 'bottom', keys: ['end', 'G'], help: 'last row' },
  { verb: 'next', keys: ['tab', 'right', 'l'], help: 'next panel' },
  { verb: 'previous', keys: ['shift+tab', 'left', 'h'], help: 'previous panel' },
  { verb: 'open', keys: ['enter'], help: 'open the city, session or bead of this row' },
  { verb: 'back', keys: ['esc'], help: 'back: the filter first, then the page' },
  { verb: 'filter', keys: ['/'], help: 'show only rows with this text' },
  { verb: 'command', keys: [':'], help: 'enter a command' },
  { verb: 'help', keys: ['?'], help: 'this page' },
  { verb: 'quit', keys: ['q', 'ctrl+c'], help: 'leave; everything runs on' },
]

const verbs = new Map(bindings.flatMap(({ verb, keys }) => keys.map((key) => [key, verb] as const)))

export const verbOf = (key: string): Verb | undefined => verbs.get(key)

const NAMED: readonly (readonly [keyof Key, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
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
