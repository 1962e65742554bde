import { describe, expect, test } from 'bun:test'
import { miscountsOf } from '../support/miscounts.ts'
import { writeOlderDatabase } from '../support/older-counters.ts'
import { until } from '../support/until.ts'
import { human, openWork, type Work, workTown } from '../work/world.ts'

const readyIds = ({ beads }: Work): string[] => beads.ready().value.items.map(({ id }) => id)

/** Writes past gc, as an older fault would have. */
const corrupt = ({ store }: Work, ...sql: string[]) =>
  store.write((tx) => {
    for (const statement of sql) tx.orm.run(statement)
  })
const attentionOf = ({ attention }: Work) =>
  attention.list().items.flatMap(({ kind, id, bead_id, to_do }) => (kind === 'counter' ? [{ id, bead_id, to_do }] : []))

describe('a database of an earlier version', () => {
  test('has its counters corrected when it is opened, with an event for each bead that becomes ready', async () => {
    await using town = workTown()
    writeOlderDatabase(town.path)
    const work = await openWork({ town })
    expect(readyIds(work)).toEqual(['mi-2'])
    expect(miscountsOf(work.store)()).toEqual([])
    const recorded = work.log.after(0, 100).filter(({ actor }) => actor === 'gc/counters')
    expect(recorded.map(({ type, subject }) => [type, subject])).toEqual([['bead.updated', 'mi-2']])
    expect(work.errors).toEqual(['mill: counters corrected: 1, such as beads.blockers of mi-2'])
    await work.beads.close(human, 'mi-2')
    expect(readyIds(work)).toEqual(['mi-3'])
  })

  test('is not recounted when it is opened by the same version', async () => {
    await using town = workTown()
    writeOlderDatabase(town.path)
    const first = await openWork({ town })
    await corrupt(first, "UPDATE beads SET blockers = 1 WHERE id = 'mi-2'")
    await first[Symbol.asyncDispose]()
    const again = await openWork({ town })
    expect(readyIds(again)).toEqual([])
    expect(again.errors).toHaveLength(1)
  })
})

describe('the check of counters', () => {
  test('finds each kind of wrong counter and repairs it, with the event of a bead that becomes ready', async () => {
    await using work = await openWork()
    const [blocker, stuck] = [await work.add({ title: 'a' }), await work.add({ title: 'b', labels: ['red'] })]
    await work.mail.send(human, { to: 'human', subject: 'hello', body: 'well' })
    await work.beads.depend(human, stuck.id, { depends_on_id: blocker.id })
    await work.beads.close(human, blocker.id)
    await work.settled()
    await corrupt(
      work,
      `UPDATE beads SET blockers = 2, edges = 5 WHERE id = '${stuck.id}'`,
      'DELETE FROM bead_labels',
      "INSERT INTO bead_labels VALUES ('blue', 0, 1, 'mi-1')",
      'DELETE FROM bead_label_counts',
      "UPDATE bead_counts SET n = n + 3 WHERE type = 'task' AND status = 'open'",
      "UPDATE mail_counts SET unread = 7 WHERE recipient = ''",
      'UPDATE mail_threads SET newest = NULL',
      "INSERT INTO run_state_counts VALUES ('waiting', 2)",
      "INSERT INTO closed_sessions VALUES ('ghost', 1)",
    )
    work.recorded()
    const found = await work.counters.check()
    expect(new Set(found.items.map(({ counter }) => counter))).toEqual(
      new Set([
        ...['beads.edges', 'beads.blockers', 'bead_labels.missing', 'bead_labels.extra', 'bead_counts.n'],
        ...['bead_label_counts.n', 'mail_counts.unread', 'mail_threads.newest', 'run_state_counts.n'],
        'closed_sessions.n',
      ]),
    )
    expect(work.recorded()).toEqual([])
    expect(readyIds(work)).toEqual([])
    const repaired = await work.counters.repair(human)
    expect(repaired).toEqual(found)
    expect(work.recorded()).toEqual([`bead.updated ${stuck.id}`])
    expect(readyIds(work)).toEqual([stuck.id])
    expect([await work.counters.check(), miscountsOf(work.store)()]).toEqual([{ items: [], total: 0 }, []])
  })

  test('lists a bead that nothing blocks as needing attention until it is repaired', async () => {
    await using work = await openWork()
    const { id } = await work.add({ title: 'stuck' })
    expect(attentionOf(work)).toEqual([])
    await corrupt(work, `UPDATE beads SET blockers = 1 WHERE id = '${id}'`)
    await work.maintenance.trigger(human, true)
    await work.attention.whenIdle()
    const item = { id: `counter:${id}`, bead_id: id, to_do: 'gc doctor --fix' }
    expect(attentionOf(work)).toEqual([item])
    await work.counters.repair(human)
    await work.attention.whenIdle()
    expect(attentionOf(work)).toEqual([])
    const events = work.log.after(0, 1000).filter(({ payload }) => Object(payload).kind === 'counter')
    expect(events.map(({ type }) => type)).toEqual(['attention.raised', 'attention.cleared'])
  })

  test('runs when a city opens whose wrong counters were announced, and at no other start', async () => {
    await using town = workTown()
    const first = await openWork({ town })
    const { id } = await first.add({ title: 'stuck' })
    await corrupt(first, `UPDATE beads SET blockers = 1 WHERE id = '${id}'`)
    await first.counters.check()
    await first.attention.whenIdle()
    await corrupt(first, `UPDATE beads SET blockers = 0 WHERE id = '${id}'`)
    await first[Symbol.asyncDispose]()
    const again = await openWork({ town })
    await until(() => attentionOf(again).length === 0)
    await again[Symbol.asyncDispose]()
    const last = await openWork({ town })
    expect(last.counters.items()).toBeUndefined()
  })

  test('is rejected once the city closes', async () => {
    await using work = await openWork()
    await work.counters.stop()
    await expect(work.counters.check()).rejects.toThrow('the city is closing')
  })
})
