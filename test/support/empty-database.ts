import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Store } from '../../src/core/store/store.ts'
import { tempFolder } from './folder.ts'

const ROOT = resolve(import.meta.dir, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/gc-empty-databases')
const made = new Map<readonly string[], Promise<Uint8Array>>()

/**
 * The bytes of a database without rows. All tests of these migrations share it, since migrating takes longer than opening a
 * city. It is made again when a migration or the store changes.
 */
export function emptyDatabase(migrations: readonly string[]): Promise<Uint8Array> {
  const known = made.get(migrations) ?? cached(migrations)
  made.set(migrations, known)
  return known
}

async function cached(migrations: readonly string[]): Promise<Uint8Array> {
  const file = join(CACHE, `${keyOf(migrations)}.db`)
  if (existsSync(file)) return readFileSync(file)
  const bytes = await make(migrations)
  mkdirSync(CACHE, { recursive: true })
  const own = `${file}.${process.pid}`
  writeFileSync(own, bytes)
  renameSync(own, file)
  return bytes
}

function keyOf(migrations: readonly string[]): string {
  const hash = createHash('sha256').update(`${Bun.version}\n`)
  for (const migration of migrations) hash.update(`${migration}\n`)
  const store = join(ROOT, 'src/core/store')
  for (const name of readdirSync(store).sort()) hash.update(readFileSync(join(store, name)))
  return hash.digest('hex').slice(0, 32)
}

async function make(migrations: readonly string[]): Promise<Uint8Array> {
  using folder = tempFolder()
  const store = Store.open(folder.at('empty.db'), migrations)
  await store.write(() => {})
  await store.close()
  return readFileSync(folder.at('empty.db'))
}
