import { describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { toTimestamp } from '../../../src/core/clock.ts'
import { AppError } from '../../../src/core/errors.ts'
import { hashToken } from '../../../src/core/text/credentials.ts'
import { human } from '../../../src/http/guard.ts'
import { until } from '../../support/until.ts'
import { agent, CityWorld, WAITS } from './world.ts'

/** A city with one agent called mayor, and one session of it that is up. */
async function withMayor(script = WAITS): Promise<{ world: CityWorld; id: string; pid: number }> {
  const world = await CityWorld.open(agent('mayor', script))
  await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor', alias: 'boss' })
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

test('a list shows each session as it is alone, after each change of what that shows', async () => {
  const { world, id } = await withMayor()
  await using _ = world
  const { city } = world
  await city.sessions.creating.create(human, { kind: 'agent', name: 'mayor', alias: 'other' })
  await until(() => city.sessionRepository.live().every(({ state }) => state === 'active'))
  const bead = await city.beads.create(human, { title: 'oil' })
  const changes: (() => unknown)[] = [
    () => city.beads.update(human, id, { title: 'another title' }),
    () => city.beads.update(human, bead.id, { assignee: 'boss', status: 'in_progress' }),
    () => city.beads.close(human, bead.id),
    () => city.sessions.running.suspend(id, human),
    () => {
      world.declare(agent('mayor', WAITS, 'max_active_sessions = 1'))
      return city.config.reload()
    },
  ]
  const seen = new Set<string>()
  for (const change of changes) {
    await change()
    const { items } = (await city.sessions.reading.list({})).value
    expect(items).toEqual(await Promise.all(items.map((item) => city.sessions.reading.get(item.id))))
    seen.add(JSON.stringify(items))
  }
  // Once its bead is closed, a session looks as before.
  expect(seen.size).toBe(changes.length - 1)
})

describe('killing a session', () => {
  test('ends its program and revokes its token, and starts it again with another', async () => {
    const { world, id, pid } = await withMayor()
    await using _ = world
    const token = await world.token(id)
    expect(await world.city.sessions.running.kill(id, human)).toEqual({ status: 'ok', id })
    await world.event('session.woke')
    expect(world.city.credentials.caller(hashToken(token))).toBe('ended')
    const row = world.city.sessionRepository.get(id)
    expect(row).toMatchObject({ state: 'active', generation: 2 })
    expect(row.pid).not.toBe(pid)
    expect(world.recorded().slice(2)).toEqual(['session.stopped boss', 'session.woke boss'])
  })
})

describe('killing a session that does not run', () => {
  test.each(['asleep', 'suspended', 'quarantined'] as const)(
    'that is %s answers as for any other and changes nothing',
    async (state) => {
      await using world = await CityWorld.open(agent('mayor', 'exit 0'))
      await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor' })
      const { subject: id = '' } = await world.event('request.result.session.create')
      await world.event('session.stopped')
      await world.city.reconciler.settle()
      const command = { suspended: 'suspend', quarantined: 'quarantine', asleep: undefined } as const
      const change = command[state]
      const held = { quarantinedUntil: Date.now() + 600_000 }
      if (change) await world.city.store.write((tx) => world.city.sessionRepository.transition(tx, id, change, held))
      const before = world.city.sessionRepository.get(id)
      const events = world.city.log.after(0, 1000).length
      expect(await world.city.sessions.running.kill(id, human)).toEqual({ status: 'ok', id })
      expect(world.city.sessionRepository.get(id)).toEqual(before)
      expect(world.city.log.after(0, 1000)).toHaveLength(events)
    },
  )
})

describe('suspending a session', () => {
  test('ends its program until someone wakes it', async () => {
    const { world, id } = await withMayor()
    await using _ = world
    expect(await world.city.sessions.running.suspend('boss', human)).toEqual({ status: 'ok' })
    expect(await world.city.sessions.reading.get(id)).toMatchObject({
      state: 'suspended',
      running: false,
      reason: 'user-hold',
    })
    await world.city.reconciler.settle()
    expect(await world.city.sessions.reading.get(id)).toMatchObject({ state: 'suspended', running: false })
    expect(await world.city.sessions.running.suspend(id, human)).toEqual({ status: 'ok' })
    expect(await world.city.sessions.running.wake(id, human)).toEqual({ status: 'ok', id })
    await world.event('session.woke', ({ seq }) => seq > 5)
    expect(await world.city.sessions.reading.get(id)).toMatchObject({ state: 'active', running: true })
    expect(world.recorded().slice(2)).toEqual(['session.suspended boss', 'session.stopped boss', 'session.woke boss'])
  })

  test('conflicts while it is not up yet', async () => {
    await using world = await CityWorld.open(agent('mayor', WAITS))
    await world.city.store.write((tx) => world.city.suspensions.set(tx, 'city', '', true, false))
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor' })
    await world.city.reconciler.settle()
    const [row] = world.city.sessionRepository.live()
    expect(row?.state).toBe('start-pending')
    expect(await rejectionOf(world.city.sessions.running.suspend(row?.id ?? '', human))).toBe(
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
    expect(await world.city.sessions.running.close('boss', human)).toEqual({ status: 'ok' })
    expect(await world.city.sessions.reading.get(id)).toMatchObject({ state: '', running: false, alias: 'boss' })
    expect(await rejectionOf(world.city.sessions.running.close('boss', human))).toBe(
      'session-not-found: not_found: session not found: "boss"',
    )
    expect(() => world.city.claims.next(caller)).toThrow('session not found')
    expect(await world.running()).toEqual([])
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor', alias: 'boss' })
    const again = await world.event('request.result.session.create', ({ subject }) => subject !== id)
    expect(again.payload).toMatchObject({ session: { alias: 'boss' } })
  })

  test('removes it on request', async () => {
    const { world, id } = await withMayor()
    await using _ = world
    await world.city.sessions.running.close(id, human, { remove: true })
    expect(await rejectionOf(world.city.sessions.reading.get(id))).toContain('session-not-found')
    expect(world.city.beadRepository.find(id)).toBeUndefined()
    expect(world.city.log.after(0, 100).map(({ type }) => type)).toContain('bead.deleted')
  })

  test('follows from the closing of its bead', async () => {
    const { world, id } = await withMayor()
    await using _ = world
    await world.city.store.write((tx) => world.city.beadRepository.close(tx, id))
    await until(() => world.city.sessionRepository.find(id)?.state === 'closed')
    await world.city.reconciler.settle()
    expect(await world.city.sessions.reading.get(id)).toMatchObject({ state: '', running: false })
    expect(await world.running()).toEqual([])
  })
})

describe('a program that exits', () => {
  test('without an error leaves a person’s session asleep', async () => {
    const { world, id } = await withMayor('sleep 0.2')
    await using _ = world
    await world.event('session.stopped')
    await world.city.reconciler.settle()
    expect(await world.city.sessions.reading.get(id)).toMatchObject({ state: 'asleep', running: false })
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

describe('a session that crashes too often', () => {
  test('is held for the rest of the configured window, until a person wakes it', async () => {
    const limits = '[daemon]\nmax_restarts = 2\nrestart_window = "2h"\n'
    await using world = await CityWorld.open(limits + agent('mayor', 'exit 3', 'max_active_sessions = 1'))
    const began = Date.now()
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor' })
    const { session_id: id = '' } = await world.event('session.crashed')
    await world.event('session.quarantined')
    const { repository, failures } = world.city.sessionServices
    const row = repository.get(id)
    expect(row).toMatchObject({ state: 'quarantined', reason: 'quarantine' })
    expect(row.quarantinedUntil).toBeGreaterThan(began + 2 * 3_600_000 - 1)
    const failure = failures.find('agent', 'mayor')
    expect(failure?.deaths).toBe(2)
    expect(failure?.until).toBeLessThan(began + 60_000)
    const heldUntil = toTimestamp(row.quarantinedUntil ?? 0)
    expect(world.city.agents.get('mayor')).toMatchObject({
      state: 'quarantined',
      available: false,
      unavailable_reason: `session ${id} is not started before ${heldUntil}: it crashed too often`,
    })
    expect((await world.city.attention.list()).items).toMatchObject([
      { kind: 'failed', session_id: id, until: heldUntil },
    ])
    await world.city.sessions.running.wake(id, human)
    await world.event('session.crashed')
    await until(() => repository.get(id).hostKey === null)
    expect(repository.get(id)).toMatchObject({ state: 'asleep' })
  })

  test('is held by its own crashes alone, and never when the configuration sets no limit', async () => {
    await using world = await CityWorld.open(`[daemon]\nmax_restarts = 3\n${agent('mayor', WAITS)}`)
    const { crashes } = world.city.sessionServices
    for (const session of ['mi-1', 'mi-2', 'mi-3', 'mi-1']) crashes.record(session)
    expect(crashes.holdUntil('mi-1')).toBeGreaterThan(Date.now() + 3_000_000)
    expect(crashes.holdUntil('mi-2')).toBe(0)
    crashes.forget('mi-1')
    expect(crashes.holdUntil('mi-1')).toBe(0)
    await using unlimited = await CityWorld.open(`[daemon]\nmax_restarts = 0\n${agent('mayor', WAITS)}`)
    const history = unlimited.city.sessionServices.crashes
    for (let fallen = 0; fallen < 50; fallen++) history.record('mi-1')
    expect(history.holdUntil('mi-1')).toBe(0)
  })
})

describe('an agent whose starts fail', () => {
  const failStart = async (world: CityWorld) => {
    const { session_id: id } = await world.event('session.crashed')
    rmSync(`${world.hosts.home}/token.${id}`)
    await world.city.store.write((tx) => {
      const { repository } = world.city.sessionServices
      for (const row of repository.live()) if (row.hostKey === null) repository.update(tx, row.id, { retryAt: null })
      tx.orm.run("UPDATE troubles SET until = 0 WHERE kind = 'bead'")
    })
  }

  test('gets no new sessions for a while, while one that works continues and ends that by its claim', async () => {
    const script = `[ -e ../works ] || exit 3; ${WAITS}`
    await using world = await CityWorld.open(agent('worker', script, 'max_active_sessions = 3'))
    const works = world.folder.at('works')
    writeFileSync(works, '')
    const first = await world.work('first', 'worker')
    const { session_id: id = '' } = await world.event('session.woke')
    await world.city.claims.claim(await world.caller(id), first.id)
    rmSync(works)
    await world.work('second', 'worker')
    for (let starts = 0; starts < 3; starts++) await failStart(world)
    const failure = world.city.sessionServices.failures.find('agent', 'worker')
    expect(failure?.deaths).toBe(3)
    expect(failure?.until).toBeGreaterThan(Date.now() + 20_000)
    const until = toTimestamp(failure?.until ?? 0)
    const held = `its last 3 starts failed; no new session is started before ${until}: `
    const { items } = (await world.city.agents.list({})).value
    expect(items.map(({ state, available, unavailable_reason }) => [state, available, unavailable_reason])).toEqual([
      ['working', true, undefined],
      ['quarantined', false, expect.stringContaining(held)],
      ['quarantined', false, expect.stringContaining(held)],
    ])
    expect((await world.city.status.status(true)).value.agents).toMatchObject({ running: 1, quarantined: 2 })
    expect((await world.city.attention.list()).items).toMatchObject([
      { kind: 'failed', agent: 'worker', until, asks: expect.stringContaining(held) },
    ])
    writeFileSync(works, '')
    await world.city.agents.act(human, 'worker', 'resume')
    const woke = await world.event('session.woke')
    await world.city.store.write((tx) => {
      for (let starts = 0; starts < 3; starts++)
        world.city.sessionServices.failures.count(tx, 'agent', 'worker', 'it fell')
    })
    const third = await world.work('third', 'worker')
    await world.city.claims.claim(await world.caller(woke.session_id ?? ''), third.id)
    expect(world.city.sessionServices.failures.find('agent', 'worker')).toBeUndefined()
  })
})

describe('a session that is killed from outside', () => {
  test('counts for neither its agent nor its bead, until that happens to a bead again and again', async () => {
    await using world = await CityWorld.open(agent('worker', WAITS, 'max_active_sessions = 1'))
    const { failures, repository } = world.city.sessionServices
    const bead = await world.work('heavy', 'worker')
    const counted: unknown[] = []
    for (let kills = 1; kills <= 3; kills++) {
      const { session_id: id = '' } = await world.event('session.woke')
      await world.city.claims.claim(await world.caller(id), bead.id)
      process.kill(repository.get(id).pid ?? 0, 'SIGKILL')
      await world.event('session.crashed')
      rmSync(`${world.hosts.home}/token.${id}`)
      counted.push([failures.find('bead', bead.id)?.deaths, failures.find('agent', 'worker')])
      await world.city.store.write((tx) => repository.update(tx, id, { retryAt: null }))
    }
    expect(counted).toEqual([
      [0, undefined],
      [0, undefined],
      [3, undefined],
    ])
    expect((await world.city.attention.list()).items).toEqual([])
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
    expect(blamed).toMatchObject({ deaths: 1, reason: 'it claimed nothing for a minute and was stopped' })
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
    await world.city.parking.unpark(human, bead.id)
    await world.event('session.crashed')
    expect(world.city.beadRepository.get(bead.id).metadata).toEqual({ 'gc.routed_to': 'worker' })
    expect(world.city.parking.parked()).toEqual([])
  })

  test('that no one claims counts against its agent, even when the sessions exit without errors', async () => {
    await using world = await CityWorld.open(agent('worker', 'exit 0', 'max_active_sessions = 1'))
    const bead = await world.work('ignored', 'worker')
    await world.event('session.stopped')
    await world.city.reconciler.settle()
    const { failures } = world.city.sessionServices
    expect(failures.find('bead', bead.id)).toMatchObject({ deaths: 1 })
    expect(failures.find('agent', 'worker')).toMatchObject({ deaths: 1 })
    await world.city.store.write((tx) => world.city.suspensions.set(tx, 'city', '', true, false))
    await world.city.agents.act(human, 'worker', 'restart')
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
    expect(await rejectionOf(world.city.sessions.creating.create(human, { kind: 'agent', name: 'worker' }))).toBe(
      "service-unavailable: provider 'nowhere' not found in PATH: there is no program no-such-program-anywhere",
    )
    expect(world.recorded()).toEqual([])
  })
})
