import { describe, expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import type { BeadDraft } from '../../../src/work/beads/draft.ts'
import { human, openWork, type Work } from '../world.ts'

const ready = (work: Work): string[] => work.beads.ready().value.items.map((bead) => bead.id)
const titles = (work: Work): string[] => work.beads.ready().value.items.map((bead) => bead.title)

describe('ready work', () => {
  test('is open and not blocked, assigned or not, the most urgent first and then the oldest', async () => {
    await using work = await openWork()
    for (const draft of [
      { title: 'plain' },
      { title: 'later', priority: 3 },
      { title: 'urgent', priority: 0, rig: 'press' },
      { title: 'assigned', assignee: 'ada' },
      { title: 'normal', priority: 2 },
      { title: 'closed', status: 'closed' },
      { title: 'under way', status: 'in_progress' },
      { title: 'parked', status: 'blocked' },
    ]) {
      await work.add(draft)
      await work.clock.advance(1)
    }
    expect(titles(work)).toEqual(['urgent', 'plain', 'assigned', 'normal', 'later'])
    expect(work.beads.ready().value.total).toBe(5)
    expect(work.beads.ready().value).not.toHaveProperty('next_cursor')
  })

  test.each(['merge-request', 'gate', 'molecule', 'step', 'convoy', 'message', 'session', 'agent', 'role', 'rig'])(
    'a %s is never work',
    async (type) => {
      await using work = await openWork()
      await work.add({ title: 'x', type })
      expect(ready(work)).toEqual([])
    },
  )

  test.each(['gc:session', 'gc:order-tracking', 'order-tracking'])(
    'the label %s keeps a bead out, taken off lets it in',
    async (label) => {
      await using work = await openWork()
      const { id } = await work.add({ title: 'x', labels: ['a', label] })
      expect(ready(work)).toEqual([])
      await work.beads.update(human, id, { remove_labels: [label] })
      expect(ready(work)).toEqual([id])
    },
  )

  test('among much that was listed before is shown as it is after each write, as time passes and when that is set back', async () => {
    await using work = await openWork()
    await work.store.write((tx) => {
      for (let n = 0; n < 300; n++) work.beadRepository.add(tx, { title: 'plain', priority: 4 })
    })
    const at = (minutes: number) => work.clock.now() + minutes * 60_000
    const { id } = await work.add({ title: 'first' })
    await work.add({ title: 'soon', deferUntil: at(1) })
    await work.add({ title: 'late', deferUntil: at(3) })
    const shown = (): string[] => {
      const [once = [], ...others] = [1, 2, 3].map(() => titles(work))
      for (const again of others) expect(again).toEqual(once)
      return once.filter((title) => title !== 'plain')
    }
    expect(shown()).toEqual(['first'])
    await work.beads.update(human, id, { title: 'second' })
    expect(shown()).toEqual(['second'])
    work.clock.stop(2 * 60_000)
    expect(shown()).toEqual(['second', 'soon'])
    work.clock.stop(2 * 60_000)
    expect(shown()).toEqual(['second', 'soon', 'late'])
    work.clock.stop(-3 * 60_000)
    expect(shown()).toEqual(['second', 'soon'])
    await work.beads.close(human, id)
    expect(shown()).toEqual(['soon'])
    await work.store.write((tx) => {
      work.beadRepository.add(tx, { title: 'within' })
      expect(titles(work)).toContain('within')
    })
    expect(shown()).toContain('within')
    const failed = work.store.write((tx) => {
      work.beadRepository.add(tx, { title: 'never' })
      titles(work)
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(shown()).not.toContain('never')
  })

  test('among much is sent as the same bytes until one of the beads changes', async () => {
    await using work = await openWork()
    const description = 'x'.repeat(2000)
    await work.store.write((tx) => {
      for (let n = 0; n < 600; n++) work.beadRepository.add(tx, { title: `plain ${n}`, description })
    })
    const { id } = await work.add({ title: 'odd one' })
    const pieces = () => [...work.beads.ready().pieces()].filter((piece) => typeof piece !== 'string')
    pieces()
    const [first, again] = [pieces(), pieces()]
    expect(first.length).toBeGreaterThan(1)
    expect(again.map((piece) => piece.buffer)).toEqual(first.map((piece) => piece.buffer))
    for (const [index, { buffer }] of again.entries()) expect(buffer).toBe(first[index]?.buffer ?? new ArrayBuffer())
    await work.beads.update(human, id, { title: 'changed' })
    expect(work.beads.ready().value.items.map(({ title }) => title)).toContain('changed')
    expect(pieces()[0]?.buffer).not.toBe(first[0]?.buffer ?? new ArrayBuffer())
  })

  test('a deferred bead becomes ready when its time comes', async () => {
    await using work = await openWork()
    const { id } = await work.beads.create(human, { title: 'x', defer_until: '2026-01-05T09:01:00Z' })
    expect(ready(work)).toEqual([])
    expect(work.beads.counts().get('')).toEqual({ open: 1, in_progress: 0, ready: 0 })
    const { workload } = work
    expect(workload.nextDeferred()).toBe(Date.parse('2026-01-05T09:01:00Z'))
    await work.clock.advance(60_000)
    expect(ready(work)).toEqual([id])
    expect(work.beads.counts().get('')).toEqual({ open: 1, in_progress: 0, ready: 1 })
    expect(workload.nextDeferred()).toBeUndefined()
  })
})

describe('dependencies', () => {
  test.each(['blocks', 'waits-for', 'conditional-blocks'])(
    '%s keeps a bead back until its target is closed',
    async (type) => {
      await using work = await openWork()
      const target = await work.add({ title: 'first' })
      const bead = await work.add({ title: 'second' })
      work.recorded()
      const edge = { issue_id: bead.id, depends_on_id: target.id, type }
      expect(await work.beads.depend(human, bead.id, { depends_on_id: target.id, type })).toEqual(edge)
      expect(work.beadRepository.get(bead.id)).toMatchObject({ dependencies: [edge], is_blocked: true })
      expect(ready(work)).toEqual([target.id])
      await work.beads.close(human, target.id)
      expect(ready(work)).toEqual([bead.id])
      expect(work.beadRepository.get(bead.id).is_blocked).toBe(false)
      await work.beads.reopen(human, target.id)
      expect(ready(work)).toEqual([target.id])
      expect(work.recorded()).toEqual([
        `bead.updated ${bead.id}`,
        `bead.closed ${target.id}`,
        `bead.updated ${target.id}`,
      ])
    },
  )

  test.each(['tracks', 'relates-to', 'parent-child', 'discovered-from', 'of-our-own'])(
    '%s keeps no one back',
    async (type) => {
      await using work = await openWork()
      const target = await work.add({ title: 'first' })
      const bead = await work.add({ title: 'second', needs: [`${type}:${target.id}`] })
      expect(ready(work)).toEqual([target.id, bead.id])
      expect(bead).not.toHaveProperty('is_blocked')
    },
  )

  test('a missing target blocks, and so does one that was removed, closed or not', async () => {
    await using work = await openWork()
    const closed = await work.add({ title: 'closed', status: 'closed' })
    const dangling = await work.add({ title: 'dangling', needs: ['mi-999'] })
    const left = await work.add({ title: 'left', needs: [closed.id] })
    expect(ready(work)).toEqual([left.id])
    await work.store.write((tx) => work.beadRepository.remove(tx, closed.id))
    expect(ready(work)).toEqual([])
    await work.beads.undepend(human, dangling.id, 'mi-999')
    expect(ready(work)).toEqual([dangling.id])
  })

  test('adding an edge twice keeps one, another type replaces it, parent-child stands beside it', async () => {
    await using work = await openWork()
    const target = await work.add({ title: 'first' })
    const { id } = await work.add({ title: 'second' })
    const types = () => work.beads.dependencies(id).depends_on.map((edge) => edge.type)
    const depend = (type: string) => work.beads.depend(human, id, { depends_on_id: target.id, type })
    work.recorded()
    await depend('blocks')
    await depend('blocks')
    expect(work.recorded()).toEqual([`bead.updated ${id}`])
    await depend('parent-child')
    expect(types()).toEqual(['blocks', 'parent-child'])
    await depend('tracks')
    expect(types()).toEqual(['parent-child', 'tracks'])
    expect(ready(work)).toEqual([target.id, id])
    await work.beads.undepend(human, id, target.id, 'tracks')
    expect(types()).toEqual(['parent-child'])
    await work.beads.undepend(human, id, target.id)
    await work.beads.undepend(human, id, target.id)
    expect(types()).toEqual([])
  })

  test('a cycle, direct or indirect, is rejected, and the error shows it', async () => {
    await using work = await openWork()
    const a = await work.add({ title: 'a' })
    const b = await work.add({ title: 'b', needs: [a.id] })
    const c = await work.add({ title: 'c', needs: [`waits-for:${b.id}`] })
    work.recorded()
    await expect(work.beads.depend(human, a.id, { depends_on_id: a.id })).rejects.toMatchObject({
      code: 'invalid-request',
    })
    await expect(work.beads.depend(human, a.id, { depends_on_id: c.id })).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('mi-1 → mi-3 → mi-2 → mi-1'),
    })
    await work.beads.depend(human, a.id, { depends_on_id: c.id, type: 'relates-to' })
    await expect(work.beads.depend(human, a.id, { depends_on_id: 'mi-9' })).rejects.toMatchObject({
      code: 'bead-not-found',
    })
    await expect(work.beads.depend(human, 'mi-9', { depends_on_id: a.id })).rejects.toMatchObject({
      code: 'bead-not-found',
    })
    expect(work.recorded()).toEqual([`bead.updated ${a.id}`])
  })

  test('dependencies are shown in both directions, with the beads at their other ends', async () => {
    await using work = await openWork()
    const a = await work.add({ title: 'a' })
    const b = await work.add({ title: 'b', needs: [a.id, 'mi-99'] })
    expect(work.beads.dependencies(a.id)).toEqual({
      depends_on: [],
      dependents: [{ id: b.id, type: 'blocks', bead: work.beadRepository.get(b.id) }],
    })
    expect(work.beads.dependencies(b.id).depends_on).toEqual([
      { id: a.id, type: 'blocks', bead: work.beadRepository.get(a.id) },
      { id: 'mi-99', type: 'blocks' },
    ])
  })
})

describe('counters', () => {
  test('after any changes, ready work and counts equal a recount', async () => {
    await using work = await openWork()
    let state = 7
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * below)
    }
    const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T
    const ids = ['mi-404']
    const draft = (): BeadDraft => ({
      title: 'x',
      type: pick(['task', 'bug', 'message', 'convoy']),
      rig: pick(['', 'press']),
      status: pick(['open', 'open', 'in_progress', 'closed']),
      labels: pick([[], ['a'], ['a', 'gc:session']]),
      needs: random(2) ? [`${pick(['blocks', 'tracks', 'waits-for'])}:${pick(ids)}`] : [],
      metadata: pick<Record<string, string>>([{}, { 'gc.routed_to': 'press/hand' }]),
      assignee: pick(['', 'ada']),
    })
    for (let step = 0; step < 500; step++) {
      await work.store.write((tx) => {
        const id = pick(ids)
        const action = random(7)
        if (action < 3 || !work.beadRepository.find(id)) return void ids.push(work.beadRepository.add(tx, draft()).id)
        if (action === 3)
          return void work.beadRepository.change(tx, id, { status: pick(['open', 'in_progress', 'closed']) })
        if (action === 4)
          return void work.beadRepository.change(tx, id, {
            type: pick(['task', 'message']),
            labels: ['a'],
            removeLabels: ['gc:session'],
            assignee: pick(['', 'ada', 'bob']),
          })
        if (action === 5 && random(4) === 0) return work.beadRepository.remove(tx, id)
        const target = pick(ids)
        if (target < id) work.beadRepository.depend(tx, id, [target], pick(['tracks', 'parent-child']))
      })
    }
    const all = work.beads.list({ all: true, limit: 1000 }).value.items
    const closed = new Set(all.filter((bead) => bead.status === 'closed').map((bead) => bead.id))
    const gates = ['blocks', 'waits-for', 'conditional-blocks']
    const expected = all.filter(
      (bead) =>
        bead.status === 'open' &&
        !['message', 'convoy'].includes(bead.issue_type) &&
        !bead.labels?.includes('gc:session') &&
        (bead.dependencies ?? []).every((edge) => !gates.includes(edge.type) || closed.has(edge.depends_on_id)),
    )
    expect(expected.length).toBeGreaterThan(20)
    expect(new Set(ready(work))).toEqual(new Set(expected.map((bead) => bead.id)))
    const counted = all.filter((bead) => !['message', 'convoy'].includes(bead.issue_type))
    for (const [rig, count] of work.beads.counts()) {
      const own = counted.filter((bead) => work.beadRepository.rigOf(bead.id) === rig)
      expect(count).toEqual({
        open: own.filter((bead) => bead.status === 'open').length,
        in_progress: own.filter((bead) => bead.status === 'in_progress').length,
        ready: expected.filter((bead) => work.beadRepository.rigOf(bead.id) === rig).length,
      })
    }
    const routed = expected.filter((bead) => !bead.assignee && bead.metadata?.['gc.routed_to'])
    const { workload } = work
    expect(new Set(workload.unassignedFor('press/hand'))).toEqual(new Set(routed.map(({ id }) => id)))
    const held = workload.assignedTo(['ada']).filter(({ status }) => status === 'open')
    expect(new Set(held.map(({ id }) => id))).toEqual(
      new Set(expected.filter((bead) => bead.assignee === 'ada').map(({ id }) => id)),
    )
    for (const label of ['', 'a', 'gc:session'])
      for (const assignee of ['', 'ada', 'bob'])
        for (const type of ['', 'task', 'message'])
          for (const rig of ['', 'mill', 'press'])
            for (const status of ['', 'open', 'in_progress', 'closed']) {
              const some = all.filter(
                (bead) =>
                  (label === '' || bead.labels?.includes(label)) &&
                  (assignee === '' || bead.assignee === assignee) &&
                  (type === '' || bead.issue_type === type) &&
                  (rig === '' || work.beadRepository.rigOf(bead.id) === (rig === 'mill' ? '' : rig)) &&
                  (status === '' || bead.status === status),
              )
              const query = { all: true, label, assignee, type, rig, status }
              expect([query, work.beads.list(query).value.total]).toEqual([query, some.length])
            }
    await work.store.write((tx) => {
      for (const bead of all) work.beadRepository.remove(tx, bead.id)
    })
    for (const table of ['bead_labels', 'bead_label_counts', 'bead_assignee_counts'])
      expect([table, work.store.all(query<unknown>(`SELECT * FROM ${table}`))]).toEqual([table, []])
  })
})
