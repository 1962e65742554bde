import { describe, expect, test } from 'bun:test'
import { human, openWork, type Work } from '../world.ts'

async function molecule(work: Work, ephemeral: boolean) {
  const root = await work.add({ title: 'patrol', type: 'molecule', ephemeral })
  const step = await work.add({ title: 'look', type: 'step', parent: root.id, ephemeral })
  const below = await work.add({ title: 'closer', type: 'step', parent: step.id, ephemeral })
  return { root: root.id, step: step.id, below: below.id }
}

describe('burning a molecule', () => {
  test('removes a wisp for good with what is below it, open or closed, and frees what waits for it', async () => {
    await using work = await openWork()
    const { root, step, below } = await molecule(work, true)
    await work.beads.close(human, below)
    const kept = await work.add({ title: 'work', parent: root })
    const waiting = await work.add({ title: 'next', needs: [root] })
    await work.settled()
    work.recorded()
    expect(await work.beads.burn(human, root)).toEqual({ deleted: [below, step, root], closed: [] })
    await work.settled()
    expect(work.recorded()).toEqual([
      `bead.closed ${step}`,
      `bead.closed ${root}`,
      `bead.deleted ${below}`,
      `bead.deleted ${step}`,
      `bead.updated ${waiting.id}`,
      `bead.deleted ${root}`,
    ])
    expect([root, step, below].map((id) => work.beadRepository.find(id))).toEqual([undefined, undefined, undefined])
    expect(work.beadRepository.find(waiting.id)?.is_blocked).toBeUndefined()
    expect(work.beadRepository.find(kept.id)?.status).toBe('open')
  })

  test('closes work with a reason, and keeps it', async () => {
    await using work = await openWork()
    const { root, step, below } = await molecule(work, false)
    expect(await work.beads.burn(human, root)).toEqual({ deleted: [], closed: [below, step, root] })
    expect(work.beadRepository.find(root)).toMatchObject({ status: 'closed', metadata: { close_reason: 'burned' } })
  })

  test('is rejected for records of the city, and then records nothing', async () => {
    await using work = await openWork()
    const convoy = await work.add({ title: 'fleet', type: 'convoy' })
    await work.settled()
    work.recorded()
    await expect(work.beads.burn(human, convoy.id)).rejects.toThrow('is a convoy, no molecule')
    await expect(work.beads.burn(human, 'mi-99')).rejects.toThrow('does not exist')
    expect(work.recorded()).toEqual([])
  })
})

test('a change for one status is rejected at another, and what is put off is taken up again', async () => {
  await using work = await openWork()
  const { id } = await work.add({ title: 'work' })
  const change = (more: object) => work.beads.bulk.update(human, { updates: [{ id, ...more }] })
  await change({ if_status: 'open', defer_until: '2999-01-01T00:00:00Z' })
  expect(work.beadRepository.find(id)).toMatchObject({ status: 'open', defer_until: '2999-01-01T00:00:00.000Z' })
  await change({ defer_until: null })
  expect(work.beadRepository.find(id)?.defer_until).toBeUndefined()
  await work.settled()
  work.recorded()
  await expect(change({ if_status: 'closed', title: 'other' })).rejects.toThrow(`bead ${id} is open, not closed`)
  expect(work.recorded()).toEqual([])
})
