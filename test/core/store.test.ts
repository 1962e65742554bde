import { Database } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import { AppError } from '../../src/core/errors.ts'
import { nextTick } from '../../src/core/event-loop.ts'
import { command } from '../../src/core/store/index.ts'
import { Store, type Tx } from '../../src/core/store/store.ts'
import { tempFolder } from '../support/folder.ts'
import { open, turns } from './store-helpers.ts'

describe('the version', () => {
  test('differs after each write, also of another process, and stays the same otherwise', async () => {
    using folder = tempFolder()
    const { store, add, texts } = open(folder.at('a.db'))
    const reader = Store.openReadOnly(folder.at('a.db'))
    const versions = () => [store.version, reader.version]
    const before = versions()
    texts()
    expect(versions()).toEqual(before)
    await add('one')
    const after = versions()
    for (const at of [0, 1]) expect(after[at]).not.toBe(before[at])
    expect(versions()).toEqual(after)
    using other = new Database(folder.at('a.db'))
    other.run("INSERT INTO notes (text) VALUES ('two')")
    for (const at of [0, 1]) expect(versions()[at]).not.toBe(after[at])
    await reader.close()
    await store.close()
  })

  test('is that of what reads see: the same while they share a transaction, and another once that has ended', async () => {
    using folder = tempFolder()
    const { store, add, texts } = open(folder.at('a.db'))
    using other = new Database(folder.at('a.db'))
    store.beginRead()
    const before = store.version
    expect(texts()).toEqual([])
    other.run("INSERT INTO notes (text) VALUES ('one')")
    expect([store.version, texts()]).toEqual([before, []])
    await nextTick()
    await nextTick()
    store.beginRead()
    const after = store.version
    expect(after).not.toBe(before)
    expect(texts()).toEqual(['one'])
    const adding = add('two')
    await adding
    expect(store.version).not.toBe(after)
    expect(texts()).toEqual(['one', 'two'])
    await store.close()
  })
})

describe('writing', () => {
  test('resolves with the return value and persists what was written', async () => {
    using folder = tempFolder()
    const first = open(folder.at('a.db'))
    expect(await first.add('one')).toBe(1)
    await first.store.close()
    const second = open(folder.at('a.db'))
    expect(second.texts()).toEqual(['one'])
    await second.store.close()
  })

  test('resolves only after the log is synced, and writes made in between share the next sync', async () => {
    using folder = tempFolder()
    const syncs: (() => void)[] = []
    let syncStarted = Promise.withResolvers<void>()
    const sync = () =>
      new Promise<void>((resolve) => {
        syncs.push(resolve)
        syncStarted.resolve()
      })
    const { store, add } = open(folder.at('a.db'), { sync })
    const order: string[] = []
    const first = add('one').then(() => order.push('one'))
    await syncStarted.promise
    syncStarted = Promise.withResolvers()
    const rest = Promise.all(['two', 'three', 'four'].map((text) => add(text).then(() => order.push(text))))
    await turns(20)
    expect(order).toEqual([])
    syncs[0]?.()
    await first
    expect(order).toEqual(['one'])
    await syncStarted.promise
    await turns(20)
    expect(order).toEqual(['one'])
    expect(syncs).toHaveLength(2)
    syncs[1]?.()
    await rest
    expect(order).toEqual(['one', 'two', 'three', 'four'])
    await store.close()
  })

  test('needs no sync if nothing changed', async () => {
    using folder = tempFolder()
    let syncs = 0
    const { store, add } = open(folder.at('a.db'), { sync: async () => void syncs++ })
    expect(await store.write(() => 7)).toBe(7)
    expect(syncs).toBe(0)
    await add('one')
    expect(syncs).toBe(1)
    await store.write((tx) => void tx.run(command('CREATE TABLE more (id INTEGER)')))
    expect(syncs).toBe(2)
    await store.close()
  })

  test('rolls back only the failing writes of a group, each with its own error', async () => {
    using folder = tempFolder()
    const { store, add, texts } = open(folder.at('a.db'))
    const effects: string[] = []
    const results = await Promise.allSettled([
      add('one', (tx) => tx.after(() => effects.push('one'))),
      add('two', (tx) => {
        tx.after(() => effects.push('two'))
        throw new AppError('bead-not-found', 'there is no such bead')
      }),
      add('one', (tx) => tx.after(() => effects.push('again'))),
      add('three', (tx) => tx.after(() => effects.push('three'))),
    ])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(results[1]).toMatchObject({ reason: { code: 'bead-not-found' } })
    expect(results[2]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_UNIQUE' } })
    expect(texts()).toEqual(['one', 'three'])
    expect(effects).toEqual(['one', 'three'])
    await store.close()
  })

  test('rolls back a write that fails alone or before others, and nothing but it', async () => {
    using folder = tempFolder()
    const { store, add, texts } = open(folder.at('a.db'))
    const failing = (text: string) =>
      add(text, () => {
        throw new AppError('bead-not-found', 'there is no such bead')
      })
    await expect(failing('alone')).rejects.toMatchObject({ code: 'bead-not-found' })
    expect(texts()).toEqual([])
    const results = await Promise.allSettled([
      failing('one'),
      failing('two'),
      add('three'),
      failing('four'),
      add('five'),
    ])
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(3)
    expect(texts()).toEqual(['three', 'five'])
    await store.close()
  })

  test('leaves writes for the next commit once the time of a group is over', async () => {
    using folder = tempFolder()
    let syncs = 0
    const { store, add, texts } = open(folder.at('a.db'), { groupMs: -1, sync: async () => void syncs++ })
    await Promise.all([add('one'), add('two'), add('three')])
    expect([syncs, texts()]).toEqual([3, ['one', 'two', 'three']])
    await store.close()
  })

  test('shares one commit while the time of a group is not over', async () => {
    using folder = tempFolder()
    using clock = spyOn(performance, 'now')
    clock.mockReturnValue(1_000)
    let syncs = 0
    const { store, add, texts } = open(folder.at('a.db'), { groupMs: 5, sync: async () => void syncs++ })
    await Promise.all([add('one'), add('two'), add('three')])
    expect([syncs, texts()]).toEqual([1, ['one', 'two', 'three']])
    await store.close()
  })

  test('reuses the ids of rolled-back writes', async () => {
    using folder = tempFolder()
    const { store, add } = open(folder.at('a.db'))
    const failing = add('lost', () => {
      throw new Error('no')
    })
    const ids = await Promise.all([failing.catch(() => 'undone'), add('one'), add('two')])
    expect(ids).toEqual(['undone', 1, 2])
    await store.close()
  })

  test('runs effects in commit order, before the promises resolve, and they see what was committed', async () => {
    using folder = tempFolder()
    const { store, add, texts } = open(folder.at('a.db'))
    const order: string[] = []
    const write = (text: string) =>
      add(text, (tx) => {
        tx.after(() => order.push(`${text} ${texts().length}`))
        tx.after(() => order.push(`${text} again`))
      }).then(() => order.push(`${text} resolved`))
    await Promise.all([write('a'), write('b')])
    expect(order).toEqual(['a 2', 'a again', 'b 2', 'b again', 'a resolved', 'b resolved'])
    await store.close()
  })

  test('reports an effect that throws and affects no other write', async () => {
    using folder = tempFolder()
    const errors: unknown[] = []
    const { store, add } = open(folder.at('a.db'), { onError: (error) => errors.push(error) })
    const boom = new Error('boom')
    const bad = add('one', (tx) =>
      tx.after(() => {
        throw boom
      }),
    )
    expect(await Promise.all([bad, add('two')])).toEqual([1, 2])
    expect(errors).toEqual([boom])
    await store.close()
  })

  test('rolls back a write that returns a promise', async () => {
    using folder = tempFolder()
    const { store, add, texts } = open(folder.at('a.db'))
    const slow: () => unknown = async () => 1
    const bad = store.write<unknown>((tx) => {
      tx.run(command("INSERT INTO notes (text) VALUES ('half')"))
      return slow()
    })
    await expect(bad).rejects.toThrow('a write is synchronous')
    await add('one')
    expect(texts()).toEqual(['one'])
    await store.close()
  })

  test('throws if an effect is added after the write has finished', async () => {
    using folder = tempFolder()
    const { store, add } = open(folder.at('a.db'))
    let finished: Tx | undefined
    await add('one', (tx) => {
      finished = tx
    })
    expect(() => finished?.after(() => {})).toThrow('this write is over')
    await store.close()
  })

  test('accepts more writes than fit in one group, in order', async () => {
    using folder = tempFolder()
    const { store, add, texts } = open(folder.at('a.db'))
    const expected = Array.from({ length: 3000 }, (_, n) => `note ${n}`)
    await Promise.all(expected.map((text) => add(text)))
    expect(texts()).toEqual(expected)
    await store.close()
  })
})
