import { describe, expect, test } from 'bun:test'
import { human } from '../../work/world.ts'
import { openDrains } from '../engine/drains.ts'

const messageOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'nothing',
    (error: Error) => error.message,
  )

describe('a paused run with a drain', () => {
  test('pauses what the drain started for members, and resumes it', async () => {
    await using work = await openDrains()
    const { root, control, members } = await work.drain('all', 2)
    const items = [0, 1].map((index) => work.rowOf(control, index)?.item_root_id ?? '')
    const ready = () => work.beads.ready().value.items.filter(({ ref }) => ref === 'unit.do').length
    expect([ready(), work.runWaits.progress(items[0] ?? '').part_of]).toEqual([
      2,
      { run_id: root, member_id: members[0] ?? '' },
    ])
    work.recorded()
    await work.runControls.pause(human, root, { reason: 'the bridge is up' })
    const paused = work.recorded()
    expect(paused.filter((line) => line.startsWith('run.')).toSorted()).toEqual(
      [root, ...items].flatMap((id) => [`run.changed ${id}`, `run.paused ${id}`]).toSorted(),
    )
    expect(paused.filter((line) => line.startsWith('bead.'))).toHaveLength(2)
    expect([ready(), ...items.map((id) => work.runs.get(id).status)]).toEqual([0, 'waiting', 'waiting'])
    expect(work.runWaits.progress(items[0] ?? '').waits_for).toBe(
      `It is paused with run ${root}, which a person paused (the bridge is up): gc run resume ${root}.`,
    )
    expect(work.runWaits.progress(root).waits.map(({ text }) => text)).toContain(
      `Run ${items[1]} of unit for ${members[1]} ("m1") is waiting.`,
    )
    expect(await messageOf(work.runControls.resume(human, items[0] ?? ''))).toContain(`gc run resume ${root}`)
    expect(await messageOf(work.runControls.pause(human, items[0] ?? '', {}))).toContain(`gc run resume ${root}`)
    await work.settled()
    work.recorded()
    await work.runControls.resume(human, root)
    await work.settled()
    const resumed = work.recorded().filter((line) => line.startsWith('run.resumed'))
    expect(resumed.toSorted()).toEqual([root, ...items].map((id) => `run.resumed ${id}`).toSorted())
    expect([ready(), work.runHolds.list()]).toEqual([2, []])
    for (const index of [0, 1]) await work.finish(control, index)
    expect(work.runs.get(root).status).toBe('completed')
  })

  test('leaves what was paused on its own paused', async () => {
    await using work = await openDrains()
    const { root, control } = await work.drain('all', 2)
    const [own = '', other = ''] = [0, 1].map((index) => work.rowOf(control, index)?.item_root_id)
    await work.runControls.pause(human, own, {})
    await work.runControls.pause(human, root, {})
    expect(await messageOf(work.runControls.resume(human, own))).toContain(`is a part of run ${root}, which is paused`)
    await work.runControls.resume(human, root)
    await work.settled()
    expect(work.runHolds.list().map(({ rootId }) => rootId)).toEqual([own])
    expect(work.runs.get(other).status).toBe('pending')
    await work.runControls.resume(human, own)
    expect(work.runHolds.list()).toEqual([])
  })

  test('holds what the drain starts while it lasts', async () => {
    await using work = await openDrains()
    const { root, control } = await work.drain('lane', 2)
    const first = work.rowOf(control, 0)?.item_root_id ?? ''
    const step = [...work.runMembers.of(first)].find(({ ref }) => ref === 'unit.do')?.id ?? ''
    await work.beads.update(human, step, { status: 'in_progress' })
    await work.runControls.pause(human, root, {})
    await work.finish(control, 0)
    await work.settled()
    expect(work.rowOf(control, 1)?.item_root_id).toBeUndefined()
    expect(work.beads.ready().value.items.filter(({ ref }) => ref === 'unit.do')).toEqual([])
    await work.runControls.resume(human, root)
    await work.settled()
    await work.finish(control, 1)
    expect(work.runs.get(root).status).toBe('completed')
  })

  test('is whole again after the city was closed while it was being paused or resumed', async () => {
    await using work = await openDrains()
    const { root, control } = await work.drain('all', 2)
    const [item = ''] = [work.rowOf(control, 0)?.item_root_id]
    const hold = { rootId: root, since: 1, by: 'a person', reason: '', heldWith: null }
    await work.store.write((tx) => work.runHolds.begin(tx, hold))
    await work.runControls.recover()
    expect(work.runHolds.find(item)).toMatchObject({ state: 'paused', heldWith: root })
    await work.store.write((tx) => void work.runHolds.release(tx, root))
    await work.runControls.recover()
    await work.settled()
    expect(work.runHolds.list()).toEqual([])
    expect(work.beads.ready().value.items.filter(({ ref }) => ref === 'unit.do')).toHaveLength(2)
  })
})
