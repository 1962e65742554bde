import { describe, expect, test } from 'bun:test'
import { OperationCoverage } from '../support/coverage.ts'
import type { TestCity } from '../support/world.ts'
import { bead, declare, errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(
  ({ path }) =>
    /\/beads?(\/|$)/.test(path) &&
    !/\/(claim|heartbeat|release|import|export|comments|count|history|search|bulk|runs|default-target)$/.test(path),
)
const openTown = towns(coverage)
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** The types of the recorded events, with their subjects. */
const recordedBy = async (city: TestCity, work: () => Promise<unknown>): Promise<string[]> => {
  const seq = await city.head()
  await work()
  return (await city.recorded(seq)).map(({ type, subject }) => `${type} ${subject}`)
}

/** The types of the events recorded for a bead after `seq`. */
const typesOf = async (city: TestCity, id: string, seq: number): Promise<string[]> =>
  (await city.recorded(seq)).flatMap(({ type, subject }) => (subject === id ? [type] : []))

async function withRig() {
  const town = await openTown()
  const path = town.world.rigFolder(`${town.city.name}-web`)
  await town.city.call('POST ~/rigs', { body: { name: 'web', path, prefix: 'we' } })
  return town
}

describe('creating a bead', () => {
  test('stores every given field, records one event and returns its id', async () => {
    await using town = await withRig()
    const { city } = town
    const epic = await bead(city, 'Everything', { type: 'epic' })
    const seq = await city.head()
    const body = {
      title: 'Say “héllo” \u0000 🎉 <b>',
      rig: 'web',
      type: 'bug',
      priority: 1,
      description: 'line one\nline two',
      labels: ['b', 'a', 'b'],
      parent: epic,
      metadata: { colour: 'green', 'odd key/%': '' },
      defer_until: '2031-01-01T00:00:00Z',
      assignee: '',
    }
    const created = await city.call('POST ~/beads', { body })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: 'we-1',
      title: body.title,
      status: 'open',
      issue_type: 'bug',
      priority: 1,
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      description: body.description,
      labels: ['b', 'a'],
      parent: epic,
      metadata: body.metadata,
      defer_until: '2031-01-01T00:00:00.000Z',
    })
    const [recorded, ...more] = await city.recorded(seq)
    expect(more).toEqual([])
    expect(recorded).toMatchObject({ type: 'bead.created', subject: 'we-1', payload: { bead: created.body } })
    expect(created.headers.get('x-gc-index')).toBe(String(recorded?.seq))
    expect((await city.call('GET ~/bead/we-1')).body).toEqual(created.body)
  })

  test('with a repeated Idempotency-Key creates one bead, and rejects the key with a different body', async () => {
    await using town = await openTown()
    const { city } = town
    const create = (title: string) =>
      city.call('POST ~/beads', { body: { title }, headers: { 'Idempotency-Key': 'once' } })
    const [first, second] = [await create('one'), await create('one')]
    expect(second.body).toEqual(first.body)
    const other = await create('two')
    expect([other.status, other.body.code]).toEqual([422, 'idempotency-mismatch'])
    expect((await city.call('GET ~/beads')).body.total).toBe(1)
  })

  test('with a repeated Idempotency-Key knows 0, false and nothing as different bodies', async () => {
    await using town = await openTown()
    const { city } = town
    const ask = async (operation: string, key: string, body: unknown) =>
      (await city.call(operation, { body, headers: { 'Idempotency-Key': key } })).status
    const create = (key: string, more: object) => ask('POST ~/beads', key, { title: 'one', ...more })
    expect([await create('n', { priority: 0 }), await create('n', {}), await create('n', { priority: 0 })]).toEqual([
      201, 422, 201,
    ])
    expect([await create('a', {}), await create('a', { priority: 0 })]).toEqual([201, 422])
    await declare(city, 'clerk', {}, { max_active_sessions: 0 })
    const sling = (key: string, more: object) =>
      ask('POST ~/sling/text', key, { target: 'clerk', title: 'one', ...more })
    expect([await sling('f', { owned: false }), await sling('f', {}), await sling('f', { owned: false })]).toEqual([
      200, 422, 200,
    ])
    expect([await sling('b', {}), await sling('b', { owned: false }), await sling('b', {})]).toEqual([200, 422, 200])
  })

  test('requires its rig, its parent and its session to exist', async () => {
    await using town = await withRig()
    const { city } = town
    const create = (body: object) => errorOf(city, 'POST ~/beads', { body: { title: 'x', ...body } })
    expect(await create({ rig: 'nowhere' })).toStartWith('400 invalid-request: ')
    expect(await create({ assignee: 'nobody' })).toStartWith('400 invalid-request: ')
    expect(await create({ defer_until: 'soon' })).toStartWith('422 validation-failed: ')
    expect(await create({ type: ' ' })).toStartWith('422 validation-failed: ')
    expect(await create({ priority: 1.5 })).toStartWith('422 validation-failed: ')
    expect(await create({ title: '' })).toStartWith('422 validation-failed: ')
    expect((await city.call('GET ~/beads?all=true')).body.total).toBe(0)
  })

  test('accepts values up to the limits, and not a byte more', async () => {
    await using town = await openTown()
    const { city } = town
    const KB = 1024
    const bounds = {
      title: (n: number) => ({ title: 't'.repeat(n) }),
      description: (n: number) => ({ description: 'é'.repeat(Math.floor(n / 2)) + 'x'.repeat(n % 2) }),
      labels: (n: number) => ({ labels: ['l'.repeat(n)] }),
      metadata: (n: number) => ({ metadata: { k: 'v'.repeat(n - '{"k":""}'.length) } }),
    }
    const most = { title: KB, description: 256 * KB, labels: 256, metadata: 64 * KB }
    for (const [field, make] of Object.entries(bounds)) {
      const bound = most[field as keyof typeof most]
      const fits = await city.call('POST ~/beads', { body: { title: 'x', ...make(bound) } })
      expect([field, fits.status]).toEqual([field, 201])
      const beyond = { ...make(bound + 1) }
      for (const operation of ['POST ~/beads', `PATCH ~/bead/${fits.body.id}`]) {
        const body = operation.startsWith('POST') ? { title: 'x', ...beyond } : beyond
        const error = await errorOf(city, operation, { body })
        expect(error).toStartWith('422 validation-failed: ')
        expect(error).toMatch(new RegExp(`${field} is too long: at most (1 KB|256 KB|64 KB|256 bytes)`))
      }
    }
    expect((await city.call('GET ~/beads')).body.total).toBe(4)
  })
})

describe('changing a bead', () => {
  test('changes the named fields, at either address, and records closing as a separate event', async () => {
    await using town = await openTown()
    const { city } = town
    const [id, epic] = [await bead(city, 'a'), await bead(city, 'b')]
    const change = { title: 'A', type: 'bug', priority: 0, labels: ['x', 'y'], metadata: { k: 'v' }, description: 'd' }
    expect(
      await recordedBy(city, () =>
        city.call(`PATCH ~/bead/${id}`, { body: { ...change, parent: epic, status: 'blocked' } }),
      ),
    ).toEqual([`bead.updated ${id}`])
    const more = { remove_labels: ['x'], metadata: { l: 'w' }, parent: null, status: 'open' }
    const updated = await city.call(`POST ~/bead/${id}/update`, { body: more })
    expect(updated.body).toEqual({ status: 'updated' })
    expect((await city.call(`GET ~/bead/${id}`)).body).toEqual({
      id,
      title: 'A',
      status: 'open',
      issue_type: 'bug',
      priority: 0,
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      labels: ['y'],
      metadata: { k: 'v', l: 'w' },
      description: 'd',
    })
    const nothing = () => city.call(`PATCH ~/bead/${id}`, { body: { title: 'A' } })
    expect(await recordedBy(city, nothing)).toEqual([])
    const closing = () => city.call(`PATCH ~/bead/${id}`, { body: { status: 'closed', title: 'Z' } })
    expect(await recordedBy(city, closing)).toEqual([`bead.updated ${id}`, `bead.closed ${id}`])
  })

  test('reports the result of closing, closing again, reopening and deleting', async () => {
    await using town = await openTown()
    const { city } = town
    const id = await bead(city, 'a')
    const act = (operation: string) => recordedBy(city, () => city.call(operation))
    expect(await errorOf(city, `POST ~/bead/${id}/reopen`)).toStartWith('409 conflict-wrong-state: ')
    expect(await act(`POST ~/bead/${id}/close`)).toEqual([`bead.closed ${id}`])
    expect(await act(`POST ~/bead/${id}/close`)).toEqual([])
    expect(await act(`POST ~/bead/${id}/reopen`)).toEqual([`bead.updated ${id}`])
    expect(await act(`DELETE ~/bead/${id}`)).toEqual([`bead.closed ${id}`])
    expect((await city.call(`GET ~/bead/${id}`)).body.status).toBe('closed')
  })

  test('reports what burning a molecule removed and closed, and burns no convoy', async () => {
    await using town = await openTown()
    const { city } = town
    const [work, fleet] = [await bead(city, 'work'), await bead(city, 'fleet', { type: 'convoy' })]
    const beads = [{ title: 'wisp', ephemeral: true, parent: work }]
    const { body } = await city.call('POST ~/beads/bulk', { body: { beads } })
    const [{ id: wisp }] = body.beads
    expect(await errorOf(city, `POST ~/bead/${fleet}/burn`)).toStartWith('409 conflict-wrong-state: ')
    const burn = async () =>
      expect((await city.call(`POST ~/bead/${work}/burn`)).body).toEqual({ deleted: [wisp], closed: [work] })
    expect(await recordedBy(city, burn)).toEqual([`bead.closed ${wisp}`, `bead.closed ${work}`, `bead.deleted ${wisp}`])
    expect((await city.call(`GET ~/bead/${wisp}`)).status).toBe(404)
  })

  test('leaves a parked bead to a person, who can offer it again', async () => {
    await using town = await openTown()
    const { city } = town
    const why = { 'gc.parked_reason': 'five sessions ended', 'gc.parked_at': '2026-01-02T03:04:05.000Z' }
    const id = await bead(city, 'cursed', {
      labels: ['gc:parked', 'x'],
      metadata: { 'gc.routed_to': 'worker', ...why },
    })
    const plain = await bead(city, 'parked by hand', { labels: ['gc:parked'] })
    const waiting = async () =>
      (await city.call('GET ~/attention')).body.items.filter(({ kind }: { kind: string }) => kind === 'parked')
    expect(await waiting()).toEqual([
      {
        id: `parked:${id}`,
        kind: 'parked',
        agent: 'worker',
        bead_id: id,
        since: '2026-01-02T03:04:05.000Z',
        asks: `Bead ${id} (cursed) is no longer offered: five sessions ended`,
        to_do: `gc bead show ${id}, then gc bead unpark ${id}`,
        answers: [],
      },
      expect.objectContaining({ kind: 'parked', agent: '', bead_id: plain }),
    ])
    const offered = async () => (await city.call('GET ~/beads/ready')).body.items.map((one: { id: string }) => one.id)
    expect(await offered()).toEqual([])
    expect(await recordedBy(city, () => city.call(`POST ~/bead/${id}/unpark`))).toEqual([`bead.updated ${id}`])
    expect((await city.call(`GET ~/bead/${id}`)).body).toMatchObject({
      labels: ['x'],
      metadata: { 'gc.routed_to': 'worker' },
    })
    expect(await offered()).toEqual([id])
    expect(await waiting()).toMatchObject([{ bead_id: plain }])
    expect(await errorOf(city, `POST ~/bead/${id}/unpark`)).toBe(`409 conflict-wrong-state: bead ${id} is not parked`)
    await city.call(`POST ~/bead/${plain}/close`)
    expect(await waiting()).toEqual([])
  })

  test('rejects invalid values', async () => {
    await using town = await openTown()
    const { city } = town
    const id = await bead(city, 'a', { priority: 1 })
    for (const operation of [`PATCH ~/bead/${id}`, `POST ~/bead/${id}/update`]) {
      expect(await errorOf(city, operation, { body: { assignee: 'nobody' } })).toStartWith('400 invalid-request: ')
      expect(await errorOf(city, operation, { body: { priority: null } })).toStartWith('422 validation-failed: ')
      expect(await errorOf(city, operation, { body: { id: 'x' } })).toStartWith('422 validation-failed: ')
      expect(await errorOf(city, operation, { body: { parent: id } })).toStartWith('400 invalid-request: ')
      expect(await errorOf(city, operation, { body: { status: '' } })).toStartWith('422 validation-failed: ')
    }
    expect(await errorOf(city, `POST ~/bead/${id}/assign`, { body: { assignee: 'nobody' } })).toStartWith('400 inv')
  })
})

describe('dependencies', () => {
  test('keep a bead from being ready until the beads it needs are closed', async () => {
    await using town = await openTown()
    const { city } = town
    const [a, b, c] = [await bead(city, 'a'), await bead(city, 'b', { priority: 0 }), await bead(city, 'c')]
    const added = await city.call(`POST ~/bead/${a}/deps`, { body: { depends_on_id: b } })
    expect([added.status, added.body]).toEqual([201, { issue_id: a, depends_on_id: b, type: 'blocks' }])
    await city.call(`POST ~/bead/${a}/deps`, { body: { depends_on_id: c, type: 'related' } })
    const ready = async () => {
      const { items, total } = (await city.call('GET ~/beads/ready')).body
      expect(total).toBe(items.length)
      return items.map(({ id }: { id: string }) => id)
    }
    expect(await ready()).toEqual([b, c])
    const { body: both } = await city.call(`GET ~/bead/${a}/dependencies`)
    expect(both).toMatchObject({
      depends_on: [
        { id: b, type: 'blocks', bead: { title: 'b' } },
        { id: c, type: 'related', bead: { title: 'c' } },
      ],
      dependents: [],
    })
    expect((await city.call(`GET ~/bead/${b}/dependencies`)).body.dependents).toMatchObject([{ id: a, type: 'blocks' }])
    expect((await city.call(`GET ~/bead/${a}`)).body).toMatchObject({ is_blocked: true })
    expect(await recordedBy(city, () => city.call(`POST ~/bead/${b}/close`))).toEqual([`bead.closed ${b}`])
    expect((await city.call(`GET ~/bead/${a}`)).body).toMatchObject({ is_blocked: false })
    expect(await ready()).toEqual([a, c])
    const ended = () => city.call(`DELETE ~/bead/${a}/deps/${b}?type=related`)
    expect(await recordedBy(city, ended)).toEqual([])
    expect(await recordedBy(city, () => city.call(`DELETE ~/bead/${a}/deps/${b}`))).toEqual([`bead.updated ${a}`])
  })

  test('cannot form a cycle', async () => {
    await using town = await openTown()
    const { city } = town
    const [a, b, c] = [await bead(city, 'a'), await bead(city, 'b'), await bead(city, 'c')]
    const depend = (id: string, depends_on_id: string) => ({
      operation: `POST ~/bead/${id}/deps`,
      body: { depends_on_id },
    })
    for (const { operation, body } of [depend(a, b), depend(b, c)]) await city.call(operation, { body })
    const cycle = depend(c, a)
    expect(await errorOf(city, cycle.operation, cycle)).toBe(
      `400 invalid-request: bead ${c} cannot wait for ${a}: they would wait for each other, ${c} → ${a} → ${b} → ${c}`,
    )
    const self = depend(a, a)
    expect(await errorOf(city, self.operation, self)).toBe(`400 invalid-request: bead ${a} cannot depend on itself`)
    const lost = depend(a, 'to-99')
    expect(await errorOf(city, lost.operation, lost)).toStartWith('404 bead-not-found: ')
    expect((await city.call(`GET ~/bead/${c}/dependencies`)).body.depends_on).toEqual([])
  })

  test('are returned with the children as one graph', async () => {
    await using town = await openTown()
    const { city } = town
    const root = await bead(city, 'root')
    const [first, second] = [await bead(city, '1', { parent: root }), await bead(city, '2', { parent: root })]
    await city.call(`POST ~/bead/${second}/deps`, { body: { depends_on_id: first } })
    const { body } = await city.call(`GET ~/beads/graph/${root}`)
    expect(body.beads.map(({ id }: { id: string }) => id)).toEqual([root, first, second])
    expect(body.root.id).toBe(root)
    expect(body.membership).toBe('direct-root-id+parent-closure')
    expect(body.deps).toContainEqual({ from: first, to: second, kind: 'blocks' })
    expect(body.deps).toContainEqual({ from: root, to: first, kind: 'parent-child' })
    const { children } = (await city.call(`GET ~/bead/${root}/deps`)).body
    expect(children.map(({ id }: { id: string }) => id)).toEqual([first, second])
  })

  test('are listed with the children page by page', async () => {
    await using town = await openTown()
    const { city } = town
    const root = await bead(city, 'root')
    const parts = [await bead(city, '1', { parent: root }), await bead(city, '2', { parent: root })]
    const page = async (query: string) => (await city.call(`GET ~/beads/graph/${root}/beads?${query}`)).body
    const first = await page('limit=2')
    expect(first).toMatchObject({ total: 3, items: [{ id: root }, { id: parts[0] }] })
    const second = await page(`limit=2&cursor=${first.next_cursor}`)
    expect(second).toEqual({ total: 3, items: [expect.objectContaining({ id: parts[1] })] })
    expect(await errorOf(city, `GET ~/beads/graph/${root}/beads?cursor=x`)).toStartWith('400 invalid-cursor: ')
  })
})

describe('lists of beads', () => {
  test('are filtered exactly and paged by cursor', async () => {
    await using town = await withRig()
    const { city } = town
    const ids: string[] = []
    for (const n of [1, 2, 3, 4, 5]) ids.push(await bead(city, `n${n}`, { labels: [n % 2 ? 'odd' : 'even'] }))
    const [far] = [await bead(city, 'far', { rig: 'web', type: 'bug' })]
    await city.call(`POST ~/bead/${ids[0]}/close`)
    const list = async (query: string) => {
      const { body } = await city.call(`GET ~/beads?${query}`)
      return { ids: body.items.map(({ id }: { id: string }) => id), total: body.total, next: body.next_cursor }
    }
    expect(await list('')).toMatchObject({ total: 5, ids: [far, ids[4], ids[3], ids[2], ids[1]] })
    expect(await list('all=true')).toMatchObject({ total: 6 })
    expect(await list('status=closed')).toMatchObject({ ids: [ids[0]] })
    expect(await list('label=odd')).toMatchObject({ total: 2, ids: [ids[4], ids[2]] })
    expect(await list('type=bug')).toMatchObject({ ids: [far] })
    expect(await list('rig=web')).toMatchObject({ ids: [far] })
    expect(await list(`rig=${city.name}`)).toMatchObject({ total: 4 })
    expect(await list('assignee=nobody')).toEqual({ ids: [], total: 0, next: undefined })
    const first = await list('limit=2')
    expect(first).toMatchObject({ total: 5, ids: [far, ids[4]] })
    const second = await list(`limit=2&cursor=${first.next}`)
    expect(second.ids).toEqual([ids[3], ids[2]])
    expect(await list(`limit=2&cursor=${second.next}`)).toEqual({ ids: [ids[1]], total: 5, next: undefined })
    for (const cursor of ['garbage', 'e30', '%00', 'a'.repeat(3000)]) {
      const { status, body } = await city.call(`GET ~/beads?cursor=${cursor}`)
      expect([status, body.code]).toEqual([400, 'invalid-cursor'])
    }
    expect((await city.call('GET ~/beads?limit=1001')).status).toBe(422)
  })
})

describe('beads that do not exist', () => {
  test('are not found by any operation', async () => {
    await using town = await openTown()
    const { city } = town
    const far = `to-1%2F%25${'9'.repeat(1000)}`
    const body = { title: 'x' }
    for (const id of ['to-9', far]) {
      const requests: [string, object?][] = [
        [`GET ~/bead/${id}`],
        [`PATCH ~/bead/${id}`, { body }],
        [`POST ~/bead/${id}/update`, { body }],
        [`DELETE ~/bead/${id}`],
        [`POST ~/bead/${id}/assign`, { body: { assignee: '' } }],
        [`POST ~/bead/${id}/close`],
        [`POST ~/bead/${id}/burn`],
        [`POST ~/bead/${id}/reopen`],
        [`POST ~/bead/${id}/unpark`],
        [`GET ~/bead/${id}/deps`],
        [`GET ~/bead/${id}/dependencies`],
        [`POST ~/bead/${id}/deps`, { body: { depends_on_id: 'to-1' } }],
        [`DELETE ~/bead/${id}/deps/to-1`],
        [`GET ~/beads/graph/${id}`],
        [`GET ~/beads/graph/${id}/beads`],
      ]
      for (const [operation, options] of requests) {
        expect(await errorOf(city, operation, options)).toBe(
          `404 bead-not-found: bead ${decodeURIComponent(id)} does not exist`,
        )
      }
    }
  })
})

describe('a session', () => {
  test('is assigned work by any of its names', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor')
    const { id: session } = await startSession(city, 'mayor', { alias: 'boss' })
    const id = await bead(city, 'a')
    const assigned = await city.call(`POST ~/bead/${id}/assign`, { body: { assignee: session } })
    expect(assigned.body).toEqual({ status: 'assigned', assignee: expect.any(String) })
    const name = assigned.body.assignee
    expect((await city.call(`GET ~/bead/${id}`)).body).toMatchObject({ status: 'open', assignee: name })
    for (const one of [session, 'boss', name]) {
      expect((await city.call(`GET ~/beads?assignee=${one}&type=task`)).body.total).toBe(1)
    }
    const none = await city.call(`POST ~/bead/${id}/assign`, { body: {} })
    expect(none.body).toEqual({ status: 'assigned', assignee: '' })
  })

  test('that lost a bead cannot change it in any way', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor')
    const { token } = await startSession(city, 'mayor')
    const [id, other] = [await bead(city, 'a'), await bead(city, 'b')]
    expect((await city.call(`POST ~/bead/${id}/claim`, { token })).status).toBe(200)
    await city.call(`PATCH ~/bead/${id}`, { body: { status: 'open', assignee: '' } })
    const requests: [string, object?][] = [
      [`PATCH ~/bead/${id}`, { title: 'x' }],
      [`POST ~/bead/${id}/update`, { title: 'x' }],
      [`DELETE ~/bead/${id}`],
      [`POST ~/bead/${id}/assign`, { assignee: '' }],
      [`POST ~/bead/${id}/close`],
      [`POST ~/bead/${id}/burn`],
      [`POST ~/bead/${id}/deps`, { depends_on_id: other }],
      [`DELETE ~/bead/${id}/deps/${other}`],
    ]
    for (const [operation, body] of requests) {
      expect(await errorOf(city, operation, { token, ...(body && { body }) })).toStartWith(
        `409 claim-lost: the claim of ${id} was lost`,
      )
    }
    await city.call(`POST ~/bead/${id}/close`)
    expect(await errorOf(city, `POST ~/bead/${id}/reopen`, { token })).toStartWith('409 claim-lost: ')
  })

  test('that lost a bead gets claim-lost after another one has closed it, while other callers can close it again', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor')
    await declare(city, 'clerk')
    const [slow, quick] = [await startSession(city, 'mayor'), await startSession(city, 'clerk')]
    const id = await bead(city, 'a')
    const act = (verb: string, token?: string) => city.call(`POST ~/bead/${id}/${verb}`, { ...(token && { token }) })
    await act('claim', slow.token)
    await city.call(`PATCH ~/bead/${id}`, { body: { status: 'open', assignee: '' } })
    expect((await act('claim', quick.token)).status).toBe(200)
    const seq = await city.head()
    expect((await act('close', quick.token)).body).toEqual({ status: 'closed' })
    for (const operation of [`POST ~/bead/${id}/close`, `DELETE ~/bead/${id}`]) {
      const late = await errorOf(city, operation, { token: slow.token })
      expect(late).toStartWith(`409 claim-lost: the claim of ${id} was lost`)
    }
    for (const token of [quick.token, undefined]) expect((await act('close', token)).body).toEqual({ status: 'closed' })
    expect(await typesOf(city, id, seq)).toEqual(['bead.closed'])
  })

  test('keeps its claim when a person closes the bead, and can close it as well', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor')
    const { token } = await startSession(city, 'mayor')
    const id = await bead(city, 'a')
    await city.call(`POST ~/bead/${id}/claim`, { token })
    const seq = await city.head()
    for (const by of [{}, { token }]) {
      expect((await city.call(`POST ~/bead/${id}/close`, by)).body).toEqual({ status: 'closed' })
    }
    expect((await typesOf(city, id, seq)).sort()).toEqual(['bead.claim_displaced', 'bead.closed'])
  })
})

describe('the bead of a session', () => {
  test('is not ended by the operations on beads, which record nothing', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor')
    const { id } = await startSession(city, 'mayor')
    const head = await city.head()
    for (const operation of [`PATCH ~/bead/${id}`, `POST ~/bead/${id}/update`]) {
      expect(await errorOf(city, operation, { body: { status: 'closed' } })).toStartWith('409 conflict-wrong-state: ')
    }
    for (const operation of [`POST ~/bead/${id}/close`, `DELETE ~/bead/${id}`]) {
      expect(await errorOf(city, operation)).toStartWith(`409 conflict-wrong-state: bead ${id} is a session`)
    }
    expect(await city.recorded(head)).toEqual([])
  })
})

describe('work that another session holds', () => {
  test('is assigned to somebody else only with force', async () => {
    await using town = await openTown()
    const { city } = town
    for (const name of ['mayor', 'clerk']) await declare(city, name)
    const [holder, other] = [await startSession(city, 'mayor'), await startSession(city, 'clerk')]
    const id = await bead(city, 'work')
    await city.call(`POST ~/bead/${id}/claim`, { token: holder.token })
    const head = await city.head()
    const assign = { body: { assignee: 'clerk' }, token: other.token }
    expect(await errorOf(city, `POST ~/bead/${id}/assign`, assign)).toStartWith('409 conflict-wrong-state: ')
    expect(await city.recorded(head)).toEqual([])
    expect((await city.call(`POST ~/bead/${id}/assign?force=true`, assign)).status).toBe(200)
    expect((await typesOf(city, id, head)).sort()).toEqual(['bead.claim_displaced', 'bead.updated'])
  })
})

describe('exported beads', () => {
  test('are identical after an import into another city', async () => {
    await using from = await withRig()
    await using to = await withRig()
    const epic = await bead(from.city, 'epic', { type: 'epic', rig: 'web' })
    await bead(from.city, 'part', { parent: epic, labels: ['a'], metadata: { x: '1' } })
    const lines = (await from.city.call('GET ~/beads/export')).body
    const listed = await from.city.call('GET ~/beads/export', { headers: { Accept: 'application/json' } })
    expect(listed.headers.get('content-type')).toBe('application/json')
    expect(listed.body.items.map((item: object) => `${JSON.stringify(item)}\n`).join('')).toBe(lines)
    const put = (raw: string, more = {}) => to.city.call('POST ~/beads/import', { raw, ...more })
    expect((await put(lines)).body).toEqual({
      ...{ created: 2, updated: 0, unchanged: 0, skipped: 0, skips: {}, skipped_lines: [] },
    })
    expect((await to.city.call('GET ~/beads/export')).body).toBe(lines)
    expect((await put(lines)).body.unchanged).toBe(2)
    expect((await put(lines.replace('"epic"', '"EPIC"'))).body.updated).toBe(1)
    const session = JSON.stringify({ id: 'x-1', title: 's', issue_type: 'session', created_at: '2025-01-01T00:00:00Z' })
    expect((await put(session)).body).toMatchObject({
      skips: { session: 1 },
      skipped_lines: [{ line: 1, kind: 'session', id: 'x-1' }],
    })
    await declare(to.city, 'clerk')
    const { token } = await startSession(to.city, 'clerk')
    const rejection = (options: object) => errorOf(to.city, 'POST ~/beads/import', options)
    expect(await rejection({ raw: lines, token })).toStartWith('403 forbidden: ')
    expect(await rejection({ raw: '' })).toStartWith('400 invalid-request: ')
    expect(await rejection({ raw: 'x' })).toBe('422 validation-failed: line 1 is not JSON')
  })

  test('replace what is newer here only by force, which a session may not use', async () => {
    await using to = await withRig()
    await declare(to.city, 'clerk')
    const { token } = await startSession(to.city, 'clerk')
    const line = (title: string) => JSON.stringify({ id: 'far-1', title, created_at: '2025-01-01T00:00:00Z' })
    const put = (raw: string, query = '', more = {}) => to.city.call(`POST ~/beads/import${query}`, { raw, ...more })
    expect((await put(line('one'))).body.created).toBe(1)
    await to.city.call('PATCH ~/bead/far-1', { body: { title: 'two' } })
    expect((await put(line('three'))).body.skips).toEqual({ older: 1 })
    expect((await put(line('three'), '?force=true', { token })).status).toBe(403)
    expect((await put(line('three'), '?force=true')).body.updated).toBe(1)
    expect((await to.city.call('GET ~/bead/far-1')).body.title).toBe('three')
  })

  test('are shown as bd has them', async () => {
    await using to = await withRig()
    const fields = { design: 'd', acceptance_criteria: 'ac', notes: 'n', external_ref: 'gh-9', close_reason: 'done' }
    const line = {
      ...{ id: 'far-1', title: 't', created_at: '2025-01-01T00:00:00Z', updated_at: '2025-01-03T00:00:00Z' },
      ...{ status: 'closed', closed_at: '2025-01-02T00:00:00Z', description: 'x', assignee: 'ada', labels: ['a'] },
      ...{
        ...fields,
        dependencies: [{ depends_on_id: 'far-2', created_at: '2025-01-01T05:00:00Z', created_by: 'me' }],
      },
    }
    await to.city.call('POST ~/beads/import', { raw: JSON.stringify(line) })
    const { body } = await to.city.call('GET ~/beads/records?ids=far-1,far-2')
    const dependencies = [{ ...line.dependencies[0], issue_id: 'far-1', type: 'blocks', metadata: '{}' }]
    const counts = { comment_count: 0, dependency_count: 1, dependent_count: 0 }
    expect(body.items).toEqual([{ ...line, dependencies, ...counts, priority: 2, issue_type: 'task' }])
    const many = Array.from({ length: 201 }, (_, n) => `far-${n}`).join()
    expect(await errorOf(to.city, `GET ~/beads/records?ids=${many}`)).toStartWith(
      '422 validation-failed: ids names 201',
    )
  })
})

describe('the operations on beads', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })

  test('fill every response field except those of beads that other operations create', () => {
    expect(coverage.emptyFields()).toEqual([
      'Bead.from',
      'Bead.needs',
      'Bead.no_history',
      'Bead.ref',
      'ListBodyBead.partial',
      'ListBodyBead.partial_errors',
    ])
  })
})
