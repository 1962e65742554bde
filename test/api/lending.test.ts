import { describe, expect, test } from 'bun:test'
import { OperationCoverage } from '../support/coverage.ts'
import type { TestCity } from '../support/world.ts'
import { bead, declare, errorOf, startSession, tokenOf, towns } from './town.ts'

const coverage = new OperationCoverage(({ id }) => id === 'lend-session')
const openTown = towns(coverage)

/** A suspended session of an agent that allows lending. */
async function suspended(city: TestCity, alias = 'away'): Promise<string> {
  const { id } = await startSession(city, 'mayor', { alias })
  const seq = await city.head()
  await city.call(`POST ~/session/${id}/suspend`)
  await city.event(seq, ({ type }) => type === 'session.suspended')
  return id
}

async function lend(city: TestCity, id: string): Promise<string> {
  const { status, body } = await city.call(`POST ~/session/${id}/lend`)
  expect({ status, body }).toEqual({ status: 201, body: { id, token: expect.stringMatching(/^gcs_[0-9a-f]{64}$/) } })
  return body.token
}

const holders = async (city: TestCity): Promise<string[]> =>
  (await city.call('GET ~/claims')).body.items.map(({ bead_id }: { bead_id: string }) => bead_id)

describe('a lent session', () => {
  test('works from outside gc: its claims have a lease, which each heartbeat renews', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor', {}, { max_active_sessions: 2 })
    const work = await bead(city, 'from afar')
    const id = await suspended(city)
    const seq = await city.head()
    const token = await lend(city, id)
    const lent = await city.event(seq, ({ type }) => type === 'session.lent')
    expect(JSON.stringify(lent)).not.toContain(token)
    const claimed = (await city.call(`POST ~/bead/${work}/claim`, { token })).body
    expect(claimed).toMatchObject({ bead_id: work, session_id: id })
    expect(Date.parse(claimed.expires_at) - Date.parse(claimed.taken_at)).toBe(15 * 60_000)
    const later = (await city.call(`POST ~/bead/${work}/heartbeat`, { token })).body
    expect(Date.parse(later.expires_at)).toBeGreaterThanOrEqual(Date.parse(claimed.expires_at))
    expect((await city.call(`POST ~/bead/${work}/close`, { token })).status).toBe(200)
    expect(await holders(city)).toEqual([])
    expect((await city.call(`GET ~/session/${id}`)).body).toMatchObject({ state: 'suspended', running: false })
  })

  test('that is lent again invalidates the first token and offers its work again', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'mayor', {}, { max_active_sessions: 2 })
    const work = await bead(city, 'twice')
    const id = await suspended(city)
    const first = await lend(city, id)
    await city.call(`POST ~/bead/${work}/claim`, { token: first })
    const second = await lend(city, id)
    expect((await city.call(`GET ~/bead/${work}`)).body.status).toBe('open')
    expect(await errorOf(city, `POST ~/bead/${work}/close`, { token: first })).toStartWith('401 ')
    expect((await city.call(`POST ~/bead/${work}/claim`, { token: second })).status).toBe(200)
  })

  test('ends its loan when it is woken or closed', async () => {
    await using town = await openTown()
    const { city, world } = town
    await declare(city, 'mayor', {}, { max_active_sessions: 2 })
    const work = await bead(city, 'left')
    const id = await suspended(city)
    const first = await lend(city, id)
    const seq = await city.head()
    await city.call(`POST ~/session/${id}/wake`)
    await city.event(seq, ({ type }) => type === 'session.woke')
    expect(await errorOf(city, `POST ~/bead/${work}/claim`, { token: first })).toStartWith('401 ')
    const other = await suspended(city, 'gone')
    const second = await lend(city, other)
    await city.call(`POST ~/bead/${work}/claim`, { token: second })
    await city.call(`POST ~/session/${other}/close`)
    expect(await errorOf(city, `POST ~/bead/${work}/close`, { token: second })).toStartWith('401 ')
    expect(await holders(city)).toEqual([])
    expect((await city.call(`GET ~/bead/${work}`)).body.status).toBe('open')
    expect(await tokenOf(world, id)).not.toBe(first)
  })
})

test('only a suspended session can be lent, and not by another session', async () => {
  await using town = await openTown()
  const { city } = town
  await declare(city, 'mayor', {}, { max_active_sessions: 2 })
  const { id, token } = await startSession(city, 'mayor')
  expect(await errorOf(city, `POST ~/session/${id}/lend`)).toStartWith(`409 session-conflict: session ${id} is active`)
  expect(await errorOf(city, `POST ~/session/${id}/lend`, { token })).toStartWith('403 forbidden: ')
  expect(await errorOf(city, 'POST ~/session/ghost/lend')).toStartWith('404 session-not-found: ')
  expect(coverage.uncovered()).toEqual([])
})
