import { describe, expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import type { Bead } from '../../../src/work/schema.ts'
import { human, openWork } from '../world.ts'

describe('create', () => {
  test('a bead is an open task of the city by default', async () => {
    await using work = await openWork()
    const bead = await work.beads.create(human, { title: 'oil the gears' })
    expect(bead).toEqual({
      id: 'mi-1',
      title: 'oil the gears',
      status: 'open',
      issue_type: 'task',
      created_at: '2026-01-05T09:00:00.000Z',
      updated_at: '2026-01-05T09:00:00.000Z',
    })
    expect(work.beadRepository.get('mi-1')).toEqual(bead)
    expect(work.recorded()).toEqual(['bead.created mi-1'])
  })

  test('a bead of a rig has the prefix of the rig and a number of its own', async () => {
    await using work = await openWork()
    await work.beads.create(human, { title: 'a' })
    expect((await work.beads.create(human, { title: 'b', rig: 'press' })).id).toBe('pr-1')
    expect((await work.beads.create(human, { title: 'c', rig: 'press' })).id).toBe('pr-2')
    expect(work.beadRepository.rigOf('pr-2')).toBe('press')
  })

  test('every field is returned, labels once and in order', async () => {
    await using work = await openWork()
    await work.session('ada')
    const parent = await work.add({ title: 'whole' })
    const bead = await work.beads.create(human, {
      title: 'part',
      type: 'bug',
      priority: 0,
      assignee: ' ada ',
      description: 'it squeaks',
      labels: ['b', 'a', 'b'],
      parent: parent.id,
      metadata: { 'gc.routed_to': 'press/hand', note: '' },
      defer_until: '2030-01-01T00:00:00+02:00',
    })
    expect(bead).toMatchObject({
      issue_type: 'bug',
      priority: 0,
      assignee: 'ada',
      description: 'it squeaks',
      labels: ['b', 'a'],
      parent: parent.id,
      metadata: { 'gc.routed_to': 'press/hand', note: '' },
      defer_until: '2029-12-31T22:00:00.000Z',
    })
  })

  test('an unknown rig, a missing parent and an invalid timestamp are rejected, and nothing is stored', async () => {
    await using work = await openWork()
    await expect(work.beads.create(human, { title: 'x', rig: 'nowhere' })).rejects.toMatchObject({
      code: 'invalid-request',
    })
    await expect(work.beads.create(human, { title: 'x', parent: 'mi-9' })).rejects.toMatchObject({
      code: 'invalid-request',
    })
    await expect(async () => work.beads.create(human, { title: 'x', defer_until: 'soon' })).toThrow('not a timestamp')
    expect(work.beads.list({ all: true }).value.total).toBe(0)
    expect(work.recorded()).toEqual([])
  })

  test.each([
    ['title', { title: 'x'.repeat(1025) }, '1 KB'],
    ['priority', { title: 'x', priority: 2 ** 53 }, '9007199254740991 either way'],
    ['priority', { title: 'x', priority: -1e300 }, '9007199254740991 either way'],
    ['description', { title: 'x', description: 'é'.repeat(128 * 1024 + 1) }, '256 KB'],
    ['metadata', { title: 'x', metadata: { a: 'x'.repeat(40_000), b: 'x'.repeat(30_000) } }, '64 KB'],
    ['labels', { title: 'x', labels: ['x'.repeat(257)] }, '256 bytes'],
  ])('%s over its limit is rejected, and the error says the limit', async (field, body, bound) => {
    await using work = await openWork()
    await expect(work.beads.create(human, body)).rejects.toMatchObject({
      code: 'validation-failed',
      message: expect.stringContaining(bound),
      fieldErrors: [{ location: `body.${field}` }],
    })
    expect(work.recorded()).toEqual([])
  })

  test.each([
    ['wisps', { type: 'wisp' }, { ephemeral: true }],
    ['wisps by their kind', { metadata: { 'gc.kind': 'wisp' } }, { ephemeral: true }],
    ['wisps by their label', { labels: ['gc:wisp'] }, { ephemeral: true }],
    ['what tracks orders', { labels: ['order-tracking'] }, { no_history: true }],
    ['work', { labels: ['a'] }, {}],
  ])('%s are stored as such, and the steps of a workflow like its root', async (_, body, expected) => {
    await using work = await openWork()
    const tier = ({ ephemeral, no_history }: Bead): object => ({ ephemeral, no_history })
    const root = await work.beads.create(human, { title: 'root', ...body })
    expect(tier(root)).toEqual(expected)
    const step = await work.beads.create(human, { title: 'step', metadata: { 'gc.root_bead_id': root.id } })
    expect(tier(step)).toEqual(expected)
    expect(tier(await work.beads.create(human, { title: 'stray', metadata: { 'gc.root_bead_id': 'mi-99' } }))).toEqual(
      {},
    )
    await work.beads.update(human, step.id, { labels: ['gc:wisp'] })
    expect(tier(work.beadRepository.get(step.id))).toEqual(expected)
    expect(work.recorded()).toEqual([
      `bead.created ${root.id}`,
      `bead.created ${step.id}`,
      'bead.created mi-3',
      `bead.updated ${step.id}`,
    ])
  })

  test('no number is given out twice, also after a removal', async () => {
    await using work = await openWork()
    const { id } = await work.add({ title: 'gone' })
    await work.store.write((tx) => work.beadRepository.remove(tx, id))
    expect((await work.add({ title: 'next' })).id).toBe('mi-2')
    expect(() => work.beadRepository.get(id)).toThrow('does not exist')
    expect(work.recorded()).toEqual(['bead.created mi-1', 'bead.deleted mi-1', 'bead.created mi-2'])
  })
})

describe('update', () => {
  test('absent fields do not change; labels are added, then removed; metadata is merged', async () => {
    await using work = await openWork()
    const { id } = await work.add({ title: 'a', labels: ['x', 'y'], metadata: { k: '1', l: '2' }, priority: 1 })
    work.recorded()
    await work.clock.advance(1000)
    await work.beads.update(human, id, { labels: ['z', 'x'], remove_labels: ['y'], metadata: { l: '' } })
    expect(work.beadRepository.get(id)).toMatchObject({
      title: 'a',
      priority: 1,
      labels: ['x', 'z'],
      metadata: { k: '1', l: '' },
      updated_at: '2026-01-05T09:00:01.000Z',
    })
    expect(work.recorded()).toEqual([`bead.updated ${id}`])
  })

  test('a write that changes nothing a client can see records nothing', async () => {
    await using work = await openWork()
    await work.session('ada')
    const bead = await work.add({ title: 'a', labels: ['x'], metadata: { k: '1' }, assignee: 'ada' })
    work.recorded()
    await work.clock.advance(1000)
    await work.beads.update(human, bead.id, { title: 'a', labels: ['x'], metadata: { k: '1' } })
    await work.beads.update(human, bead.id, {})
    await work.beads.assign(human, bead.id, { assignee: 'ada' })
    expect(work.beadRepository.get(bead.id)).toEqual(bead)
    expect(work.recorded()).toEqual([])
  })

  test('closing by an update records both the update and the close', async () => {
    await using work = await openWork()
    const { id } = await work.add({ title: 'a' })
    work.recorded()
    await work.beads.update(human, id, { status: 'closed', metadata: { close_reason: 'done' } })
    expect(work.recorded()).toEqual([`bead.updated ${id}`, `bead.closed ${id}`])
  })

  test('a parent is removed by null and by the empty string, and no bead is a part of itself', async () => {
    await using work = await openWork()
    const a = await work.add({ title: 'a' })
    const b = await work.add({ title: 'b', parent: a.id })
    const c = await work.add({ title: 'c', parent: b.id })
    await expect(work.beads.update(human, a.id, { parent: c.id })).rejects.toMatchObject(errorOf('invalid-request'))
    await expect(work.beads.update(human, a.id, { parent: a.id })).rejects.toMatchObject(errorOf('invalid-request'))
    await expect(work.beads.update(human, a.id, { parent: 'mi-99' })).rejects.toMatchObject(errorOf('invalid-request'))
    await work.beads.update(human, b.id, { parent: null })
    await work.beads.update(human, c.id, { parent: '' })
    expect(work.beadRepository.get(b.id)).not.toHaveProperty('parent')
    expect(work.beadRepository.get(c.id)).not.toHaveProperty('parent')
  })

  test('a bead that does not exist is 404', async () => {
    await using work = await openWork()
    for (const attempt of [
      () => work.beads.update(human, 'mi-1', {}),
      () => work.beads.assign(human, 'mi-1', {}),
      () => work.beads.close(human, 'mi-1'),
      () => work.beads.reopen(human, 'mi-1'),
    ]) {
      await expect(attempt()).rejects.toMatchObject(errorOf('bead-not-found'))
    }
  })
})

describe('close and reopen', () => {
  test('closing twice records it once; only a closed bead reopens, and its assignee stays', async () => {
    await using work = await openWork()
    const { id } = await work.add({ title: 'a', assignee: 'ada' })
    work.recorded()
    expect(await work.beads.close(human, id)).toEqual({ status: 'closed' })
    expect(await work.beads.close(human, id)).toEqual({ status: 'closed' })
    expect(await work.beads.reopen(human, id)).toEqual({ status: 'reopened' })
    expect(work.beadRepository.get(id)).toMatchObject({ status: 'open', assignee: 'ada' })
    await expect(work.beads.reopen(human, id)).rejects.toMatchObject({
      code: 'conflict-wrong-state',
      message: expect.stringContaining('open'),
    })
    expect(work.recorded()).toEqual([`bead.closed ${id}`, `bead.updated ${id}`])
  })
})

describe('assign', () => {
  test('an assignee is stored under the name its session is known by', async () => {
    await using work = await openWork()
    const ada = await work.session('ada')
    work.recorded()
    const { id } = await work.add({ title: 'a' })
    const assigned = await work.beads.assign(human, id, { assignee: ` ${ada.id} ` })
    expect(assigned).toEqual({ status: 'assigned', assignee: 'ada' })
    expect(work.beads.list({ assignee: ada.id }).value.items.map((bead) => bead.id)).toEqual([id])
    expect(await work.beads.assign(human, id, {})).toEqual({ status: 'assigned', assignee: '' })
    expect(work.beadRepository.get(id)).not.toHaveProperty('assignee')
    await expect(work.beads.assign(human, id, { assignee: 'nobody' })).rejects.toMatchObject(errorOf('invalid-request'))
    expect(work.recorded()).toEqual([`bead.created ${id}`, `bead.updated ${id}`, `bead.updated ${id}`])
  })
})

describe('side tables', () => {
  test('projected metadata is shown, recorded in events and never stored', async () => {
    await using work = await openWork()
    const { id } = await work.session('ada')
    expect(work.beadRepository.get(id).metadata).toMatchObject({ alias: 'ada', state: 'active' })
    work.recorded()
    const { head } = work.log
    await work.exit(id)
    expect(work.recorded()).toEqual([`bead.updated ${id}`, 'session.stopped ada'])
    const [updated] = work.log.after(head, 1)
    expect(updated?.payload).toMatchObject({ bead: { metadata: { alias: 'ada', state: 'asleep' } } })
    await work.store.write((tx) => work.sessionRepository.update(tx, id, { alias: 'ada', busyUntil: 1 }))
    expect(work.recorded()).toEqual([])
    const stored = query<{ metadata: string }, [string]>('SELECT metadata FROM beads WHERE id = ?')
    expect(work.store.get(stored, id)).toEqual({ metadata: '{}' })
  })
})

describe('events', () => {
  test('name the workflow, the session and the step of a bead', async () => {
    await using work = await openWork()
    const { head } = work.log
    await work.add({
      title: 'step',
      metadata: {
        'gc.root_bead_id': 'mi-70',
        'gc.session_id': 'mi-8',
        'gc.step_id': 'build',
        'gc.native_step_dependencies.v1': '["plan"]',
      },
    })
    await work.add({ title: 'plain' })
    const [step, plain] = work.log.after(head, 10)
    expect(step).toMatchObject({
      actor: 'gc',
      subject: 'mi-1',
      run_id: 'mi-70',
      session_id: 'mi-8',
      step_id: 'build',
      depends_on_step_ids: ['plan'],
    })
    expect(plain).toMatchObject({ run_id: 'mi-2', payload: { bead: work.beadRepository.get('mi-2') } })
    expect(plain).not.toHaveProperty('depends_on_step_ids')
  })
})

function errorOf(code: string) {
  return { code }
}
