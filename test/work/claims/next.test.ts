import { describe, expect, test } from 'bun:test'
import type { SessionCaller } from '../../../src/http/caller.ts'
import { human } from '../world.ts'
import { crowd, openClaims, routed } from './callers.ts'

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

  test('is its own work alone for a session that drains', async () => {
    await using work = await openClaims()
    await routed(work, 'routed')
    const mine = await work.add({ title: 'mine', assignee: 'ada' })
    await work.sessions.running.drain('ada', human)
    expect(await work.claims.next(work.ada)).toMatchObject({ reason: 'ready_assignment', bead_id: mine.id })
    await work.beads.close(work.ada, mine.id)
    expect(await work.claims.next(work.ada)).toEqual({ action: 'drain', reason: 'no_work' })
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

  test('assigns the ready steps of the same continuation group that are for its agent', async () => {
    await using work = await openClaims()
    const group = { 'gc.root_bead_id': 'mi-90', 'gc.continuation_group': 'g' }
    const step = (title: string, more = {}, route = 'press/hand') =>
      work.add({ title, metadata: { 'gc.routed_to': route, ...group }, ...more })
    const first = await step('first')
    const second = await step('second')
    await step('blocked', { needs: [first.id] })
    await step('of another agent', {}, 'press/eye')
    const next = await work.claims.next(work.ada)
    expect(next).toMatchObject({
      bead_id: first.id,
      root_bead_id: 'mi-90',
      continuation_group: 'g',
      continuation_assigned: [second.id],
    })
    expect(work.beadRepository.get(second.id)).toMatchObject({ status: 'open', assignee: 'ada' })
  })

  test('64 sessions that claim from 1,000 beads at the same time get each bead once', async () => {
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
  }, 30_000)

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
  }, 30_000)
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
      await (random(2) ? work.sessions.running.kill(session, human) : work.sessions.running.restart(session, human))
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
  }, 60_000)
})
