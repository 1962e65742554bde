import type { TomlNode, TomlTable } from '../../core/toml/index.ts'
import type { Place } from './formula.ts'
import type { FormulaMessage, JsonTable, JsonValue } from './recipe.ts'

/** Problems of formula files, in the order found. */
export class Problems {
  readonly list: FormulaMessage[] = []

  add({ file, line }: Place, message: string, step?: string): void {
    this.list.push({ file, line, ...(step !== undefined && step !== '' && { step }), message })
  }
}

/** Shared by all tables without the key: most of the keys of most steps are absent. */
const NO_TEXTS: readonly string[] = []
const NO_ENTRIES: Readonly<Record<string, string>> = {}

/** Reads the values of one table of a formula file; what has the wrong type is a problem, and absent. */
export class TableReader {
  constructor(
    readonly file: string,
    private readonly table: TomlTable,
    private readonly problems: Problems,
    /** Name of the table in sentences: `loop`, `retry`; empty for a step or a whole file. */
    private readonly name = '',
    private readonly step?: string,
  ) {}

  get place(): Place {
    return { file: this.file, line: this.table.line }
  }

  /** The same table, whose problems name a step. */
  ofStep(step: string): TableReader {
    return new TableReader(this.file, this.table, this.problems, this.name, step)
  }

  has(key: string): boolean {
    return this.table.entries.has(key)
  }

  /** The place of a key, or of the table. */
  placeOf(key: string): Place {
    return { file: this.file, line: this.table.entries.get(key)?.line ?? this.table.line }
  }

  problem(key: string, message: string): void {
    this.problems.add(this.placeOf(key), message, this.step)
  }

  string(key: string): string | undefined {
    return this.#typed(key, 'string', 'text')?.value
  }

  boolean(key: string): boolean | undefined {
    return this.#typed(key, 'boolean', 'true or false')?.value
  }

  integer(key: string): number | undefined {
    const node = this.table.entries.get(key)
    if (!node || (node.kind === 'integer' && Number.isSafeInteger(node.value))) return node?.value
    this.problem(key, `${this.#label(key)} must be a whole number`)
    return undefined
  }

  strings(key: string): readonly string[] {
    const node = this.#typed(key, 'array', 'a list of texts')
    if (!node) return NO_TEXTS
    const texts = node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []))
    if (texts.length < node.items.length) this.problem(key, `${this.#label(key)} must be a list of texts`)
    return texts
  }

  /** A table of texts; numbers and booleans in it count as texts. */
  record(key: string): Readonly<Record<string, string>> {
    const node = this.#typed(key, 'table', 'a table of texts')
    if (!node) return NO_ENTRIES
    const pairs = [...node.entries].flatMap(([name, value]): [string, string][] => {
      const text = textOf(value)
      if (text === undefined) this.problem(key, `${this.#label(key)}: ${name} must be text`)
      return text === undefined ? [] : [[name, text]]
    })
    return Object.fromEntries(pairs)
  }

  /** A table of any values, as JSON; dates are texts. */
  json(key: string): JsonTable {
    const node = this.#typed(key, 'table', 'a table')
    return node ? tableToJson(node) : {}
  }

  sub(key: string, name = key): TableReader | undefined {
    const node = this.#typed(key, 'table', 'a table')
    return node && new TableReader(this.file, node, this.problems, name, this.step)
  }

  /** The tables of an array of tables. */
  list(key: string, name = key): TableReader[] {
    const node = this.#typed(key, 'array', 'a list of tables')
    const tables = (node?.items ?? []).flatMap((item) => (item.kind === 'table' ? [item] : []))
    if (node && tables.length < node.items.length) this.problem(key, `${this.#label(key)} must be a list of tables`)
    return tables.map((item) => new TableReader(this.file, item, this.problems, name, this.step))
  }

  /** The entries, for tables whose keys are names. */
  entries(): [key: string, node: TomlNode][] {
    return [...this.table.entries]
  }

  #typed<Kind extends TomlNode['kind']>(
    key: string,
    kind: Kind,
    wanted: string,
  ): Extract<TomlNode, { kind: Kind }> | undefined {
    const node = this.table.entries.get(key)
    if (!node) return undefined
    if (isKind(node, kind)) return node
    this.problem(key, `${this.#label(key)} must be ${wanted}`)
    return undefined
  }

  #label(key: string): string {
    return this.name === '' ? key : `${this.name}.${key}`
  }
}

const isKind = <Kind extends TomlNode['kind']>(node: TomlNode, kind: Kind): node is Extract<TomlNode, { kind: Kind }> =>
  node.kind === kind

/** Dates, `inf` and `nan` become texts. */
const tableToJson = ({ entries }: TomlTable): JsonTable =>
  Object.fromEntries([...entries].map(([key, node]) => [key, toJson(node)]))

function toJson(node: TomlNode): JsonValue {
  switch (node.kind) {
    case 'table':
      return tableToJson(node)
    case 'array':
      return node.items.map(toJson)
    case 'float':
      return Number.isFinite(node.value) ? node.value : String(node.value)
    default:
      return node.value
  }
}

/** A plain value as text; undefined for a list or a table. */
export const textOf = (node: TomlNode): string | undefined =>
  node.kind === 'table' || node.kind === 'array' ? undefined : String(node.value)
