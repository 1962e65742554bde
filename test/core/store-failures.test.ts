import { describe, expect, test } from 'bun:test'
import { existsSync, fdatasync, renameSync, statSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { sql } from 'drizzle-orm'
import { Deadlines } from '../../src/core/deadlines.ts'
import { command, query } from '../../src/core/store/index.ts'
import { Store, type StoreFailure, type StoreOptions, type StoreTrouble } from '../../src/core/store/store.ts'
import { ofSystem, PROBE_MS } from '../../src/core/store/trouble.ts'
import { TestClock } from '../support/clock.ts'
import { tempFolder } from '../support/folder.ts'

const NOTES = 'CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL)'
/** SQLite rolls back the whole transaction when a statement without a statement journal fills the disk. */
const PLAIN = 'CREATE TABLE plain (text TEXT)'

function open(path: string, options: StoreOptions = {}) {
  const store = Store.open(path, [NOTES, PLAIN], { groupMs: Number.POSITIVE_INFINITY, ...options })
  const insert = command<[string], { id: number }>('INSERT INTO notes (text) VALUES (?) RETURNING id')
  return {
    store,
    add: (text: string, effect = () => {}, meanwhile = () => {}) =>
      store.write((tx) => {
        tx.after(effect)
        meanwhile()
        return tx.get(insert, text)?.id
      }),
    count: () => store.get(query<{ n: number }>('SELECT count(*) AS n FROM notes'))?.n,
  }
}

const outcomes = async (writes: Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(writes)).map((one) =>
    one.status === 'fulfilled' ? one.value : [one.reason.code, one.reason.message],
  )

describe('a full disk', () => {
  test('in the middle of a group rejects all of its writes, skips the remaining ones and runs no effects', async () => {
    using folder = tempFolder()
    const { store, add, count } = open(folder.at('a.db'))
    await add('before')
    const limit = store.get(query<{ max_page_count: number }>('PRAGMA max_page_count = 12'))
    expect(limit).toEqual({ max_page_count: 12 })
    const ran: string[] = []
    const effects: string[] = []
    const insert = command<[string]>('INSERT INTO plain (text) VALUES (?)')
    const write = (name: string, size: number) =>
      store.write((tx) => {
        ran.push(name)
        tx.after(() => effects.push(name))
        tx.run(insert, 'x'.repeat(size))
        return name
      })
    const results = await outcomes([write('a', 100), write('b', 100_000), write('c', 100), write('d', 100)])
    const rejection = [
      'store-unavailable',
      `the disk is full: no space is left in ${dirname(store.path)}; free some space there, and writes resume`,
    ]
    expect(ran).toEqual(['a', 'b'])
    expect(results).toEqual([rejection, rejection, rejection, rejection])
    expect(effects).toEqual([])
    expect(await outcomes([write('e', 100)])).toEqual(['e'])
    expect(effects).toEqual(['e'])
    expect(count()).toBe(1)
    await store.close()
  })

  test('that rolled back only one statement rejects that write alone with the same error', async () => {
    using folder = tempFolder()
    const { store, add, count } = open(folder.at('a.db'))
    store.get(query<unknown>('PRAGMA max_page_count = 12'))
    const results = await outcomes([add('a'), add('x'.repeat(100_000)), add('c')])
    expect(results).toEqual([
      1,
      [
        'store-unavailable',
        `the disk is full: no space is left in ${dirname(store.path)}; free some space there, and writes resume`,
      ],
      2,
    ])
    expect(count()).toBe(2)
    await store.close()
  })

  test.each(['first', 'last'])('rejects the group even if the %s write of it swallowed the error', async (place) => {
    using folder = tempFolder()
    const { store, add, count } = open(folder.at('a.db'))
    store.get(query<unknown>('PRAGMA max_page_count = 12'))
    const swallowing = () =>
      store.write((tx) => {
        try {
          tx.run(command<[string]>('INSERT INTO plain (text) VALUES (?)'), 'x'.repeat(100_000))
        } catch {}
        return 'all is well'
      })
    const results = await outcomes(place === 'first' ? [swallowing(), add('a')] : [add('a'), swallowing()])
    expect(results).toEqual([
      ['store-unavailable', expect.any(String)],
      ['store-unavailable', expect.any(String)],
    ])
    expect(count()).toBe(0)
    await store.close()
  })

  test('is a problem of the store until it is seen, without another write, that there is room again', async () => {
    using folder = tempFolder()
    const clock = new TestClock()
    const deadlines = new Deadlines(clock, clock)
    const reported: (StoreTrouble | undefined)[] = []
    const onTrouble = (trouble: StoreTrouble | undefined) => reported.push(trouble)
    const { store, add, count } = open(folder.at('a.db'), { deadlines, onTrouble })
    const limit = (pages: number) => store.get(query<unknown>(`PRAGMA max_page_count = ${pages}`))
    expect([store.problem, clock.armed]).toEqual([undefined, 0])
    const pages = store.get(query<{ page_count: number }>('PRAGMA page_count'))?.page_count ?? 0
    limit(pages)
    for (const _ of ['once', 'again']) await outcomes([add('x'.repeat(100_000))])
    expect(store.problem).toStartWith(`the disk is full: no space is left in ${folder.path}`)
    expect([store.failure, reported.length, clock.armed]).toEqual([undefined, 1, 1])
    limit(1000)
    await clock.advance(PROBE_MS)
    await outcomes([store.write(() => undefined)])
    expect([store.problem, reported.length, reported[1], clock.armed]).toEqual([undefined, 2, undefined, 0])
    await add('there is room again')
    expect(count()).toBe(1)
    limit(1)
    await outcomes([add('x'.repeat(100_000))])
    await store.close()
    expect(clock.armed).toBe(0)
    deadlines.close()
  })

  test('stays a problem when a smaller write succeeds in the same commit', async () => {
    using folder = tempFolder()
    const { store, add, count } = open(folder.at('a.db'))
    await add('before')
    store.get(query<unknown>('PRAGMA max_page_count = 1'))
    const results = await outcomes([add('small'), add('x'.repeat(100_000))])
    expect(results).toEqual([2, ['store-unavailable', expect.any(String)]])
    expect(store.problem).toStartWith('the disk is full')
    await add('later')
    expect([store.problem, count()]).toEqual([undefined, 3])
    await store.close()
  })

  test.each([
    ['ENOSPC', 'the disk is full', 'free some space'],
    ['EDQUOT', 'the disk quota is used up', 'raise the quota'],
    ['EROFS', 'the file system of /town/.gc is read-only', 'remount'],
    ['EACCES', 'permission denied', 'owner'],
    ['EPERM', 'permission denied', 'owner'],
  ])('and its kin are named by the code of the system: %s', (code, reason, remedy) => {
    const trouble = ofSystem('/town/.gc', code)
    expect([trouble?.reason, trouble?.remedy]).toEqual([
      expect.stringContaining(reason),
      expect.stringContaining(remedy),
    ])
    expect(trouble?.reason).toContain('/town/.gc')
    expect(ofSystem('/town/.gc', '')).toBeUndefined()
  })

  test('at the OS level loses no acknowledged write, and writes succeed again once there is space', async () => {
    using folder = tempFolder()
    const child = Bun.spawn(
      [
        'sh',
        '-c',
        `trap '' XFSZ; ulimit -f 1024; exec "$0" "$@"`,
        process.execPath,
        `${import.meta.dir}/children/fill.ts`,
      ],
      { cwd: folder.path, stdout: 'pipe', stderr: 'inherit', timeout: 15_000 },
    )
    const report = JSON.parse(await child.stdout.text())
    expect(report.rejected).toBeGreaterThan(0)
    expect(report.acknowledged).toBeGreaterThan(10)
    expect(report.effects).toBe(report.acknowledged)
    expect(report.codes).toEqual(['store-unavailable'])
    const { store, add, count } = open(folder.at('a.db'))
    expect(count()).toBe(report.acknowledged)
    expect(store.all(query<unknown>('PRAGMA integrity_check'))).toEqual([{ integrity_check: 'ok' }])
    await add('there is room again')
    await store.close()
  })
})

describe('a failed sync', () => {
  test('fails the store: pending and later writes are rejected, reads continue', async () => {
    using folder = tempFolder()
    let broken = false
    const failures: StoreFailure[] = []
    const effects: string[] = []
    const { store, add, count } = open(folder.at('a.db'), {
      onFailure: (failure) => failures.push(failure),
      sync: async () => {
        if (broken) throw new Error('EIO: i/o error')
      },
    })
    await add('kept')
    broken = true
    const first = add('one', () => effects.push('one'))
    const second = first.catch(() => add('two', () => effects.push('two')))
    const results = await outcomes([first, second, add('three', () => effects.push('three'))])
    const reason = `${store.path} failed and takes no more writes: its write-ahead log did not reach the disk (EIO: i/o error); restart the city or supervisor that uses it`
    expect(results).toEqual([1, 2, 3].map(() => ['store-unavailable', reason]))
    expect(store.failure).toBe(reason)
    expect(failures).toEqual([{ reason, isDisplaced: false }])
    expect(effects).toEqual([])
    broken = false
    expect(await outcomes([add('four')])).toEqual([['store-unavailable', reason]])
    expect(store.metrics.failures).toBe(4)
    expect(count()).toBeGreaterThanOrEqual(1)
    await store.close()
  })

  test('takes back what was not acknowledged, for its readers and for the next open', async () => {
    using folder = tempFolder()
    let broken = false
    const first = open(folder.at('a.db'), {
      sync: async () => {
        if (broken) throw new Error('EIO: i/o error')
      },
    })
    await first.add('kept')
    broken = true
    const frames = statSync(folder.at('a.db-wal')).size
    await outcomes([first.add('lost'), first.add('too')])
    expect([first.count(), first.store.read((orm) => orm.all(sql`SELECT text FROM notes`))]).toEqual([
      1,
      [{ text: 'kept' }],
    ])
    await first.store.close()
    expect(statSync(folder.at('a.db-wal')).size).toBe(frames)
    const second = open(folder.at('a.db'))
    expect(second.store.failure).toBeUndefined()
    expect(statSync(folder.at('a.db-wal')).size).toBe(0)
    expect([second.count(), await second.add('on')]).toEqual([1, 2])
    await second.store.close()
    expect(existsSync(folder.at('a.db-wal'))).toBe(false)
  })
})

describe('a failed sync amid checkpoints', () => {
  test('leaves exactly what was acknowledged, whole, to its readers and to the next open', async () => {
    for (let round = 0; round < 20; round++) {
      using folder = tempFolder()
      let broken = false
      const sync = (file: number) =>
        new Promise<void>((resolve, reject) =>
          fdatasync(file, (error) => (error || broken ? reject(new Error('EIO')) : resolve())),
        )
      const { store, add } = open(folder.at('a.db'), { sync, checkpointAt: 64 * 1024, restartAt: 256 * 1024 })
      const acknowledged: string[] = []
      const writer = async (name: number) => {
        for (let n = 0; ; n++) {
          const text = `${name}-${n}-${'x'.repeat((n * 977) % 3000)}`
          const id = await add(text).catch(() => undefined)
          if (id === undefined) return
          acknowledged.push(text)
          broken ||= n > round * 3
        }
      }
      await Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)))
      const rows = store.all(query<{ text: string }>('SELECT text FROM notes'))
      expect(rows.map(({ text }) => text).sort()).toEqual(acknowledged.sort())
      expect(store.all(query<unknown>('PRAGMA integrity_check'))).toEqual([{ integrity_check: 'ok' }])
      await store.close()
      const again = open(folder.at('a.db'))
      expect(again.count()).toBe(acknowledged.length)
      await again.store.close()
    }
  }, 20_000)
})

describe('a missing write-ahead log', () => {
  test('fails the store if it was deleted; closing saves acknowledged writes and reopening recovers', async () => {
    using folder = tempFolder()
    const first = open(folder.at('a.db'))
    await first.add('kept')
    unlinkSync(folder.at('a.db-wal'))
    const [rejection] = await outcomes([first.add('one')])
    expect(rejection).toEqual(['store-unavailable', expect.stringContaining('its write-ahead log was deleted')])
    expect(first.store.failure).toContain('its write-ahead log was deleted')
    await first.store.close()
    const second = open(folder.at('a.db'))
    expect(second.count()).toBeGreaterThanOrEqual(1)
    await second.add('two')
    await second.store.close()
  })

  test('fails the store if it was deleted during a write, which is then saved in the database itself', async () => {
    using folder = tempFolder()
    const first = open(folder.at('a.db'))
    const effects: string[] = []
    const written = first.add(
      'one',
      () => effects.push('one'),
      () => unlinkSync(folder.at('a.db-wal')),
    )
    expect([await outcomes([written]), effects]).toEqual([[1], ['one']])
    expect(first.store.failure).toContain('its write-ahead log was deleted')
    await first.store.close()
    const second = open(folder.at('a.db'))
    expect(second.count()).toBe(1)
    await second.store.close()
  })

  test('fails the store if it was moved, before anything more is acknowledged', async () => {
    using folder = tempFolder()
    const { store, add, count } = open(folder.at('a.db'))
    await add('kept')
    renameSync(folder.at('a.db-wal'), folder.at('moved'))
    const reason = expect.stringContaining('its write-ahead log was moved or replaced')
    expect(await outcomes([add('one')])).toEqual([['store-unavailable', reason]])
    expect(count()).toBe(1)
    renameSync(folder.at('moved'), folder.at('a.db-wal'))
    await store.close()
    const again = open(folder.at('a.db'))
    expect(again.count()).toBe(1)
    await again.store.close()
  })
})
