import { describe, expect, test } from 'bun:test'
import { CREATE_LIMIT } from '../../../src/agents/messaging/requests.ts'
import { hashToken } from '../../../src/core/text/credentials.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'
import { until } from '../../support/until.ts'
import { agent, CityWorld, WAITS } from './world.ts'

describe('waiting work', () => {
  test('gets a session, which claims it, closes it and ends', async () => {
    await using world = await CityWorld.open(
      agent('worker', 'while [ ! -e go ]; do sleep 0.05; done', 'max_active_sessions = 2'),
    )
    const bead = await world.work('polish the stone', 'worker')
    const woke = await world.event('session.woke')
    const id = woke.session_id ?? ''
    const session = await world.city.sessions.reading.get(id)
    expect(session).toMatchObject({
      template: 'worker',
      state: 'active',
      running: true,
      pool: 'worker',
      provider: 'command',
    })
    const next = await world.city.claims.next(await world.caller(id))
    expect(next).toMatchObject({ action: 'work', bead_id: bead.id, assignee: session.session_name })
    expect(await world.city.sessions.reading.get(id)).toMatchObject({ active_bead: bead.id })
    await world.city.store.write((tx) => world.city.beadRepository.close(tx, bead.id))
    await Bun.write(world.folder.at('city', 'go'), '')
    await world.event('session.stopped')
    await world.city.reconciler.settle()
    expect(await world.city.sessions.reading.get(id)).toMatchObject({ state: '', running: false })
    expect(world.city.credentials.caller(hashToken(await world.token(id)))).toBe('ended')
    expect(world.recorded()).toEqual(['session.woke worker-1', 'session.stopped worker-1'])
    expect(world.reports).toEqual([])
  })
})

describe('POST sessions', () => {
  test('answers immediately, and one event reports that the session is up', async () => {
    await using world = await CityWorld.open(agent('mayor', WAITS))
    const accepted = await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor', alias: 'boss' })
    expect(accepted).toMatchObject({ status: 'accepted', request_id: expect.stringMatching(/^req-[0-9a-f]{24}$/) })
    const created = await world.event('request.result.session.create')
    expect(created.payload).toMatchObject({
      request_id: accepted.request_id,
      session: { alias: 'boss', state: 'active', running: true, kind: 'agent', template: 'mayor' },
    })
    expect(world.recorded()).toEqual(['session.woke boss', `request.result.session.create ${created.subject}`])
  })
})

describe('a session that cannot start', () => {
  test('is reported by its request with what it waits for, and is closed when that is undone before it began', async () => {
    await using world = await CityWorld.open(agent('mayor', WAITS, 'max_active_sessions = 1'))
    const { creating } = world.city.sessions
    const first = await creating.create(human, { kind: 'agent', name: 'mayor' })
    await world.event('request.result.session.create')
    const messageOf = (error: Error) => error.message
    expect(await creating.withdraw(first.request_id, human).catch(messageOf)).toContain('is not open')
    const { request_id } = await creating.create(human, { kind: 'agent', name: 'mayor' })
    await world.city.reconciler.settle()
    expect(creating.request(request_id)).toMatchObject({
      operation: 'session.create',
      waits_for: expect.stringContaining('mayor has 1 of 1 sessions'),
    })
    const { head } = world.city.log
    const { id = '' } = await creating.withdraw(request_id, human)
    expect(world.city.log.after(head, 10).map(({ type }) => type)).toEqual(['bead.closed', 'request.failed'])
    expect(world.city.sessionRepository.find(id)?.state).toBe('closed')
  })

  test('is closed when its request fails for that, so that it does not start when no one waits for it', async () => {
    await using town = scriptedTown(agent('mayor', WAITS, 'max_active_sessions = 1'))
    const city = await town.open()
    const { creating } = city.sessions
    const create = () => creating.create(human, { kind: 'agent', name: 'mayor', message: 'Good day' })
    await create()
    await city.reconciler.settle()
    const [first] = city.sessionRepository.live()
    await create()
    await city.reconciler.settle()
    const second = city.sessionRepository.live().find(({ id }) => id !== first?.id)
    const { head } = city.log
    await town.clock.advance(CREATE_LIMIT)
    await until(() => city.log.after(head, 10).some(({ type }) => type === 'bead.closed'))
    // The first session may end its start meanwhile.
    const ofSecond = city.log.after(head, 10).filter(({ type }) => type !== 'worker.operation')
    expect(ofSecond).toMatchObject([
      {
        type: 'request.failed',
        payload: {
          operation: 'session.create',
          error_message:
            'the session did not start within 2 minutes: mayor has 1 of 1 sessions; close one, or raise max_active_sessions',
        },
      },
      { type: 'bead.closed', subject: second?.id },
    ])
    expect(city.sessionRepository.live().map(({ id }) => id)).toEqual([first?.id ?? ''])
  })

  test('explains what prevents its start', async () => {
    await using world = await CityWorld.open(agent('mayor', WAITS, 'max_active_sessions = 1'))
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor' })
    await world.event('request.result.session.create')
    await world.city.sessions.creating.create(human, { kind: 'agent', name: 'mayor' })
    await world.city.reconciler.settle()
    const waiting = world.city.sessionRepository.live().find(({ state }) => state === 'start-pending')
    expect(world.city.sessionServices.waiting.of(waiting?.id ?? '')).toBe(
      'mayor has 1 of 1 sessions; close one, or raise max_active_sessions',
    )
  })
})
