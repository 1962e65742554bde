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
import { basename, dirname, join } from 'node:path'
import type { TempFolder } from '../support/folder.ts'

/**
 * Simulated power cuts. A child process writes, reports each acknowledged write, and is killed at a random moment. A
 * library preloaded into it (powercut.c) keeps only the bytes that were synced, under names whose folder was synced.
 * Of the writes that were not synced, a cut may keep any part: here nothing, everything, or some of the writes, some of
 * them torn. Each run continues from what the previous cut left.
 */

/** Path of a database in the folder that is cut; its log is beside it. */
const DATABASE = 'a.db'

/** A small random number generator, so that a failing seed can be run again. */
export function random(start: number): () => number {
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

/** The folder in which power cuts are simulated, with the library and the child that writes there. */
export interface Lab {
  readonly folder: TempFolder
  readonly library: string
  /** A file in `children`. */
  readonly child: string
  /** Path of its database in `live`. */
  readonly database: string
}

/** Prepares a folder for power cuts. */
export function labOf(folder: TempFolder, child: string, database = DATABASE): Lab {
  mkdirSync(folder.at('live'))
  mkdirSync(folder.at('kept'))
  return { folder, child, database, library: compile(folder) }
}

/** Runs a child until the cut, after a time or a number of acknowledged writes; returns what it reported. */
export async function life(
  { folder, library, child: name }: Lab,
  run: number,
  end: { ms: number } | { writes: number },
  how = '',
): Promise<string[]> {
  const program = `${import.meta.dir}/children/${name}`
  const child = Bun.spawn([process.execPath, program, folder.at('live', 'a.db'), String(run), how], {
    env: { ...process.env, LD_PRELOAD: library, POWERCUT: folder.at('kept') },
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  })
  const errors = child.stderr.text()
  const cut = 'ms' in end ? setTimeout(() => child.kill('SIGKILL'), end.ms) : undefined
  let stdout = ''
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    stdout += chunk
    if ('writes' in end && stdout.split('\n').length > end.writes) child.kill('SIGKILL')
  }
  await child.exited
  clearTimeout(cut)
  if (await errors) throw new Error(`run ${run} failed before its cut: ${await errors}`)
  return stdout
    .slice(0, stdout.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
}

/** Replaces the live files with what the cut left of them. */
export function cut({ folder, database }: Lab, chance: () => number): void {
  const live = folder.at('live', dirname(database))
  rmSync(folder.at('live'), { recursive: true })
  mkdirSync(live, { recursive: true })
  const survival = [0, 0.5, 1][Math.floor(chance() * 3)] ?? 0
  for (const name of [basename(database), `${basename(database)}-wal`]) {
    const path = folder.at('kept', name)
    if (!existsSync(path)) continue
    if (existsSync(`${path}.unnamed`)) rmSync(path)
    else if (existsSync(`${path}.pending`)) survive(path, survival, chance)
    rmSync(`${path}.unnamed`, { force: true })
    rmSync(`${path}.pending`, { force: true })
    if (existsSync(path)) copyFileSync(path, join(live, name))
  }
}

/** Keeps some of the writes that were never synced, some of those in part. */
function survive(path: string, survival: number, chance: () => number): void {
  const pending = readFileSync(`${path}.pending`)
  const file = openSync(path, 'r+')
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

/** Copies what a cut left, for inspection while the next run continues from the original; false when nothing was left. */
export function copied({ folder, database }: Lab): string | undefined {
  const path = folder.at('check.db')
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
  if (!existsSync(folder.at('live', database))) return undefined
  for (const end of ['', '-wal']) {
    const left = folder.at('live', `${database}${end}`)
    if (existsSync(left)) copyFileSync(left, `${path}${end}`)
  }
  return path
}
