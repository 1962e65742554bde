import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../src/core/errors.ts'
import { hashToken } from '../../../src/http/credentials.ts'
import { until } from '../../support/until.ts'
import { agent, CityWorld, WAITS } from './world.ts'

/** A city with one agent called mayor, and one session of it that is up. */
async function withMayor(script = WAITS): Promise<{ world: CityWorld; id: string; pid: number }> {
  const world = await CityWorld.open(agent('mayor', script))
  await world.city.sessions.creator.create({ kind: 'agent', name: 'mayor', alias: 'boss' })
  const { subject: id = '' } = await world.event('request.result.session.create')
  return { world, id, pid: world.city.sessionRepository.get(id).pid ?? 0 }
}

const rejectionOf = async (promise: Promise<unknown>): Promise<string> => {
  const error: unknown = await promise.then(
    () => 'it did not fail',
    (reason) => reason,
  )
  return error instanceof AppError ? `${error.code}: ${error.message}` : String(error)
}

describe('killing a session', () => {
  test('ends its program and revokes its token, and starts it again with another', async () => {
    const { world, id, pid } = await withMayor()
    await using _ = world
    const token = await world.token(id)
    expect(await world.city.sessions.control.kill(id)).toEqual({ status: 'ok', id })
    await world.event('session.woke')
    expect(world.city.sessions.credentials.caller(hashToken(token))).toBe('ended')
    const row = world.city.sessionRepository.get(id)
    expect(row).toMatchObject({ state: 'active', generation: 2 })
    expect(row.pid).not.toBe(pid)
    expect(world.recorded().slice(2)).toEqual(['session.stopped boss', 'session.woke boss'])
  })
})

describe('suspending a session', () => {
  test('ends its program until someone wakes it', async () => {
    const { world, id } = await withMayor()
    await using _ = world
    expect(await world.city.sessions.control.suspend('boss')).toEqual({ status: 'ok' })
    expect(await world.city.sessions.reader.get(id)).toMatchObject({
      state: 'suspended',
      running: false,
      reason: 'user-hold',
    })
    await world.city.reconciler.settle()
    expect(await world.city.sessions.reader.get(id)).toMatchObject({ state: 'suspended', running: false })
    expect(await world.city.sessions.control.suspend(id)).toEqual({ status: 'ok' })
    expect(await world.city.sessions.control.wake(id)).toEqual({ status: 'ok', id })
    await world.event('session.woke', ({ seq }) => seq > 5)
    expect(await world.city.sessions.reader.get(id)).toMatchObject({ state: 'active', running: true })
    expect(world.recorded().slice(2)).toEqual(['session.suspended boss', 'session.stopped boss', 'session.woke boss'])
  })

  test('conflicts while it is not up yet', async () => {
    await using world = await CityWorld.open(agent('mayor', WAITS))
    await world.city.store.write((tx) => world.city.suspensions.set(tx, 'city', '', true, false))
    await world.city.sessions.creator.create({ kind: 'agent', name: 'mayor' })
    await world.city.reconciler.settle()
    const [row] = world.city.sessionRepository.live()
    expect(row?.state).toBe('start-pending')
    expect(await rejectionOf(world.city.sessions.control.suspend(row?.id ?? ''))).toBe(
      'session-conflict: illegal_transition: illegal transition: state "start-pending" does not accept command "suspend"',
    )
    await world.city.store.write((tx) => world.city.suspensions.set(tx, 'city', '', false, false))
    await world.event('request.result.session.create')
  })
})

describe('closing a session', () => {
  test('ends its program, frees its names and revokes its token', async () => {
    const { world, id } = await withMayor()
    await using _ = world
    const caller = await world.caller(id)
    expect(await world.city.sessions.control.close('boss')).toEqual({ status: 'ok' })
    expect(await world.city.sessions.reader.get(id)).toMatchObject({ state: '', running: false, alias: 'boss' })
    expect(await rejectionOf(world.city.sessions.control.close('boss'))).toBe(
      'session-not-found: not_found: session not found: "boss"',
    )
    expect(() => world.city.sessions.credentials.worker(caller)).toThrow('session not found')
    expect(await world.running()).toEqual([])
    await world.city.sessions.creator.create({ kind: 'agent', name: 'mayor', alias: 'boss' })
    const again = await world.event('request.result.session.create', ({ subject }) => subject !== id)
    expect(again.payload).toMatchObject({ session: { alias: 'boss' } })
  })

  test('removes it on request', async () => {
    const { world, id } = await withMayor()
    await using _ = world
    await world.city.sessions.control.close(id, { remove: true })
    expect(await rejectionOf(world.city.sessions.reader.get(id))).toContain('session-not-found')
    expect(world.city.beadRepository.find(id)).toBeUndefined()
    expect(world.city.log.after(0, 100).map(({ type }) => type)).toContain('bead.deleted')
  })

  test('follows from the closing of its bead', async () => {
    const { world, id } = await withMayor()
    await using _ = world
    await world.city.store.write((tx) => world.city.beadRepository.close(tx, id))
    await until(() => world.city.sessionRepository.find(id)?.state === 'closed')
    await world.city.reconciler.settle()
    expect(await world.city.sessions.reader.get(id)).toMatchObject({ state: '', running: false })
    expect(await world.running()).toEqual([])
  })
})

describe('a program that exits', () => {
  test('without an error leaves a person’s session asleep', async () => {
    const { world, id } = await withMayor('sleep 0.2')
    await using _ = world
    await world.event('session.stopped')
    await world.city.reconciler.settle()
    expect(await world.city.sessions.reader.get(id)).toMatchObject({ state: 'asleep', running: false })
  })

  test('with an error is started again, and quarantined after five exits', async () => {
    const { world, id } = await withMayor('exit 3')
    await using _ = world
    for (let deaths = 1; deaths <= 5; deaths++) {
      await world.event('session.crashed')
      const row = world.city.sessionRepository.get(id)
      if (row.retryAt !== null)
        await world.city.store.write((tx) => world.city.sessionRepository.update(tx, id, { retryAt: null }))
    }
    const row = world.city.sessionRepository.get(id)
    expect(row).toMatchObject({ state: 'quarantined', reason: 'quarantine', failures: 0 })
    expect(row.quarantinedUntil).toBeGreaterThan(Date.now() + 200_000)
    expect(world.recorded().at(-1)).toBe('session.quarantined boss')
  })
})

describe('an agent whose sessions crash too often', () => {
  test('is held for the rest of the configured window, until a person wakes it', async () => {
    const limits = '[daemon]\nmax_restarts = 2\nrestart_window = "2h"\n'
    await using world = await CityWorld.open(limits + agent('mayor', 'exit 3', 'max_active_sessions = 1'))
    const began = Date.now()
    await world.city.sessions.creator.create({ kind: 'agent', name: 'mayor' })
    const { session_id: id = '' } = await world.event('session.crashed')
    await world.event('session.quarantined')
    const { repository, failures } = world.city.sessionServices
    const row = repository.get(id)
    expect(row).toMatchObject({ state: 'quarantined', reason: 'quarantine' })
    expect(row.quarantinedUntil).toBeGreaterThan(began + 2 * 3_600_000 - 1)
    expect(failures.find('agent', 'mayor')).toMatchObject({
      until: row.quarantinedUntil ?? 0,
      reason: expect.stringContaining('its sessions crashed too often (max_restarts)'),
    })
    await world.city.sessions.control.wake(id)
    await world.event('session.crashed')
    await until(() => repository.get(id).hostKey === null)
    expect(repository.get(id)).toMatchObject({ state: 'asleep' })
  })

  test('is never held when the configuration sets no limit', async () => {
    await using world = await CityWorld.open(
      `[daemon]\nmax_restarts = 0\n${agent('mayor', 'exit 3', 'max_active_sessions = 1')}`,
    )
    const { crashes } = world.city.sessionServices
    for (let fallen = 0; fallen < 50; fallen++) crashes.record('mayor')
    expect(crashes.holdUntil('mayor')).toBe(0)
  })

  test('is charged only once for crashes over one bead', async () => {
    await using world = await CityWorld.open(`[daemon]\nmax_restarts = 3\n${agent('mayor', WAITS)}`)
    const { crashes } = world.city.sessionServices
    for (let fallen = 0; fallen < 10; fallen++) crashes.record('mayor', 'mi-1')
    expect(crashes.holdUntil('mayor', 'mi-1')).toBe(0)
    expect(crashes.holdUntil('mayor', 'mi-2')).toBe(0)
    crashes.record('mayor', 'mi-2')
    expect(crashes.holdUntil('mayor', 'mi-3')).toBeGreaterThan(Date.now() + 3_000_000)
    expect(crashes.holdUntil('clerk', 'mi-3')).toBe(0)
    crashes.forget('mayor')
    expect(crashes.holdUntil('mayor', 'mi-3')).toBe(0)
  })
})

describe('a bead', () => {
  test('that a session never claimed counts a failure with that reason', async () => {
    await using world = await CityWorld.open(agent('worker', 'exec sleep 600', 'max_active_sessions = 1'))
    const bead = await world.work('ignored', 'worker')
    await world.event('session.woke')
    const { repository, failures } = world.city.sessionServices
    await world.city.store.write((tx) => {
      for (const row of repository.live())
        repository.transition(tx, row.id, 'drain', { reason: 'no-wake-reason', drainAt: 0 })
    })
    world.city.reconciler.wake()
    await world.event('session.stopped')
    const blamed = failures.all('bead').get(bead.id)
    expect(blamed).toMatchObject({ deaths: 1, reason: 'it claimed nothing for a minute and was ended' })
  })

  test('over which sessions keep crashing backs off, is parked, and sends mail once', async () => {
    await using world = await CityWorld.open(agent('worker', 'exit 3', 'max_active_sessions = 1'))
    const bead = await world.work('cursed', 'worker')
    for (let deaths = 1; deaths <= 5; deaths++) {
      await world.event('session.crashed')
      await world.city.store.write((tx) => {
        const { repository } = world.city.sessionServices
        for (const row of repository.live()) repository.update(tx, row.id, { retryAt: null, failures: 0 })
        tx.orm.run('UPDATE troubles SET until = 0')
      })
    }
    const parked = await world.event('bead.parked')
    expect(parked).toMatchObject({ subject: bead.id, payload: { bead_id: bead.id, agent: 'worker', deaths: 5 } })
    await world.city.reconciler.settle()
    expect(world.city.beadRepository.get(bead.id)).toMatchObject({ labels: ['gc:parked'], status: 'open' })
    expect(world.city.beads.ready().value.items).toEqual([])
    expect(world.city.sessionRepository.live()).toEqual([])
    expect(world.recorded().filter((type) => type.startsWith('bead.parked'))).toHaveLength(0)
    expect(world.city.mail.list({ agent: 'human' }).items).toMatchObject([{ subject: 'Parked: cursed' }])
    expect(world.city.parking.parked()).toMatchObject([
      { bead: { id: bead.id }, agent: 'worker', reason: expect.stringContaining('5 sessions of worker exited') },
    ])
    await world.city.parking.unpark(bead.id)
    await world.event('session.crashed')
    expect(world.city.beadRepository.get(bead.id).metadata).toEqual({ 'gc.routed_to': 'worker' })
    expect(world.city.parking.parked()).toEqual([])
  })

  test('that nobody claims counts against its agent, even when the sessions exit without errors', async () => {
    await using world = await CityWorld.open(agent('worker', 'exit 0', 'max_active_sessions = 1'))
    const bead = await world.work('ignored', 'worker')
    await world.event('session.stopped')
    await world.city.reconciler.settle()
    const { failures } = world.city.sessionServices
    expect(failures.find('bead', bead.id)).toMatchObject({ deaths: 1 })
    expect(failures.find('agent', 'worker')).toMatchObject({ deaths: 1 })
    await world.city.store.write((tx) => world.city.suspensions.set(tx, 'city', '', true, false))
    await world.city.agents.act('worker', 'restart')
    expect(failures.find('agent', 'worker')).toBeUndefined()
  })
})

describe('a provider that is not installed', () => {
  test('gets no session for waiting work, and gives the reason', async () => {
    const nowhere =
      '[providers.nowhere]\ncommand = "no-such-program-anywhere"\n[[agent]]\nname = "worker"\nprovider = "nowhere"\n'
    await using world = await CityWorld.open(nowhere)
    await world.work('anything', 'worker')
    await world.city.reconciler.settle()
    expect(world.city.sessionRepository.live()).toEqual([])
    expect(world.city.agents.get('worker')).toMatchObject({
      available: false,
      unavailable_reason: "provider 'nowhere' not found in PATH: there is no program no-such-program-anywhere",
    })
    expect(await rejectionOf(world.city.sessions.creator.create({ kind: 'agent', name: 'worker' }))).toBe(
      "service-unavailable: provider 'nowhere' not found in PATH: there is no program no-such-program-anywhere",
    )
    expect(world.recorded()).toEqual([])
  })
})
