import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Lock } from '../../src/core/lock.ts'
import { bead, register } from '../api/town.ts'
import { up } from '../slow/town.ts'
import { writeOlderDatabase } from '../support/older-counters.ts'
import { runGc } from '../support/run-gc.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'

/** A step that needs another and waits for its children: two dependencies on one bead. */
const FORMULA = `formula = "wf"
[requires]
formula_compiler = ">=2.0.0"
[[steps]]
id = "impl"
title = "impl"
[[steps]]
id = "rev"
title = "rev"
needs = ["impl"]
waits_for = "children-of(impl)"
`

let world: World
let city: TestCity
beforeAll(async () => {
  world = await World.open()
  city = await register(world, 'town', '')
  mkdirSync(join(city.path, 'formulas'))
  writeFileSync(join(city.path, 'formulas', 'wf.toml'), FORMULA)
}, 30_000)
afterAll(() => world[Symbol.asyncDispose]())

/** Makes a run; the ids of its beads by their titles. */
async function cook(): Promise<Record<'wf' | 'impl' | 'rev', string>> {
  const { status, err } = await runGc(world, '--city', 'town', 'formula', 'cook', 'wf')
  expect({ status, err }).toEqual({ status: 0, err: '' })
  const { body } = await city.call('GET ~/beads?limit=1000')
  const newest = (title: string): string =>
    body.items
      .filter((item: { title: string }) => item.title === title)
      .sort(byCreation)
      .at(-1).id
  return { wf: newest('wf'), impl: newest('impl'), rev: newest('rev') }
}
const byCreation = (a: { id: string }, b: { id: string }) => Number(a.id.split('-')[1]) - Number(b.id.split('-')[1])

const close = (id: string) => city.call(`POST ~/bead/${id}/close`)
const readyIds = async (): Promise<string[]> =>
  (await city.call('GET ~/beads/ready')).body.items.map(({ id }: { id: string }) => id)
const isCompleted = (root: string) =>
  eventually(
    `run ${root} completes`,
    10_000,
    async () => (await city.call(`GET ~/runs/${root}`)).body,
    ({ status }) => status === 'completed',
  )

function write(...statements: string[]): void {
  using db = new Database(join(city.path, '.gc/city.db'))
  db.run('PRAGMA busy_timeout = 5000')
  for (const sql of statements) db.run(sql)
}
async function doctor(...options: string[]) {
  const { out } = await runGc(world, 'doctor', city.path, '--json', ...options)
  return JSON.parse(out).results.find(({ name }: { name: string }) => name === 'counters')
}

describe('a step with two dependencies on one bead', () => {
  test('is ready once that is closed, and its run completes', async () => {
    const { wf, impl, rev } = await cook()
    await close(impl)
    expect(await readyIds()).toContain(rev)
    await close(rev)
    await isCompleted(wf)
  }, 30_000)

  test('is ready after the database of an earlier version is opened', async () => {
    writeOlderDatabase(world.folder.at('older'))
    const older = await register(world, 'older', '')
    const { body } = await older.call('GET ~/beads/ready')
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['mi-2'])
  }, 30_000)
})

describe('gc doctor', () => {
  const STUCK = expect.stringMatching(/^beads\.blockers of .*: 1 instead of 0, so the bead never becomes ready/)

  test('finds a bead that nothing blocks, which needs attention until --fix corrects it', async () => {
    const id = await bead(city, 'stuck')
    write(`UPDATE beads SET blockers = 1 WHERE id = '${id}'`)
    const shown = await runGc(world, '--city', 'town', 'bead', 'show', id)
    expect(shown.out).toContain('nothing blocks it, so its counter is wrong; gc doctor --fix corrects it')
    expect(await doctor()).toMatchObject({ status: 'error', message: '1 counter wrong', details: [STUCK] })
    const listed = await runGc(world, '--city', 'town', 'attention', '--json')
    expect(JSON.parse(listed.out).items).toContainEqual(
      expect.objectContaining({ kind: 'counter', bead_id: id, to_do: 'gc doctor --fix' }),
    )
    const fixed = await doctor('--fix')
    expect(fixed).toMatchObject({ status: 'ok', fixed: true, message: '1 counter corrected', details: [STUCK] })
    expect(await readyIds()).toContain(id)
    await eventually(
      'the item is cleared',
      5_000,
      async () => (await city.call('GET ~/attention')).body.items,
      (items) => !items.some(({ kind }: { kind: string }) => kind === 'counter'),
    )
  }, 30_000)

  test('releases a step that gc runs, whether or not the city is running', async () => {
    for (const isRunning of [true, false]) {
      const { wf, impl, rev } = await cook()
      write(`UPDATE beads SET blockers = 2 WHERE id IN
        (SELECT issue_id FROM bead_edges WHERE depends_on_id = '${rev}' AND gating = 1)`)
      for (const id of [impl, rev]) await close(id)
      if (!isRunning) await world.stop()
      expect(await doctor('--fix')).toMatchObject({ fixed: true, details: [STUCK] })
      if (!isRunning) await world.start()
      await up(city)
      await isCompleted(wf)
    }
  }, 60_000)

  test('corrects the counters of a city that is not running under its lock, and leaves one in use alone', async () => {
    const id = await bead(city, 'stuck while closed')
    await world.stop()
    write(`UPDATE beads SET blockers = 1 WHERE id = '${id}'`)
    const lock = Lock.acquire(join(city.path, '.gc/lock'), 'another gc')
    expect(await doctor('--fix')).toMatchObject({ status: 'unknown', message: expect.stringContaining('another gc') })
    lock.release()
    expect(await doctor()).toMatchObject({ status: 'error', details: [STUCK] })
    expect(await doctor('--fix')).toMatchObject({ status: 'ok', fixed: true, details: [STUCK] })
    expect(await doctor()).toMatchObject({ status: 'ok', message: 'correct' })
    await world.start()
    await up(city)
    expect(await readyIds()).toContain(id)
  }, 30_000)
})
