import { describe, expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import { EngineKey, WorkflowKey } from '../../../src/work/metadata.ts'
import { human } from '../world.ts'
import { openClaims, routed } from './callers.ts'

describe('claim', () => {
  test('puts a bead in progress and assigns it to the calling session', async () => {
    await using work = await openClaims()
    const { id } = await routed(work, 'a')
    const claimed: string[] = []
    work.claimManager.onClaim((_, ...names) => claimed.push(names.join(' ')))
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
    await work.claims.claim(work.ada, id)
    expect(claimed).toEqual([`${id} ${work.ada.session}`])
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
      message: `bead ${id} is held by ada`,
    })
    expect(work.recorded()).toEqual([`bead.claim_rejected ${id}`])
    const rejected = work.last()
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

  test('a step of a paused run is rejected', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    const paused = { [EngineKey.paused]: 'true', [WorkflowKey.rootBeadId]: 'mi-7' }
    await work.store.write((tx) => work.beadRepository.change(tx, id, { metadata: paused }))
    work.recorded()
    await expect(work.claims.claim(work.ada, id)).rejects.toMatchObject({
      code: 'conflict-wrong-state',
      message: `bead ${id} is a step of run mi-7, which is paused`,
    })
    expect(work.recorded()).toEqual([])
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
    await work.sessions.running.restart('ada', human)
    await work.settled()
    expect(work.beadRepository.get(id)).toMatchObject({ status: 'open', assignee: 'ada' })
    await expect(work.claims.heartbeat(work.ada, id)).rejects.toMatchObject({ code: 'claim-lost', status: 409 })
    expect((await work.claims.claim(work.ada, id)).epoch).toBe(2)
  })
})

describe('the end of a claim', () => {
  test('closing the bead ends its claim, anyone who closes it', async () => {
    await using work = await openClaims()
    for (const caller of [work.ada, human]) {
      const { id } = await work.add({ title: 'a' })
      await work.claims.claim(work.ada, id)
      await work.beads.close(caller, id)
      expect(() => work.claims.get(id)).toThrow('not claimed')
      expect(() => work.claims.get('mi-99')).toThrow('does not exist')
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

  test('the holder learns that its claim is lost when a person reassigns the bead', async () => {
    await using work = await openClaims()
    const { id } = await work.add({ title: 'a' })
    await work.claims.claim(work.ada, id)
    work.recorded()
    await work.beads.assign(human, id, { assignee: 'bob' })
    expect(work.recorded()).toEqual([`bead.claim_displaced ${id}`, `bead.updated ${id}`])
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
    const other = await work.add({ title: 'b' })
    await work.claims.claim(work.ada, other.id)
    for (const each of [id, other.id]) {
      await work.beads.update(human, each, { status: 'open', assignee: '' })
      await expect(work.beads.close(work.ada, each)).rejects.toMatchObject({ code: 'claim-lost' })
    }
    expect((await work.claims.claim(work.ada, id)).epoch).toBe(2)
    await work.beads.close(work.ada, id)
    await expect(work.beads.close(work.ada, other.id)).rejects.toMatchObject({ code: 'claim-lost' })
  })

  test('all beads of a process are offered again when it is gone', async () => {
    await using work = await openClaims()
    const pool = await routed(work, 'pool')
    const own = await work.add({ title: 'own', assignee: 'ada' })
    const other = await routed(work, 'other')
    await work.claims.claim(work.ada, pool.id)
    await work.claims.claim(work.ada, own.id)
    await work.claims.claim(work.bob, other.id)
    expect(work.claims.list(work.ada.session).items.map((claim) => claim.bead_id)).toEqual([pool.id, own.id])
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

  test('work in progress under a name is opened when the name is given up', async () => {
    await using work = await openClaims()
    const own = await work.add({ title: 'own', assignee: 'ada' })
    const unclaimed = await work.add({ title: 'unclaimed', status: 'in_progress', assignee: 'ada' })
    const step = { 'gc.routed_to': 'press/hand', 'gc.root_bead_id': 'mi-90', 'gc.continuation_group': 'g' }
    const continued = await work.add({ title: 'continued', assignee: 'ada', metadata: step })
    const other = await work.add({ title: 'continued by another', assignee: 'bob', metadata: step })
    await work.claims.claim(work.ada, own.id)
    work.recorded()
    await work.sessions.running.close('ada', human)
    expect(work.recorded()).toEqual([
      ...[`bead.dead_assignee_reopened ${own.id}`, `bead.updated ${own.id}`],
      ...[`bead.dead_assignee_reopened ${unclaimed.id}`, `bead.updated ${unclaimed.id}`],
      `bead.updated ${continued.id}`,
      ...['session.stopped ada', 'worker.operation ada', `bead.closed ${work.ada.session}`],
    ])
    for (const id of [own.id, unclaimed.id, continued.id]) {
      expect(work.beadRepository.get(id).status).toBe('open')
      expect(work.beadRepository.get(id)).not.toHaveProperty('assignee')
    }
    expect(work.beadRepository.get(other.id).assignee).toBe('bob')
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
    const losses = () => work.store.all(query<unknown>('SELECT * FROM claim_losses')).length
    expect(losses()).toBe(1)
    await work.sessions.running.close(work.ada.session, human)
    expect(losses()).toBe(0)
  })
})
