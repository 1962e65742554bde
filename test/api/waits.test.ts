import { describe, expect, test } from 'bun:test'
import { OperationCoverage } from '../support/coverage.ts'
import { tempFolder } from '../support/folder.ts'
import { until } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { listener, receivedInput } from './listener.ts'
import { bead, declare, errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ path }) => /\/waits?(\/|$)/.test(path))
const openTown = towns(coverage)

const wait = async (city: TestCity, body: Record<string, unknown>) => {
  const begun = await city.call('POST ~/waits', { body })
  expect(begun.status).toBe(201)
  return begun.body
}

const stateOf = async (city: TestCity, id: string) => (await city.call(`GET ~/wait/${id}`)).body.state

describe('a wait', () => {
  test('reminds its running session, and ends when the reminder was typed', async () => {
    await using folder = tempFolder()
    await using town = await openTown(listener(folder))
    const { city } = town
    const hired = await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'clerk', alias: 'carl' } })
    await city.outcome(hired.body)
    const id = await bead(city, 'first')
    const begun = await wait(city, {
      session: 'carl',
      on_beads: [id],
      note: 'carry on',
      expires_at: '2099-01-01T00:00:00Z',
    })
    expect((await city.call('GET ~/waits')).body).toEqual({ waits: [begun], capped: false })
    expect((await city.call(`GET ~/beads?label=gc:wait`)).body.items).toHaveLength(1)
    const seq = await city.head()
    await city.call(`POST ~/bead/${id}/close`)
    await city.event(seq, ({ type, subject }) => type === 'bead.closed' && subject === begun.id)
    expect(await stateOf(city, begun.id)).toBe('closed')
    expect(receivedInput(folder)).toContain(`Your wait ${begun.id} is over`)
    expect(receivedInput(folder)).toContain('carry on')
    expect((await city.call(`GET ~/wait/${begun.id}`)).body.nudge_id).toBe(`wait-${begun.id}-1-1`)
  }, 30_000)

  test('wakes its sleeping session once, also when the supervisor crashes in between', async () => {
    await using folder = tempFolder()
    await using town = await openTown(listener(folder))
    const { city, world } = town
    const hired = await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'clerk' } })
    const session = String((await city.outcome(hired.body)).subject)
    const id = await bead(city, 'first')
    const begun = await wait(city, { session, on_beads: [id] })
    const seq = await city.head()
    await city.call(`POST ~/session/${session}/submit`, { body: { message: 'quit' } })
    await city.event(seq, ({ type, session_id }) => type === 'session.stopped' && session_id === session)
    expect((await city.call(`GET ~/session/${session}`)).body.state).toBe('asleep')
    await city.call(`POST ~/bead/${id}/close`)
    await world.kill()
    await world.start()
    while ((await city.call('GET ~')).status === 404) await Bun.sleep(10)
    await city.event(seq, ({ type, subject }) => type === 'bead.closed' && subject === begun.id)
    await until(() => receivedInput(folder).includes(begun.id), 5000)
    expect(receivedInput(folder).split(`Your wait ${begun.id}`)).toHaveLength(2)
    expect(await stateOf(city, begun.id)).toBe('closed')
  }, 30_000)

  test('ends when its session is woken or closed, on request, and when it expires', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'clerk')
    const clerk = await startSession(city, 'clerk')
    const id = await bead(city, 'never')
    const begin = (more = {}) => wait(city, { session: clerk.id, on_beads: [id], ...more })
    const pending = await begin()
    expect((await city.call(`POST ~/wait/${pending.id}/cancel`, { token: clerk.token })).body.state).toBe('canceled')
    const soon = await begin({ note: 'go on' })
    const ready = (await city.call(`POST ~/wait/${soon.id}/ready`, { token: clerk.token })).body
    expect(ready).toMatchObject({ id: soon.id, state: 'ready', note: 'go on' })
    const seq = await city.head()
    const brief = await begin({ expires_at: new Date(Date.now() + 300).toISOString() })
    await city.event(seq, ({ type, subject }) => type === 'bead.closed' && subject === brief.id)
    expect(await stateOf(city, brief.id)).toBe('expired')
    const woken = await begin()
    await city.call(`POST ~/session/${clerk.id}/wake`)
    expect(await stateOf(city, woken.id)).toBe('canceled')
    const stale = await begin()
    await city.call(`POST ~/session/${clerk.id}/restart`, { body: { fresh: true } })
    expect(await stateOf(city, stale.id)).toBe('canceled')
    expect((await city.call(`GET ~/bead/${stale.id}`)).body.metadata.last_error).toBe('continuation-stale')
    const closed = await begin()
    const before = await city.head()
    await city.call(`POST ~/session/${clerk.id}/close`)
    await city.event(before, ({ type, subject }) => type === 'bead.closed' && subject === closed.id)
    expect(await stateOf(city, closed.id)).toBe('canceled')
    expect((await city.call('GET ~/waits')).body.waits).toEqual([])
  }, 30_000)

  test('is rejected with a message when it is invalid', async () => {
    await using town = await openTown()
    const { city } = town
    await declare(city, 'clerk')
    const [one, two] = [await startSession(city, 'clerk'), await startSession(city, 'clerk')]
    const id = await bead(city, 'x')
    const create = (body: object, token?: string) =>
      errorOf(city, 'POST ~/waits', { body: { on_beads: [id], ...body }, ...(token && { token }) })
    expect(await create({ session: 'nobody' })).toStartWith('404 session-not-found: ')
    expect(await create({ session: one.id, on_beads: ['to-99'] })).toStartWith('404 bead-not-found: ')
    expect(await create({ session: two.id }, one.token)).toStartWith('403 forbidden: ')
    expect(await create({})).toStartWith('422 validation-failed: ')
    expect(await create({ session: one.id, on_beads: [] })).toStartWith('422 validation-failed: ')
    const other = await wait(city, { session: two.id, on_beads: [id] })
    for (const verb of ['cancel', 'ready'])
      expect(await errorOf(city, `POST ~/wait/${other.id}/${verb}`, { token: one.token })).toStartWith(
        '403 forbidden: ',
      )
    for (const operation of ['GET ~/wait/to-99', 'POST ~/wait/to-99/cancel', 'POST ~/wait/to-99/ready'])
      expect(await errorOf(city, operation)).toBe('404 wait-not-found: not_found: to-99')
    expect(await errorOf(city, `GET ~/wait/${id}`)).toBe(`404 wait-not-found: not_a_wait: ${id}`)
    const rest = Array.from({ length: 99 }, () =>
      city.call('POST ~/waits', { body: { session: two.id, on_beads: [id] } }),
    )
    await Promise.all(rest)
    expect(await create({ session: two.id })).toStartWith('400 invalid-request: ')
  })
})

describe('the operations on waits', () => {
  test('are covered with success and every declared error, except for names that are configured twice', () => {
    expect(coverage.uncovered()).toEqual(['create-wait session-conflict'])
  })

  test('fill every response field', () => {
    expect(coverage.emptyFields()).toEqual(['WaitListBody.partial', 'WaitListBody.partial_errors'])
  })
})
