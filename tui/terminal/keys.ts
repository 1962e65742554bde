import type { Key } from 'ink'

/** Flags of Ink's keys, and their names in the keymap. */
const NAMED = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
] as const satisfies readonly (readonly [keyof Key, string])[]

const CONTROLS: Readonly<Record<string, string>> = { '\r': 'enter', '\n': 'ctrl+j', '\t': 'tab', '\0': 'ctrl+space' }

/** The keys of one input event: text that arrived in one read is a key for each of its characters. */
export function keysOf(input: string, key: Key): readonly string[] {
  if (key.escape) return key.meta ? ['esc', 'esc'] : ['esc']
  const named = NAMED.find(([flag]) => key[flag])?.[1]
  const alt = key.meta ? 'alt+' : ''
  if (named !== undefined) return [`${key.ctrl ? 'ctrl+' : ''}${alt}${key.shift ? 'shift+' : ''}${named}`]
  if (key.ctrl) return [...(key.meta ? ['esc'] : []), `ctrl+${input === ' ' ? 'space' : input}`]
  if (input === '') return []
  return key.meta ? [`alt+${input}`] : [...input].map(nameOf)
}

function nameOf(character: string): string {
  const control = CONTROLS[character]
  if (control !== undefined) return control
  return character < ' ' ? `ctrl+${String.fromCharCode(character.charCodeAt(0) + 96)}` : character
}
