import { describe, expect, test } from 'bun:test'
import { until } from '../../support/until.ts'
import { human, workTown } from '../world.ts'
import { openWaits } from './world.ts'

describe('a wait', () => {
  test('is a bead that shows the beads it waits for, and is over when all are closed', async () => {
    await using world = await openWaits()
    const ada = await world.session('ada')
    await world.sessions.creating.patch('ada', human, { title: 'ada' })
    const [a, b] = [await world.task('a'), await world.task('b')]
    world.recorded()
    const wait = await world.waits.create(human, { session: 'ada', on_beads: [b, a, b], note: 'go on' })
    expect(wait).toEqual({
      id: wait.id,
      session_id: ada.id,
      kind: 'deps',
      state: 'pending',
      status: 'open',
      session_name: `s-${ada.id}`,
      dep_ids: [b, a],
      dep_mode: 'all',
      registered_epoch: '1',
      delivery_attempt: '1',
      note: 'go on',
      created_at: '2026-01-05T09:00:00.000Z',
      labels: ['gc:wait', `session:${ada.id}`],
    })
    expect(world.beadRepository.get(wait.id)).toMatchObject({
      issue_type: 'gate',
      title: 'wait:ada',
      description: 'go on',
      metadata: { session_id: ada.id, kind: 'deps', state: 'pending', dep_ids: `${b},${a}`, dep_mode: 'all' },
    })
    expect(world.recorded()).toEqual([`bead.created ${wait.id}`])
    await world.finish(a)
    await world.settled()
    expect(world.waits.get(wait.id).state).toBe('pending')
    await world.exit(ada.id)
    expect(world.recorded()).toEqual([`bead.closed ${a}`, `bead.updated ${ada.id}`, 'session.stopped ada'])
    await world.finish(b)
    await world.reactions.whenIdle()
    const wakes = `bead.updated ${ada.id}`
    expect(world.recorded()).toEqual([`bead.closed ${b}`, `bead.updated ${wait.id}`, wakes])
    const nudge_id = `wait-${wait.id}-1-1`
    expect(world.waits.get(wait.id)).toEqual({ ...wait, state: 'ready', nudge_id })
    expect(world.queued().map(({ session, name }) => [session, name])).toEqual([[ada.id, nudge_id]])
    expect(world.queued()[0]?.text).toContain(wait.id)
    expect(world.queued()[0]?.text).toMatch(/---\ngo on\n---/)
    await world.settled()
    expect(world.sessionRepository.get(ada.id)).toMatchObject({ state: 'active', generation: 2 })
    world.recorded()
    await world.finishTurn(ada.id)
    await until(() => world.queued().length === 0 && world.waits.get(wait.id).state === 'closed')
    await world.settled()
    expect(world.host.prompts.map(({ text }) => text)).toEqual([expect.stringContaining('go on')])
    expect(world.waits.get(wait.id)).toMatchObject({ state: 'closed', status: 'closed' })
    expect(world.recorded()).toEqual(['worker.operation ada', `bead.closed ${wait.id}`, `bead.updated ${ada.id}`])
    expect(world.beadRepository.get(wait.id).metadata).toMatchObject({
      closed_at: wait.created_at,
      ready_at: wait.created_at,
    })
    expect(world.waits.list({}).waits).toEqual([])
  })

  test('for any bead is over with the first; for closed beads it is ready immediately', async () => {
    await using world = await openWaits()
    await world.session('ada')
    const [a, b] = [await world.task('a'), await world.task('b')]
    const any = await world.waits.create(human, { session: 'ada', on_beads: [a, b], mode: 'any' })
    await world.finish(b)
    await world.settled()
    expect(world.waits.get(any.id).state).toBe('ready')
    const late = await world.waits.create(human, { session: 'ada', on_beads: [b] })
    expect(late.state).toBe('ready')
    expect(world.queued().map(({ name }) => name)).toEqual([any, late].map(({ id }) => `wait-${id}-1-1`))
  })

  test('fails when its beads are removed, and nudges its session', async () => {
    await using world = await openWaits()
    await world.session('ada')
    const [a, b] = [await world.task('a'), await world.task('b')]
    const all = await world.waits.create(human, { session: 'ada', on_beads: [a, b] })
    const any = await world.waits.create(human, { session: 'ada', on_beads: [a, b], mode: 'any' })
    await world.store.write((tx) => world.beadRepository.remove(tx, a))
    await world.settled()
    expect(world.waits.get(all.id)).toMatchObject({ state: 'failed', status: 'closed' })
    expect(world.beadRepository.get(all.id).metadata?.last_error).toBe(`bead ${a} no longer exists`)
    expect(world.waits.get(any.id).state).toBe('pending')
    await world.store.write((tx) => world.beadRepository.remove(tx, b))
    await world.settled()
    expect(world.waits.get(any.id).state).toBe('failed')
    expect(world.queued().map(({ text }) => text)).toEqual([
      expect.stringContaining('failed'),
      expect.stringContaining('failed'),
    ])
  })

  test('is ready on request, whatever its beads are; one that is over does not change', async () => {
    await using world = await openWaits()
    const ada = await world.session('ada')
    const a = await world.task('a')
    const wait = () => world.waits.create(human, { session: 'ada', on_beads: [a] })
    const [soon, over] = [await wait(), await wait()]
    await world.waits.cancel(human, over.id)
    world.recorded()
    expect(await world.waits.ready(human, soon.id)).toMatchObject({ state: 'ready', nudge_id: `wait-${soon.id}-1-1` })
    expect(await world.waits.ready(human, soon.id)).toMatchObject({ state: 'ready' })
    expect(await world.waits.ready(human, over.id)).toMatchObject({ state: 'canceled' })
    expect(world.recorded()).toEqual([`bead.updated ${soon.id}`])
    expect(world.queued().map(({ session, text }) => [session, text])).toEqual([
      [ada.id, expect.stringContaining('it need not wait any longer')],
    ])
    await world.finish(a)
    await world.settled()
    expect(world.queued()).toHaveLength(1)
  })

  test('is canceled with its session, when that is woken, or on request, without a nudge', async () => {
    await using world = await openWaits()
    for (const name of ['ada', 'bob']) await world.session(name)
    const a = await world.task('a')
    const wait = (session: string) => world.waits.create(human, { session, on_beads: [a] })
    const [one, two, three, four] = [await wait('ada'), await wait('bob'), await wait('ada'), await wait('bob')]
    world.recorded()
    expect(await world.waits.cancel(human, one.id)).toMatchObject({ state: 'canceled', status: 'closed' })
    expect(await world.waits.cancel(human, one.id)).toMatchObject({ state: 'canceled' })
    expect(world.recorded()).toEqual([`bead.closed ${one.id}`])
    await world.sessions.running.wake('bob', human)
    expect(world.beadRepository.get(two.id).metadata).toMatchObject({ state: 'canceled', last_error: 'session-woken' })
    expect(world.waits.get(four.id).state).toBe('canceled')
    await world.sessions.running.close('ada', human)
    await world.settled()
    expect(world.beadRepository.get(three.id).metadata).toMatchObject({
      state: 'canceled',
      last_error: 'session-closed',
    })
    await world.finish(a)
    await world.settled()
    expect(world.queued()).toEqual([])
  })

  test('is canceled with the conversation it was created in, also when its nudge is queued', async () => {
    await using world = await openWaits()
    const ada = await world.session('ada')
    await world.session('bob')
    const [a, b] = [await world.task('a'), await world.task('b')]
    const [pending, ready, other] = [
      await world.waits.create(human, { session: 'ada', on_beads: [a] }),
      await world.waits.create(human, { session: 'ada', on_beads: [b] }),
      await world.waits.create(human, { session: 'bob', on_beads: [a] }),
    ]
    await world.finish(b)
    await world.settled()
    expect(world.queued()).toHaveLength(1)
    world.recorded()
    await world.sessions.running.restart('ada', human, { fresh: true })
    for (const { id } of [pending, ready])
      expect(world.beadRepository.get(id).metadata).toMatchObject({
        state: 'canceled',
        last_error: 'continuation-stale',
      })
    expect(world.recorded().toSorted()).toEqual(
      [
        ...[`bead.closed ${pending.id}`, `bead.closed ${ready.id}`],
        ...['session.stopped ada', `bead.updated ${ada.id}`],
      ].toSorted(),
    )
    expect(world.queued()).toEqual([])
    expect(world.waits.get(other.id).state).toBe('pending')
  })

  test('is canceled with its bead, and ends as its nudge does', async () => {
    await using world = await openWaits()
    const ada = await world.session('ada')
    for (const name of ['bob', 'cyd']) await world.session(name)
    const a = await world.task('a')
    const closed = await world.waits.create(human, { session: 'ada', on_beads: [a] })
    await world.finish(closed.id)
    await world.settled()
    expect(world.waits.get(closed.id)).toMatchObject({ state: 'canceled', status: 'closed' })
    await world.finish(a)
    const [two, three, four] = [
      await world.waits.create(human, { session: 'ada', on_beads: [a] }),
      await world.waits.create(human, { session: 'bob', on_beads: [a] }),
      await world.waits.create(human, { session: 'cyd', on_beads: [a] }),
    ]
    const state = ({ id }: { id: string }) => world.waits.get(id).state
    world.host.promptError = 'it could not be typed'
    await world.finishTurn(ada.id)
    await until(() => state(two) !== 'ready')
    await world.sessions.running.close('bob', human)
    await world.waits.cancel(human, four.id)
    expect([two, three, four].map(state)).toEqual(['failed', 'canceled', 'canceled'])
    expect(world.beadRepository.get(two.id).metadata?.last_error).toBe('it could not be typed')
    expect(world.beadRepository.get(three.id).metadata?.last_error).toBe('session-closed')
    expect(world.queued()).toEqual([])
  })

  test('expires in time, also when the clock is set or the city was closed', async () => {
    await using town = workTown()
    const world = await openWaits(town)
    await world.session('ada')
    const a = await world.task('a')
    const until = (expires_at: string) => world.waits.create(human, { session: 'ada', on_beads: [a], expires_at })
    const late = await until('2026-01-07T09:00:00Z')
    const soon = await until('2026-01-05T09:01:00Z')
    const later = await until('2026-01-05T12:00:00Z')
    await world.clock.advance(59_999)
    expect(world.waits.get(soon.id).state).toBe('pending')
    await world.clock.advance(1)
    await world.settled()
    expect(world.waits.get(soon.id)).toMatchObject({ state: 'expired', status: 'closed' })
    expect(world.queued()[0]?.text).toContain('expired: its time ran out')
    world.clock.step(3 * 3_600_000)
    await world.clock.advance(3_600_000)
    await world.settled()
    expect(world.waits.get(later.id).state).toBe('expired')
    const { length: before } = world.nudges()
    await world.close({ endSessions: false })
    world.clock.stop(5 * 86_400_000)
    await using again = await openWaits(town)
    await again.clock.advance(1)
    await again.settled()
    expect(again.waits.get(late.id).state).toBe('expired')
    expect(again.nudges()).toHaveLength(before + 1)
  })

  test('is resolved once when the city closed between the close of the bead and the nudge', async () => {
    await using town = workTown()
    const first = await openWaits(town)
    await first.session('ada')
    const a = await first.task('a')
    const wait = await first.waits.create(human, { session: 'ada', on_beads: [a] })
    await first.reactions.stop()
    await first.finish(a)
    await first.close({ endSessions: false })
    for (const _ of ['once', 'again']) {
      await using later = await openWaits(town)
      expect(later.queued()).toHaveLength(1)
      expect(later.waits.get(wait.id).state).toBe('ready')
    }
  })
})
