import { describe, expect, test } from 'bun:test'
import { human, openWork, type Work, workTown } from '../world.ts'

/** Waits until the reactions have seen every event, also those that they caused. */
const settled = (work: Work): Promise<void> => work.reactions.whenIdle()

const closed = (work: Work, id: string) => work.beadRepository.get(id).status === 'closed'

describe('create', () => {
  test('a convoy tracks its items, each once, and changes nothing about them', async () => {
    await using work = await openWork()
    const a = await work.add({ title: 'a', rig: 'press' })
    const b = await work.add({ title: 'b' })
    work.recorded()
    const convoy = await work.convoys.create(human, { title: 'release', items: [a.id, b.id, a.id] })
    expect(convoy).toMatchObject({ title: 'release', issue_type: 'convoy', status: 'open' })
    expect(convoy.dependencies?.map((edge) => [edge.depends_on_id, edge.type])).toEqual([
      [b.id, 'tracks'],
      [a.id, 'tracks'],
    ])
    expect(work.convoys.get(convoy.id)).toEqual({ convoy, children: [b, a], progress: { total: 2, closed: 0 } })
    expect(
      work.beads
        .ready()
        .value.items.map((bead) => bead.id)
        .sort(),
    ).toEqual([b.id, a.id])
    expect(work.recorded()).toEqual([`bead.created ${convoy.id}`, `convoy.created ${convoy.id}`])
  })

  test('a missing item or rig is rejected and nothing is stored', async () => {
    await using work = await openWork()
    const a = await work.add({ title: 'a' })
    work.recorded()
    const create = (more: object) => expect(work.convoys.create(human, { title: 'x', ...more })).rejects
    await create({ items: [a.id, 'mi-9'] }).toMatchObject({ code: 'bead-not-found' })
    await create({ rig: 'nowhere' }).toMatchObject({ code: 'invalid-request' })
    expect(work.convoys.list({}).value.total).toBe(0)
    expect(work.recorded()).toEqual([])
  })
})

describe('get and check', () => {
  test('a convoy without members has no children and is never complete', async () => {
    await using work = await openWork()
    const convoy = await work.convoys.create(human, { title: 'x' })
    expect(work.convoys.get(convoy.id)).toEqual({ convoy, progress: { total: 0, closed: 0 } })
    expect(work.convoys.check(convoy.id)).toEqual({ convoy_id: convoy.id, total: 0, closed: 0, complete: false })
  })

  test('children are members; a missing member is never closed, a tombstone is', async () => {
    await using work = await openWork()
    const convoy = await work.convoys.create(human, { title: 'x' })
    const child = await work.add({ title: 'child', parent: convoy.id, status: 'closed' })
    const dead = await work.add({ title: 'dead', status: 'tombstone' })
    await work.store.write((tx) => work.beadRepository.depend(tx, convoy.id, [dead.id, 'mi-99'], 'tracks'))
    const { children, progress } = work.convoys.get(convoy.id)
    expect(children?.map((bead) => [bead.id, bead.status])).toEqual([
      ['mi-99', 'unknown'],
      [child.id, 'closed'],
      [dead.id, 'closed'],
    ])
    expect(progress).toEqual({ total: 3, closed: 2 })
    expect(work.convoys.check(convoy.id).complete).toBe(false)
  })

  test('showing a bead that is not a convoy is 404, changing it 400', async () => {
    await using work = await openWork()
    const { id } = await work.add({ title: 'task' })
    expect(() => work.convoys.get(id)).toThrow(expect.objectContaining({ code: 'convoy-not-found' }))
    expect(() => work.convoys.check(id)).toThrow(expect.objectContaining({ code: 'invalid-request' }))
    expect(() => work.convoys.check('mi-9')).toThrow(expect.objectContaining({ code: 'convoy-not-found' }))
    await expect(work.convoys.addItems(human, id, [])).rejects.toMatchObject({ code: 'invalid-request' })
    await expect(work.convoys.removeItems(human, id, [])).rejects.toMatchObject({ code: 'invalid-request' })
    await expect(work.convoys.close(human, id)).rejects.toMatchObject({ code: 'invalid-request' })
    await expect(work.convoys.close(human, 'mi-9')).rejects.toMatchObject({ code: 'convoy-not-found' })
  })
})

describe('add and remove', () => {
  test('all are added or none, and adding a member again records nothing', async () => {
    await using work = await openWork()
    const a = await work.add({ title: 'a' })
    const convoy = await work.convoys.create(human, { title: 'x' })
    work.recorded()
    await expect(work.convoys.addItems(human, convoy.id, [a.id, 'mi-9'])).rejects.toMatchObject({
      code: 'bead-not-found',
    })
    await expect(work.convoys.addItems(human, convoy.id, [convoy.id])).rejects.toMatchObject({
      code: 'invalid-request',
    })
    expect(work.convoys.check(convoy.id).total).toBe(0)
    expect(await work.convoys.addItems(human, convoy.id, [a.id])).toEqual({ status: 'updated' })
    expect(await work.convoys.addItems(human, convoy.id, [a.id])).toEqual({ status: 'updated' })
    expect(await work.convoys.addItems(human, convoy.id)).toEqual({ status: 'updated' })
    expect(work.recorded()).toEqual([`bead.updated ${convoy.id}`])
  })

  test('members are removed from either relation; with one that is not a member, none is removed', async () => {
    await using work = await openWork()
    const a = await work.add({ title: 'a' })
    const convoy = await work.convoys.create(human, { title: 'x', items: [a.id] })
    const child = await work.add({ title: 'child', parent: convoy.id })
    const other = await work.add({ title: 'other' })
    work.recorded()
    await expect(work.convoys.removeItems(human, convoy.id, [a.id, other.id])).rejects.toMatchObject({
      code: 'invalid-request',
    })
    await expect(work.convoys.removeItems(human, convoy.id, ['mi-9'])).rejects.toMatchObject({ code: 'bead-not-found' })
    expect(work.convoys.check(convoy.id).total).toBe(2)
    await work.convoys.removeItems(human, convoy.id, [a.id, child.id])
    expect(work.convoys.check(convoy.id).total).toBe(0)
    expect(work.recorded()).toEqual([`bead.updated ${convoy.id}`, `bead.updated ${child.id}`])
  })
})

describe('close', () => {
  test('closes a convoy whatever its members are, once, and takes it off the list', async () => {
    await using work = await openWork()
    const ada = work.caller((await work.session('ada')).id)
    const a = await work.add({ title: 'a' })
    const { id } = await work.convoys.create(human, { title: 'x', items: [a.id] })
    expect(work.convoys.list({}).value.items.map((bead) => bead.id)).toEqual([id])
    work.recorded()
    await work.convoys.close(ada, id)
    await work.convoys.close(human, id)
    expect(work.convoys.list({}).value).toEqual({ items: [], total: 0 })
    expect(closed(work, a.id)).toBe(false)
    expect(work.recorded()).toEqual([`bead.closed ${id}`, `convoy.closed ${id}`])
    expect(work.last()?.actor).toBe('ada')
  })
})

describe('a convoy that is closed as a bead', () => {
  test('records the close of the convoy as well, with its actor, however it was closed', async () => {
    await using work = await openWork()
    const ada = work.caller((await work.session('ada')).id)
    const [one, two, three] = await Promise.all(
      ['one', 'two', 'three'].map((title) => work.convoys.create(human, { title })),
    )
    const recordedCloses = () =>
      work.log.page({ limit: 10, type: 'convoy.closed' }).items.map(({ subject, actor }) => `${subject} ${actor}`)
    work.recorded()
    await work.beads.close(ada, one?.id ?? '')
    expect(work.recorded()).toEqual([`bead.closed ${one?.id}`, `convoy.closed ${one?.id}`])
    await work.beads.update(human, two?.id ?? '', { status: 'closed' })
    expect(work.recorded()).toEqual([`bead.updated ${two?.id}`, `bead.closed ${two?.id}`, `convoy.closed ${two?.id}`])
    await work.store.write((tx) => void work.beadRepository.close(tx, three?.id ?? ''))
    await work.beads.close(human, three?.id ?? '')
    expect(recordedCloses()).toEqual([`${three?.id} gc`, `${two?.id} human`, `${one?.id} ada`])
  })
})

describe('a convoy closes on its own', () => {
  test('with the last of its members, in every convoy they are in', async () => {
    await using work = await openWork()
    const a = await work.add({ title: 'a' })
    const b = await work.add({ title: 'b' })
    const both = await work.convoys.create(human, { title: 'both', items: [a.id, b.id] })
    const one = await work.convoys.create(human, { title: 'one', items: [a.id] })
    const parent = await work.convoys.create(human, { title: 'parent' })
    await work.beads.update(human, a.id, { parent: parent.id })
    work.recorded()
    await work.beads.update(human, a.id, { status: 'closed' })
    await settled(work)
    expect([both, one, parent].map(({ id }) => closed(work, id))).toEqual([false, true, true])
    expect(work.beadRepository.get(one.id).metadata?.close_reason?.length).toBeGreaterThanOrEqual(20)
    await work.beads.close(human, b.id)
    await settled(work)
    expect(closed(work, both.id)).toBe(true)
    const events = work.recorded()
    expect(events.slice(0, 2)).toEqual([`bead.updated ${a.id}`, `bead.closed ${a.id}`])
    expect(events.filter((event) => event.startsWith('convoy.')).sort()).toEqual(
      [both, one, parent].map(({ id }) => `convoy.closed ${id}`).sort(),
    )
  })

  test('but not when it is owned', async () => {
    await using work = await openWork()
    const a = await work.add({ title: 'a' })
    const convoy = await work.convoys.create(human, { title: 'x', items: [a.id] })
    await work.beads.update(human, convoy.id, { labels: ['owned'] })
    await work.beads.close(human, a.id)
    await settled(work)
    expect(closed(work, convoy.id)).toBe(false)
  })

  test('also when the last member was closed while no reaction ran', async () => {
    await using town = workTown()
    const first = await openWork({ town })
    const a = await first.add({ title: 'a' })
    const convoy = await first.convoys.create(human, { title: 'x', items: [a.id] })
    await first.reactions.stop()
    await first.beads.close(human, a.id)
    expect(closed(first, convoy.id)).toBe(false)
    await first.close({ endSessions: false })
    await using second = await openWork({ town })
    await settled(second)
    expect(closed(second, convoy.id)).toBe(true)
    expect(town.reports).toEqual([])
  })
})
