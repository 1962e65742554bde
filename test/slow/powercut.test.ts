import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { Store } from '../../src/core/store/store.ts'
import { tempFolder } from '../support/folder.ts'
import { copied, cut, labOf, life, random } from './cuts.ts'

const RUNS = Number(process.env.GC_CUTS ?? 40)

const seed = Number(process.env.POWERCUT_SEED ?? Date.now() % 1_000_000)

/** The contents of the database that a cut left, after its integrity check. */
function readDatabase(path: string): Set<string> {
  const db = new Database(path, { readwrite: true })
  expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  const rows = db.query<{ id: string }, []>('SELECT id FROM notes WHERE length(text) = size').all()
  db.close(true)
  return new Set(rows.map(({ id }) => id))
}

test.skipIf(process.platform !== 'linux')(
  `${RUNS} power cuts lose no acknowledged write and leave every database intact`,
  async () => {
    using folder = tempFolder()
    const lab = labOf(folder, 'powercut.ts')
    const chance = random(seed)
    const acknowledged: string[] = []
    let empty = 0
    for (let run = 0; run < RUNS; run++) {
      const end = run % 3 === 0 ? { ms: 10 + chance() * 190 } : { writes: 1 + Math.floor(chance() * 500) }
      const ids = await life(lab, run, end)
      if (ids.length === 0) empty++
      acknowledged.push(...ids)
      cut(lab, chance)
      if (acknowledged.length === 0) continue
      const rows = readDatabase(copied(lab) ?? '')
      const lost = acknowledged.filter((id) => !rows.has(id))
      expect({ seed, run, lost }).toEqual({ seed, run, lost: [] })
    }
    expect(acknowledged.length).toBeGreaterThan(RUNS * 10)
    expect(empty).toBeLessThan(RUNS / 2)
    const store = Store.open(folder.at('live', 'a.db'), ['SELECT 1'])
    await store.close()
  },
  300_000,
)

test.skipIf(process.platform !== 'linux')(
  'a store that acknowledges before its sync is detected: the simulation can see a loss',
  async () => {
    using folder = tempFolder()
    const lab = labOf(folder, 'powercut.ts')
    const ids = await life(lab, 0, { writes: 20 }, 'unsynced')
    cut(lab, () => 0)
    const rows = existsSync(folder.at('live', 'a.db')) ? readDatabase(folder.at('live', 'a.db')) : new Set()
    expect(ids.length).toBeGreaterThan(0)
    expect(ids.filter((id) => !rows.has(id)).length).toBeGreaterThan(0)
  },
)
