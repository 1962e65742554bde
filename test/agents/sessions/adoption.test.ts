import { describe, expect, test } from 'bun:test'
import { stopAllSessions } from '../../../src/agents/lifecycle/act/stop-all.ts'
import { hashToken } from '../../../src/core/text/credentials.ts'
import { human } from '../../../src/http/guard.ts'
import { gone } from '../../host/world.ts'
import { until } from '../../support/until.ts'
import { agent, CityWorld, WAITS } from './world.ts'

describe('a restarted supervisor', () => {
  test('adopts running sessions with their process and token, and records nothing', async () => {
    await using world = await CityWorld.open(agent('worker', WAITS, 'max_active_sessions = 1'))
    const bead = await world.work('long', 'worker')
    const { session_id: id = '' } = await world.event('session.woke')
    await world.city.claims.next(await world.caller(id))
    const before = world.city.sessionRepository.get(id)
    const recorded = world.recorded()
    await world.down()
    await world.up()
    const after = world.city.sessionRepository.get(id)
    expect(after).toMatchObject({ pid: before.pid, generation: 1, state: 'active', hostKey: before.hostKey })
    expect((await world.caller(id)).session).toBe(id)
    expect(world.city.beadRepository.get(bead.id)).toMatchObject({ status: 'in_progress', assignee: 'worker' })
    expect(world.recorded()).toEqual(recorded)
  })

  test('adopts a process whose start was never recorded', async () => {
    await using world = await CityWorld.open(agent('worker', WAITS))
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'worker' })
    const { subject: id = '' } = await world.event('request.result.session.create')
    const { pid } = world.city.sessionRepository.get(id)
    await world.city.store.write((tx) =>
      tx.orm.run(`UPDATE sessions SET state = 'creating', pid = NULL, process_started = NULL WHERE id = '${id}'`),
    )
    await world.down()
    await world.up()
    expect(world.city.sessionRepository.get(id)).toMatchObject({ state: 'active', pid, generation: 1 })
  })

  test('starts a session that was about to be started, and completes its request once', async () => {
    await using world = await CityWorld.open(agent('worker', WAITS))
    await world.city.store.write((tx) => world.city.suspensions.set(tx, 'city', '', true, false))
    const accepted = await world.city.sessions.creating.create(human, { kind: 'agent', name: 'worker' })
    await world.city.reconciler.settle()
    const [row] = world.city.sessionRepository.live()
    await world.city.store.write((tx) => {
      tx.orm.run(`UPDATE sessions SET state = 'creating', generation = 1, host_key = 'mill/${row?.id}/gone'`)
      world.city.suspensions.set(tx, 'city', '', false, true)
    })
    await world.down()
    await world.up()
    const created = await world.event('request.result.session.create')
    expect(created.payload).toMatchObject({ request_id: accepted.request_id, session: { id: row?.id } })
    expect(world.recorded().filter((one) => one.startsWith('request.'))).toHaveLength(1)
  })

  test('fails the create request of a session that was closed in the meantime', async () => {
    await using world = await CityWorld.open(agent('worker', WAITS))
    await world.city.store.write((tx) => world.city.suspensions.set(tx, 'city', '', true, false))
    const accepted = await world.city.sessions.creating.create(human, { kind: 'agent', name: 'worker' })
    const [row] = world.city.sessionRepository.live()
    await world.city.sessions.running.close(row?.id ?? '', human)
    const failed = await world.event('request.failed')
    expect(failed.payload).toMatchObject({
      request_id: accepted.request_id,
      operation: 'session.create',
      error_code: 'create_failed',
    })
  })

  test('records exits that happened while it was down', async () => {
    await using world = await CityWorld.open(agent('worker', 'while [ ! -e go ]; do sleep 0.05; done; exit 7'))
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'worker', alias: 'w' })
    const { subject: id = '' } = await world.event('request.result.session.create')
    const token = await world.token(id)
    const { pid } = world.city.sessionRepository.get(id)
    await world.down()
    await Bun.write(world.folder.at('city', 'go'), '')
    await gone(pid ?? 0)
    await world.up()
    await world.event('session.crashed')
    expect(world.city.credentials.caller(hashToken(token))).toBe('ended')
  })

  test('ends a process of the city that belongs to no session', async () => {
    await using world = await CityWorld.open(agent('worker', WAITS))
    const env = { PATH: process.env.PATH ?? '' }
    await world.city.host.start({ key: 'mill/mi-99/ff', argv: ['sleep', '600'], cwd: '/', env, cols: 80, rows: 24 })
    await world.city.host.start({ key: 'other/mi-99/ff', argv: ['sleep', '600'], cwd: '/', env, cols: 80, rows: 24 })
    await world.city.reconciler.settle()
    expect(await world.running()).toEqual(['other/mi-99/ff'])
  })
})

describe('a host crash', () => {
  test('ends its sessions: tokens are revoked, work is offered again, and sessions restart', async () => {
    await using world = await CityWorld.open(agent('worker', WAITS, 'max_active_sessions = 1'))
    const bead = await world.work('long', 'worker')
    const { session_id: id = '' } = await world.event('session.woke')
    const token = await world.token(id)
    await world.city.claims.next(await world.caller(id))
    const [status] = await world.city.host.status()
    process.kill(status?.pid ?? 0, 'SIGKILL')
    await world.event('session.crashed', ({ session_id }) => session_id === id)
    expect(world.city.credentials.caller(hashToken(token))).toBe('ended')
    expect(world.city.beadRepository.get(bead.id)).toMatchObject({ status: 'open' })
    await world.event('session.woke')
    await until(() => world.city.sessionRepository.live().some(({ state }) => state === 'active'))
    expect(world.city.sessionServices.failures.find('bead', bead.id)).toBeUndefined()
  })
})

describe('a stopping city', () => {
  test('ends the sessions of an agent before those of the agents it depends on', async () => {
    const top = agent('top', WAITS, 'min_active_sessions = 1\ndepends_on = ["base"]')
    await using world = await CityWorld.open(top + agent('base', WAITS))
    await world.event('session.woke', ({ subject }) => subject === 'base-1')
    await world.event('session.woke', ({ subject }) => subject === 'top-1')
    await world.city.reconciler.stop()
    await stopAllSessions({ ...world.city.sessionServices, clock: world.city.clock }, world.city.config.current)
    expect(world.recorded()).toEqual([
      'session.woke base-1',
      'session.woke top-1',
      'session.stopped top-1',
      'session.stopped base-1',
    ])
    expect(await world.running()).toEqual([])
  })
})
