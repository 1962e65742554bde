import { expect, test } from 'bun:test'
import { bindings, createKeymap, defaultKeymap } from '../../../tui/state/keys.ts'

test('every key has one meaning', () => {
  const all = bindings.flatMap(({ keys }) => keys)
  expect(new Set(all).size).toBe(all.length)
  for (const { verb, keys } of bindings) for (const key of keys) expect(defaultKeymap.verbs.get(key)).toBe(verb)
})

test('a person chooses other keys', () => {
  const { verbs } = createKeymap(new Map([['down', ['ctrl+n']]]))
  expect([verbs.get('ctrl+n'), verbs.get('j'), verbs.get('up')]).toEqual(['down', undefined, 'up'])
})
