import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { GC } from '../../../src/core/actor.ts'
import { type ArchiveLimits, EventArchives } from '../../../src/core/events/rotation.ts'
import { command, query } from '../../../src/core/store/index.ts'
import { until } from '../../support/until.ts'
import { eventWorld, note } from './world.ts'

const DAY = 24 * 3_600_000
const FOR_EVER: ArchiveLimits = { age: 0, bytes: 0 }

function archivesOf(world: ReturnType<typeof eventWorld>, bounds = FOR_EVER): EventArchives {
  const { store, log, clock, deadlines, reports } = world
  return new EventArchives(
    store,
    log,
    clock,
    deadlines,
    () => bounds,
    (error) => reports.push(String(error)),
  )
}

/** The file names of the archives, oldest first. */
const files = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.gz'))
    .sort()

const lines = (path: string): unknown[] =>
  gunzipSync(readFileSync(path))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('an archive holds every event so far in listed form, and the rows remain', async () => {
  await using world = eventWorld()
  const archives = archivesOf(world)
  await world.fill(3)
  await world.store.write((tx) => {
    const facts = { actor: 'a "b"', subject: 'mp-1', message: 'line\nbreak', depends_on_step_ids: ['x'], step_id: 's' }
    return world.log.append(tx, note('note.read'), facts, { deep: { unicode: 'ü€😀', list: [1, null] } })
  })
  await world.clock.advance(1234)
  const before = world.log.after(0, 10)
  const rotation = await archives.rotate(GC)
  if (!rotation) throw new Error('expected a rotation')
  const path = world.folder.at('events.jsonl.archive-20260105T090001Z-seq-1-4.gz')
  expect(rotation.archive).toEqual({ path, first: 1, last: 4 })
  expect(rotation.anchor).toEqual({ seq: 5, ts: '2026-01-05T09:00:01.234Z' })
  await rotation.written
  expect(lines(path)).toEqual(before)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(existsSync(`${path}.part`)).toBe(false)
  expect(world.log.after(0, 4)).toEqual(before)
  expect(world.log.after(4, 10)).toEqual([
    {
      seq: 5,
      type: 'events.rotated',
      ts: '2026-01-05T09:00:01.234Z',
      actor: 'gc',
      message: `events 1 to 4 were archived to ${path}`,
      payload: { prior_archive: path, prior_first_seq: 1, prior_last_seq: 4 },
    },
  ])
})

test('the next archive begins with the rotation event of the previous one', async () => {
  await using world = eventWorld()
  const archives = archivesOf(world)
  expect(await archives.rotate(GC)).toBeUndefined()
  await world.fill(3)
  await (await archives.rotate(GC))?.written
  const second = await archives.rotate(GC)
  expect(second?.archive).toMatchObject({ first: 4, last: 4 })
  await second?.written
  expect(lines(second?.archive.path ?? '')).toMatchObject([{ seq: 4, type: 'events.rotated' }])
})

test('an archive interrupted by a process exit is written on resume', async () => {
  await using world = eventWorld()
  await world.fill(3)
  const path = world.folder.at('late.gz')
  await world.store.write((tx) => {
    tx.run(command("INSERT INTO event_archives VALUES (3, 1, 'late.gz', 0, 0)"))
  })
  await world.reopen()
  const archives = archivesOf(world)
  await archives.resume()
  expect(lines(path)).toEqual(world.log.after(0, 3))
  await archives.resume()
  await world.record()
  const next = await archives.rotate(GC)
  expect(next?.archive).toMatchObject({ first: 4, last: 4 })
  await next?.written
})

test('a log moved with its archives writes and removes them at its new location', async () => {
  await using world = eventWorld()
  await world.fill(3)
  await (await archivesOf(world).rotate(GC))?.written
  await world.store.write((tx) => {
    tx.run(command("INSERT INTO event_archives VALUES (4, 4, '/was/elsewhere/late.gz', 0, 0)"))
  })
  await archivesOf(world).resume()
  expect(lines(world.folder.at('late.gz'))).toMatchObject([{ seq: 4, type: 'events.rotated' }])
  const names = world.store.all(query<{ path: string }>('SELECT path FROM event_archives WHERE last_seq = 3'))
  expect(names).toEqual([{ path: 'events.jsonl.archive-20260105T090000Z-seq-1-3.gz' }])
  expect(await archivesOf(world, { age: 1, bytes: 0 }).expire()).toBe(0)
  await world.clock.advance(DAY)
  expect(await archivesOf(world, { age: 1, bytes: 0 }).expire()).toBe(1)
  expect(files(world.folder.path)).toEqual(['late.gz'])
})

/** Writes three archives, one a day, and returns their file names. */
async function threeDays(world: ReturnType<typeof eventWorld>): Promise<string[]> {
  for (let day = 0; day < 3; day++) {
    await world.record()
    await (await archivesOf(world).rotate(GC))?.written
    await world.clock.advance(DAY)
  }
  return files(world.folder.path)
}

test('expired archives are deleted, file and row; the newest is kept, and the next begins where it ended', async () => {
  await using world = eventWorld()
  const [, second, third] = await threeDays(world)
  const archives = archivesOf(world, { age: 2.5 * DAY, bytes: 0 })
  expect(await archives.expire()).toBe(1)
  expect(files(world.folder.path)).toEqual([second ?? '', third ?? ''])
  await world.clock.advance(30 * DAY)
  expect([await archives.expire(), await archives.expire()]).toEqual([1, 0])
  expect(files(world.folder.path)).toEqual([third ?? ''])
  const before = world.log.head
  const next = await archives.rotate(GC)
  expect(next?.archive).toMatchObject({ first: before, last: before })
  await next?.written
  await archives.stop()
})

test('the oldest archives are deleted until the rest fit the size limit', async () => {
  await using world = eventWorld()
  const [first, second, third] = await threeDays(world)
  const size = (name: string | undefined) => statSync(world.folder.at(name ?? '')).size
  const room = size(second) + size(third)
  expect(await archivesOf(world, { age: 0, bytes: room + size(first) }).expire()).toBe(0)
  expect(await archivesOf(world, { age: 0, bytes: room }).expire()).toBe(1)
  expect(files(world.folder.path)).toEqual([second ?? '', third ?? ''])
  expect(await archivesOf(world, { age: 0, bytes: 1 }).expire()).toBe(1)
  expect(files(world.folder.path)).toEqual([third ?? ''])
})

test('limits are enforced at start, once a day and after each archive', async () => {
  await using world = eventWorld()
  await threeDays(world)
  const archives = archivesOf(world, { age: 2.5 * DAY, bytes: 0 })
  await archives.start()
  await until(() => files(world.folder.path).length === 2, 10_000)
  await world.clock.advance(DAY)
  await until(() => files(world.folder.path).length === 1, 10_000)
  await world.clock.advance(2 * DAY)
  await (await archives.rotate(GC))?.written
  await until(() => files(world.folder.path).length === 1, 10_000)
  await archives.stop()
  expect(world.reports).toEqual([])
})
