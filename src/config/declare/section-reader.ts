import { dirname } from 'node:path'
import { parseDuration } from '../../core/durations.ts'
import { emptyTable, type TomlNode, type TomlTable, toPlainValue } from '../../core/toml/index.ts'
import { Diagnostics, type Severity, type SourceLocation, suggestion, withHint } from '../files/index.ts'
import type { DeclaredBlock, FieldOrigin, LayerInfo, PackReference } from './origin.ts'
import { keysWithoutEffect } from './without-effect.ts'

/** Context shared by the readers of one file. */
export interface FileContext {
  readonly diagnostics: Diagnostics
  readonly layer: LayerInfo
  readonly file: string
  /** Severity of an unknown key of this file. */
  readonly unknownKeys: Severity
  /** The folder that its paths are relative to; its own when absent. */
  readonly base?: string | undefined
  /** The pack that it belongs to, if not to the city itself. */
  readonly pack?: PackReference | undefined
}

/** Reads one table of a file key by key, and notes what is wrong with the line it is on. */
export class SectionReader {
  readonly block: DeclaredBlock
  readonly #read = new Set<string>()
  readonly #children = new Map<string, SectionReader[]>()

  constructor(
    private readonly context: FileContext,
    /** Header as written: `[[rigs]]`, `[daemon]`, or empty for the top of a file. */
    section: string,
    private readonly table: TomlTable,
    /** The section's name in the table of keys without effect. */
    private readonly kind = section.replace(/^\[+|\]+$/g, ''),
  ) {
    const { layer, file, pack } = context
    const offset = section === '' ? undefined : table.offset
    this.block = { layer, file, line: table.line, section, offset, ...(pack && { pack }) }
  }

  /** The folder that paths in this file are relative to. */
  get base(): string {
    return this.context.base ?? dirname(this.block.file)
  }

  has(key: string): boolean {
    return this.table.entries.has(key)
  }

  get keys(): string[] {
    return [...this.table.entries.keys()]
  }

  /** Place of a written key, else the section. */
  originOf(key: string): FieldOrigin {
    return { block: this.block, line: this.table.entries.get(key)?.line ?? this.table.line, key }
  }

  error(key: string, message: string): void {
    this.context.diagnostics.error(this.#location(key), message)
  }

  warning(key: string, message: string): void {
    this.context.diagnostics.warning(this.#location(key), message)
  }

  /** The value as it was written. */
  node(key: string): TomlNode | undefined {
    this.#read.add(key)
    return this.table.entries.get(key)
  }

  /** A string, which may be empty. */
  text(key: string): string | undefined {
    const node = this.node(key)
    if (!node) return undefined
    return node.kind === 'string' ? node.value : this.#wrongType(key, 'a string in quotes')
  }

  /** A string; an empty one is as good as none. */
  string(key: string): string | undefined {
    return this.text(key) || undefined
  }

  requiredString(key: string): string | undefined {
    const value = this.string(key)
    const node = this.table.entries.get(key)
    if (value === undefined && (!node || node.kind === 'string')) this.error(key, 'is required')
    return value
  }

  oneOf<const Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.string(key)
    if (value === undefined) return undefined
    const choice = choices.find((candidate) => candidate === value)
    if (choice === undefined) {
      this.error(key, withHint(`must be ${choices.join(' or ')}, not "${value}"`, suggestion(value, choices)))
    }
    return choice
  }

  boolean(key: string): boolean | undefined {
    const node = this.node(key)
    if (!node) return undefined
    return node.kind === 'boolean' ? node.value : this.#wrongType(key, 'true or false')
  }

  integer(key: string, min: number, max = Number.MAX_SAFE_INTEGER): number | undefined {
    const node = this.node(key)
    if (!node) return undefined
    if (node.kind !== 'integer' || !Number.isSafeInteger(node.value)) return this.#wrongType(key, 'a whole number')
    if (node.value >= min && node.value <= max) return node.value
    this.error(key, `must be ${node.value < min ? `${min} or more` : `${max} or less`}, not ${node.value}`)
    return undefined
  }

  /** A number; anything else is warned of and ignored. */
  number(key: string): number | undefined {
    const node = this.node(key)
    if (!node) return undefined
    if (node.kind === 'integer' || node.kind === 'float') return node.value
    this.warning(key, `must be a number, not ${JSON.stringify(toPlainValue(node))}; it is ignored`)
    return undefined
  }

  /** A duration in milliseconds; one that cannot be read is warned of and ignored. */
  duration(key: string): number | undefined {
    const value = this.string(key)
    if (value === undefined) return undefined
    const milliseconds = parseDuration(value)
    if (milliseconds === undefined) {
      this.warning(key, `"${value}" is not a duration such as 90s, 5m or 1h30m; it is ignored`)
    }
    return milliseconds
  }

  strings(key: string): string[] | undefined {
    const node = this.node(key)
    if (!node) return undefined
    if (node.kind !== 'array') return this.#wrongType(key, 'a list of strings')
    const items = node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []))
    return items.length === node.items.length ? items : this.#wrongType(key, 'a list of strings')
  }

  /** A table of strings; numbers and booleans are taken as they are written. */
  stringMap(key: string): Record<string, string> | undefined {
    const node = this.node(key)
    if (!node) return undefined
    if (node.kind !== 'table') return this.#wrongType(key, 'a table of strings')
    const pairs: [string, string][] = []
    for (const [name, value] of node.entries) {
      if (value.kind === 'array' || value.kind === 'table') this.error(key, `"${name}" must be a string in quotes`)
      else pairs.push([name, String(value.value)])
    }
    return Object.fromEntries(pairs)
  }

  /** Everything in this table, as it was written. */
  plain(): Record<string, unknown> {
    return Object.fromEntries([...this.table.entries].map(([key, node]) => [key, toPlainValue(node)]))
  }

  /** The table under this one; an empty one when it is missing. */
  child(key: string, kind?: string): SectionReader {
    const [existing] = this.#children.get(key) ?? []
    if (existing) return existing
    const node = this.node(key)
    const section = `[${this.#path(key)}]`
    if (node && node.kind !== 'table') this.error(key, `must be a table: ${section}`)
    const table = node?.kind === 'table' ? node : emptyTable(this.table)
    const child = new SectionReader(this.context, section, table, kind)
    this.#children.set(key, [child])
    return child
  }

  /** The tables of an array of tables such as `[[rigs]]`. */
  blocks(key: string, kind?: string): SectionReader[] {
    const node = this.node(key)
    if (!node) return []
    const section = `[[${this.#path(key)}]]`
    const items = node.kind === 'array' ? node.items : []
    if (node.kind !== 'array' || items.some((item) => item.kind !== 'table')) {
      this.error(key, `must be written as ${section}`)
    }
    const tables = items.filter((item) => item.kind === 'table')
    const children = tables.map((table) => new SectionReader(this.context, section, table, kind))
    this.#children.set(key, children)
    return children
  }

  /** The same, where what is wrong in one of them is noted apart. */
  blocksApart(key: string, kind?: string): { block: SectionReader; problems: Diagnostics }[] {
    const apart = this.blocks(key, kind).map((block) => {
      const problems = new Diagnostics()
      const context = { ...block.context, diagnostics: problems }
      return { block: new SectionReader(context, block.block.section, block.table, block.kind), problems }
    })
    if (apart.length > 0)
      this.#children.set(
        key,
        apart.map(({ block }) => block),
      )
    return apart
  }

  /**
   * Notes every key that has no effect, here and in the tables under this one, once all that is known was read. Those of a
   * pack are its author's matter: they are shown where files are checked.
   */
  finish(): void {
    const inert = keysWithoutEffect(this.kind)
    for (const [key, node] of this.table.entries) {
      const sentence = inert.sentenceFor(key, toPlainValue(node))
      if (sentence) this.context.diagnostics[this.context.pack ? 'lint' : 'warning'](this.#location(key), sentence)
      if (sentence === undefined && !this.#read.has(key)) this.#unknown(key, inert.keys)
    }
    for (const children of this.#children.values()) for (const child of children) child.finish()
  }

  #unknown(key: string, inert: readonly string[]): void {
    const message = this.block.section ? 'is not a key of this section' : 'is not a section or key of this file'
    const hint = suggestion(key, [...this.#read, ...inert])
    this.context.diagnostics[this.context.unknownKeys](this.#location(key), withHint(message, hint))
  }

  #wrongType(key: string, expected: string): undefined {
    const node = this.table.entries.get(key)
    this.error(key, `must be ${expected}, not ${node ? JSON.stringify(toPlainValue(node)) : 'absent'}`)
    return undefined
  }

  #path(key: string): string {
    return [this.block.section.replace(/^\[+|\]+$/g, ''), key].filter(Boolean).join('.')
  }

  #location(key: string): SourceLocation {
    const { file, section } = this.block
    return { file, line: this.originOf(key).line, key: `${section} ${key}`.trim() }
  }
}
