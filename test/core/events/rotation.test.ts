import { expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { Archives } from '../../../src/core/events/rotation.ts'
import { eventWorld } from './world.ts'

const lines = (path: string): unknown[] =>
  gunzipSync(readFileSync(path))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('an archive holds every event so far as lists show them, and the rows stay', async () => {
  await using world = eventWorld()
  const archives = new Archives(world.store, world.log, world.clock)
  await world.fill(3)
  await world.store.write((tx) => {
    const facts = { actor: 'a "b"', subject: 'mp-1', message: 'line\nbreak', depends_on_step_ids: ['x'], step_id: 's' }
    return world.log.record(tx, 'note.read', facts, { deep: { unicode: 'ü€😀', list: [1, null] } })
  })
  await world.clock.advance(1234)
  const before = world.log.after(0, 10)
  const rotation = await archives.rotate()
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
      actor: 'events',
      message: `events 1 to 4 were archived to ${path}`,
      payload: { prior_archive: path, prior_first_seq: 1, prior_last_seq: 4 },
    },
  ])
})

test('the next archive begins with the event that ended the last', async () => {
  await using world = eventWorld()
  const archives = new Archives(world.store, world.log, world.clock)
  expect(await archives.rotate()).toBeUndefined()
  await world.fill(3)
  await (await archives.rotate())?.written
  const second = await archives.rotate()
  expect(second?.archive).toMatchObject({ first: 4, last: 4 })
  await second?.written
  expect(lines(second?.archive.path ?? '')).toMatchObject([{ seq: 4, type: 'events.rotated' }])
})

test('an archive that a stop of the process cut off is written on resuming', async () => {
  await using world = eventWorld()
  await world.fill(3)
  const path = world.folder.at('late.gz')
  await world.store.write(() => {
    world.store.prepare('INSERT INTO event_archives VALUES (3, 1, ?, 0, 0)').run(path)
  })
  await world.reopen()
  const archives = new Archives(world.store, world.log, world.clock)
  await archives.resume()
  expect(lines(path)).toEqual(world.log.after(0, 3))
  await archives.resume()
  await world.record()
  const next = await archives.rotate()
  expect(next?.archive).toMatchObject({ first: 4, last: 4 })
  await next?.written
})
