import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { tempFolder } from '../support/folder.ts'
import { open, rejectionOf, turns } from './store-helpers.ts'

/** A store in which a write of a thread is under way until `end` is called. */
async function underWay(path: string, maxWait?: number) {
  const opened = open(path, maxWait === undefined ? {} : { maxWait })
  const ended = Promise.withResolvers<string>()
  let progress = () => {}
  const written = opened.store.writeInWorker({
    run(onProgress) {
      progress = onProgress
      return ended.promise
    },
    publish: async () => {},
  })
  await turns(3)
  return { ...opened, written, goOn: () => progress(), end: () => ended.resolve('imported') }
}

test('writes wait for one of a thread, and are made after it', async () => {
  using folder = tempFolder()
  const { store, add, texts, written, goOn, end } = await underWay(folder.at('a.db'))
  const waiting = add('waits')
  goOn()
  await turns(3)
  expect(texts()).toEqual([])
  end()
  expect(await written).toBe('imported')
  await waiting
  expect(texts()).toEqual(['waits'])
  await store.close()
})

test('a write that has waited too long for one of a thread is rejected, and later ones are made', async () => {
  using folder = tempFolder()
  const { store, add, texts, goOn, end } = await underWay(folder.at('a.db'), 0)
  const refused = rejectionOf(add('too long'))
  goOn()
  expect(await refused).toMatchObject({
    ...{ code: 'store-unavailable', status: 503, headers: { 'retry-after': '5' } },
    message: `${folder.at('a.db')} is being written by an import that takes long; try again in a while`,
  })
  const later = add('later')
  end()
  await later
  expect(texts()).toEqual(['later'])
  await store.close()
})

test('the log that one of a thread made long reaches the disk off the loop, and is short before the next write', async () => {
  using folder = tempFolder()
  const onLoop: boolean[] = []
  const { store, add } = open(folder.at('a.db'), { sync: async (_, isAlone) => void onLoop.push(isAlone) })
  const log = () => statSync(folder.at('a.db-wal')).size
  const run = async () => {
    using db = new Database(folder.at('a.db'))
    db.run('PRAGMA wal_autocheckpoint = 0')
    db.run('INSERT INTO notes (text) VALUES (?)', ['x'.repeat(1_000_000)])
    return log()
  }
  expect(await store.writeInWorker({ run, publish: async () => {} })).toBeGreaterThan(1_000_000)
  await add('next')
  expect(log()).toBeLessThan(100_000)
  expect(onLoop).toEqual([false, true])
  await store.close()
})
