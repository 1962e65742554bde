import { expect, test } from 'bun:test'
import { formatShares } from '../../src/client/shares.ts'

const MB = 1024 ** 2

test('the share of a session is described in words, with what it has of it and what does not hold it', () => {
  const items = [
    { resource: 'cpu', most: 1.5, held_by: 'priority' },
    { resource: 'memory', most: 512 * MB, used: 100.4 * MB, held_by: 'cgroup' },
    { resource: 'pids', most: 100, held_by: 'nothing' },
  ] as const
  expect(formatShares({ items: [...items], reason: '/x has no controller of cpu, pids' })).toBe(
    '1.5 processors (not held to it: others go first), 100 of 512 MB, 100 processes (not held to it); /x has no controller of cpu, pids',
  )
  expect(formatShares({ items: [] })).toBeUndefined()
})
