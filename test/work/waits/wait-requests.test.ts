import { describe, expect, test } from 'bun:test'
import { human, plan } from '../world.ts'
import { openWaits } from './world.ts'

describe('permissions to wait', () => {
  test('a session can wait only itself, and may leave itself out', async () => {
    await using world = await openWaits()
    const ada = world.caller((await world.session('ada')).id)
    const bob = await world.session('bob')
    const a = await world.task('a')
    const own = await world.waits.create(ada, { on_beads: [a] })
    expect(own.session_id).toBe(ada.session)
    expect(world.beadRepository.get(own.id).metadata).toMatchObject({ created_by_session: ada.session })
    const rejected = (work: Promise<unknown>) => expect(work).rejects
    await rejected(world.waits.create(ada, { session: 'bob', on_beads: [a] })).toMatchObject({ code: 'forbidden' })
    await rejected(world.waits.create({ ...ada, city: 'x' }, { on_beads: [a] })).toMatchObject({ code: 'forbidden' })
    const other = await world.waits.create(human, { session: bob.id, on_beads: [a] })
    await rejected(world.waits.cancel(ada, other.id)).toMatchObject({ code: 'forbidden' })
    await rejected(world.waits.ready(ada, other.id)).toMatchObject({ code: 'forbidden' })
    expect(world.waits.get(other.id).state).toBe('pending')
    expect((await world.waits.cancel(ada, own.id)).state).toBe('canceled')
  })

  test('an invalid wait is rejected and nothing is stored', async () => {
    await using world = await openWaits()
    await world.session('ada')
    const a = await world.task('a')
    world.recorded()
    const rejected = (more: object) =>
      expect(world.waits.create(human, { session: 'ada', on_beads: [a], ...more })).rejects
    await rejected({ session: 'nobody' }).toMatchObject({ code: 'session-not-found' })
    await rejected({ session: undefined }).toMatchObject({ code: 'validation-failed' })
    await rejected({ on_beads: [a, 'mi-99'] }).toMatchObject({ code: 'bead-not-found' })
    await rejected({ expires_at: '2026-01-05T09:00:00Z' }).toMatchObject({ code: 'validation-failed' })
    await rejected({ note: 'x'.repeat(8193) }).toMatchObject({ code: 'validation-failed' })
    expect(() => world.waits.get('mi-99')).toThrow('not_found: mi-99')
    expect(() => world.waits.get(a)).toThrow(`not_a_wait: ${a}`)
    expect(world.waits.list({})).toEqual({ waits: [], capped: false })
    expect(world.recorded()).toEqual([])
  })

  test('lists show waits that are not over, by session and state, from indexes', async () => {
    await using world = await openWaits()
    const ada = await world.session('ada')
    const bob = await world.session('bob')
    const [a, b] = [await world.task('a'), await world.task('b')]
    const one = await world.waits.create(human, { session: 'ada', on_beads: [a] })
    await world.clock.advance(1)
    const two = await world.waits.create(human, { session: 'bob', on_beads: [a, b], mode: 'any' })
    const ids = (query: object) => world.waits.list(query).waits.map(({ id }) => id)
    expect(ids({})).toEqual([two.id, one.id])
    expect(ids({ session: ada.id })).toEqual([one.id])
    expect(ids({ session: bob.id, state: 'ready' })).toEqual([])
    expect(world.beads.ready().value.items.map(({ id }) => id)).not.toContain(one.id)
    const live = "SELECT * FROM waits WHERE state IN ('pending', 'ready')"
    for (const sql of [
      `${live} ORDER BY created_at DESC, id DESC`,
      `${live} AND session = 'x' ORDER BY created_at DESC`,
    ])
      expect(plan(world.store, sql).join()).toMatch(/USING INDEX waits_(live|of)/)
  })
})
