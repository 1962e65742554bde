import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { BeadChange } from '../../../src/work/beads/draft.ts'
import { human, openWork } from '../world.ts'

/** Counts, by id, how often statements read the row of a bead, until disposed. */
function countReads(): { of(id: string): number } & Disposable {
  const reads = new Map<unknown, number>()
  const { prepare } = Database.prototype
  Database.prototype.prepare = function (this: Database, sql: string, ...more: never[]) {
    const statement = prepare.call(this, sql, ...more)
    if (!/^\s*SELECT[\s\S]* FROM beads WHERE id = \?$/.test(sql)) return statement
    const get = statement.get.bind(statement)
    statement.get = (...params) => {
      reads.set(params[0], (reads.get(params[0]) ?? 0) + 1)
      return get(...params)
    }
    return statement
  } as typeof prepare
  return {
    of(id) {
      const count = reads.get(id) ?? 0
      reads.delete(id)
      return count
    },
    [Symbol.dispose]: () => Object.assign(Database.prototype, { prepare }),
  }
}

test('a close reads the row of its bead once, anyone who closes it', async () => {
  using reads = countReads()
  await using work = await openWork()
  const session = await work.session('ada')
  const caller = work.caller(session.id)
  const blocker = await work.add({ title: 'oil' })
  const held = await work.add({ title: 'saw', needs: [blocker.id], labels: ['wood'] })
  // What follows from a close is another write, later, which looks at what there is by then.
  await work.reactions.stop()
  reads.of(blocker.id)
  await work.beads.close(human, blocker.id)
  expect(reads.of(blocker.id)).toBe(1)
  await work.claims.claim(caller, held.id)
  reads.of(held.id)
  await work.beads.close(caller, held.id)
  expect(reads.of(held.id)).toBe(1)
  await work.beads.close(caller, held.id)
  expect(reads.of(held.id)).toBe(1)
  expect(work.recorded().filter((event) => event.startsWith('bead.closed'))).toEqual([
    `bead.closed ${blocker.id}`,
    `bead.closed ${held.id}`,
  ])
})

test('every other action of a caller on a bead reads its row once', async () => {
  using reads = countReads()
  await using work = await openWork()
  const session = await work.session('ada')
  const { id } = await work.add({ title: 'oil' })
  const { beads, claims } = work
  const counts = new Map<string, number>()
  await work.reactions.stop()
  const count = async (name: string, change: () => Promise<unknown>) => {
    reads.of(id)
    await change()
    counts.set(name, reads.of(id))
  }
  await count('update', () => beads.update(human, id, { title: 'oil it', labels: ['soon'] }))
  await count('assign', () => beads.assign(human, id, { assignee: 'ada' }))
  await count('claim', () => claims.claim(work.caller(session.id), id))
  await count('close', () => beads.close(human, id, { force: true }))
  await count('reopen', () => beads.reopen(human, id))
  expect(Object.fromEntries(counts)).toEqual({ update: 1, assign: 1, claim: 1, close: 1, reopen: 1 })
})

test('a bead that was changed is as it would be read again', async () => {
  await using work = await openWork()
  const needed = await work.add({ title: 'oil' })
  const { id } = await work.add({ title: 'saw', needs: [needed.id], labels: ['wood'], metadata: { a: '1' } })
  const { beadRepository: beads, store, clock } = work
  const changes: BeadChange[] = [
    { title: 'saw it', priority: 0, description: 'both', labels: ['soon'], removeLabels: ['wood'] },
    { assignee: 'ada', status: 'in_progress', metadata: { a: null, b: '2' } },
    { metadata: { 'gc.output_json': '{"x":1}' } },
    { status: 'closed' },
    { metadata: { note: 'late' } },
    { title: 'sawn' },
    { status: 'open', deferUntil: 1 },
    { type: 'bug', ephemeral: true, parent: needed.id },
    {},
  ]
  for (const [at, change] of changes.entries()) {
    await clock.advance(at % 2)
    const changed = await store.write((tx) => beads.change(tx, id, change))
    expect(changed).toEqual(beads.get(id))
    expect(JSON.stringify(changed)).toBe(JSON.stringify(work.beads.show(id).value))
  }
})
