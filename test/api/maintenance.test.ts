import { describe, expect, test } from 'bun:test'
import { OperationCoverage } from '../support/coverage.ts'
import { bead, declare, errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ tag }) => tag === 'maintenance' || tag === 'backup')
const openTown = towns(coverage)

describe('maintenance', () => {
  test('returns disk space during normal work, and reports its result', async () => {
    await using town = await openTown()
    const { city } = town
    const before = (await city.call('GET ~/maintenance/status')).body
    expect(before).toMatchObject({ enabled: true, interval_seconds: 86_400, in_flight: false, history: [] })
    const description = 'x'.repeat(200_000)
    await Promise.all(Array.from({ length: 20 }, (_, n) => bead(city, `${n}`, { description })))
    const seq = await city.head()
    const [done, second, made] = await Promise.all([
      city.call('POST ~/maintenance/dolt-gc?wait=true'),
      city.call('POST ~/maintenance/dolt-gc'),
      city.call('POST ~/beads', { body: { title: 'meanwhile' } }),
    ])
    expect(done).toMatchObject({ status: 202, body: { accepted: true, run: { stage: 'done' } } })
    expect([second.status, second.body.code, made.status]).toEqual([409, 'maintenance-in-progress', 201])
    const { run } = done.body
    expect(run.after_bytes).toBeLessThan(run.before_bytes)
    const status = (await city.call('GET ~/maintenance/status')).body
    expect(status).toMatchObject({ in_flight: false, last_run: run, history: [run] })
    const events = (await city.recorded(seq)).filter(({ type }) => type.startsWith('gc.store'))
    expect(events.map(({ type, payload }) => [type, payload])).toEqual([
      [
        'gc.store.maintenance.done',
        { duration_s: run.duration_s, before_bytes: run.before_bytes, after_bytes: run.after_bytes, snapshot_path: '' },
      ],
    ])
    const head = await city.head()
    expect((await city.call('POST ~/maintenance/dolt-gc')).body).toEqual({
      accepted: true,
      started_at: expect.any(String),
    })
    await city.event(head, ({ type }) => type === 'gc.store.maintenance.done')
    expect((await city.call('GET ~/maintenance/status')).body.history).toHaveLength(2)
  })
})

describe('a backup', () => {
  test('is one gzip file with the city in it, and is available to people and not to sessions', async () => {
    await using town = await openTown()
    const { city, world } = town
    const id = await bead(city, 'kept')
    const response = await fetch(`${world.url}/v0/city/${city.name}/backup`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/gzip'])
    const tar = Buffer.from(Bun.gunzipSync(new Uint8Array(await response.arrayBuffer()))).toString('latin1')
    for (const part of ['city.toml', '.gc/backup.db', '.gc/backup.json', id, 'kept'])
      expect(tar.includes(part)).toBe(true)
    expect(tar.includes('.gc/city.db')).toBe(false)
    await declare(city, 'clerk')
    const { token } = await startSession(city, 'clerk')
    expect(await errorOf(city, 'GET ~/backup', { token })).toStartWith('403 forbidden: ')
    expect((await city.call('GET ~/backup')).status).toBe(200)
  })
})

describe('the operations on maintenance', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })
})
