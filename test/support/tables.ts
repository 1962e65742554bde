import type { Database } from 'bun:sqlite'
import { is, SQL } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, SQLiteSyncDialect, SQLiteTable } from 'drizzle-orm/sqlite-core'

/** Every drizzle table that some modules export. */
export const tablesOf = (...modules: readonly object[]): SQLiteTable[] =>
  modules.flatMap((module) => Object.values(module).filter((value): value is SQLiteTable => is(value, SQLiteTable)))

/**
 * Compares the columns of tables that drizzle declares with those of a migrated database: names, types, nullability,
 * defaults and what generates them. Each difference is one line; none means both agree.
 */
export const differences = (db: Database, tables: readonly SQLiteTable[]): string[] =>
  tables.flatMap((table) => {
    const { name, columns } = getTableConfig(table)
    const declared = new Set(columns.map(describeDeclared))
    const migrated = new Set(describeMigrated(db, name))
    return [
      ...[...declared.difference(migrated)].map((line) => `only declared: ${name}.${line}`),
      ...[...migrated.difference(declared)].map((line) => `only migrated: ${name}.${line}`),
    ]
  })

interface ColumnFacts {
  name: string
  type: string
  notNull: boolean
  defaultValue?: string | undefined
  generated?: string | undefined
}

const describeColumn = ({ name, type, notNull, defaultValue, generated }: ColumnFacts): string =>
  [
    `${name} ${type.toLowerCase()}`,
    notNull && 'not null',
    defaultValue !== undefined && `default ${normalize(defaultValue)}`,
    generated !== undefined && `generated ${normalize(generated)}`,
  ]
    .filter(Boolean)
    .join(' ')

const describeDeclared = (column: SQLiteColumn): string =>
  describeColumn({
    name: column.name,
    type: column.getSQLType(),
    notNull: column.notNull,
    defaultValue: defaultOf(column),
    generated: generatedOf(column),
  })

const dialect = new SQLiteSyncDialect()

const render = (sql: SQL): string => dialect.sqlToQuery(sql.inlineParams(), 'indexes').sql

function defaultOf(column: SQLiteColumn): string | undefined {
  const value: unknown = column.default
  if (value === undefined) return undefined
  if (is(value, SQL)) return render(value)
  const stored = column.mapToDriverValue(value)
  return typeof stored === 'string' ? `'${stored.replaceAll("'", "''")}'` : String(stored)
}

function generatedOf({ generated }: SQLiteColumn): string | undefined {
  if (!generated) return undefined
  const value: unknown = typeof generated.as === 'function' ? generated.as() : generated.as
  return `(${is(value, SQL) ? render(value) : String(value)}) ${generated.mode ?? 'virtual'}`
}

interface ColumnInfo {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
  hidden: number
}

/** The columns of a migrated table. Key columns count as not null, even where SQLite does not require it. */
function describeMigrated(db: Database, table: string): string[] {
  const columns = db.query<ColumnInfo, [string]>('SELECT * FROM pragma_table_xinfo(?)').all(table)
  const made = db.query<{ sql: string }, [string]>("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?")
  const definition = normalize(made.get(table)?.sql ?? '')
  return columns.map(({ name, type, notnull, dflt_value, pk, hidden }) =>
    describeColumn({
      name,
      type: type.replace(/ generated always$/i, ''),
      notNull: notnull === 1 || pk > 0,
      defaultValue: dflt_value ?? undefined,
      generated: hidden > 0 ? `${expressionOf(definition, name)} ${hidden === 2 ? 'virtual' : 'stored'}` : undefined,
    }),
  )
}

/** The expression that generates a column, in its parentheses. */
function expressionOf(definition: string, column: string): string {
  const rest = new RegExp(`[(,] ?${column.toLowerCase()} [^,(]*\\bas (\\(.*)`).exec(definition)?.[1] ?? ''
  let depth = 0
  for (const [index, character] of [...rest].entries()) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (depth === 0) return rest.slice(0, index + 1)
  }
  return rest
}

/** SQL in one spelling: no comments, no quoted names, one space, lower case outside strings. */
const normalize = (sql: string): string =>
  sql
    .replace(/--.*$/gm, '')
    .split(/('(?:[^']|'')*')/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/["`]/g, '').replace(/\s+/g, ' ').toLowerCase()))
    .join('')
    .replace(/\( /g, '(')
    .replace(/ \)/g, ')')
    .trim()
