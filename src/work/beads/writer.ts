import type { Statement } from 'bun:sqlite'
import type { Store } from '../../core/store.ts'
import type { BeadRow } from './reader.ts'

/** What of a bead's row is written; the rest is derived by the database. */
const WRITTEN = [
  'id',
  'rig',
  'title',
  'status',
  'type',
  'priority',
  'assignee',
  'sender',
  'parent',
  'ref',
  'description',
  'labels',
  'metadata',
  'ephemeral',
  'no_history',
  'defer_until',
  'created_at',
  'updated_at',
  'workable',
] as const

type Column = (typeof WRITTEN)[number]

/** The written part of a bead's row. */
export type Written = Pick<BeadRow, Exclude<Column, 'workable'>> & { workable: number }

/** Puts bead rows into the database. */
export class BeadWriter {
  readonly #number: Statement<{ last: number }, [string]>
  readonly #reserve: Statement<unknown, [string, number]>
  readonly #insert: Statement<unknown, (string | number | null)[]>
  readonly #delete: Statement<unknown, [string]>
  readonly #updates = new Map<string, Statement<unknown, (string | number | null)[]>>()

  constructor(private readonly store: Store) {
    this.#number = store.prepare(
      'INSERT INTO prefixes VALUES (?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last',
    )
    this.#reserve = store.prepare(
      'INSERT INTO prefixes VALUES (?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)',
    )
    this.#insert = store.prepare(
      `INSERT INTO beads (${WRITTEN.join(', ')}, revision) VALUES (${WRITTEN.map(() => '?').join(', ')}, random() & 0xffffff)`,
    )
    this.#delete = store.prepare('DELETE FROM beads WHERE id = ?')
  }

  /** The next id with this prefix; none is given out twice. */
  nextId(prefix: string): string {
    return `${prefix}-${this.#number.get(prefix)?.last}`
  }

  /** An id that came from elsewhere is not given out any more. */
  reserve(id: string): void {
    const [, prefix, number] = /^(.+)-(\d{1,12})$/.exec(id) ?? []
    if (prefix !== undefined) this.#reserve.run(prefix, Number(number))
  }

  insert(row: Written): void {
    this.#insert.run(...WRITTEN.map((column) => row[column]))
  }

  /** Writes the columns in which `after` differs, so that only their indexes are touched. */
  update(before: Written, after: Written, now: number): void {
    const columns = WRITTEN.filter((column) => before[column] !== after[column])
    if (columns.length === 0) return
    this.#setting(columns).run(...columns.map((column) => after[column]), now, after.id)
  }

  touch(id: string, now: number): void {
    this.#setting([]).run(now, id)
  }

  delete(id: string): void {
    this.#delete.run(id)
  }

  #setting(columns: readonly Column[]): Statement<unknown, (string | number | null)[]> {
    const values = [...columns, 'updated_at'].map((column) => `${column} = ?`).join(', ')
    const sql = `UPDATE beads SET ${values}, revision = revision + 1 WHERE id = ?`
    const known = this.#updates.get(sql)
    if (known) return known
    const statement = this.store.prepare<unknown, (string | number | null)[]>(sql)
    this.#updates.set(sql, statement)
    return statement
  }
}
