import { expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import { human } from '../../../src/http/guard.ts'
import { NEWEST, type SessionPosition } from '../../../src/work/sessions/closed-sessions.ts'
import type { SessionRepository } from '../../../src/work/sessions/repository.ts'
import { openWork } from '../world.ts'

/** A city with sessions of two agents, every second of them closed; their ids, newest first. */
async function crowd() {
  const world = await openWork()
  const ids: string[] = []
  for (let n = 0; n < 12; n++) {
    const template = n % 3 === 0 ? 'saw/hand' : 'press/hand'
    const { id } = await world.session(`s${n}`, template)
    if (n % 4 === 0) await world.exit(id)
    if (n % 2 === 1) await world.sessions.running.close(id, human)
    if (n % 5 === 0) await world.clock.advance(1000)
    ids.unshift(id)
  }
  return { world, ids }
}

/** Reads a list to its end, page by page. */
function walk(repository: SessionRepository, filter: { states: string[]; template?: string }, size: number) {
  const ids: string[] = []
  let after: SessionPosition = NEWEST
  for (;;) {
    const { rows, total } = repository.page(filter, after, size)
    ids.push(...rows.map(({ id }) => id))
    const last = rows.at(-1)
    if (!last) return { ids, total }
    after = last
  }
}

test('sessions in any states are listed newest first and counted, whatever the page size', async () => {
  const { world } = await crowd()
  await using _ = world
  const { sessionRepository: repository, store } = world
  type Row = { id: string; state: string; template: string }
  const sql = 'SELECT id, state, template FROM sessions ORDER BY created_at DESC, id DESC'
  const rows = store.all(query<Row>(sql))
  const matches: [string[], (row: Row) => boolean][] = [
    [['all'], () => true],
    [['open'], ({ state }) => state !== 'closed'],
    [['closed'], ({ state }) => state === 'closed'],
    [['closed', 'awake'], ({ state }) => state === 'closed' || state === 'active'],
    [['asleep'], ({ state }) => state === 'asleep'],
    [['start-pending'], () => false],
    [['unheard-of'], () => false],
  ]
  for (const [states, fit] of matches) {
    for (const template of [undefined, 'press/hand', 'saw/hand', 'nobody']) {
      const filter = { states, ...(template !== undefined && { template }) }
      const ids = rows.filter((row) => fit(row) && (template === undefined || row.template === template))
      const expected = { ids: ids.map(({ id }) => id), total: ids.length }
      for (const size of [1, 5, 100]) expect([filter, walk(repository, filter, size)]).toEqual([filter, expected])
    }
  }
})

test('removed sessions are not counted', async () => {
  const { world } = await crowd()
  await using _ = world
  const { sessionRepository: repository, store } = world
  const closed = () => repository.page({ states: ['closed'] }, NEWEST, 100)
  const [first] = closed().rows
  expect(closed().total).toBe(6)
  await store.write((tx) => repository.remove(tx, first?.id ?? ''))
  expect(closed().total).toBe(5)
  expect(closed().rows).toHaveLength(5)
})
