import { describe, expect, test } from 'bun:test'
import type { SessionCaller } from '../../../src/http/caller.ts'
import type { TestClock } from '../../support/clock.ts'
import { openWork, workTown } from '../world.ts'
import { remote, routed } from './callers.ts'

describe('claims without a hosted process', () => {
  test('expire after a quarter of an hour without a heartbeat', async () => {
    await using work = await openWork()
    const ada = await remote(work, 'ada')
    const { id } = await routed(work, 'a')
    expect((await work.claims.claim(ada, id)).expires_at).toBe('2026-01-05T09:15:00.000Z')
    await work.clock.advance(14 * 60_000)
    expect((await work.claims.heartbeat(ada, id)).expires_at).toBe('2026-01-05T09:29:00.000Z')
    await work.clock.advance(14 * 60_000)
    expect(work.claims.get(id).session_id).toBe(ada.session)
    work.recorded()
    await work.clock.advance(60_000)
    await work.settled()
    expect(work.beadRepository.get(id).status).toBe('open')
    expect(work.recorded()).toEqual([`bead.dead_assignee_reopened ${id}`, `bead.updated ${id}`])
    await expect(work.claims.heartbeat(ada, id)).rejects.toMatchObject({ code: 'claim-lost' })
    expect(work.errors).toEqual([])
  })

  test('share one deadline, and set none while there are none', async () => {
    await using work = await openWork()
    const sessions = new Map<string, SessionCaller>()
    for (const name of ['a', 'b', 'c']) {
      const { id } = await work.add({ title: name })
      sessions.set(id, await remote(work, name))
    }
    /** Advances a minute, so that other waits of the city, such as the next disk check, are over. */
    const deadlines = async () => {
      for (let minute = 0; minute < 2; minute++) {
        await work.settled()
        await work.clock.advance(60_000)
      }
      await work.settled()
      return work.deadlines.size
    }
    await work.clock.advance(3_600_000)
    const idle = await deadlines()
    for (const [id, caller] of sessions) await work.claims.claim(caller, id)
    expect(await deadlines()).toBe(idle + 1)
    for (const [id, caller] of sessions) await work.claims.release(caller, id)
    await work.clock.advance(16 * 60_000)
    expect(await deadlines()).toBe(idle)
  })

  test('are renewed when the city opens again, and still expire', async () => {
    await using town = workTown()
    const first = await openWork({ town })
    const ada = await remote(first, 'ada')
    const { id } = await first.add({ title: 'a' })
    await first.claims.claim(ada, id)
    await first.close({ endSessions: false })
    town.clock.stop(60 * 60_000)
    await using again = await openWork({ town })
    expect(again.claims.get(id).expires_at).toBe('2026-01-05T10:15:00.000Z')
    await town.clock.advance(15 * 60_000)
    await again.settled()
    expect(again.beadRepository.get(id).status).toBe('open')
  })

  test.each([
    ['the clock is set forward', (clock: TestClock) => clock.step(8 * 3_600_000)],
    ['the clock is set back', (clock: TestClock) => clock.step(-8 * 3_600_000)],
    ['the supervisor was stopped', (clock: TestClock) => clock.stop(8 * 3_600_000)],
  ])('are renewed when %s, and still expire', async (_, away) => {
    await using work = await openWork()
    const held: string[] = []
    for (const name of ['ada', 'bob', 'cid']) {
      const caller = await remote(work, name)
      const { id } = await work.add({ title: name })
      await work.claims.claim(caller, id)
      held.push(id)
      await work.clock.advance(60_000)
    }
    away(work.clock)
    await work.clock.advance(12 * 60_000)
    await work.settled()
    await work.clock.advance(2 * 60_000)
    await work.settled()
    expect(work.claims.list().total).toBe(3)
    await work.clock.advance(15 * 60_000)
    await work.settled()
    expect(held.map((id) => work.beadRepository.get(id).status)).toEqual(['open', 'open', 'open'])
  })
})
