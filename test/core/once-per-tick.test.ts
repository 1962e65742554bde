import { expect, test } from 'bun:test'
import { oncePerTick } from '../../src/core/once-per-tick.ts'

test('builds each requested key once per turn of the event loop, and again in the next turn', async () => {
  let made = 0
  const value = oncePerTick((key: string) => `${key} ${++made}`)
  expect([value('a'), value('a'), value('b'), value('a')]).toEqual(['a 1', 'a 1', 'b 2', 'a 1'])
  await Promise.resolve()
  expect(value('b')).toBe('b 2')
  await Bun.sleep(1)
  expect([value('a'), value('a')]).toEqual(['a 3', 'a 3'])
})

test('an error is not shared', () => {
  let made = 0
  const value = oncePerTick(() => {
    if (++made === 1) throw new Error('first')
    return made
  })
  expect(() => value('a')).toThrow('first')
  expect(value('a')).toBe(2)
})
