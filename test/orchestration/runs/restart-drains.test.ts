import { expect, test } from 'bun:test'
import { human } from '../../work/world.ts'
import { openDrains } from '../engine/drains.ts'

type Drains = Awaited<ReturnType<typeof openDrains>>

const rowsOf = (work: Drains, control: string) => work.manifestOf(control).rows
const retry = async (work: Drains, root: string, step?: string) => {
  await work.runRestarts.retry(human, root, step === undefined ? {} : { step })
  await work.settled()
}

test('a drain that failed runs its formula again for the members for which that failed', async () => {
  await using work = await openDrains()
  const { root, control } = await work.drain('alone', 2)
  await work.finish(control, 0)
  await work.finish(control, 1, 'fail')
  expect(work.runs.get(root).status).toBe('failed')
  const before = rowsOf(work, control)
  work.recorded()
  await retry(work, root)
  expect(work.recorded()).toContain(`run.retried ${root}`)
  const [kept, again] = rowsOf(work, control)
  expect(kept).toEqual(before[0])
  expect(again).toMatchObject({ status: 'wired', member_id: before[1]?.member_id ?? '' })
  expect(again?.item_root_id).not.toBe(before[1]?.item_root_id)
  expect(work.metadata(again?.member_id ?? '')['gc.exclusive_drain_reservation']).toBe(control)
  await work.finish(control, 1)
  expect([work.runs.get(root).status, rowsOf(work, control).map(({ status }) => status)]).toEqual([
    'completed',
    ['succeeded', 'succeeded'],
  ])
})

test('a step before a drain that is done again has the drain begin again, once it is closed', async () => {
  await using work = await openDrains()
  const { root, control } = await work.drain('later', 2)
  const [first = ''] = [...work.runMembers.of(root)].flatMap(({ id, ref }) => (ref === 'later.first' ? [id] : []))
  const close = async () => {
    await work.beads.update(human, first, { status: 'closed', metadata: { 'gc.outcome': 'pass' } })
    await work.settled()
    await work.drainUnits.whenIdle()
    await work.settled()
  }
  await close()
  const before = rowsOf(work, control).map(({ item_root_id }) => item_root_id)
  const rejected = await work.runRestarts.retry(human, root, { step: 'first' }).then(String, String)
  expect(rejected).toContain(`${control} ("Each member") comes after that step and has begun: wait until it is closed`)
  for (const index of [0, 1]) await work.finish(control, index)
  expect(work.runs.get(root).status).toBe('completed')
  await retry(work, root, 'first')
  expect([work.runs.get(root).status, work.beadRepository.get(control).status]).toEqual(['active', 'open'])
  await close()
  const after = rowsOf(work, control)
  expect(after.map(({ status }) => status)).toEqual(['wired', 'wired'])
  for (const { item_root_id } of after) expect(before).not.toContain(item_root_id)
  for (const index of [0, 1]) await work.finish(control, index)
  expect(work.runs.get(root).status).toBe('completed')
})

test('a drain waits for the run of a member that is done again, and passes when it does', async () => {
  await using work = await openDrains()
  const { root, control } = await work.drain('all', 2)
  await work.finish(control, 0, 'fail')
  await retry(work, rowsOf(work, control)[0]?.item_root_id ?? '')
  await work.finish(control, 0)
  await work.finish(control, 1)
  expect([work.metadata(control)['gc.outcome'], work.runs.get(root).status]).toEqual(['pass', 'completed'])
})
