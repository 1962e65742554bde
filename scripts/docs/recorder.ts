import { SectionReader } from '../../src/config/declare/section-reader.ts'
import { Diagnostics } from '../../src/config/files/diagnostics.ts'
import { emptyTable, type TomlNode } from '../../src/core/toml/index.ts'
import { Problems, TableReader } from '../../src/orchestration/formulas/reader.ts'

/** The keys of one table of a file, with the types that the code reads them as. */
export interface RecordedSection {
  /** As it is written: `[daemon]`, `[[rigs]]`; empty for the top of a file. */
  readonly header: string
  readonly keys: Map<string, string>
}

/** The sections of a file by their headers, in the order in which they are read. */
type Recording = Map<string, RecordedSection>

const LAYER = { name: 'reference', isEditable: false }
const context = () => ({ diagnostics: new Diagnostics(), layer: LAYER, file: '', unknownKeys: 'lint' as const })
const NAMED = '<name>'

function sectionOf(recording: Recording, header: string): RecordedSection {
  const known = recording.get(header)
  if (known) return known
  const section = { header, keys: new Map<string, string>() }
  recording.set(header, section)
  return section
}

/** Records what is read of a file of a city or of a pack: every table is there, and nothing is in it. */
class RecordingReader extends SectionReader {
  readonly #section: RecordedSection

  constructor(
    private readonly recording: Recording,
    private readonly path: string,
    isList = false,
    /** Whether its keys are names that people choose. */
    private readonly isNamed = false,
  ) {
    super(context(), path, emptyTable())
    this.#section = sectionOf(recording, path === '' ? '' : isList ? `[[${path}]]` : `[${path}]`)
  }

  override has(): boolean {
    return true
  }
  override get keys(): string[] {
    return this.isNamed ? [NAMED] : []
  }
  /** `confine` of an agent is a word or a table; as a table it has keys to record. */
  override node(key: string): TomlNode | undefined {
    this.#record(key, 'any value')
    return key === 'confine' ? emptyTable() : undefined
  }
  override text(key: string): undefined {
    return this.#record(key, 'string')
  }
  override string(key: string): undefined {
    return this.#record(key, 'string')
  }
  override requiredString(key: string): undefined {
    return this.#record(key, 'string, required')
  }
  override oneOf(key: string, choices: readonly string[]): undefined {
    return this.#record(key, choices.map((choice) => `\`"${choice}"\``).join(' or '))
  }
  override boolean(key: string): undefined {
    return this.#record(key, 'boolean')
  }
  override integer(key: string, min: number, max?: number): undefined {
    return this.#record(key, `integer, ${max === undefined ? `${min} or more` : `${min} to ${max}`}`)
  }
  override number(key: string): undefined {
    return this.#record(key, 'number')
  }
  override duration(key: string): undefined {
    return this.#record(key, 'duration')
  }
  override strings(key: string): undefined {
    return this.#record(key, 'list of strings')
  }
  override stringMap(key: string): undefined {
    return this.#record(key, 'table of strings')
  }
  override plain(): Record<string, unknown> {
    return {}
  }
  override child(key: string, kind?: string): SectionReader {
    return new RecordingReader(this.recording, this.#pathOf(key), false, kind?.endsWith('.*'))
  }
  override blocks(key: string): SectionReader[] {
    return [new RecordingReader(this.recording, this.#pathOf(key), true)]
  }
  override blocksApart(key: string): { block: SectionReader; problems: Diagnostics }[] {
    return this.blocks(key).map((block) => ({ block, problems: new Diagnostics() }))
  }
  override error(): void {}
  override warning(): void {}
  override finish(): void {}

  #pathOf(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`
  }

  /** A reader may look at the value of a key before it reads it as its type. */
  #record(key: string, type: string): undefined {
    const { keys } = this.#section
    if (!keys.has(key) || keys.get(key) === 'any value') keys.set(key, type)
    return undefined
  }
}

/** Records what is read of a formula file. Lists of steps are recorded once, as `[[steps]]`. */
class RecordingTable extends TableReader {
  readonly #section: RecordedSection

  constructor(
    private readonly recording: Recording,
    private readonly path = '',
    isList = false,
  ) {
    super('', emptyTable(), new Problems(), path)
    this.#section = sectionOf(recording, path === '' ? '' : isList ? `[[${path}]]` : `[${path}]`)
  }

  override ofStep(): TableReader {
    return this
  }
  override has(): boolean {
    return true
  }
  override string(key: string): undefined {
    return this.#record(key, 'string')
  }
  override boolean(key: string): undefined {
    return this.#record(key, 'boolean')
  }
  override integer(key: string): undefined {
    return this.#record(key, 'integer')
  }
  override strings(key: string): readonly string[] {
    this.#record(key, 'list of strings')
    return []
  }
  override record(key: string): Readonly<Record<string, string>> {
    this.#record(key, 'table of strings')
    return {}
  }
  override json(key: string): ReturnType<TableReader['json']> {
    this.#record(key, 'any table')
    return super.json(key)
  }
  override sub(key: string): TableReader {
    return new RecordingTable(this.recording, this.#pathOf(key))
  }
  override list(key: string): TableReader[] {
    const isSteps = ['template', 'children', 'body', 'before', 'after'].includes(key)
    if (isSteps) this.#record(key, 'list of steps')
    const path = this.#pathOf(key)
    return isSteps || this.recording.has(`[[${path}]]`) ? [] : [new RecordingTable(this.recording, path, true)]
  }
  override entries(): ReturnType<TableReader['entries']> {
    if (this.path !== 'vars') return super.entries()
    return [[NAMED, { ...emptyTable(), line: 0, offset: 0 }]]
  }

  #pathOf(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`
  }

  #record(key: string, type: string): undefined {
    if (!this.#section.keys.has(key)) this.#section.keys.set(key, type)
    return undefined
  }
}

/** The sections that a reader of a file asks for; those without a key are left out. */
export function recordSections(read: (top: SectionReader) => unknown): RecordedSection[] {
  const recording: Recording = new Map()
  read(new RecordingReader(recording, ''))
  return [...recording.values()].filter(({ keys }) => keys.size > 0)
}

/** The same for a formula file. */
export function recordFormula(read: (top: TableReader) => unknown): RecordedSection[] {
  const recording: Recording = new Map()
  read(new RecordingTable(recording))
  return [...recording.values()].filter(({ keys }) => keys.size > 0)
}
