import type { Database } from 'bun:sqlite'

/** A stored value that differs from what it must be. */
export interface Miscount {
  /** `<table>.<column>`. */
  readonly counter: string
  /** The id of its row, or the group that it counts. */
  readonly id: string
  readonly stored: number | string | null
  readonly counted: number | string | null
}

/** A row that `CounterCheck.wrong` selects; `key` is a JSON array that identifies the row for the repair. */
export interface WrongRow extends Omit<Miscount, 'counter'> {
  readonly key: string
}

/** A value that triggers or services keep: the only definition of what it must be. */
export interface CounterCheck {
  readonly name: string
  /** Selects a `WrongRow` for each wrong value: of all rows, or of those of `sliced` with ?1 < n <= ?2. */
  readonly wrong: string
  /** The table that is checked slice by slice, by its row numbers `n`. */
  readonly sliced?: string
  /** Corrects one value; ?1 is its `WrongRow` as JSON. */
  readonly repair: string
}

const keyAt = (index: number): string => `?1 ->> '$.key[${index}]'`

interface RowOptions {
  /** The column that identifies a row; a table without a column `n` is checked immediately. */
  readonly key?: string
  /** SQL of the stored value where that is not the column, with the update that corrects it. */
  readonly stored?: string
  readonly set?: string
}

/** Checks a column of each row of `table`, which `counted` calls `t`. */
export function rowCheck(table: string, column: string, counted: string, options: RowOptions = {}): CounterCheck {
  const { key = 'n', stored = `t.${column}`, set = `${column} = ${counted}` } = options
  const isSliced = key === 'n'
  return {
    name: `${table}.${column}`,
    ...(isSliced && { sliced: table }),
    wrong: `SELECT json_array(key) AS key, id, stored, counted
      FROM (SELECT t.${key} AS key, t.id AS id, ${stored} AS stored, ${counted} AS counted FROM ${table} t
        ${isSliced ? 'WHERE t.n > ?1 AND t.n <= ?2' : ''})
      WHERE stored IS NOT counted`,
    repair: `UPDATE ${table} AS t SET ${set} WHERE t.${key} = ${keyAt(0)}`,
  }
}

interface GroupOptions {
  /** Selects the columns of the group, then the value as `counted`. */
  readonly truth: string
  /** Other columns without a default, which are 0 in a row that was missing. */
  readonly others?: readonly string[]
  /** Restricts the stored rows to those that can be checked. */
  readonly where?: string
  /** Greatest difference that is none, for sums of fractions. */
  readonly tolerance?: number
}

/**
 * Checks a number of each group of `table`; a missing row counts as 0. The repair adds the difference: writes between the
 * check and the repair change both sides by the same.
 */
export function groupCheck(
  table: string,
  column: string,
  keys: readonly string[],
  { truth, others = [], where = 'true', tolerance }: GroupOptions,
): CounterCheck {
  const columns = keys.join(', ')
  const differs = tolerance === undefined ? 'stored != counted' : `abs(stored - counted) > ${tolerance}`
  return {
    name: `${table}.${column}`,
    wrong: `SELECT json_array(${columns}) AS key, concat_ws(' ', ${keys.map((name) => `'${name}=' || ${name}`).join(', ')}) AS id, stored, counted
      FROM (SELECT ${columns}, sum(stored) AS stored, sum(counted) AS counted
        FROM (SELECT ${columns}, ${column} AS stored, 0 AS counted FROM ${table} WHERE ${where}
          UNION ALL SELECT ${columns}, 0, counted FROM (${truth}))
        GROUP BY ${columns})
      WHERE ${differs}`,
    repair: `INSERT INTO ${table} (${[...keys, column, ...others].join(', ')})
      SELECT ${[...keys.map((_, index) => keyAt(index)), "(?1 ->> '$.counted') - (?1 ->> '$.stored')", ...others.map(() => '0')].join(', ')}
      WHERE true ON CONFLICT DO UPDATE SET ${column} = ${column} + excluded.${column}`,
  }
}

/** The greatest row number of SQLite, for a check of a whole table. */
const LAST_ROW = Number.MAX_SAFE_INTEGER

/** Finds every wrong value, one check after the other; `onWrong` may correct what a check found before the next runs. */
export function findMiscounts(
  db: Database,
  checks: readonly CounterCheck[],
  onWrong: (check: CounterCheck, rows: readonly WrongRow[]) => void = () => {},
): Miscount[] {
  return checks.flatMap((check) => {
    const statement = db.prepare<WrongRow, number[]>(check.wrong)
    const rows = check.sliced === undefined ? statement.all() : statement.all(0, LAST_ROW)
    if (rows.length > 0) onWrong(check, rows)
    return rows.map((row) => toMiscount(check, row))
  })
}

/** Corrects every wrong value in the transaction under way; returns what was wrong. */
export const repairCounters = (db: Database, checks: readonly CounterCheck[]): Miscount[] =>
  findMiscounts(db, checks, ({ repair }, rows) => {
    const statement = db.prepare<unknown, [string]>(repair)
    for (const row of rows) statement.run(toRepair(row))
  })

export const toMiscount = ({ name }: CounterCheck, { id, stored, counted }: WrongRow): Miscount => ({
  ...{ counter: name, id, stored, counted },
})

/** The parameter of a repair. */
export const toRepair = ({ key, stored, counted }: WrongRow): string =>
  `{"key":${key},"stored":${JSON.stringify(stored)},"counted":${JSON.stringify(counted)}}`
