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
  expect(active(['ada'])).toBe(first)
  expect(active(['ada', 'press/ada'])).toBe(second)
  expect(active(['press/ada', 'ada'])).toBe(second)
  expect(active(['bob', 'nobody'])).toBe(other)
  expect(active(['nobody'])).toBeUndefined()
  expect(active([])).toBeUndefined()
})
