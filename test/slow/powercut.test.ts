import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { Store } from '../../src/core/store.ts'
import { type TempFolder, tempFolder } from '../support/folder.ts'

/**
 * Power cuts, simulated. A child writes and says what was acknowledged, and is killed at a random moment. A library
 * preloaded into it (powercut.c) keeps only the bytes that were synced, under names whose folder was synced. Of what
 * was written and not synced a cut may keep any part: here nothing, everything, or some of the writes, some of them
 * torn. Each run goes on from what the cut before it left.
 */

const RUNS = 100
const FILES = ['a.db', 'a.db-wal']

const seed = Number(process.env.POWERCUT_SEED ?? Date.now() % 1_000_000)

/** A small generator, so that a failing seed can be run again. */
function random(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function compile(folder: TempFolder): string {
  const library = folder.at('powercut.so')
  const source = `${import.meta.dir}/powercut.c`
  const made = Bun.spawnSync(['cc', '-shared', '-fPIC', '-O2', '-Wall', '-o', library, source, '-ldl'])
  if (made.exitCode !== 0) throw new Error(`the library for power cuts did not compile: ${made.stderr}`)
  return library
}

/** One child from start to cut, so many milliseconds or so many acknowledged writes later; the ids it said were on disk. */
async function life(
  folder: TempFolder,
  library: string,
  run: number,
  end: { ms: number } | { writes: number },
  how = '',
): Promise<string[]> {
  const program = `${import.meta.dir}/children/powercut.ts`
  const child = Bun.spawn([process.execPath, program, folder.at('live', 'a.db'), String(run), how], {
    env: { ...process.env, LD_PRELOAD: library, POWERCUT: folder.at('kept') },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  })
  const errors = child.stderr.text()
  const cut = 'ms' in end ? setTimeout(() => child.kill('SIGKILL'), end.ms) : undefined
  let said = ''
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    said += chunk
    if ('writes' in end && said.split('\n').length > end.writes) child.kill('SIGKILL')
  }
  await child.exited
  clearTimeout(cut)
  if (await errors) throw new Error(`run ${run} failed before its cut: ${await errors}`)
  return said
    .slice(0, said.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
}

/** Puts in place of the live files what the cut left of them. */
function cut(folder: TempFolder, chance: () => number): void {
  rmSync(folder.at('live'), { recursive: true })
  mkdirSync(folder.at('live'))
  const survival = [0, 0.5, 1][Math.floor(chance() * 3)] ?? 0
  for (const name of FILES) {
    const kept = folder.at('kept', name)
    if (!existsSync(kept)) continue
    if (existsSync(`${kept}.unnamed`)) rmSync(kept)
    else if (existsSync(`${kept}.pending`)) survive(kept, survival, chance)
    rmSync(`${kept}.unnamed`, { force: true })
    rmSync(`${kept}.pending`, { force: true })
    if (existsSync(kept)) copyFileSync(kept, folder.at('live', name))
  }
}

/** Lets some of the writes that were never synced survive, some of those in part. */
function survive(kept: string, survival: number, chance: () => number): void {
  const pending = readFileSync(`${kept}.pending`)
  const file = openSync(kept, 'r+')
  for (let at = 0; at + 16 <= pending.length; ) {
    const offset = Number(pending.readBigInt64LE(at))
    const length = Number(pending.readBigInt64LE(at + 8))
    const bytes = pending.subarray(at + 16, at + 16 + Math.max(0, length))
    at += 16 + Math.max(0, length)
    if (at > pending.length || chance() >= survival) continue
    const torn = survival < 1 && chance() < 0.3 ? Math.floor(bytes.length / 512 / 2) * 512 : bytes.length
    if (length < 0) ftruncateSync(file, offset)
    else if (torn > 0) writeSync(file, bytes, 0, torn, offset)
  }
  closeSync(file)
}

/** What is in the database that a cut left, once its integrity was checked. */
function found(path: string): Set<string> {
  const db = new Database(path, { readwrite: true })
  expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  const rows = db.query<{ id: string }, []>('SELECT id FROM notes WHERE length(text) = size').all()
  db.close(true)
  return new Set(rows.map(({ id }) => id))
}

test.skipIf(process.platform !== 'linux')(
  `${RUNS} power cuts lose no acknowledged write and leave every database whole`,
  async () => {
    using folder = tempFolder()
    const library = compile(folder)
    const chance = random(seed)
    mkdirSync(folder.at('live'))
    mkdirSync(folder.at('kept'))
    const acknowledged: string[] = []
    let empty = 0
    for (let run = 0; run < RUNS; run++) {
      const ids = await life(folder, library, run, { ms: 10 + chance() * 190 })
      if (ids.length === 0) empty++
      acknowledged.push(...ids)
      cut(folder, chance)
      if (acknowledged.length === 0) continue
      rmSync(folder.at('check.db-wal'), { force: true })
      copyFileSync(folder.at('live', 'a.db'), folder.at('check.db'))
      if (existsSync(folder.at('live', 'a.db-wal')))
        copyFileSync(folder.at('live', 'a.db-wal'), folder.at('check.db-wal'))
      const rows = found(folder.at('check.db'))
      const lost = acknowledged.filter((id) => !rows.has(id))
      expect({ seed, run, lost }).toEqual({ seed, run, lost: [] })
    }
    expect(acknowledged.length).toBeGreaterThan(1000)
    expect(empty).toBeLessThan(RUNS / 2)
    const store = Store.open(folder.at('live', 'a.db'), ['SELECT 1'])
    await store.close()
  },
  300_000,
)

test.skipIf(process.platform !== 'linux')(
  'a store that acknowledges before its sync is caught: the simulation can see a loss',
  async () => {
    using folder = tempFolder()
    const library = compile(folder)
    mkdirSync(folder.at('live'))
    mkdirSync(folder.at('kept'))
    const ids = await life(folder, library, 0, { writes: 20 }, 'unsynced')
    cut(folder, () => 0)
    const rows = existsSync(folder.at('live', 'a.db')) ? found(folder.at('live', 'a.db')) : new Set()
    expect(ids.length).toBeGreaterThan(0)
    expect(ids.filter((id) => !rows.has(id)).length).toBeGreaterThan(0)
  },
)
