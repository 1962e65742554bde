import { describe, expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import { human, type Work } from '../../work/world.ts'
import { close, openRuns, startRun } from './graph.ts'

/** Position in the city's events that the engine has confirmed. */
const cursorOf = (work: Work): number =>
  work.store.get(query<{ seq: number }>("SELECT seq FROM cursors WHERE consumer = 'runs'"))?.seq ?? 0

const begin = (work: Work, id: string) => work.beads.update(human, id, { status: 'in_progress' })

/** A run of one step that no one has begun, and a bead that is of no run. */
async function runAndBead(work: Work) {
  const { root = '' } = await startRun(work, 'line', { plan: {} }, ['plan'])
  const { id } = await work.add({ title: 'extra' })
  await work.settled()
  return { root, id, status: () => work.runs.get(root).status }
}

describe('the engine of runs', () => {
  test('writes nothing when beads are created, claimed and changed that are of no run, and follows their end', async () => {
    await using work = await openRuns()
    await startRun(work, 'line', { plan: {} }, ['plan'])
    await work.settled()
    const before = cursorOf(work)
    const { id } = await work.add({ title: 'oil', metadata: { 'gc.routed_to': 'clerk' } })
    await begin(work, id)
    await work.beads.update(human, id, { title: 'oil it', metadata: { note: 'x' } })
    await work.settled()
    expect(cursorOf(work)).toBe(before)
    work.recorded()
    await work.beads.close(human, id)
    await work.settled()
    expect(work.recorded()).toEqual([`bead.closed ${id}`])
    expect(cursorOf(work)).toBe(work.log.head)
  })

  test.each([
    ['names it', (root: string) => ({ metadata: { 'gc.root_bead_id': root } })],
    ['is laid under it', (root: string) => ({ parent: root })],
  ])('follows a bead that is of a run from when it %s', async (_, joining) => {
    await using work = await openRuns()
    const { root, id, status } = await runAndBead(work)
    await work.beads.update(human, id, joining(root))
    await work.settled()
    expect(status()).toBe('pending')
    await begin(work, id)
    await work.settled()
    expect(status()).toBe('active')
  })

  test('continues with a control behind a bead of no run when that is closed', async () => {
    await using work = await openRuns()
    const { id: first } = await work.add({ title: 'first' })
    const { root = '' } = await startRun(work, 'line', { plan: { needs: [first], metadata: { 'gc.kind': 'scope' } } }, [
      'plan',
    ])
    await work.settled()
    await close(work, first)
    await work.settled()
    expect(work.runs.get(root).status).not.toBe('pending')
  })

  test('adopts a molecule and its step in progress that were written while it was behind, also after a restart', async () => {
    await using work = await openRuns()
    await work.settled()
    await work.reactions.stop()
    const root = await work.store.write((tx) => {
      const { id } = work.beadRepository.add(tx, { title: 'm', type: 'molecule' })
      work.beadRepository.add(tx, { title: 'step', parent: id, status: 'in_progress' })
      return id
    })
    await work.close({ endSessions: false })
    const city = await work.town.open()
    await city.reactions.whenIdle()
    expect(city.runs.get(root).status).toBe('active')
  })
})
