import { readdirSync, readlinkSync } from 'node:fs'
import { AppError } from '../../src/core/errors.ts'
import { command, query } from '../../src/core/store/index.ts'
import { Store, type StoreOptions, type Tx } from '../../src/core/store/store.ts'

export const NOTES = 'CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL UNIQUE)'

/** A store of notes, whose writes share a commit however slow the machine is. */
export function open(path: string, options: StoreOptions = {}) {
  const store = Store.open(path, [NOTES], { groupMs: Number.POSITIVE_INFINITY, ...options })
  const insert = command<[string], { id: number }>('INSERT INTO notes (text) VALUES (?) RETURNING id')
  const all = query<{ text: string }>('SELECT text FROM notes ORDER BY id')
  return {
    store,
    add: (text: string, then?: (tx: Tx) => void) =>
      store.write((tx) => {
        const row = tx.get(insert, text)
        then?.(tx)
        return row?.id
      }),
    texts: () => store.read(() => store.all(all).map((row) => row.text)),
  }
}

export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export const openFiles = (path: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path) ? [fd] : []
    } catch {
      return []
    }
  })

export const rejectionOf = async (promise: Promise<unknown>): Promise<AppError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof AppError) return error
  throw new Error(`expected an error, got ${error}`)
}

export const errorOf = (run: () => unknown): AppError => {
  try {
    run()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('expected an error')
}
