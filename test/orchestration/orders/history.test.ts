import { expect, test } from 'bun:test'
import type { City } from '../../../src/city/city.ts'
import { human } from '../../../src/http/guard.ts'
import { RUN_LABEL, TRACKING_LABEL } from '../../../src/orchestration/orders/dispatch/labels.ts'
import { OrderRuns } from '../../../src/orchestration/orders/dispatch/order-runs.ts'
import { instantiations } from '../../../src/orchestration/runs/instantiate/table.ts'
import type { BeadCreateInputBody } from '../../../src/work/beads/schema.ts'
import { scriptedTown } from '../../support/city.ts'

const RIG = '[[rigs]]\nname = "shop"\npath = "shop"\n'
const SCOPE = { scope_kind: 'city', scope_ref: 'mill' }

/** A run of an order that began at a moment, and how it ended. */
async function ran(city: City, scopedName: string, createdAt: number, end?: Partial<Parameters<OrderRuns['end']>[2]>) {
  const runs = new OrderRuns(city.store)
  const [name = '', rig = ''] = scopedName.split(':rig:')
  const kind = name === 'build' ? 'formula' : 'exec'
  return city.store.write(
    (tx) => {
      const labels = [`${RUN_LABEL}${scopedName}`, TRACKING_LABEL]
      const { id } = city.beadRepository.add(tx, { title: `order:${scopedName}`, rig, noHistory: true, labels })
      const draft = { trackingId: id, scopedName, rig, kind, cause: 'manual', vars: {}, seq: null } as const
      runs.add(tx, { ...draft, createdAt, timeoutMs: 1000 })
      if (end) {
        const output = { stdout: 'out', stderr: 'bad', truncated: false }
        runs.end(tx, id, { endedAt: createdAt + 250, outcome: 'success', ...end }, kind === 'exec' ? output : undefined)
      }
      return id
    },
    { kind: 'gc', name: 'test' },
  )
}

test('the runs of an order are listed latest first, page by page, with how each ended', async () => {
  await using town = scriptedTown(RIG)
  const city = await town.open()
  const start = Date.parse('2026-03-01T10:00:00.500Z')
  const ids: string[] = []
  for (const minute of [0, 1, 2]) ids.push(await ran(city, 'tidy', start + minute * 60_000, { exitCode: 0 }))
  const failed = await ran(city, 'tidy:rig:shop', start, { outcome: 'failed', exitCode: 7, error: 'exit status 7' })
  const live = await ran(city, 'tidy', start + 180_000)
  const list = (query: { limit?: number; before?: string } = {}) =>
    city.orderHistory.list({ scoped_name: 'tidy', ...query }).entries ?? []
  expect(list().map(({ bead_id }) => bead_id)).toEqual([live, ...ids.toReversed()])
  const [first, second] = list({ limit: 2 })
  expect(first).toEqual({
    ...{ bead_id: live, store_ref: 'city:mill', name: 'tidy', scoped_name: 'tidy' },
    ...{ created_at: '2026-03-01T10:03:00.500Z', labels: ['order-run:tidy', 'order-tracking'] },
    ...{ capture_output: true, has_output: false },
  })
  expect(second).toMatchObject({ has_output: true, duration_ms: '250', exit_code: '0' })
  const rest = list({ before: second?.created_at ?? '' })
  expect(rest.map(({ bead_id }) => bead_id)).toEqual([ids[1], ids[0]].map(String))
  expect(list({ before: '2026-03-01T11:01:00+01:00' }).map(({ bead_id }) => bead_id)).toEqual([String(ids[0])])
  expect(city.orderHistory.list({ scoped_name: 'tidy:rig:shop' }).entries).toEqual([
    {
      ...{ bead_id: failed, store_ref: 'rig:shop', name: 'tidy', scoped_name: 'tidy:rig:shop', rig: 'shop' },
      ...{ created_at: '2026-03-01T10:00:00.500Z', labels: ['order-run:tidy:rig:shop', 'order-tracking'] },
      ...{ capture_output: true, has_output: true, duration_ms: '250', exit_code: '7', error: 'exit status 7' },
    },
  ])
  expect(city.orderHistory.page({ limit: 2 }).entries.map(({ bead_id }) => bead_id)).toEqual([live, String(ids[2])])
})

test('runs that began in the same millisecond are all listed, whatever the pages', async () => {
  await using town = scriptedTown(RIG)
  const { orderHistory, ...city } = await openWithTies(town)
  const idsOf = (entries: { bead_id: string }[] | null) => (entries ?? []).map(({ bead_id }) => bead_id)
  for (const limit of [1, 2, 3, 4]) {
    const listed: string[] = []
    for (let before: string | undefined; ; ) {
      const { entries } = orderHistory.list({ scoped_name: 'tidy', limit, ...(before && { before }) })
      listed.push(...idsOf(entries))
      before = entries?.at(-1)?.created_at
      if (before === undefined) break
    }
    expect(listed.toSorted()).toEqual(city.ofOrder.toSorted())
    for (const scoped_name of ['tidy', undefined]) {
      const paged: string[] = []
      for (let cursor: string | undefined; ; ) {
        const page = orderHistory.page({ limit, ...(scoped_name && { scoped_name }), ...(cursor && { cursor }) })
        expect(page.entries.length).toBeLessThanOrEqual(limit)
        paged.push(...idsOf(page.entries))
        cursor = page.next_cursor
        if (cursor === undefined) break
      }
      expect(paged.toSorted()).toEqual((scoped_name ? city.ofOrder : city.all).toSorted())
    }
  }
  expect(() => orderHistory.page({ cursor: '2026-03-01T10:00:00Z' })).toThrow('the cursor is not one of this list')
})

test('beads that another program labelled as runs are among the runs of gc, page by page, and none is listed twice', async () => {
  await using town = scriptedTown(RIG)
  const city = await town.open()
  const [ofTidy, ofAll]: [string[], string[]] = [[], []]
  const add = async (label: string, draft: Partial<BeadCreateInputBody> = {}) => {
    const { id } = await city.beads.create(human, { title: 'a run', labels: [label], ...draft })
    if (label === 'order-run:tidy') ofTidy.unshift(id)
    ofAll.unshift(id)
    return id
  }
  for (const [at, who] of ['gc', 'gc', 'other', 'other', 'gc', 'other', 'gc', 'gc', 'other'].entries()) {
    if (at !== 3) await town.clock.advance(60_000)
    if (who === 'other') {
      const id = await add('order-run:tidy')
      if (at > 3) await city.beads.close(human, id)
      continue
    }
    const root = at === 4 ? await city.beads.create(human, { title: 'a root', labels: ['order-run:tidy'] }) : undefined
    const id = await ran(city, 'tidy', town.clock.now(), { rootId: root?.id ?? null })
    for (const list of [ofTidy, ofAll]) list.unshift(id)
  }
  await town.clock.advance(60_000)
  await add('order-run:sweep')
  const { id: growing } = await city.beads.create(human, { title: 'a graph', labels: ['order-run:tidy'] })
  const graph = { rootId: growing, prefix: 'mi', first: 1, count: 1, state: 'writing' } as const
  await city.store.write((tx) => tx.orm.insert(instantiations).values(graph).run(), { kind: 'gc', name: 'test' })
  const pagesOf = (scoped_name: string | undefined, limit: number) => {
    const listed: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = city.orderHistory.page({ limit, ...(scoped_name && { scoped_name }), ...(cursor && { cursor }) })
      listed.push(...page.entries.map(({ bead_id }) => bead_id))
      cursor = page.next_cursor
      if (cursor === undefined) return listed
    }
  }
  for (const limit of [1, 2, 3, 20]) {
    expect(pagesOf('tidy', limit)).toEqual(ofTidy)
    expect(pagesOf(undefined, limit)).toEqual(ofAll)
  }
  const list = (query: { limit?: number; before?: string } = {}) =>
    city.orderHistory.list({ scoped_name: 'tidy', ...query }).entries?.map(({ bead_id }) => bead_id) ?? []
  expect(list()).toEqual(ofTidy)
  // The third and fourth began in one millisecond.
  expect(list({ limit: 6 })).toEqual(ofTidy.slice(0, 7))
})

test('a bead that is labelled as a run shows its order, place, end and output', async () => {
  await using town = scriptedTown(RIG)
  const city = await town.open()
  const metadata = { 'convergence.gate_stdout': 'out', 'convergence.gate_exit_code': '7' }
  const labels = ['order-run:gone:rig:shop', 'order-tracking', 'exec-failed']
  const { id } = await city.beads.create(human, { title: 'order:gone', rig: 'shop', labels, metadata })
  const entry = () => city.orderHistory.list({ scoped_name: 'gone:rig:shop' }).entries?.[0]
  const { created_at = '' } = city.beadReader.get(id)
  const shown = {
    ...{
      bead_id: id,
      store_ref: 'rig:shop',
      name: 'gone',
      scoped_name: 'gone:rig:shop',
      rig: 'shop',
      created_at,
      labels,
    },
    ...{ capture_output: true, has_output: true, exit_code: '7' },
  }
  expect(entry()).toEqual(shown)
  await town.clock.advance(1500)
  const frames = city.orderControl.follow(id, new AbortController().signal)
  expect((await frames.next()).value).toEqual({ event: 'output', data: { type: 'output', text: 'out' } })
  const ended = frames.next()
  await city.beads.close(human, id)
  expect(entry()).toEqual({ ...shown, duration_ms: '1500' })
  expect((await ended).value).toEqual({
    event: 'ended',
    data: { type: 'ended', run: { ...shown, duration_ms: '1500' } },
  })
  expect((await frames.next()).done).toBe(true)
  const again = await Array.fromAsync(city.orderControl.follow(id, new AbortController().signal))
  expect(again.map(({ event }) => event)).toEqual(['output', 'ended'])
  expect(() => city.orderControl.follow('mi-99', AbortSignal.abort())).toThrow('no run of an order has the bead')
  expect(city.orderHistory.detail(id, {})).toMatchObject({ store_ref: 'rig:shop', output: 'out' })
})

/** A city with runs of two orders, most of which began in the same two milliseconds. */
async function openWithTies(town: ReturnType<typeof scriptedTown>) {
  const city = await town.open()
  const ofOrder: string[] = []
  for (const moment of [1000, 2000, 2000, 2000, 3000, 3000]) ofOrder.push(await ran(city, 'tidy', moment))
  const others = [await ran(city, 'sweep', 2000), await ran(city, 'tidy:rig:shop', 3000)]
  return { orderHistory: city.orderHistory, ofOrder, all: [...ofOrder, ...others] }
}

test('a run is shown with what it printed, then what it printed as errors', async () => {
  await using town = scriptedTown(RIG)
  const city = await town.open()
  const over = await ran(city, 'tidy:rig:shop', 1000, { exitCode: 0 })
  expect(city.orderHistory.detail(over, { store_ref: 'rig:shop' })).toMatchObject({
    ...{ bead_id: over, store_ref: 'rig:shop', created_at: '1970-01-01T00:00:01.000Z', output: 'out\nbad' },
  })
  const live = await ran(city, 'tidy', 2000)
  expect(city.orderHistory.detail(live, {})).toMatchObject({ store_ref: 'city:mill', output: '' })
  const root = await city.beads.create(human, { title: 'made of a formula', labels: ['order-run:build'] })
  expect(city.orderHistory.detail(root.id, {})).toMatchObject({ labels: ['order-run:build'], output: '' })
  const bead = await city.beads.create(human, { title: 'oil' })
  expect(() => city.orderHistory.detail(bead.id, {})).toThrow('no run of an order has the bead')
})

test('the feed shows runs that continue, then failed ones, then the others, and each made of a formula once', async () => {
  await using town = scriptedTown(RIG)
  const city = await town.open()
  const done = await ran(city, 'tidy', 1000, { exitCode: 0 })
  const failed = await ran(city, 'tidy:rig:shop', 2000, { outcome: 'failed' })
  const live = await ran(city, 'tidy', 500)
  const starting = await ran(city, 'build', 400)
  const root = await city.beads.create(human, { title: 'Build it' })
  await ran(city, 'build', 3000, { rootId: root.id })
  await city.store.write(
    (tx) => {
      const run = { root: root.id, formula: 'build', contract: 'v1', origin: 'order', target: 'w' } as const
      city.runRepository.add(tx, { ...run, scope: { kind: 'city', ref: 'mill' } })
    },
    { kind: 'gc', name: 'test' },
  )
  const { items } = city.orderHistory.feed(SCOPE)
  expect(items?.map(({ id, status }) => [id, status])).toEqual([
    [`order:city:mill:${starting}`, 'active'],
    [`order:city:mill:${live}`, 'active'],
    [root.id, 'pending'],
    [`order:rig:shop:${failed}`, 'failed'],
    [`order:city:mill:${done}`, 'done'],
  ])
  expect(items?.at(-1)).toEqual({
    ...{ id: `order:city:mill:${done}`, type: 'exec', status: 'done', title: 'tidy', target: 'gc' },
    ...{ scope_kind: 'city', scope_ref: 'mill', bead_id: done, store_ref: 'city:mill', detail_available: true },
    ...{ started_at: '1970-01-01T00:00:01.000Z', updated_at: '1970-01-01T00:00:01.250Z' },
  })
  const ofRig = city.orderHistory.feed({ scope_kind: 'rig', scope_ref: 'shop' })
  expect(ofRig.items?.map(({ id }) => id)).toEqual([`order:rig:shop:${failed}`])
  expect(city.orderHistory.feed({ ...SCOPE, limit: 2 }).items).toHaveLength(2)
})
