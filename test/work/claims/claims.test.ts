import { describe, expect, test } from 'bun:test'
import { Reactions } from '../../../src/core/events/reactions.ts'
import type { TestClock } from '../../support/clock.ts'
import { buildWork } from '../../support/work.ts'
import { callerOf, human, openWork, type Work, workerOf } from '../world.ts'

const ada = callerOf('ada')
const bob = callerOf('bob')

const routed = (work: Work, title: string, more = {}) =>
  work.add({ title, metadata: { 'gc.routed_to': 'press/hand' }, ...more })

/** Makes a session one whose process we do not see. */
const remote = (work: Work, session: string) => work.workers.set(session, workerOf(session, { hosted: false }))

describe('claim', () => {
  test('puts a bead in progress and assigns it to the calling session', async () => {
    await using work = openWork()
    const { id } = await routed(work, 'a')
    work.recorded()
    expect(await work.claims.claim(ada, id)).toEqual({
      bead_id: id,
      epoch: 1,
      session_id: 'ada',
      session_name: 's-ada',
      assignee: 'ada',
      taken_at: '2026-01-05T09:00:00.000Z',
    })
    expect(work.repository.get(id)).toMatchObject({
      status: 'in_progress',
      assignee: 'ada',
      metadata: { 'gc.session_id': 'ada', 'gc.session_name': 's-ada', 'gc.routed_to': 'press/hand' },
    })
    expect(work.claims.list()).toEqual({ items: [work.claims.get(id)], total: 1 })
    expect(work.recorded()).toEqual([`bead.updated ${id}`])
  })

  test('claiming again succeeds with the same epoch and records nothing', async () => {
    await using work = openWork()
    const { id } = await work.add({ title: 'a' })
    const first = await work.claims.claim(ada, id)
    work.recorded()
    expect(await work.claims.claim(ada, id)).toEqual(first)
    expect(work.recorded()).toEqual([])
  })

  test('another session is rejected and learns who holds the bead', async () => {
    await using work = openWork()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(ada, id)
    work.recorded()
    await expect(work.claims.claim(bob, id)).rejects.toMatchObject({
      code: 'conflict-wrong-state',
      message: expect.stringContaining('ada'),
    })
    expect(work.recorded()).toEqual([`bead.claim_rejected ${id}`])
    const [rejected] = work.log.after(work.log.head - 1, 1)
    expect(rejected?.payload).toEqual({ bead_id: id, existing_claimant: 'ada', attempted_claimant: 'bob' })
    expect(work.claims.get(id).session_id).toBe('ada')
  })

  test('a closed, assigned or missing bead and a record are rejected', async () => {
    await using work = openWork()
    const closed = await work.add({ title: 'a', status: 'closed' })
    const given = await work.add({ title: 'b', assignee: 'bob' })
    const mail = await work.add({ title: 'c', type: 'message' })
    work.recorded()
    const rejected = (id: string) => expect(work.claims.claim(ada, id)).rejects
    await rejected(closed.id).toMatchObject({ code: 'conflict-wrong-state' })
    await rejected(given.id).toMatchObject({ code: 'conflict-wrong-state' })
    await rejected(mail.id).toMatchObject({ code: 'conflict-wrong-state' })
    await rejected('mi-99').toMatchObject({ code: 'bead-not-found' })
    expect(work.recorded()).toEqual([`bead.claim_rejected ${given.id}`])
  })

  test('a person cannot claim', async () => {
    await using work = openWork()
    const { id } = await work.add({ title: 'a' })
    for (const verb of ['claim', 'heartbeat', 'release'] as const) {
      expect(async () => work.claims[verb](human, id)).toThrow('GC_TOKEN')
    }
    expect(async () => work.claims.next(human)).toThrow('GC_TOKEN')
  })

  test('a session of another city cannot claim, whatever its id', async () => {
    await using work = openWork()
    const { id } = await work.add({ title: 'a' })
    const stranger = { ...ada, city: 'farm' }
    expect(async () => work.claims.claim(stranger, id)).toThrow('city farm')
    expect(async () => work.claims.next(stranger)).toThrow('city farm')
    expect(work.claims.list().total).toBe(0)
  })

  test('the next run of a session takes over its claim under a new epoch', async () => {
    await using work = openWork()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(ada, id)
    work.workers.set('ada', workerOf('ada', { incarnation: '2' }))
    await expect(work.claims.heartbeat(ada, id)).rejects.toMatchObject({ code: 'conflict-wrong-state' })
    expect((await work.claims.claim(ada, id)).epoch).toBe(2)
  })
})

describe('the end of a claim', () => {
  test('closing the bead ends its claim, whoever closes it', async () => {
    await using work = openWork()
    for (const caller of [ada, human]) {
      const { id } = await work.add({ title: 'a' })
      await work.claims.claim(ada, id)
      await work.beads.close(caller, id)
      expect(() => work.claims.get(id)).toThrow('not claimed')
      expect(await work.beads.close(ada, id)).toEqual({ status: 'closed' })
    }
    expect(work.claims.list().total).toBe(0)
  })

  test('releasing offers the bead to everybody, once', async () => {
    await using work = openWork()
    const { id } = await routed(work, 'a')
    await work.claims.claim(ada, id)
    await expect(work.claims.release(bob, id)).rejects.toMatchObject({ code: 'conflict-wrong-state' })
    work.recorded()
    expect(await work.claims.release(ada, id)).toEqual({ status: 'released' })
    await expect(work.claims.release(ada, id)).rejects.toMatchObject({ code: 'conflict-wrong-state' })
    expect(work.repository.get(id)).toMatchObject({ status: 'open', metadata: { 'gc.routed_to': 'press/hand' } })
    expect(work.repository.get(id)).not.toHaveProperty('assignee')
    expect(work.repository.get(id).metadata).not.toHaveProperty(['gc.session_id'])
    expect(work.recorded()).toEqual([`bead.updated ${id}`])
    expect((await work.claims.claim(bob, id)).epoch).toBe(2)
  })

  test('when a person reassigns the bead, its holder learns that the claim is lost', async () => {
    await using work = openWork()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(ada, id)
    await work.beads.assign(human, id, { assignee: 'bob' })
    for (const late of [
      () => work.beads.close(ada, id),
      () => work.beads.update(ada, id, { title: 'mine' }),
      () => work.beads.assign(ada, id, { assignee: 'ada' }),
      () => work.claims.heartbeat(ada, id),
      () => work.claims.release(ada, id),
      () => work.beads.depend(ada, id, { depends_on_id: id }),
    ]) {
      await expect(late()).rejects.toMatchObject({ code: 'claim-lost', status: 409 })
    }
    await work.claims.claim(bob, id)
    await work.beads.close(bob, id)
    expect(work.repository.get(id).status).toBe('closed')
  })

  test('a session may write to a bead that another holds and it never held', async () => {
    await using work = openWork()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(ada, id)
    await work.beads.update(bob, id, { metadata: { review: 'wanted' } })
    expect(work.claims.get(id).session_id).toBe('ada')
  })

  test('a bead whose claim was lost can be claimed again', async () => {
    await using work = openWork()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(ada, id)
    await work.beads.update(human, id, { status: 'open', assignee: '' })
    await expect(work.beads.close(ada, id)).rejects.toMatchObject({ code: 'claim-lost' })
    expect((await work.claims.claim(ada, id)).epoch).toBe(2)
    await work.beads.close(ada, id)
  })

  test('when a process is gone, all beads it held are offered again', async () => {
    await using work = openWork()
    const pool = await routed(work, 'pool')
    const own = await work.add({ title: 'own', assignee: 'ada' })
    const other = await routed(work, 'other')
    await work.claims.claim(ada, pool.id)
    await work.claims.claim(ada, own.id)
    await work.claims.claim(bob, other.id)
    work.recorded()
    await work.store.write((tx) => work.claimManager.revokeAll(tx, 'ada'))
    expect(work.repository.get(pool.id)).toMatchObject({ status: 'open' })
    expect(work.repository.get(pool.id)).not.toHaveProperty('assignee')
    expect(work.repository.get(own.id)).toMatchObject({ status: 'open', assignee: 'ada' })
    expect(work.claims.list().items.map((claim) => claim.bead_id)).toEqual([other.id])
    expect(work.recorded()).toEqual([
      `bead.dead_assignee_reopened ${pool.id}`,
      `bead.updated ${pool.id}`,
      `bead.dead_assignee_reopened ${own.id}`,
      `bead.updated ${own.id}`,
    ])
    const payload = { bead_id: pool.id, dead_assignee: 'ada', routed_to: 'press/hand' }
    expect(work.log.after(work.log.head - 4, 1)[0]?.payload).toEqual(payload)
    await expect(work.beads.close(ada, pool.id)).rejects.toMatchObject({ code: 'claim-lost' })
  })

  test('when a name is given up, work in progress under it is opened, too', async () => {
    await using work = openWork()
    const own = await work.add({ title: 'own', assignee: 'ada' })
    const unclaimed = await work.add({ title: 'unclaimed', status: 'in_progress', assignee: 'ada' })
    await work.claims.claim(ada, own.id)
    await work.store.write((tx) => work.claimManager.revokeAll(tx, 'ada', ['ada']))
    for (const id of [own.id, unclaimed.id]) {
      expect(work.repository.get(id).status).toBe('open')
      expect(work.repository.get(id)).not.toHaveProperty('assignee')
    }
  })

  test('removing the bead ends its claim', async () => {
    await using work = openWork()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(ada, id)
    await work.store.write((tx) => work.repository.remove(tx, id))
    expect(work.claims.list().total).toBe(0)
  })

  test('the revoked claims of a session are forgotten when it is closed', async () => {
    await using work = openWork()
    const session = await work.add({ title: 's', type: 'session' })
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(callerOf(session.id), id)
    await work.store.write((tx) => work.claimManager.revokeAll(tx, session.id))
    const losses = () => work.store.prepare('SELECT * FROM claim_losses').all().length
    expect(losses()).toBe(1)
    await work.beads.close(human, session.id)
    expect(losses()).toBe(0)
  })
})

describe('claims without a hosted process', () => {
  test('expire after a quarter of an hour without a heartbeat', async () => {
    await using work = openWork()
    await work.claims.start()
    remote(work, 'ada')
    const { id } = await routed(work, 'a')
    expect((await work.claims.claim(ada, id)).expires_at).toBe('2026-01-05T09:15:00.000Z')
    await work.clock.advance(14 * 60_000)
    expect((await work.claims.heartbeat(ada, id)).expires_at).toBe('2026-01-05T09:29:00.000Z')
    await work.clock.advance(14 * 60_000)
    expect(work.claims.get(id).session_id).toBe('ada')
    work.recorded()
    await work.clock.advance(60_000)
    await settled(work)
    expect(work.repository.get(id).status).toBe('open')
    expect(work.recorded()).toEqual([`bead.dead_assignee_reopened ${id}`, `bead.updated ${id}`])
    await expect(work.claims.heartbeat(ada, id)).rejects.toMatchObject({ code: 'claim-lost' })
    expect(work.errors).toEqual([])
  })

  test('share one deadline, and set none while there are none', async () => {
    await using work = openWork()
    await work.claims.start()
    const idle = work.deadlines.size
    for (const name of ['a', 'b', 'c']) {
      remote(work, name)
      const { id } = await work.add({ title: name })
      await work.claims.claim(callerOf(name), id)
    }
    expect(work.deadlines.size).toBe(idle + 1)
    for (const { bead_id, session_id } of work.claims.list().items)
      await work.claims.release(callerOf(session_id), bead_id)
    await work.clock.advance(16 * 60_000)
    await settled(work)
    expect(work.deadlines.size).toBe(idle)
  })

  test('are renewed when the city opens again, and still expire', async () => {
    await using work = openWork()
    await work.claims.start()
    remote(work, 'ada')
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(ada, id)
    work.claims.stop()
    await work.clock.advance(60 * 60_000)
    const { claims: again } = buildWork({
      ...work,
      reactions: new Reactions(work.store, work.log, work.deadlines, () => {}),
      workers: { worker: () => workerOf('ada') },
    })
    await again.start()
    expect(again.get(id).expires_at).toBe('2026-01-05T10:15:00.000Z')
    await work.clock.advance(15 * 60_000)
    await settled(work)
    expect(work.repository.get(id).status).toBe('open')
    again.stop()
  })

  test.each([
    ['the clock is set forward', (clock: TestClock) => clock.step(8 * 3_600_000)],
    ['the clock is set back', (clock: TestClock) => clock.step(-8 * 3_600_000)],
    ['the supervisor was stopped', (clock: TestClock) => clock.stop(8 * 3_600_000)],
  ])('are renewed when %s, and still expire', async (_, away) => {
    await using work = openWork()
    await work.claims.start()
    const held: string[] = []
    for (const name of ['ada', 'bob', 'cid']) {
      remote(work, name)
      const { id } = await work.add({ title: name })
      await work.claims.claim(callerOf(name), id)
      held.push(id)
      await work.clock.advance(60_000)
    }
    away(work.clock)
    await work.clock.advance(12 * 60_000)
    await settled(work)
    await work.clock.advance(2 * 60_000)
    await settled(work)
    expect(work.claims.list().total).toBe(3)
    await work.clock.advance(15 * 60_000)
    await settled(work)
    expect(held.map((id) => work.repository.get(id).status)).toEqual(['open', 'open', 'open'])
  })
})

describe('next', () => {
  test('is work in progress, then assigned work that is ready, then the oldest that is routed to the agent', async () => {
    await using work = openWork()
    const old = await routed(work, 'old', { priority: 4 })
    await work.clock.advance(1)
    const urgent = await routed(work, 'urgent', { priority: 0 })
    await routed(work, 'epic', { type: 'epic' })
    await routed(work, 'blocked', { needs: ['mi-99'] })
    await work.add({ title: 'of another agent', metadata: { 'gc.routed_to': 'press/foot' } })
    const mine = await work.add({ title: 'mine', assignee: 'ada' })
    const going = await work.add({ title: 'going', status: 'in_progress', assignee: 'ada' })
    const done = async () => {
      const next = await work.claims.next(ada)
      if (next.bead_id) await work.beads.close(ada, next.bead_id)
      return [next.action, next.reason, next.bead_id]
    }
    expect(await done()).toEqual(['work', 'existing_assignment', going.id])
    expect(await done()).toEqual(['work', 'ready_assignment', mine.id])
    expect(await done()).toEqual(['work', 'claimed', old.id])
    expect(await done()).toEqual(['work', 'claimed', urgent.id])
    work.recorded()
    expect(await work.claims.next(ada)).toEqual({ action: 'drain', reason: 'no_work' })
    expect(work.recorded()).toEqual([])
  })

  test('is the same bead until it is closed', async () => {
    await using work = openWork()
    await routed(work, 'a')
    await routed(work, 'b')
    const first = await work.claims.next(ada)
    const again = await work.claims.next(ada)
    expect(first).toMatchObject({ reason: 'claimed', route: 'press/hand', assignee: 'ada', epoch: 1 })
    expect(again).toMatchObject({ reason: 'existing_assignment', bead_id: first.bead_id, epoch: 1 })
    expect((await work.claims.next(bob)).bead_id).not.toBe(first.bead_id)
  })

  test('assigns the ready steps of the same continuation group, too', async () => {
    await using work = openWork()
    const step = (title: string, more = {}) =>
      work.add({
        title,
        metadata: { 'gc.routed_to': 'press/hand', 'gc.root_bead_id': 'mi-90', 'gc.continuation_group': 'g' },
        ...more,
      })
    const first = await step('first')
    const second = await step('second')
    await step('blocked', { needs: [first.id] })
    const next = await work.claims.next(ada)
    expect(next).toMatchObject({
      bead_id: first.id,
      root_bead_id: 'mi-90',
      continuation_group: 'g',
      continuation_assigned: [second.id],
    })
    expect(work.repository.get(second.id)).toMatchObject({ status: 'open', assignee: 'ada' })
  })

  test('64 sessions that claim from 1,000 beads at once get each bead once', async () => {
    await using work = openWork()
    await work.store.write((tx) => {
      for (let n = 0; n < 1000; n++)
        work.repository.add(tx, { title: `${n}`, metadata: { 'gc.routed_to': 'press/hand' } })
    })
    const taken = new Map<string, string>()
    const claimer = async (name: string) => {
      const caller = callerOf(name)
      for (let next = await work.claims.next(caller); next.bead_id; next = await work.claims.next(caller)) {
        expect(taken.get(next.bead_id)).toBeUndefined()
        taken.set(next.bead_id, name)
        await work.beads.close(caller, next.bead_id)
      }
    }
    await Promise.all(Array.from({ length: 64 }, (_, n) => claimer(`s${n}`)))
    expect(taken.size).toBe(1000)
    expect(work.claims.list().total).toBe(0)
    expect(work.recorded().filter((event) => event.startsWith('bead.claim_rejected'))).toEqual([])
  })

  test('64 sessions that claim the same 1,000 beads by id get each bead once', async () => {
    await using work = openWork()
    const ids = await work.store.write((tx) =>
      Array.from({ length: 1000 }, (_, n) => work.repository.add(tx, { title: `${n}` }).id),
    )
    const wins = new Map<string, number>()
    const tries = Array.from({ length: 64 }, (_, n) => callerOf(`s${n}`)).flatMap((caller) =>
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
    await using work = openWork()
    let state = 11
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * below)
    }
    const ids = await work.store.write((tx) =>
      Array.from({ length: 12 }, (_, n) => work.repository.add(tx, { title: `${n}` }).id),
    )
    const epochs = new Map<string, number>()
    const acts = [
      (who: string, id: string) => work.claims.claim(callerOf(who), id),
      (who: string) => work.claims.next(callerOf(who)),
      (who: string, id: string) => work.claims.release(callerOf(who), id),
      (who: string, id: string) => work.beads.close(callerOf(who), id),
      (_: string, id: string) => work.beads.reopen(human, id),
      (who: string, id: string) => work.beads.assign(human, id, { assignee: random(2) ? who : '' }),
      (_: string, id: string) => work.beads.update(human, id, { status: ['open', 'in_progress', 'closed'][random(3)] }),
      (who: string) => work.store.write((tx) => work.claimManager.revokeAll(tx, who, random(2) ? [who] : [])),
    ]
    for (let round = 0; round < 300; round++) {
      const batch = Array.from({ length: 4 }, () => acts[random(acts.length)]?.(`s${random(4)}`, ids[random(12)] ?? ''))
      await Promise.allSettled(batch)
      const live = work.claims.list().items
      expect(new Set(live.map((claim) => claim.bead_id)).size).toBe(live.length)
      for (const claim of live) {
        const bead = work.repository.get(claim.bead_id)
        expect([bead.status, bead.assignee]).toEqual(['in_progress', claim.assignee])
        expect(claim.epoch).toBeGreaterThanOrEqual(epochs.get(claim.bead_id) ?? 1)
        epochs.set(claim.bead_id, claim.epoch)
      }
    }
    expect(Math.max(...epochs.values())).toBeGreaterThan(5)
  })
})

/** Lets writes that a deadline began come to their end. */
const settled = (work: Work): Promise<void> => work.store.write(() => {})
