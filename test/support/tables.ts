import type { Database } from 'bun:sqlite'
import { is, SQL, type Table } from 'drizzle-orm'
import {
  type ForeignKey,
  getTableConfig,
  type Index,
  type SQLiteColumn,
  SQLiteSyncDialect,
  SQLiteTable,
} from 'drizzle-orm/sqlite-core'

/** Every drizzle table that some modules export. */
export const tablesOf = (...modules: readonly object[]): SQLiteTable[] =>
  modules.flatMap((module) => Object.values(module).filter((value): value is SQLiteTable => is(value, SQLiteTable)))

/**
 * Compares the tables that drizzle declares with those of a migrated database: columns, types, nullability, defaults,
 * generated columns, collations, keys, checks and indexes. Each difference is one line; none means both agree.
 * `virtual` names the virtual tables, which drizzle cannot declare.
 */
export function differences(db: Database, tables: readonly SQLiteTable[], virtual: readonly string[] = []): string[] {
  const declared = new Set([...tables.flatMap(describeDeclared), ...virtual.map((name) => `${name} (virtual)`)])
  const migrated = new Set(describeMigrated(db))
  return [
    ...[...declared].filter((line) => !migrated.has(line)).map((line) => `only declared: ${line}`),
    ...[...migrated].filter((line) => !declared.has(line)).map((line) => `only migrated: ${line}`),
  ].sort((one, other) => (one.slice(15) < other.slice(15) ? -1 : 1))
}

interface ColumnFacts {
  name: string
  type: string
  notNull: boolean
  defaultValue?: string | undefined
  generated?: string | undefined
}

const describeColumn = (table: string, { name, type, notNull, defaultValue, generated }: ColumnFacts): string =>
  [
    `${table}.${name} ${type.toLowerCase()}`,
    notNull && 'not null',
    defaultValue !== undefined && `default ${normalize(defaultValue)}`,
    generated !== undefined && `generated ${normalize(generated)}`,
  ]
    .filter(Boolean)
    .join(' ')

const dialect = new SQLiteSyncDialect()

const render = (sql: SQL): string => dialect.sqlToQuery(sql.inlineParams(), 'indexes').sql

function describeDeclared(table: SQLiteTable): string[] {
  const config = getTableConfig(table)
  const { name, columns } = config
  const keys = columns.filter(({ primary }) => primary)
  const primaryKeys = [...config.primaryKeys.map((key) => key.columns), ...(keys.length > 0 ? [keys] : [])]
  const keyColumns = new Set(primaryKeys.flat().map((column) => column.name))
  const uniques = [...columns.filter(({ isUnique }) => isUnique).map((column) => [column])].concat(
    config.uniqueConstraints.map((constraint) => constraint.columns),
  )
  return [
    name,
    ...columns.map((column) =>
      describeColumn(name, {
        name: column.name,
        type: column.getSQLType(),
        notNull: column.notNull && !keyColumns.has(column.name),
        defaultValue: defaultOf(column),
        generated: generatedOf(column),
      }),
    ),
    ...primaryKeys.map((key) => `${name} primary key ${list(key.map((column) => column.name))}`),
    ...columns.filter((column) => 'autoIncrement' in column && column.autoIncrement).map(() => `${name} autoincrement`),
    ...uniques.map((unique) => `${name} unique ${list(unique.map((column) => column.name))}`),
    ...config.foreignKeys.map((key) => describeForeignKey(name, key)),
    ...config.checks.map((check) => `${name} check ${normalize(render(check.value))}`),
    ...config.indexes.map((index) => describeIndex(name, index)),
  ]
}

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
  return `${is(value, SQL) ? render(value) : String(value)} ${generated.mode ?? 'virtual'}`
}

function describeForeignKey(table: string, key: ForeignKey): string {
  const { columns, foreignTable, foreignColumns } = key.reference()
  return foreignKey(table, {
    from: columns.map(({ name }) => name),
    table: nameOf(foreignTable),
    to: foreignColumns.map(({ name }) => name),
    onDelete: key.onDelete,
    onUpdate: key.onUpdate,
  })
}

const nameOf = (table: Table): string => (is(table, SQLiteTable) ? getTableConfig(table).name : '')

function describeIndex(table: string, { config: { name, unique, columns, where } }: Index): string {
  const parts = columns.map((column) => (is(column, SQL) ? render(column) : column.name))
  return indexLine(table, name, unique, `${list(parts)}${where ? ` where ${render(where)}` : ''}`)
}

interface Reference {
  from: readonly string[]
  table: string
  to: readonly string[]
  onDelete: string | undefined
  onUpdate: string | undefined
}

const foreignKey = (table: string, { from, table: target, to, onDelete, onUpdate }: Reference): string =>
  normalize(
    `${table} foreign key ${list(from)} references ${target} ${list(to)} on delete ${onDelete ?? 'no action'} on update ${onUpdate ?? 'no action'}`,
  )

const indexLine = (table: string, name: string, unique: boolean, rest: string): string =>
  `${table} ${unique ? 'unique ' : ''}index ${name} ${normalize(rest)}`

interface TableEntry {
  name: string
  type: 'table' | 'view' | 'shadow' | 'virtual'
}

function describeMigrated(db: Database): string[] {
  const entries = db.query<TableEntry, []>("SELECT name, type FROM pragma_table_list WHERE schema = 'main'").all()
  return entries
    .filter(({ name, type }) => !name.startsWith('sqlite_') && type !== 'shadow')
    .flatMap(({ name, type }) => (type === 'table' ? describeTable(db, name) : [`${name} (${type})`]))
}

interface ColumnInfo {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
  hidden: number
}

function describeTable(db: Database, table: string): string[] {
  const columns = db.query<ColumnInfo, [string]>('SELECT * FROM pragma_table_xinfo(?)').all(table)
  const definitions = definitionsOf(sqlOf(db, table))
  const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
  return [
    table,
    ...columns.map(({ name, type, notnull, dflt_value, pk, hidden }) => {
      const definition = definitions.find((one) => one.split(' ', 1)[0] === name.toLowerCase()) ?? ''
      const collation = /\bcollate (\w+)/.exec(definition)?.[1]
      const [, expression] = split(definition, 'as (')
      return describeColumn(table, {
        name,
        type: type.replace(/ generated always$/i, '') + (collation ? ` collate ${collation}` : ''),
        notNull: notnull === 1 && pk === 0,
        defaultValue: dflt_value ?? undefined,
        generated: hidden > 0 ? `${inParentheses(expression)} ${hidden === 2 ? 'virtual' : 'stored'}` : undefined,
      })
    }),
    ...(key.length > 0 ? [`${table} primary key ${list(key.map(({ name }) => name))}`] : []),
    ...(definitions.some((one) => /\bautoincrement\b/.test(one)) ? [`${table} autoincrement`] : []),
    ...foreignKeysOf(db, table),
    ...definitions.flatMap((one) => checksOf(one)).map((check) => `${table} check ${normalize(check)}`),
    ...indexesOf(db, table),
  ]
}

interface ForeignKeyInfo {
  id: number
  table: string
  from: string
  to: string
  on_delete: string
  on_update: string
}

function foreignKeysOf(db: Database, table: string): string[] {
  const rows = db
    .query<ForeignKeyInfo, [string]>('SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq')
    .all(table)
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((parts) =>
    foreignKey(table, {
      from: parts.map(({ from }) => from),
      table: parts[0]?.table ?? '',
      to: parts.map(({ to }) => to),
      onDelete: parts[0]?.on_delete,
      onUpdate: parts[0]?.on_update,
    }),
  )
}

interface IndexInfo {
  name: string
  unique: number
  origin: 'c' | 'u' | 'pk'
}

function indexesOf(db: Database, table: string): string[] {
  const indexes = db.query<IndexInfo, [string]>('SELECT * FROM pragma_index_list(?)').all(table)
  return indexes.flatMap(({ name, unique, origin }) => {
    if (origin === 'pk') return []
    if (origin === 'u') {
      const columns = db.query<{ name: string }, [string]>('SELECT name FROM pragma_index_info(?) ORDER BY seqno')
      return [`${table} unique ${list(columns.all(name).map((column) => column.name))}`]
    }
    const sql = normalize(sqlOf(db, name))
    return [indexLine(table, name, unique === 1, sql.slice(sql.indexOf('(')))]
  })
}

const sqlOf = (db: Database, name: string): string =>
  db.query<{ sql: string | null }, [string]>('SELECT sql FROM sqlite_master WHERE name = ?').get(name)?.sql ?? ''

/** The definitions of columns and constraints in a CREATE TABLE statement. */
function definitionsOf(sql: string): string[] {
  const body = inParentheses(split(normalize(sql), '(')[1])
  const definitions = ['']
  let depth = 0
  for (const character of body) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) definitions.push('')
    else definitions[definitions.length - 1] += character
  }
  return definitions.map((definition) => definition.trim())
}

const checksOf = (definition: string): string[] =>
  [...definition.matchAll(/\bcheck ?\(/g)].map(({ index, 0: start }) =>
    inParentheses(definition.slice(index + start.length)),
  )

/** A text up to the parenthesis that closes the one before it. */
function inParentheses(text: string): string {
  let depth = 1
  for (const [index, character] of [...text].entries()) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (depth === 0) return text.slice(0, index)
  }
  return text
}

function split(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator)
  return index < 0 ? [text, ''] : [text.slice(0, index), text.slice(index + separator.length)]
}

const list = (names: readonly string[]): string => `(${names.join(', ')})`

/** SQL in one spelling: no comments, no quoted names, one space, lower case outside strings, no outer parentheses. */
function normalize(sql: string): string {
  const plain = sql
    .replace(/--.*$/gm, '')
    .split(/('(?:[^']|'')*')/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/["`]/g, '').replace(/\s+/g, ' ').toLowerCase()))
    .join('')
    .replace(/\( /g, '(')
    .replace(/ \)/g, ')')
    .trim()
  return plain.startsWith('(') && inParentheses(plain.slice(1)) === plain.slice(1, -1) ? plain.slice(1, -1) : plain
}
