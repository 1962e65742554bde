import { Database } from 'bun:sqlite'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Logs that Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0 and OpenCode 1.18.33 wrote while they were used with a
 * scripted model: 100 tokens go into each answer, and 10 come out. Prompts of the programs themselves are left out.
 */
const RECORDED = join(import.meta.dir, 'recorded')
const RECORDED_AT = Date.UTC(2026, 10, 28, 14, 43)

/** The files of a recording, those that were begun first first. */
function filesOf(program: string): string[] {
  const root = join(RECORDED, program)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(root, name)).isFile(),
  )
  return files.sort((a, b) => startOf(join(root, a)) - startOf(join(root, b)))
}

const startOf = (path: string): number =>
  Date.parse(/2026-11-28T14:\d\d:\d\d\.\d+Z/.exec(readFileSync(path, 'utf8'))?.[0] ?? '')

/** A recorded text as if it was written from now on by a program in a folder. */
const asOfNow = (text: string, folder: string, now: number): string =>
  text
    .replaceAll('{folder}', folder)
    .replaceAll(/2026-11-28T14:\d\d:\d\d(?:\.\d+)?Z/g, (time) =>
      new Date(Date.parse(time) - RECORDED_AT + now).toISOString(),
    )

/** Writes a recording of a program that keeps files into the folder where it would keep them. */
export function replayFiles(program: string, into: string, folder: string): void {
  const now = Date.now()
  for (const file of filesOf(program)) {
    const path = join(into, file)
    mkdirSync(dirname(path), { recursive: true })
    if (file.endsWith('.meta.json')) cpSync(join(RECORDED, program, file), path)
    else writeFileSync(path, asOfNow(readFileSync(join(RECORDED, program, file), 'utf8'), folder, now))
  }
}

/** Writes the recorded conversations of OpenCode into its database. */
export function replayDatabase(path: string, folder: string): void {
  const shift = Date.now() - RECORDED_AT
  const text = readFileSync(join(RECORDED, 'opencode.json'), 'utf8').replaceAll('{folder}', folder)
  const moved = text
    .replaceAll(/\b17958\d{8}\b/g, (time) => String(Number(time) + shift))
    .replaceAll(/\b(msg|prt)_([0-9a-f]{12})/g, (_, kind, digits) => `${kind}_${movedId(digits, shift)}`)
  const rows: Record<'session' | 'message' | 'part', Record<string, unknown>[]> = JSON.parse(moved)
  mkdirSync(dirname(path), { recursive: true })
  using db = new Database(path)
  db.run('PRAGMA journal_mode = WAL')
  const fill = db.transaction(() => {
    for (const [table, all] of Object.entries(rows)) insertAll(db, table, all)
  })
  fill()
}

function insertAll(db: Database, table: string, all: readonly Record<string, unknown>[]): void {
  const columns = Object.keys(all[0] ?? {})
  db.run(`CREATE TABLE ${table} (${columns.join(', ')})`)
  const insert = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`)
  for (const row of all) insert.run(...columns.map((column) => toColumn(row[column])))
}

const toColumn = (value: unknown): string | number | null =>
  typeof value === 'string' || typeof value === 'number' || value === null ? value : JSON.stringify(value)

/** Ids begin with the time at which they were given. */
function movedId(digits: string, shift: number): string {
  const counter = BigInt(`0x${digits}`) & 0xfffn
  const time = BigInt.asUintN(36, (BigInt(`0x${digits}`) >> 12n) + BigInt(shift))
  return ((time << 12n) | counter).toString(16).padStart(12, '0')
}

/** The folder of Codex for the rollouts of today. */
export function codexDay(home: string): string {
  const today = new Date()
  const padded = (n: number) => String(n).padStart(2, '0')
  return join(
    home,
    '.codex',
    'sessions',
    String(today.getFullYear()),
    padded(today.getMonth() + 1),
    padded(today.getDate()),
  )
}
