import type { Statement, Store } from '../../core/store/index.ts'
import { stablePlan } from '../../core/store/stable-plan.ts'
import { type BeadRow, type BeadValues, VALUE_COLUMNS, type ValueColumn } from './row.ts'

/** Fewer beads are inserted one by one. */
const MIN_BULK = 4

/** Rows that triggers write for a new bead, for a range of numbers. */
const FOLLOWING = [
  `INSERT INTO bead_counts
     SELECT rig, type, status, count(*), sum(ready) FROM beads WHERE n BETWEEN ? AND ? GROUP BY rig, type, status
     ON CONFLICT DO UPDATE SET n = n + excluded.n, ready = ready + excluded.ready`,
  `INSERT INTO bead_labels
     SELECT value, b.closed, b.created_at, b.id FROM beads b CROSS JOIN json_each(b.labels) WHERE b.n BETWEEN ? AND ?`,
  `INSERT INTO bead_label_counts
     SELECT value, b.assignee, b.closed, b.rig, b.type, count(*) FROM beads b CROSS JOIN json_each(b.labels)
     WHERE b.n BETWEEN ? AND ? GROUP BY 1, 2, 3, 4, 5
     ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  `INSERT INTO bead_assignee_counts
     SELECT assignee, closed, rig, type, count(*) FROM beads WHERE n BETWEEN ? AND ? AND assignee != '' GROUP BY 1, 2, 3, 4
     ON CONFLICT DO UPDATE SET n = n + excluded.n`,
]

/** In an update of a bead whose status stays: one that is closed was closed when it last changed, or before. */
const KEEP_CLOSED_AT = 'closed_at = iif(closed = 1, coalesce(closed_at, updated_at), NULL)'

/** Keeps the numbers of a prefix, up to one, from being given out. */
export const RESERVE = 'INSERT INTO prefixes VALUES (?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)'

/** Keeps the highest number of each prefix, with that of one more id. */
export function noteNumber(highest: Map<string, number>, id: string): void {
  const [, prefix, number] = /^(.+)-(\d{1,12})$/.exec(id) ?? []
  if (prefix !== undefined) highest.set(prefix, Math.max(highest.get(prefix) ?? 0, Number(number)))
}

/** Writes bead rows. */
export class BeadWriter {
  readonly #next: Statement<{ last: number }, [string]>
  readonly #nextMany: Statement<{ last: number }, [string, number]>
  readonly #reserve: Statement<unknown, [string, number]>
  readonly #insert: Statement<unknown, (string | number | null)[]>
  readonly #beginBulk: Statement
  readonly #endBulk: Statement
  readonly #following: Statement<unknown, [number, number]>[]
  readonly #delete: Statement<unknown, [string]>
  readonly #writeOutput: Statement<unknown, [string, string]>
  readonly #removeOutput: Statement<unknown, [string]>
  readonly #updates = new Map<string, Statement<unknown, (string | number | null)[]>>()

  constructor(private readonly store: Store) {
    this.#next = store.prepare(
      'INSERT INTO prefixes VALUES (?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last',
    )
    this.#nextMany = store.prepare(
      'INSERT INTO prefixes VALUES (?, ?) ON CONFLICT DO UPDATE SET last = last + excluded.last RETURNING last',
    )
    this.#reserve = store.prepare(RESERVE)
    this.#insert = store.prepare(
      `INSERT INTO beads (${VALUE_COLUMNS.join(', ')}, revision)
       VALUES (${VALUE_COLUMNS.map(() => '?').join(', ')}, random() & 0xffffff)`,
    )
    this.#beginBulk = store.prepare('INSERT INTO bead_bulk VALUES (1)')
    this.#endBulk = store.prepare('DELETE FROM bead_bulk')
    this.#following = FOLLOWING.map((sql) => store.prepare(stablePlan(sql)))
    this.#delete = store.prepare('DELETE FROM beads WHERE id = ?')
    this.#writeOutput = store.prepare('INSERT OR REPLACE INTO bead_outputs SELECT n, ?2 FROM beads WHERE id = ?1')
    this.#removeOutput = store.prepare('DELETE FROM bead_outputs WHERE n = (SELECT n FROM beads WHERE id = ?)')
  }

  /** The next id with this prefix; no id is given out twice. */
  nextId(prefix: string): string {
    return `${prefix}-${this.#next.get(prefix)?.last}`
  }

  /** As many new ids, in a row. */
  nextIds(prefix: string, count: number): string[] {
    const last = this.#nextMany.get(prefix, count)?.last ?? 0
    return Array.from({ length: count }, (_, index) => `${prefix}-${last - count + 1 + index}`)
  }

  /** Keeps ids that are imported from being given out. */
  reserve(ids: readonly string[]): void {
    const highest = new Map<string, number>()
    for (const id of ids) noteNumber(highest, id)
    for (const [prefix, number] of highest) this.#reserve.run(prefix, number)
  }

  /** Returns the number of the bead. */
  insert(values: BeadValues): number {
    const { lastInsertRowid } = this.#insert.run(...VALUE_COLUMNS.map((column) => values[column]))
    if (values.output !== null) this.#setOutput(values)
    return Number(lastInsertRowid)
  }

  /** Inserts beads; what follows from many is written for all of them together. */
  insertAll(beads: readonly BeadValues[]): void {
    if (beads.length < MIN_BULK) {
      for (const values of beads) this.insert(values)
      return
    }
    this.#beginBulk.run()
    const numbers = beads.map((values) => this.insert(values))
    this.#endBulk.run()
    for (const statement of this.#following) statement.run(numbers.at(0) ?? 0, numbers.at(-1) ?? 0)
  }

  /**
   * Writes only the columns that differ, so that only their indexes are touched. A closed bead keeps the time of its close.
   * Returns the row as it is then, which saves reading it again: no trigger changes another column of it.
   */
  update(row: BeadRow, before: BeadValues, after: BeadValues, now: number): BeadRow {
    const columns = VALUE_COLUMNS.filter((column) => column !== 'closed_at' && before[column] !== after[column])
    const hasOtherStatus = columns.includes('status')
    const isWritten = this.#write(before, after, now, columns, [hasOtherStatus ? 'closed_at = NULL' : KEEP_CLOSED_AT])
    if (!isWritten) return row
    const { workable: _, ...values } = after
    const keepsClosedAt = !hasOtherStatus && row.status === 'closed'
    const closed_at = keepsClosedAt ? (row.closed_at ?? row.updated_at) : null
    return { ...row, ...values, closed_at, updated_at: now, revision: row.revision + 1 }
  }

  /** Writes the columns that differ, the time of the close as any other. */
  restore(before: BeadValues, after: BeadValues, now: number): void {
    this.#write(
      before,
      after,
      now,
      VALUE_COLUMNS.filter((column) => before[column] !== after[column]),
    )
  }

  #write(
    before: BeadValues,
    after: BeadValues,
    now: number,
    columns: readonly ValueColumn[],
    assignments: readonly string[] = [],
  ): boolean {
    const hasOtherOutput = before.output !== after.output
    if (columns.length === 0 && !hasOtherOutput) return false
    this.#updateOf(columns, assignments).run(...columns.map((column) => after[column]), now, after.id)
    if (hasOtherOutput) this.#setOutput(after)
    return true
  }

  #setOutput({ id, output }: BeadValues): void {
    if (output === null) this.#removeOutput.run(id)
    else this.#writeOutput.run(id, output)
  }

  touch(id: string, now: number): void {
    this.#updateOf([], [KEEP_CLOSED_AT]).run(now, id)
  }

  delete(id: string): void {
    this.#delete.run(id)
  }

  #updateOf(
    columns: readonly ValueColumn[],
    assignments: readonly string[],
  ): Statement<unknown, (string | number | null)[]> {
    const values = [...assignments, ...[...columns, 'updated_at'].map((column) => `${column} = ?`)].join(', ')
    const sql = `UPDATE beads SET ${values}, revision = revision + 1 WHERE id = ?`
    const cached = this.#updates.get(sql)
    if (cached) return cached
    const statement = this.store.prepare<unknown, (string | number | null)[]>(sql)
    this.#updates.set(sql, statement)
    return statement
  }
}
