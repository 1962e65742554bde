import { describe, expect, test } from 'bun:test'
import type { SessionCaller } from '../../../src/http/caller.ts'
import type { TestClock } from '../../support/clock.ts'
import { human, openWork, type Work, workTown } from '../world.ts'

/** A city in which the sessions ada and bob run, as they call. */
async function openClaims() {
  const work = await openWork()
  const [ada, bob] = [await work.session('ada'), await work.session('bob')]
  work.recorded()
  return { ...work, ada: work.caller(ada.id), bob: work.caller(bob.id) }
}

const routed = (work: Work, title: string, more = {}) =>
  work.add({ title, metadata: { 'gc.routed_to': 'press/hand' }, ...more })

/** A session whose process we do not see, as it calls. */
const remote = async (work: Work, alias: string) => work.caller((await work.lentSession(alias)).id)

/** Running sessions, as they call. */
const crowd = (work: Work, size: number): Promise<SessionCaller[]> =>
  Promise.all(Array.from({ length: size }, async (_, n) => work.caller((await work.session(`s${n}`)).id)))

describe('claim', () => {
  test('puts a bead in progress and assigns it to the calling session', async () => {
    await using work = await openClaims()
    const { id } = await routed(work, 'a')
    work.recorded()
    expect(await work.claims.claim(work.ada, id)).toEqual({
      bead_id: id,
      epoch: 1,
      session_id: work.ada.session,
      session_name: `s-${work.ada.session}`,
      assignee: 'ada',
      taken_at: '2026-01-05T09:00:00.000Z',
    })
    expect(work.beadRepository.get(id)).toMatchObject({
      status: 'in_progress',
      assignee: 'ada',
      metadata: {
        'gc.session_id': work.ada.session,
        'gc.session_name': `s-${work.ada.session}`,
        'gc.routed_to': 'press/hand',
      },
    })
    expect(work.claims.list()).toEqual({ items: [work.claims.get(id)], total: 1 })
    expect(work.recorded()).toEqual([`bead.updated ${id}`])
  })

  test('claiming again succeeds with the same epoch and records nothing', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    const first = await work.claims.claim(work.ada, id)
    work.recorded()
    expect(await work.claims.claim(work.ada, id)).toEqual(first)
    expect(work.recorded()).toEqual([])
  })

  test('another session is rejected and learns who holds the bead', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(work.ada, id)
    work.recorded()
    await expect(work.claims.claim(work.bob, id)).rejects.toMatchObject({
      code: 'conflict-wrong-state',
      message: expect.stringContaining('ada'),
    })
    expect(work.recorded()).toEqual([`bead.claim_rejected ${id}`])
    const [rejected] = work.log.after(work.log.head - 1, 1)
    expect(rejected?.payload).toEqual({ bead_id: id, existing_claimant: 'ada', attempted_claimant: 'bob' })
    expect(work.claims.get(id).session_id).toBe(work.ada.session)
  })

  test('a closed, assigned or missing bead and a record are rejected', async () => {
    await using work = await openClaims()
    const closed = await work.add({ title: 'a', status: 'closed' })
    const given = await work.add({ title: 'b', assignee: 'bob' })
    const mail = await work.add({ title: 'c', type: 'message' })
    work.recorded()
    const rejected = (id: string) => expect(work.claims.claim(work.ada, id)).rejects
    await rejected(closed.id).toMatchObject({ code: 'conflict-wrong-state' })
    await rejected(given.id).toMatchObject({ code: 'conflict-wrong-state' })
    await rejected(mail.id).toMatchObject({ code: 'conflict-wrong-state' })
    await rejected('mi-99').toMatchObject({ code: 'bead-not-found' })
    expect(work.recorded()).toEqual([`bead.claim_rejected ${given.id}`])
  })

  test('a person cannot claim', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    for (const verb of ['claim', 'heartbeat', 'release'] as const) {
      expect(async () => work.claims[verb](human, id)).toThrow('GC_TOKEN')
    }
    expect(async () => work.claims.next(human)).toThrow('GC_TOKEN')
  })

  test('a session of another city cannot claim, whatever its id', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    const stranger = { ...work.ada, city: 'farm' }
    expect(async () => work.claims.claim(stranger, id)).toThrow('city farm')
    expect(async () => work.claims.next(stranger)).toThrow('city farm')
    expect(work.claims.list().total).toBe(0)
  })

  test('the next run of a session takes over its claim under a new epoch', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(work.ada, id)
    await work.sessions.restarts.restart('ada', human)
    await work.settled()
    expect(work.beadRepository.get(id)).toMatchObject({ status: 'open', assignee: 'ada' })
    await expect(work.claims.heartbeat(work.ada, id)).rejects.toMatchObject({ code: 'claim-lost', status: 409 })
    expect((await work.claims.claim(work.ada, id)).epoch).toBe(2)
  })
})

describe('the end of a claim', () => {
  test('closing the bead ends its claim, whoever closes it', async () => {
    await using work = await openClaims()
    for (const caller of [work.ada, human]) {
      const { id } = await work.add({ title: 'a' })
      await work.claims.claim(work.ada, id)
      await work.beads.close(caller, id)
      expect(() => work.claims.get(id)).toThrow('not claimed')
      expect(await work.beads.close(work.ada, id)).toEqual({ status: 'closed' })
    }
    expect(work.claims.list().total).toBe(0)
  })

  test('releasing offers the bead to everybody, once', async () => {
    await using work = await openClaims()
    const { id } = await routed(work, 'a')
    await work.claims.claim(work.ada, id)
    await expect(work.claims.release(work.bob, id)).rejects.toMatchObject({ code: 'conflict-wrong-state' })
    work.recorded()
    expect(await work.claims.release(work.ada, id)).toEqual({ status: 'released' })
    await expect(work.claims.release(work.ada, id)).rejects.toMatchObject({ code: 'conflict-wrong-state' })
    expect(work.beadRepository.get(id)).toMatchObject({ status: 'open', metadata: { 'gc.routed_to': 'press/hand' } })
    expect(work.beadRepository.get(id)).not.toHaveProperty('assignee')
    expect(work.beadRepository.get(id).metadata).not.toHaveProperty(['gc.session_id'])
    expect(work.recorded()).toEqual([`bead.updated ${id}`])
    expect((await work.claims.claim(work.bob, id)).epoch).toBe(2)
  })

  test('when a person reassigns the bead, its holder learns that the claim is lost', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(work.ada, id)
    await work.beads.assign(human, id, { assignee: 'bob' })
    for (const late of [
      () => work.beads.close(work.ada, id),
      () => work.beads.update(work.ada, id, { title: 'mine' }),
      () => work.beads.assign(work.ada, id, { assignee: 'ada' }),
      () => work.claims.heartbeat(work.ada, id),
      () => work.claims.release(work.ada, id),
      () => work.beads.depend(work.ada, id, { depends_on_id: id }),
    ]) {
      await expect(late()).rejects.toMatchObject({ code: 'claim-lost', status: 409 })
    }
    await work.claims.claim(work.bob, id)
    await work.beads.close(work.bob, id)
    expect(work.beadRepository.get(id).status).toBe('closed')
  })

  test('a session may write to a bead that another holds and it never held', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(work.ada, id)
    await work.beads.update(work.bob, id, { metadata: { review: 'wanted' } })
    expect(work.claims.get(id).session_id).toBe(work.ada.session)
  })

  test('a bead whose claim was lost can be claimed again', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(work.ada, id)
    await work.beads.update(human, id, { status: 'open', assignee: '' })
    await expect(work.beads.close(work.ada, id)).rejects.toMatchObject({ code: 'claim-lost' })
    expect((await work.claims.claim(work.ada, id)).epoch).toBe(2)
    await work.beads.close(work.ada, id)
  })

  test('when a process is gone, all beads it held are offered again', async () => {
    await using work = await openClaims()
    const pool = await routed(work, 'pool')
    const own = await work.add({ title: 'own', assignee: 'ada' })
    const other = await routed(work, 'other')
    await work.claims.claim(work.ada, pool.id)
    await work.claims.claim(work.ada, own.id)
    await work.claims.claim(work.bob, other.id)
    work.recorded()
    const { head } = work.log
    await work.exit(work.ada.session, 1)
    expect(work.beadRepository.get(pool.id)).toMatchObject({ status: 'open' })
    expect(work.beadRepository.get(pool.id)).not.toHaveProperty('assignee')
    expect(work.beadRepository.get(own.id)).toMatchObject({ status: 'open', assignee: 'ada' })
    expect(work.claims.list().items.map((claim) => claim.bead_id)).toEqual([other.id])
    expect(work.recorded()).toEqual([
      `bead.dead_assignee_reopened ${pool.id}`,
      `bead.updated ${pool.id}`,
      `bead.dead_assignee_reopened ${own.id}`,
      `bead.updated ${own.id}`,
      `bead.updated ${work.ada.session}`,
      'session.crashed ada',
    ])
    const payload = { bead_id: pool.id, dead_assignee: 'ada', routed_to: 'press/hand' }
    expect(work.log.after(head, 1)[0]?.payload).toEqual(payload)
    await expect(work.beads.close(work.ada, pool.id)).rejects.toMatchObject({ code: 'claim-lost' })
  })

  test('when a name is given up, work in progress under it is opened, too', async () => {
    await using work = await openClaims()
    const own = await work.add({ title: 'own', assignee: 'ada' })
    const unclaimed = await work.add({ title: 'unclaimed', status: 'in_progress', assignee: 'ada' })
    await work.claims.claim(work.ada, own.id)
    work.recorded()
    await work.sessions.control.close('ada', human)
    expect(work.recorded()).toEqual([
      ...[`bead.dead_assignee_reopened ${own.id}`, `bead.updated ${own.id}`],
      ...[`bead.dead_assignee_reopened ${unclaimed.id}`, `bead.updated ${unclaimed.id}`],
      ...['session.stopped ada', 'worker.operation ada', `bead.closed ${work.ada.session}`],
    ])
    for (const id of [own.id, unclaimed.id]) {
      expect(work.beadRepository.get(id).status).toBe('open')
      expect(work.beadRepository.get(id)).not.toHaveProperty('assignee')
    }
  })

  test('removing the bead ends its claim', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(work.ada, id)
    await work.store.write((tx) => work.beadRepository.remove(tx, id))
    expect(work.claims.list().total).toBe(0)
  })

  test('the revoked claims of a session are forgotten when it is closed', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(work.ada, id)
    await work.exit(work.ada.session)
    const losses = () => work.store.prepare('SELECT * FROM claim_losses').all().length
    expect(losses()).toBe(1)
    await work.beads.close(human, work.ada.session)
    expect(losses()).toBe(0)
  })
})

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
    /** What else the city waits for, such as the next write of the word index, is over after a minute. */
    const deadlines = async () => {
      await work.settled()
      await work.clock.advance(60_000)
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

describe('next', () => {
  test('is work in progress, then assigned work that is ready, then the oldest that is routed to the agent', async () => {
    await using work = await openClaims()
    const old = await routed(work, 'old', { priority: 4 })
    await work.clock.advance(1)
    const urgent = await routed(work, 'urgent', { priority: 0 })
    await routed(work, 'epic', { type: 'epic' })
    await routed(work, 'blocked', { needs: ['mi-99'] })
    await work.add({ title: 'of another agent', metadata: { 'gc.routed_to': 'press/foot' } })
    const mine = await work.add({ title: 'mine', assignee: 'ada' })
    const going = await work.add({ title: 'going', status: 'in_progress', assignee: 'ada' })
    const done = async () => {
      const next = await work.claims.next(work.ada)
      if (next.bead_id) await work.beads.close(work.ada, next.bead_id)
      return [next.action, next.reason, next.bead_id]
    }
    expect(await done()).toEqual(['work', 'existing_assignment', going.id])
    expect(await done()).toEqual(['work', 'ready_assignment', mine.id])
    expect(await done()).toEqual(['work', 'claimed', old.id])
    expect(await done()).toEqual(['work', 'claimed', urgent.id])
    work.recorded()
    expect(await work.claims.next(work.ada)).toEqual({ action: 'drain', reason: 'no_work' })
    expect(work.recorded()).toEqual([])
  })

  test('is the same bead until it is closed', async () => {
    await using work = await openClaims()
    await routed(work, 'a')
    await routed(work, 'b')
    const first = await work.claims.next(work.ada)
    const again = await work.claims.next(work.ada)
    expect(first).toMatchObject({ reason: 'claimed', route: 'press/hand', assignee: 'ada', epoch: 1 })
    expect(again).toMatchObject({ reason: 'existing_assignment', bead_id: first.bead_id, epoch: 1 })
    expect((await work.claims.next(work.bob)).bead_id).not.toBe(first.bead_id)
  })

  test('assigns the ready steps of the same continuation group, too', async () => {
    await using work = await openClaims()
    const step = (title: string, more = {}) =>
      work.add({
        title,
        metadata: { 'gc.routed_to': 'press/hand', 'gc.root_bead_id': 'mi-90', 'gc.continuation_group': 'g' },
        ...more,
      })
    const first = await step('first')
    const second = await step('second')
    await step('blocked', { needs: [first.id] })
    const next = await work.claims.next(work.ada)
    expect(next).toMatchObject({
      bead_id: first.id,
      root_bead_id: 'mi-90',
      continuation_group: 'g',
      continuation_assigned: [second.id],
    })
    expect(work.beadRepository.get(second.id)).toMatchObject({ status: 'open', assignee: 'ada' })
  })

  test('64 sessions that claim from 1,000 beads at once get each bead once', async () => {
    await using work = await openClaims()
    await work.store.write((tx) => {
      for (let n = 0; n < 1000; n++)
        work.beadRepository.add(tx, { title: `${n}`, metadata: { 'gc.routed_to': 'press/hand' } })
    })
    const taken = new Map<string, string>()
    const claimer = async (caller: SessionCaller) => {
      for (let next = await work.claims.next(caller); next.bead_id; next = await work.claims.next(caller)) {
        expect(taken.get(next.bead_id)).toBeUndefined()
        taken.set(next.bead_id, caller.session)
        await work.beads.close(caller, next.bead_id)
      }
    }
    const callers = await crowd(work, 64)
    work.recorded()
    await Promise.all(callers.map(claimer))
    expect(taken.size).toBe(1000)
    expect(work.claims.list().total).toBe(0)
    expect(work.recorded().filter((event) => event.startsWith('bead.claim_rejected'))).toEqual([])
  })

  test('64 sessions that claim the same 1,000 beads by id get each bead once', async () => {
    await using work = await openClaims()
    const ids = await work.store.write((tx) =>
      Array.from({ length: 1000 }, (_, n) => work.beadRepository.add(tx, { title: `${n}` }).id),
    )
    const wins = new Map<string, number>()
    const tries = (await crowd(work, 64)).flatMap((caller) =>
      ids.filter((_, at) => (at + caller.session.length) % 8 === 0).map((id) => ({ caller, id })),
    )
    const outcomes = await Promise.allSettled(tries.map(({ caller, id }) => work.claims.claim(caller, id)))
    outcomes.forEach((outcome, at) => {
      const id = tries[at]?.id ?? ''
      if (outcome.status === 'fulfilled') wins.set(id, (wins.get(id) ?? 0) + 1)
    })
    expect(new Set(wins.values())).toEqual(new Set([1]))
    expect(work.claims.list().total).toBe(wins.size)
  })
})

describe('after any operations', () => {
  test('a claim is held by one session, and its bead is in progress under that name', async () => {
    await using work = await openClaims()
    let state = 11
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * below)
    }
    const ids = await work.store.write((tx) =>
      Array.from({ length: 12 }, (_, n) => work.beadRepository.add(tx, { title: `${n}` }).id),
    )
    const epochs = new Map<string, number>()
    const callers = await crowd(work, 4)
    const end = async ({ session }: SessionCaller) => {
      await (random(2) ? work.sessions.control.kill(session, human) : work.sessions.restarts.restart(session, human))
    }
    const acts = [
      (who: SessionCaller, id: string) => work.claims.claim(who, id),
      (who: SessionCaller) => work.claims.next(who),
      (who: SessionCaller, id: string) => work.claims.release(who, id),
      (who: SessionCaller, id: string) => work.beads.close(who, id),
      (_: SessionCaller, id: string) => work.beads.reopen(human, id),
      ({ session }: SessionCaller, id: string) => work.beads.assign(human, id, { assignee: random(2) ? session : '' }),
      (_: SessionCaller, id: string) =>
        work.beads.update(human, id, { status: ['open', 'in_progress', 'closed'][random(3)] }),
      end,
    ]
    for (let round = 0; round < 300; round++) {
      const batch = Array.from({ length: 4 }, () =>
        acts[random(acts.length)]?.(callers[random(4)] ?? work.ada, ids[random(12)] ?? ''),
      )
      await Promise.allSettled(batch)
      await work.settled()
      const live = work.claims.list().items
      expect(new Set(live.map((claim) => claim.bead_id)).size).toBe(live.length)
      for (const claim of live) {
        const bead = work.beadRepository.get(claim.bead_id)
        expect([bead.status, bead.assignee]).toEqual(['in_progress', claim.assignee])
        expect(claim.epoch).toBeGreaterThanOrEqual(epochs.get(claim.bead_id) ?? 1)
        epochs.set(claim.bead_id, claim.epoch)
      }
    }
    expect(Math.max(...epochs.values())).toBeGreaterThan(5)
  })
})
