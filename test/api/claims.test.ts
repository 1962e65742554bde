import { describe, expect, test } from 'bun:test'
import { OperationCoverage } from '../support/coverage.ts'
import type { TestCity } from '../support/world.ts'
import { bead, declare, errorOf, type SessionHandle, startSession, tokenOf, towns } from './town.ts'

const coverage = new OperationCoverage(
  ({ tag, path }) => tag === 'claims' || /\/bead\/\{id\}\/(claim|heartbeat|release)$/.test(path),
)
const openTown = towns(coverage)
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)

/** A town in which two sessions of one pool run and wait. */
async function withTwo() {
  const town = await openTown()
  await declare(town.city, 'worker', {}, { max_active_sessions: 4 })
  const [one, two] = [await startSession(town.city, 'worker'), await startSession(town.city, 'worker')]
  return { ...town, one, two }
}

const claim = (city: TestCity, id: string, { token }: SessionHandle) => city.call(`POST ~/bead/${id}/claim`, { token })

describe('a claim', () => {
  test('is returned with all its fields, and claiming again changes nothing', async () => {
    await using town = await withTwo()
    const { city, one } = town
    const id = await bead(city, 'work')
    const seq = await city.head()
    const taken = await claim(city, id, one)
    const name = taken.body.session_name
    expect(taken.body).toEqual({
      bead_id: id,
      epoch: 1,
      session_id: one.id,
      session_name: expect.stringContaining('worker'),
      assignee: expect.any(String),
      taken_at: TIMESTAMP,
    })
    const recorded = await city.recorded(seq)
    expect(recorded.map(({ type, subject }) => [type, subject])).toEqual([['bead.updated', id]])
    expect((await city.call(`GET ~/bead/${id}`)).body).toMatchObject({
      status: 'in_progress',
      assignee: taken.body.assignee,
      metadata: { 'gc.session_id': one.id, 'gc.session_name': name },
    })
    expect((await claim(city, id, one)).body).toEqual(taken.body)
    expect((await city.call(`POST ~/bead/${id}/heartbeat`, { token: one.token })).body).toEqual(taken.body)
    expect((await city.call(`GET ~/claims/${id}`)).body).toEqual(taken.body)
    expect((await city.call('GET ~/claims')).body).toEqual({ items: [taken.body], total: 1 })
    expect((await city.call(`GET ~/claims?session=${town.two.id}`)).body.total).toBe(0)
    expect(await city.recorded(seq)).toEqual(recorded)
  })

  test('is granted to one of two concurrent requests', async () => {
    await using town = await withTwo()
    const { city, one, two } = town
    for (let round = 0; round < 10; round++) {
      const id = await bead(city, `work ${round}`)
      const seq = await city.head()
      const answers = await Promise.all([claim(city, id, one), claim(city, id, two)])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      const loser = answers.find(({ status }) => status === 409)
      expect(loser?.body.code).toBe('conflict-wrong-state')
      const recorded = await city.recorded(seq)
      expect(recorded.map(({ type }) => type).sort()).toEqual(['bead.claim_rejected', 'bead.updated'])
    }
    const next = await Promise.all([one, two].map(({ token }) => city.call('POST ~/claims/next', { token })))
    expect(next.every(({ status }) => status === 200)).toBe(true)
  })

  test('is released for anybody, under a new epoch', async () => {
    await using town = await withTwo()
    const { city, one, two } = town
    const id = await bead(city, 'work')
    await claim(city, id, one)
    const seq = await city.head()
    const given = await city.call(`POST ~/bead/${id}/release`, { token: one.token })
    expect(given.body).toEqual({ status: 'released' })
    expect((await city.recorded(seq)).map(({ type }) => type)).toEqual(['bead.updated'])
    const open = (await city.call(`GET ~/bead/${id}`)).body
    expect([open.status, open.assignee, open.metadata]).toEqual(['open', undefined, undefined])
    expect((await claim(city, id, two)).body).toMatchObject({ epoch: 2, session_id: two.id })
  })

  test('of the next bead reports which bead it is and why', async () => {
    await using town = await withTwo()
    const { city, one } = town
    await city.call('PATCH ~', { body: { suspended: true } })
    const metadata = { 'gc.routed_to': 'worker' }
    const root = await bead(city, 'root')
    const group = { ...metadata, 'gc.root_bead_id': root, 'gc.continuation_group': 'g' }
    const [first, second] = [await bead(city, '1', { metadata: group }), await bead(city, '2', { metadata: group })]
    const next = async () => (await city.call('POST ~/claims/next', { token: one.token })).body
    const got = await next()
    expect(got).toMatchObject({
      action: 'work',
      reason: 'claimed',
      bead_id: first,
      assignee: expect.any(String),
      route: 'worker',
      root_bead_id: root,
      continuation_group: 'g',
      continuation_assigned: [second],
      epoch: 1,
      bead: { id: first, status: 'in_progress', title: '1' },
    })
    expect(await next()).toMatchObject({ reason: 'existing_assignment', bead_id: first })
    await city.call(`POST ~/bead/${first}/close`, { token: one.token })
    expect(await next()).toMatchObject({ reason: 'ready_assignment', bead_id: second })
    await city.call(`POST ~/bead/${second}/close`, { token: one.token })
    const seq = await city.head()
    expect(await next()).toEqual({ action: 'drain', reason: 'no_work' })
    expect(await city.recorded(seq)).toEqual([])
  })
})

describe('claiming', () => {
  test('requires the token of a session', async () => {
    await using town = await withTwo()
    const { city, world, one } = town
    const id = await bead(city, 'work')
    await using other = await openTown()
    const strangers: [string, { token?: string }][] = [
      ['a person', {}],
      ['the operator', { token: world.operatorToken }],
    ]
    for (const operation of ['claim', 'heartbeat', 'release'].map((verb) => `POST ~/bead/${id}/${verb}`)) {
      for (const [, options] of strangers) {
        expect(await errorOf(city, operation, options)).toStartWith('403 forbidden: only a session claims work')
      }
    }
    expect(await errorOf(city, 'POST ~/claims/next')).toStartWith('403 forbidden: only a session claims work')
    const far = await bead(other.city, 'far')
    expect(await errorOf(other.city, `POST ~/bead/${far}/claim`, { token: one.token })).toEndWith('acts in no other')
    expect(await errorOf(city, `POST ~/bead/${id}/claim`, { token: 'gcs_made_up' })).toStartWith('401 unauthorized: ')
  })

  test('is rejected for a session that has ended, and for the token of an earlier run', async () => {
    await using town = await openTown()
    const { city, world } = town
    await declare(city, 'mayor', {}, { min_active_sessions: 1, max_active_sessions: 1 })
    const woke = await city.event(0, ({ type }) => type === 'session.woke')
    const session = woke.session_id ?? ''
    const token = await tokenOf(world, session)
    const id = await bead(city, 'work')
    expect((await city.call(`POST ~/bead/${id}/claim`, { token })).status).toBe(200)
    const seq = await city.head()
    await city.call(`POST ~/session/${session}/kill`)
    await city.event(seq, ({ type }) => type === 'bead.dead_assignee_reopened')
    expect((await city.call('GET ~/claims')).body.total).toBe(0)
    const late = await city.call(`POST ~/bead/${id}/claim`, { token })
    expect([late.status, late.body.code]).toEqual([401, 'unauthorized'])
    const fresh = await tokenOf(world, session, token)
    expect(await city.call(`POST ~/bead/${id}/close`, { token: fresh })).toMatchObject({ status: 409 })
    expect((await city.call(`POST ~/bead/${id}/claim`, { token: fresh })).body).toMatchObject({ epoch: 2 })
  })

  test('is rejected for a bead that cannot be claimed', async () => {
    await using town = await withTwo()
    const { city, one, two } = town
    const [id, done, lost] = [await bead(city, 'a'), await bead(city, 'b'), await bead(city, 'c')]
    await city.call(`POST ~/bead/${done}/close`)
    const act = (verb: string, on: string, { token }: SessionHandle) =>
      errorOf(city, `POST ~/bead/${on}/${verb}`, { token })
    for (const verb of ['claim', 'heartbeat', 'release']) {
      expect(await act(verb, 'to-99', one)).toBe('404 bead-not-found: bead to-99 does not exist')
    }
    expect(await act('claim', done, one)).toStartWith('409 conflict-wrong-state: ')
    expect(await act('claim', one.id, two)).toStartWith('409 conflict-wrong-state: ')
    for (const verb of ['heartbeat', 'release']) {
      expect(await act(verb, id, one)).toStartWith('409 conflict-wrong-state: ')
    }
    await claim(city, lost, one)
    await city.call(`PATCH ~/bead/${lost}`, { body: { status: 'open', assignee: '' } })
    for (const verb of ['heartbeat', 'release']) expect(await act(verb, lost, one)).toStartWith('409 claim-lost: ')
    expect(await errorOf(city, 'GET ~/claims/to-99')).toStartWith('404 bead-not-found: ')
    expect(await errorOf(city, `GET ~/claims/${id}`)).toBe(`404 bead-not-found: bead ${id} is not claimed`)
  })
})

describe('the operations on claims', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })

  test('fill every response field except the end of a claim whose process gc cannot see', () => {
    const own = coverage.emptyFields().filter((field) => !/^(Bead|Dep)\./.test(field))
    expect(own).toEqual(['Claim.expires_at'])
  })
})
