import { Database } from 'bun:sqlite'
import { randomBytes } from 'node:crypto'
import { createReadStream, existsSync, renameSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createGunzip } from 'node:zlib'
import { systemClock } from '../core/clock.ts'
import { Deadlines } from '../core/deadlines.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import { EventLog } from '../core/events/index.ts'
import { createFolder, syncFolder } from '../core/folders.ts'
import { Lock } from '../core/lock.ts'
import { Store } from '../core/store/index.ts'
import { readTar, type TarEntry } from '../core/tar/index.ts'
import {
  DATABASE,
  FORMAT,
  IDENTITY,
  MANIFEST,
  PICTURE,
  PICTURES,
  raiseEpoch,
  repairSocialCounters,
  socialMigrations,
} from '../social/network/index.ts'

const MAX_FILES = 5_000_000
const MAX_SMALL = 64 * 1024
const MAX_PICTURE = 16 * 1024 * 1024

/** A network that was restored. */
export interface RestoredNetwork {
  readonly home: string
  /** Time of the backup. */
  readonly at: string
}

/**
 * Restores the backup of a network into a home that has none. It is unpacked beside its place and checked there, so what
 * fails leaves nothing.
 */
export async function restoreNetwork(file: string, home: string, signal: AbortSignal): Promise<RestoredNetwork> {
  if (!existsSync(file)) throw new AppError('invalid-request', `there is no file ${file}`)
  createFolder(home)
  const lock = Lock.acquire(join(home, 'social.lock'), 'gc social restore')
  const stage = join(home, `.social-restoring-${randomBytes(6).toString('hex')}`)
  try {
    for (const name of [DATABASE, IDENTITY, PICTURES]) checkAbsent(join(home, name))
    createFolder(stage)
    const at = await unpack(resolve(file), stage, signal)
    if (!isSound(join(stage, DATABASE))) throw rejected('its database is damaged')
    await beginEpoch(join(stage, DATABASE))
    signal.throwIfAborted()
    for (const name of [PICTURES, IDENTITY, DATABASE])
      if (existsSync(join(stage, name))) renameSync(join(stage, name), join(home, name))
    syncFolder(home)
    return { home, at }
  } finally {
    await rm(stage, { recursive: true, force: true })
    lock.release()
  }
}

function checkAbsent(path: string): void {
  if (existsSync(path))
    throw new AppError('conflict-wrong-state', `${path} exists; move it away, or restore into another GC_HOME`)
}

/** Writes the files of the backup into a folder; returns when it was made. */
async function unpack(file: string, stage: string, signal: AbortSignal): Promise<string> {
  const found = new Set<string>()
  let at: string | undefined
  try {
    for await (const entry of readTar(createReadStream(file).pipe(createGunzip()))) {
      signal.throwIfAborted()
      if (found.has(entry.name) || found.size >= MAX_FILES) throw rejected(`it has too many files, or one twice`)
      found.add(entry.name)
      checkEntry(entry)
      if (entry.name === MANIFEST) at = await readManifest(entry)
      else if (at === undefined) throw rejected('it does not begin with what it is')
      else await write(entry, join(stage, entry.name))
    }
  } catch (error) {
    if (error instanceof AppError || signal.aborted) throw error
    throw rejected(errorMessage(error))
  }
  for (const name of [DATABASE, IDENTITY]) if (!found.has(name)) throw rejected(`it has no ${name}`)
  return at ?? ''
}

function checkEntry({ name, type, size }: TarEntry): void {
  if (type !== '0') throw rejected(`${JSON.stringify(name)} is not a file`)
  const isSmall = name === MANIFEST || name === IDENTITY
  if (!isSmall && name !== DATABASE && !PICTURE.test(name)) throw rejected(`no network has ${JSON.stringify(name)}`)
  if (isSmall && size > MAX_SMALL) throw rejected(`${name} is too large`)
  if (name.startsWith(PICTURES) && size > MAX_PICTURE) throw rejected(`${name} is too large`)
}

async function readManifest(entry: TarEntry): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of entry.content()) chunks.push(Uint8Array.from(chunk))
  const { format, at } = Object(JSON.parse(Buffer.concat(chunks).toString('utf8')))
  if (format !== FORMAT || typeof at !== 'string') throw rejected('it is of another kind, or of a newer gc')
  return at
}

async function write(entry: TarEntry, path: string): Promise<void> {
  createFolder(dirname(path))
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of entry.content()) await file.appendFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A network that took the place of the one it was copied from. */
export interface PromotedNetwork {
  readonly home: string
  readonly epoch: number
}

/** Promotes a copied database to the network of its home; the original can tell that it was replaced. */
export async function promoteNetwork(home: string): Promise<PromotedNetwork> {
  for (const name of [DATABASE, IDENTITY]) {
    if (!existsSync(join(home, name)))
      throw new AppError('invalid-request', `there is no ${join(home, name)}; put the copy of it there first`)
  }
  const path = join(home, DATABASE)
  const lock = Lock.acquire(join(home, 'social.lock'), 'gc social promote')
  try {
    if (!isSound(path)) throw new AppError('invalid-request', `${path} is damaged; restore another copy of the network`)
    return { home, epoch: await beginEpoch(path) }
  } finally {
    lock.release()
  }
}

/**
 * Begins the next epoch in a copied database, and returns its number. Throws for one that a newer gc wrote; brings an older
 * one to the newest form.
 */
async function beginEpoch(path: string): Promise<number> {
  const store = Store.open(path, socialMigrations, { onMigrated: repairSocialCounters })
  const deadlines = new Deadlines(systemClock)
  try {
    return await raiseEpoch(store, new EventLog(store, systemClock, deadlines))
  } finally {
    await store.close()
    deadlines.close()
  }
}

function isSound(path: string): boolean {
  try {
    using db = new Database(path, { readonly: true })
    const [result] = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check(1)').all()
    return result?.integrity_check === 'ok'
  } catch {
    return false
  }
}

const rejected = (reason: string): AppError =>
  new AppError('invalid-request', `this is not a backup of a network that can be restored: ${reason}`)
