import { parseDuration } from '../../core/durations.ts'
import { type Diagnostics, suggestion, withHint } from '../diagnostics.ts'
import { emptyTable, plain, type TomlNode, type TomlTable } from '../toml/toml.ts'

/**
 * Reads one table of a file key by key, noting what is wrong with its line. A key that nobody asked for by the time
 * of `end` is unknown, and a mistake.
 */
export class Reader {
  readonly #asked = new Set<string>()

  constructor(
    private readonly findings: Diagnostics,
    readonly file: string,
    /** How the section is written: `[[rigs]]`, `[daemon]`, or empty for the top of a file. */
    readonly section: string,
    readonly table: TomlTable,
  ) {}

  get line(): number {
    return this.table.line
  }

  has(key: string): boolean {
    return this.table.entries.has(key)
  }

  /** Notes a mistake at a key, or at the section when the key is not there. */
  wrong(key: string, message: string): void {
    const line = this.table.entries.get(key)?.line ?? this.table.line
    this.findings.mistakes.push({ file: this.file, line, key: `${this.section} ${key}`.trim(), message })
  }

  warn(key: string, message: string): void {
    const line = this.table.entries.get(key)?.line ?? this.table.line
    this.findings.warnings.push(`${this.file}:${line}: ${`${this.section} ${key}`.trim()}: ${message}`)
  }

  /** Keys that are known and kept for whoever reads the raw section. */
  keep(...keys: string[]): void {
    for (const key of keys) this.#asked.add(key)
  }

  /** The key as it was written. */
  raw(key: string): TomlNode | undefined {
    this.#asked.add(key)
    return this.table.entries.get(key)
  }

  /** A text; an empty one is an absent one. */
  text(key: string): string | undefined {
    const node = this.raw(key)
    if (!node) return undefined
    if (node.kind !== 'string') return this.#kind(key, 'a text in quotes')
    return node.value === '' ? undefined : node.value
  }

  /** A text that has to be there. */
  required(key: string): string | undefined {
    const value = this.text(key)
    const node = this.table.entries.get(key)
    if (value === undefined && (!node || node.kind === 'string')) this.wrong(key, 'is required')
    return value
  }

  oneOf<const Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.text(key)
    if (value === undefined) return undefined
    const choice = choices.find((one) => one === value)
    if (choice === undefined) {
      this.wrong(key, withHint(`must be ${choices.join(' or ')}, not "${value}"`, suggestion(value, choices)))
    }
    return choice
  }

  flag(key: string): boolean | undefined {
    const node = this.raw(key)
    if (!node) return undefined
    return node.kind === 'boolean' ? node.value : this.#kind(key, 'true or false')
  }

  /** A whole number from `least` to `most`. */
  whole(key: string, least: number, most = Number.MAX_SAFE_INTEGER): number | undefined {
    const node = this.raw(key)
    if (!node) return undefined
    if (node.kind !== 'integer' || !Number.isSafeInteger(node.value)) return this.#kind(key, 'a whole number')
    if (node.value >= least && node.value <= most) return node.value
    this.wrong(key, `must be ${node.value < least ? `${least} or more` : `${most} or less`}, not ${node.value}`)
    return undefined
  }

  /** A length of time in milliseconds. One that cannot be read is warned of and left out. */
  span(key: string): number | undefined {
    const value = this.text(key)
    if (value === undefined) return undefined
    const length = parseDuration(value)
    if (length === undefined)
      this.warn(key, `"${value}" is not a length of time such as 90s, 5m or 1h30m; it is left out`)
    return length
  }

  texts(key: string): string[] | undefined {
    const node = this.raw(key)
    if (!node) return undefined
    if (node.kind !== 'array') return this.#kind(key, 'a list of texts')
    const items = node.items.flatMap((item) => (item.kind === 'string' ? [item.value] : []))
    return items.length === node.items.length ? items : this.#kind(key, 'a list of texts')
  }

  /** A table of texts; numbers and truth values are taken as they are written. */
  map(key: string): Record<string, string> | undefined {
    const node = this.raw(key)
    if (!node) return undefined
    if (node.kind !== 'table') return this.#kind(key, 'a table of texts')
    const pairs: [string, string][] = []
    for (const [name, value] of node.entries) {
      if (value.kind === 'array' || value.kind === 'table') this.wrong(key, `"${name}" must be a text in quotes`)
      else pairs.push([name, String(value.value)])
    }
    return Object.fromEntries(pairs)
  }

  /** A table under this one. */
  within(key: string): Reader {
    const node = this.raw(key)
    const section = `[${[this.section.replace(/^\[+|\]+$/g, ''), key].filter(Boolean).join('.')}]`
    if (node && node.kind !== 'table') this.wrong(key, `must be a table: ${section}`)
    return new Reader(this.findings, this.file, section, node?.kind === 'table' ? node : emptyTable(this.line))
  }

  /** The tables of an array of tables: `[[rigs]]`. */
  each(key: string): Reader[] {
    const node = this.raw(key)
    if (!node) return []
    const section = `[[${[this.section.replace(/^\[+|\]+$/g, ''), key].filter(Boolean).join('.')}]]`
    const tables = node.kind === 'array' ? node.items : []
    if (node.kind !== 'array' || tables.some((item) => item.kind !== 'table')) {
      this.wrong(key, `must be written as ${section}`)
    }
    return tables.flatMap((item) =>
      item.kind === 'table' ? [new Reader(this.findings, this.file, section, item)] : [],
    )
  }

  /** Every key that nobody asked for is a mistake. */
  end(): void {
    for (const [key, { line }] of this.table.entries) {
      if (this.#asked.has(key)) continue
      const what = this.section ? 'is not a key of this section' : 'is not a section or key of this file'
      const message = withHint(what, suggestion(key, this.#asked))
      this.findings.mistakes.push({ file: this.file, line, key: `${this.section} ${key}`.trim(), message })
    }
  }

  #kind(key: string, wanted: string): undefined {
    const node = this.table.entries.get(key)
    this.wrong(key, `must be ${wanted}, not ${node ? JSON.stringify(plain(node)) : 'absent'}`)
    return undefined
  }
}
