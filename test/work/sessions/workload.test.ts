import { expect, test } from 'bun:test'
import { openWork } from '../world.ts'

test('the active bead is the newest in progress that is assigned to any of the names', async () => {
  await using work = await openWork()
  const add = async (title: string, assignee: string, status = 'in_progress', type = 'task') => {
    await work.clock.advance(1)
    return (await work.add({ title, assignee, status, type })).id
  }
  const first = await add('first', 'ada')
  await add('waits', 'ada', 'open')
  await add('done', 'ada', 'closed')
  await add('letter', 'ada', 'in_progress', 'message')
  const second = await add('second', 'press/ada')
  const other = await add('other', 'bob')
  const active = work.workload.activeBeads()
  expect(active.of(['ada'])).toBe(first)
  expect(active.of(['ada', 'press/ada'])).toBe(second)
  expect(active.of(['press/ada', 'ada'])).toBe(second)
  expect(active.of(['bob', 'nobody'])).toBe(other)
  expect(active.of(['nobody'])).toBeUndefined()
  expect(active.of([])).toBeUndefined()
  expect([...active.assignees].sort()).toEqual(['ada', 'bob', 'press/ada'])
})
