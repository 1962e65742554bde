import type { Statement } from 'bun:sqlite'
import type { Store } from '../../core/store.ts'
import { type BeadValues, VALUE_COLUMNS, type ValueColumn } from './row.ts'

/** Writes bead rows. */
export class BeadWriter {
  readonly #next: Statement<{ last: number }, [string]>
  readonly #reserve: Statement<unknown, [string, number]>
  readonly #insert: Statement<unknown, (string | number | null)[]>
  readonly #delete: Statement<unknown, [string]>
  readonly #updates = new Map<string, Statement<unknown, (string | number | null)[]>>()

  constructor(private readonly store: Store) {
    this.#next = store.prepare(
      'INSERT INTO prefixes VALUES (?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last',
    )
    this.#reserve = store.prepare(
      'INSERT INTO prefixes VALUES (?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)',
    )
    this.#insert = store.prepare(
      `INSERT INTO beads (${VALUE_COLUMNS.join(', ')}, revision)
       VALUES (${VALUE_COLUMNS.map(() => '?').join(', ')}, random() & 0xffffff)`,
    )
    this.#delete = store.prepare('DELETE FROM beads WHERE id = ?')
  }

  /** The next id with this prefix; no id is given out twice. */
  nextId(prefix: string): string {
    return `${prefix}-${this.#next.get(prefix)?.last}`
  }

  /** Keeps ids that are imported from being given out. */
  reserve(ids: readonly string[]): void {
    const last = new Map<string, number>()
    for (const id of ids) {
      const [, prefix, number] = /^(.+)-(\d{1,12})$/.exec(id) ?? []
      if (prefix !== undefined) last.set(prefix, Math.max(last.get(prefix) ?? 0, Number(number)))
    }
    for (const [prefix, number] of last) this.#reserve.run(prefix, number)
  }

  insert(values: BeadValues): void {
    this.#insert.run(...VALUE_COLUMNS.map((column) => values[column]))
  }

  /** Writes only the columns that differ, so that only their indexes are touched. */
  update(before: BeadValues, after: BeadValues, now: number): void {
    const columns = VALUE_COLUMNS.filter((column) => before[column] !== after[column])
    if (columns.length === 0) return
    this.#updateOf(columns).run(...columns.map((column) => after[column]), now, after.id)
  }

  touch(id: string, now: number): void {
    this.#updateOf([]).run(now, id)
  }

  delete(id: string): void {
    this.#delete.run(id)
  }

  #updateOf(columns: readonly ValueColumn[]): Statement<unknown, (string | number | null)[]> {
    const values = [...columns, 'updated_at'].map((column) => `${column} = ?`).join(', ')
    const sql = `UPDATE beads SET ${values}, revision = revision + 1 WHERE id = ?`
    const cached = this.#updates.get(sql)
    if (cached) return cached
    const statement = this.store.prepare<unknown, (string | number | null)[]>(sql)
    this.#updates.set(sql, statement)
    return statement
  }
}
