import { type Command, command, stablePlan, type Tx } from '../../core/store/index.ts'
import { type BeadRow, type BeadValues, VALUE_COLUMNS, type ValueColumn } from './row.ts'
import { rowOf } from './values.ts'

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
].map((sql) => command<[number, number]>(stablePlan(sql)))

/** Assignment of `closed_at` in an update: '' if it is among the columns, NULL with a new status, else kept. */
type ClosedAt = '' | 'closed_at = NULL' | typeof KEEP_CLOSED_AT

/** In an update of a bead whose status stays: one that is closed was closed when it last changed, or before. */
const KEEP_CLOSED_AT = 'closed_at = iif(closed = 1, coalesce(closed_at, updated_at), NULL)'

/** Keeps the numbers of a prefix, up to one, from being given out. */
export const RESERVE = 'INSERT INTO prefixes VALUES (?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)'

/** Keeps the highest number of each prefix, with that of one more id. */
export function noteNumber(highest: Map<string, number>, id: string): void {
  const [, prefix, number] = /^(.+)-(\d{1,12})$/.exec(id) ?? []
  if (prefix !== undefined) highest.set(prefix, Math.max(highest.get(prefix) ?? 0, Number(number)))
}

type Values = (string | number | null)[]

const NEXT = command<[string], { last: number }>(
  'INSERT INTO prefixes VALUES (?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last',
)

const NEXT_MANY = command<[string, number], { last: number }>(
  'INSERT INTO prefixes VALUES (?, ?) ON CONFLICT DO UPDATE SET last = last + excluded.last RETURNING last',
)

const RESERVE_NUMBERS = command<[string, number]>(RESERVE)

const INSERT = command<Values>(
  `INSERT INTO beads (${VALUE_COLUMNS.join(', ')}, revision)
   VALUES (${VALUE_COLUMNS.map(() => '?').join(', ')}, random() & 0xffffff)`,
)

const BEGIN_BULK = command('INSERT INTO bead_bulk VALUES (1)')

const END_BULK = command('DELETE FROM bead_bulk')

const DELETE = command<[string]>('DELETE FROM beads WHERE id = ?')

const WRITE_OUTPUT = command<[string, string]>(
  'INSERT OR REPLACE INTO bead_outputs SELECT n, ?2 FROM beads WHERE id = ?1',
)

const REMOVE_OUTPUT = command<[string]>('DELETE FROM bead_outputs WHERE n = (SELECT n FROM beads WHERE id = ?)')

/** The bit of each column in the key of an update. */
const BITS = new Map(VALUE_COLUMNS.map((column, at) => [column, 1 << at]))

/** Updates by what they do to the time of the close, and by the set of their other columns. */
const UPDATES = new Map<ClosedAt, Map<number, Command<Values>>>()

/** Writes bead rows. */
export const beadWriter = {
  /** The next id with this prefix; no id is given out twice. */
  nextId(tx: Tx, prefix: string): string {
    return `${prefix}-${tx.get(NEXT, prefix)?.last}`
  },

  /** As many new ids, in a row. */
  nextIds(tx: Tx, prefix: string, count: number): string[] {
    const last = tx.get(NEXT_MANY, prefix, count)?.last ?? 0
    return Array.from({ length: count }, (_, index) => `${prefix}-${last - count + 1 + index}`)
  },

  /** Keeps ids that are imported from being given out. */
  reserve(tx: Tx, ids: readonly string[]): void {
    const highest = new Map<string, number>()
    for (const id of ids) noteNumber(highest, id)
    for (const [prefix, number] of highest) tx.run(RESERVE_NUMBERS, prefix, number)
  },

  /** Returns the number of the bead. */
  insert(tx: Tx, values: BeadValues): number {
    const { lastInsertRowid } = tx.run(INSERT, ...VALUE_COLUMNS.map((column) => values[column]))
    if (values.output !== null) setOutput(tx, values)
    return Number(lastInsertRowid)
  },

  /** Inserts beads; what follows from many is written for all of them together. */
  insertAll(tx: Tx, beads: readonly BeadValues[]): void {
    if (beads.length < MIN_BULK) {
      for (const values of beads) beadWriter.insert(tx, values)
      return
    }
    tx.run(BEGIN_BULK)
    const numbers = beads.map((values) => beadWriter.insert(tx, values))
    tx.run(END_BULK)
    for (const following of FOLLOWING) tx.run(following, numbers.at(0) ?? 0, numbers.at(-1) ?? 0)
  },

  /**
   * Writes only the columns that differ, so that only their indexes are touched. A closed bead keeps the time of its close.
   * Returns the row as it is then, which saves reading it again: no trigger changes another column of it.
   */
  update(tx: Tx, row: BeadRow, before: BeadValues, after: BeadValues, now: number): BeadRow {
    const columns = VALUE_COLUMNS.filter((column) => column !== 'closed_at' && before[column] !== after[column])
    const hasOtherStatus = columns.includes('status')
    const isWritten = write(tx, before, after, now, columns, hasOtherStatus ? 'closed_at = NULL' : KEEP_CLOSED_AT)
    if (!isWritten) return row
    const keepsClosedAt = !hasOtherStatus && row.status === 'closed'
    const closed_at = keepsClosedAt ? (row.closed_at ?? row.updated_at) : null
    return rowOf(row, after, { closed_at, updated_at: now, revision: row.revision + 1 })
  },

  /** Writes the columns that differ, among them the time of the close. */
  restore(tx: Tx, before: BeadValues, after: BeadValues, now: number): void {
    const columns = VALUE_COLUMNS.filter((column) => before[column] !== after[column])
    write(tx, before, after, now, columns)
  },

  touch(tx: Tx, id: string, now: number): void {
    tx.run(updateOf([], KEEP_CLOSED_AT), now, id)
  },

  delete(tx: Tx, id: string): void {
    tx.run(DELETE, id)
  },
}

function write(
  tx: Tx,
  before: BeadValues,
  after: BeadValues,
  now: number,
  columns: readonly ValueColumn[],
  closedAt: ClosedAt = '',
): boolean {
  const hasOtherOutput = before.output !== after.output
  if (columns.length === 0 && !hasOtherOutput) return false
  tx.run(updateOf(columns, closedAt), ...columns.map((column) => after[column]), now, after.id)
  if (hasOtherOutput) setOutput(tx, after)
  return true
}

function setOutput(tx: Tx, { id, output }: BeadValues): void {
  if (output === null) tx.run(REMOVE_OUTPUT, id)
  else tx.run(WRITE_OUTPUT, id, output)
}

/** The update of a set of columns, whose order is that of the table. */
function updateOf(columns: readonly ValueColumn[], closedAt: ClosedAt): Command<Values> {
  let key = 0
  for (const column of columns) key |= BITS.get(column) ?? 0
  let known = UPDATES.get(closedAt)
  if (!known) {
    known = new Map()
    UPDATES.set(closedAt, known)
  }
  let update = known.get(key)
  if (!update) {
    const values = [...(closedAt ? [closedAt] : []), ...[...columns, 'updated_at'].map((column) => `${column} = ?`)]
    update = command<Values>(`UPDATE beads SET ${values.join(', ')}, revision = revision + 1 WHERE id = ?`)
    known.set(key, update)
  }
  return update
}
