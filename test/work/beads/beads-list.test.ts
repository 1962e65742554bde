import { describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { cityMigrations } from '../../../src/city/database/migrations.ts'
import { command } from '../../../src/core/store/index.ts'
import { Store } from '../../../src/core/store/store.ts'
import {
  closedCountQuery,
  countQuery,
  horizonQueries,
  type ListFilter,
  leadingTerms,
  pageQuery,
} from '../../../src/work/beads/list-query.ts'
import { human, openWork, plan, type Work, workTown } from '../world.ts'

describe('list', () => {
  test('closed beads are left out unless requested', async () => {
    await using work = await openWork()
    const open = await work.add({ title: 'open' })
    const closed = await work.add({ title: 'closed', status: 'closed' })
    const going = await work.add({ title: 'going', status: 'in_progress' })
    const ids = (query: Parameters<typeof work.beads.list>[0]) => {
      const { items, total } = work.beads.list(query).value
      expect(total).toBe(items.length)
      return items.map((bead) => bead.id)
    }
    expect(ids({})).toEqual([going.id, open.id])
    expect(ids({ all: true })).toEqual([going.id, closed.id, open.id])
    expect(ids({ status: 'closed' })).toEqual([closed.id])
    expect(ids({ status: 'open', all: true })).toEqual([open.id])
    expect(ids({ status: 'in_progress' })).toEqual([going.id])
    expect(ids({ status: '', type: '', label: '', assignee: '', rig: '' })).toEqual([going.id, open.id])
  })

  test('filters are exact and all must match; the name of the city selects the beads of no rig', async () => {
    await using work = await openWork()
    const a = await work.add({ title: 'a', type: 'bug', labels: ['x', 'y'], assignee: 'ada' })
    const b = await work.add({ title: 'b', type: 'bug', labels: ['x'], rig: 'press' })
    const c = await work.add({ title: 'c', type: 'bug', labels: ['x'], assignee: 'ada', status: 'closed' })
    const list = (query: Parameters<typeof work.beads.list>[0]) => {
      const { items, total } = work.beads.list(query).value
      expect(total).toBe(items.length)
      return items.map((bead) => bead.id)
    }
    expect(list({ label: 'x' })).toEqual(
      [a.id, b.id]
        .sort()
        .reverse()
        .sort((m, n) => (m < n ? 1 : -1)),
    )
    expect(list({ label: 'y' })).toEqual([a.id])
    expect(list({ label: 'x', assignee: 'ada' })).toEqual([a.id])
    expect(list({ label: 'x', assignee: 'ada', all: true })).toEqual([c.id, a.id])
    expect(list({ type: 'bug', rig: 'press' })).toEqual([b.id])
    expect(list({ rig: 'mill' })).toEqual([a.id])
    expect(list({ rig: 'nowhere' })).toEqual([])
    expect(list({ type: 'bu' })).toEqual([])
    expect(list({ assignee: 'ada' })).toEqual([a.id])
  })

  test.each<ListFilter & { all?: boolean }>([{}, { all: true }, { label: 'x', all: true }, { type: 'bug', all: true }])(
    'a walk by cursor shows every bead once while others are added: %o',
    async (query) => {
      await using work = await openWork()
      for (let n = 0; n < 25; n++) {
        await work.add({ title: `${n}`, type: 'bug', labels: ['x'], status: n % 3 || !query.all ? 'open' : 'closed' })
        if (n % 4 === 0) await work.clock.advance(1)
      }
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = work.beads.list({ ...query, limit: 7, cursor }).value
        expect(page.total).toBe(25 + Math.ceil(seen.length / 7))
        seen.push(...page.items.map((bead) => bead.id))
        await work.clock.advance(1)
        await work.add({ title: 'new', type: 'bug', labels: ['x'] })
        cursor = page.next_cursor
      } while (cursor)
      expect(seen).toHaveLength(25)
      expect(new Set(seen).size).toBe(25)
    },
  )

  test.each([
    ['garbage'],
    ['v1:!!!'],
    [`v1:${Buffer.from('{"k":"sq","s":4}').toString('base64url')}`],
    [`v1:${Buffer.from('{"k":"cb","ca":"2026-01-01T00:00:00Z"}').toString('base64url')}`],
    [`v1:${Buffer.from('[1]').toString('base64url')}`],
    ['20'],
  ])('the cursor %s is rejected', async (cursor) => {
    await using work = await openWork()
    expect(() => work.beads.list({ cursor })).toThrow('ask for the first page again')
  })
})

describe('a list by several terms that each match many closed beads', () => {
  /** Puts closed beads into the city, the oldest first: some of each kind, with times of their own. */
  async function fill(
    store: Store,
    kinds: readonly { count: number; type: string; labels: string; assignee: string }[],
  ): Promise<void> {
    const insert = command<[number, string, string, string]>(
      `INSERT INTO beads (id, rig, title, status, type, assignee, sender, ref, description, labels, metadata, ephemeral,
         no_history, created_at, updated_at, workable)
       VALUES ('old-' || ?1, '', 'a', 'closed', ?2, ?3, '', '', '', ?4, '{}', 0, 0, ?1, 0, 1)`,
    )
    let n = 1
    await store.write((tx) => {
      for (const { count, type, assignee, labels } of kinds)
        for (const end = n + count; n < end; n++) tx.run(insert, n, type, assignee, labels)
    })
  }

  const KINDS = [
    { count: 2, type: 'bug', labels: '["x"]', assignee: 'ada' },
    { count: 2500, type: 'task', labels: '["x"]', assignee: 'bob' },
    { count: 2500, type: 'bug', labels: '["y"]', assignee: 'ada' },
    { count: 1, type: 'bug', labels: '["x","z"]', assignee: 'ada' },
  ]

  /** Every page of a list: what is on it, and whether there is another. */
  function pages(work: Work, query: Parameters<typeof work.beads.list>[0]): string[][] {
    const listed: string[][] = []
    let cursor: string | undefined
    do {
      const page = work.beads.list({ all: true, ...query, cursor }).value
      expect(page.total).toBe(3)
      listed.push(page.items.map(({ id }) => id))
      cursor = page.next_cursor
    } while (cursor)
    return listed
  }

  test('scans a limited number at a time, and returns a cursor to continue from', async () => {
    await using work = await openWork()
    await fill(work.store, KINDS)
    for (const query of [
      { label: 'x', type: 'bug' },
      { label: 'x', assignee: 'ada' },
      { label: 'x', type: 'bug', assignee: 'ada' },
    ])
      expect(pages(work, query)).toEqual([['old-5003'], ['old-2', 'old-1']])
    expect(pages(work, { label: 'x', type: 'bug', limit: 1 })).toEqual([['old-5003'], ['old-2'], ['old-1']])
  })

  test('finds closed beads by the term that the fewest match', async () => {
    await using work = await openWork()
    await fill(work.store, KINDS)
    const list = (query: Parameters<typeof work.beads.list>[0]) => {
      const { items, total, next_cursor } = work.beads.list({ all: true, ...query }).value
      return [items.map(({ id }) => id), total, next_cursor]
    }
    expect(list({ label: 'z', type: 'bug' })).toEqual([['old-5003'], 1, undefined])
    await work.add({ title: 'rare', type: 'epic', labels: ['x'], status: 'closed' })
    expect(list({ label: 'x', type: 'epic' })).toEqual([['mi-1'], 1, undefined])
  })
})

/** The migrations of the first city that counted what has a label, or a name on it, only when it was asked. */
const BEFORE = 21

test('a city from before labels and assignees were counted has the same totals', async () => {
  await using town = workTown()
  mkdirSync(town.folder.at('city', '.gc'))
  const store = Store.open(town.folder.at('city', '.gc', 'city.db'), cityMigrations.slice(0, BEFORE))
  const insert = command<[string, string, string, string, string, string]>(
    `INSERT INTO beads (id, rig, title, status, type, assignee, sender, ref, description, labels, metadata, ephemeral,
       no_history, created_at, updated_at, workable)
     VALUES (?, ?, 'a', ?, ?, ?, '', '', '', ?, '{}', 0, 0, 0, 0, 1)`,
  )
  await store.write((tx) => {
    tx.run(insert, 'mi-1', '', 'open', 'bug', 'ada', '["x","y"]')
    tx.run(insert, 'mi-2', '', 'closed', 'bug', 'ada', '["x"]')
    tx.run(insert, 'pr-1', 'press', 'closed', 'task', '', '["x"]')
    tx.run(insert, 'pr-2', 'press', 'open', 'task', '', '[]')
  })
  await store.close()
  await using work = await openWork({ town })
  const total = (query: Parameters<typeof work.beads.list>[0]) => work.beads.list({ all: true, ...query }).value.total
  expect([total({ label: 'x' }), total({ label: 'y' }), total({ label: 'x', all: false })]).toEqual([3, 1, 1])
  expect([total({ label: 'x', rig: 'press' }), total({ label: 'x', type: 'bug', status: 'closed' })]).toEqual([1, 1])
  expect([total({ assignee: 'ada' }), total({ assignee: 'ada', status: 'open' })]).toEqual([2, 1])
  await work.beads.close(human, 'mi-1')
  expect([total({ label: 'x', status: 'closed' }), total({ assignee: 'ada', status: 'closed' })]).toEqual([3, 2])
  expect(work.recorded()).toEqual(['bead.closed mi-1'])
})

describe('deps', () => {
  test('are the open children, oldest first, then the molecule and workflow the bead names', async () => {
    await using work = await openWork()
    const molecule = await work.add({ title: 'm', status: 'closed' })
    const root = await work.add({ title: 'root', metadata: { molecule_id: molecule.id, workflow_id: 'mi-99' } })
    const first = await work.add({ title: 'first', parent: root.id })
    await work.add({ title: 'closed', parent: root.id, status: 'closed' })
    await work.clock.advance(1)
    const second = await work.add({ title: 'second', parent: root.id })
    expect(work.beads.deps(root.id).value.children.map((bead) => bead.id)).toEqual([first.id, second.id, molecule.id])
    expect(work.beads.deps(second.id).value).toEqual({ children: [] })
    expect(() => work.beads.deps('mi-99')).toThrow('does not exist')
  })
})

describe('graph', () => {
  test('a root comes with its steps, their children and the edges among them, closed ones as well', async () => {
    await using work = await openWork()
    const root = await work.add({ title: 'root' })
    const outside = await work.add({ title: 'outside' })
    const plan = await work.add({ title: 'plan', metadata: { 'gc.root_bead_id': root.id }, status: 'closed' })
    const build = await work.add({
      title: 'build',
      metadata: { 'gc.root_bead_id': root.id },
      needs: [plan.id, outside.id],
    })
    const part = await work.add({ title: 'part', parent: build.id })
    const graph = work.beads.graph(root.id).value
    expect(graph.root.id).toBe(root.id)
    expect(graph.beads.map((bead) => bead.id)).toEqual([root.id, plan.id, build.id, part.id])
    expect(graph.membership).toBe('direct-root-id+parent-closure')
    expect(graph.deps).toEqual([
      { from: plan.id, to: build.id, kind: 'blocks' },
      { from: build.id, to: part.id, kind: 'parent-child' },
    ])
    expect(() => work.beads.graph('mi-99')).toThrow('does not exist')
  })

  test('a convoy comes with its members', async () => {
    await using work = await openWork()
    const item = await work.add({ title: 'item', rig: 'press' })
    const child = await work.add({ title: 'child', parent: item.id })
    const convoy = await work.add({ title: 'convoy', type: 'convoy', needs: [`tracks:${item.id}`] })
    const graph = work.beads.graph(convoy.id).value
    expect(graph.beads.map((bead) => bead.id).sort()).toEqual([child.id, convoy.id, item.id].sort())
    expect(graph.membership).toBe('direct-root-id+parent-closure+convoy-members')
    expect(graph.deps).toContainEqual({ from: item.id, to: convoy.id, kind: 'tracks' })
  })
})

describe('plans', () => {
  const filters: ListFilter[] = []
  for (const status of [undefined, 'open', 'closed', 'in_progress'])
    for (const closed of [undefined, false])
      for (const type of [undefined, 'bug'])
        for (const label of [undefined, 'x'])
          for (const rig of [undefined, 'press'])
            for (const assignees of [undefined, ['ada', 'mi-7']])
              filters.push({ status, closed, type, label, rig, assignees })

  test('no form of the list scans or sorts all beads, whichever term leads', async () => {
    await using work = await openWork()
    const after = { createdAt: '2026-01-01T00:00:00Z', id: 'mi-1' }
    const planned = (sql: string) => plan(work.store, sql).filter((step) => /SCAN|TEMP B-TREE/.test(step))
    for (const filter of filters) {
      for (const lead of [leadingTerms(filter)[0], ...leadingTerms(filter).slice(1)])
        for (const stretch of [{}, { after }, { until: after }, { after, until: after }])
          expect(planned(pageQuery(filter, lead, stretch, 10).sql)).toEqual([])
      for (const lead of leadingTerms(filter)) {
        for (const { sql } of horizonQueries(filter, lead, after, 10)) {
          expect(planned(sql)).toEqual([])
          expect(plan(work.store, sql)).toHaveLength(1)
        }
        expect(planned(closedCountQuery(filter, lead).sql).filter((step) => !step.includes('bead_counts'))).toEqual([])
      }
      expect(planned(countQuery(filter).sql).filter((step) => !step.includes('bead_counts'))).toEqual([])
    }
  })

  test('closed beads are counted by counters', async () => {
    await using work = await openWork()
    const counter = /^(SCAN|SEARCH) bead_(label_|assignee_)?counts\b/
    for (const filter of filters) {
      const { sql } = countQuery(filter)
      if (plan(work.store, sql).every((step) => counter.test(step))) continue
      expect([filter, sql.includes('closed = 1')]).toEqual([filter, false])
    }
  })
})
