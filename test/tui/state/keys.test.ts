import { describe, expect, test } from 'bun:test'
import { bindings, keyName, keysOf, verbOf } from '../../../tui/state/keys.ts'

describe('key bindings', () => {
  test('give every key one meaning', () => {
    const all = bindings.flatMap(({ keys: names }) => names)
    expect(new Set(all).size).toBe(all.length)
    for (const { verb, keys: names } of bindings) for (const key of names) expect(verbOf(key)).toBe(verb)
  })

  test('name the keys that ink reports', () => {
    const none = {
      upArrow: false,
      downArrow: false,
      leftArrow: false,
      rightArrow: false,
      pageDown: false,
      pageUp: false,
      home: false,
      end: false,
      return: false,
      escape: false,
      ctrl: false,
      shift: false,
      tab: false,
      backspace: false,
      delete: false,
      meta: false,
      super: false,
      hyper: false,
      capsLock: false,
      numLock: false,
    }
    expect(keyName('', { ...none, tab: true, shift: true })).toBe('shift+tab')
    expect(keyName('c', { ...none, ctrl: true })).toBe('ctrl+c')
    expect(keyName('é', none)).toBe('é')
    expect(keysOf('fly\r', none)).toEqual(['f', 'l', 'y', 'enter'])
    expect(keysOf('a\rb\x1b', none)).toEqual(['a', 'b'])
    expect(keysOf('x', none)).toEqual(['x'])
  })
})
