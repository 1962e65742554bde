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

test('the assignees are the names of beads that are not closed, each once', async () => {
  await using work = await openWork()
  const { workload } = work
  expect([...workload.assignees()]).toEqual([])
  const add = (assignee: string, status: string, type = 'task') =>
    work.add({ title: 'bead', type, status, ...(assignee !== '' && { assignee }) })
  for (const status of ['open', 'in_progress', 'open']) await add('ada', status)
  await add('press/ada', 'blocked')
  await add('eve', 'closed')
  await add('letters', 'open', 'message')
  await add('', 'open')
  await add('bob', 'open')
  expect([...workload.assignees()]).toEqual(['ada', 'bob', 'press/ada'])
})

test('one bead that is assigned to any of the names is found, if one is in progress or ready', async () => {
  await using work = await openWork()
  const { workload } = work
  await work.add({
    title: 'blocked',
    assignee: 'ada',
    status: 'open',
    needs: [(await work.add({ title: 'first' })).id],
  })
  expect(workload.oneAssignedTo(['ada', 'bob'])).toBeUndefined()
  const { id } = await work.add({ title: 'ready', assignee: 'bob', status: 'open' })
  expect(workload.oneAssignedTo(['ada', 'bob'])).toBe(id)
  expect(workload.oneAssignedTo(['bob', 'ada'])).toBe(id)
  expect(workload.oneAssignedTo(['ada'])).toBeUndefined()
  expect(workload.oneAssignedTo([])).toBeUndefined()
})
