import { sha256 } from '../../core/digest.ts'
import { redactTokens } from '../../core/text/index.ts'
import { isObject, parseJson, runInSteps, runSync, type Steps } from '../entries/index.ts'
import { type Line, LineReader, type LineReaderOptions } from './line-reader.ts'
import type { FilePosition, LogDiagnostic, LogReader, LogRecord, LogSnapshot } from './log-reader.ts'

/** Parses the records of a log into entries. */
export interface LogParser {
  parse(records: readonly LogRecord[]): Steps<LogSnapshot>
}

export interface LogReaderOptions extends LineReaderOptions {
  /** Number of bytes of records that are kept in memory; beyond that the oldest entries are dropped. */
  readonly keepBytes: number
}

export const shortHash = (value: string): string => sha256(value).slice(0, 16)

/** The part of a log that is kept in memory. */
interface LogState {
  readonly parser: LogParser
  readonly records: readonly LogRecord[]
  /** Identifies the file. */
  readonly identity: string
  /** True if older entries were dropped. */
  readonly isTrimmed: boolean
  /** Number of lines that are not JSON objects. */
  readonly malformedLines: number
}

/** A log with one JSON object per line, which only grows at its end. */
export class JsonlLog implements LogReader {
  readonly #lines: LineReader
  #state: LogState
  #snapshot: LogSnapshot
  #generation = 0
  #hasMore = false

  constructor(
    readonly path: string,
    private readonly createParser: () => LogParser,
    private readonly options: LogReaderOptions,
  ) {
    this.#lines = new LineReader(path, options)
    this.#state = this.#emptyState()
    this.#snapshot = runSync(this.#state.parser.parse([]))
  }

  get stream(): string {
    return shortHash(`${this.path}:${this.#state.identity}`)
  }

  get generation(): number {
    return this.#generation
  }

  get truncated(): boolean {
    return this.#state.isTrimmed || this.#lines.truncated
  }

  get hasMore(): boolean {
    return this.#hasMore
  }

  get position(): FilePosition | undefined {
    const { records, identity } = trim(this.#state, this.options.keepBytes)
    return records[0] && { file: identity, offset: records[0].offset }
  }

  get files(): readonly string[] {
    return [this.path]
  }

  get diagnostics(): readonly LogDiagnostic[] {
    const count = this.#state.malformedLines + this.#lines.skipped
    if (count === 0) return []
    return [{ code: 'malformed_line', count, message: 'lines that are not JSON or are too long were skipped' }]
  }

  /** All that the last refresh read, and the earlier entries that are kept. */
  get snapshot(): LogSnapshot {
    return this.#snapshot
  }

  /** Reads a window of new lines; the snapshot changes once all of them are parsed. */
  async refresh(): Promise<boolean> {
    const added: LogRecord[] = []
    let lineCount = 0
    const result = await this.#lines.read((lines) => {
      lineCount += lines.length
      for (const line of lines) added.push(...parseLine(line))
    })
    const before = this.#state
    const isNewFile = result === undefined || result.isNewFile
    const trimmed = isNewFile ? this.#emptyState() : trim(before, this.options.keepBytes)
    const hasChanged = lineCount > 0 || (isNewFile && before.records.length > 0)
    if (hasChanged || trimmed !== before) {
      const malformedLines = trimmed.malformedLines + lineCount - added.length
      const next: LogState = { ...trimmed, records: [...trimmed.records, ...added], malformedLines }
      this.#snapshot = await runInSteps(next.parser.parse(next.records))
      this.#state = next
      if (isNewFile && before.records.length > 0) this.#generation++
    }
    this.#hasMore = result?.hasMore ?? false
    return hasChanged || this.#hasMore
  }

  close(): void {
    this.#state = this.#emptyState()
    this.#snapshot = runSync(this.#state.parser.parse([]))
  }

  #emptyState(): LogState {
    return {
      parser: this.createParser(),
      records: [],
      identity: this.#lines.identity,
      isTrimmed: false,
      malformedLines: 0,
    }
  }
}

/** The record of a line; none when the line is not a JSON object. */
function parseLine({ offset, size, text }: Line): LogRecord[] {
  const value = parseJson(redactTokens(text))
  return isObject(value) ? [{ offset, size, value }] : []
}

/** Drops the oldest records once there are a quarter more than `keepBytes`, so that it happens seldom. */
function trim(state: LogState, keepBytes: number): LogState {
  const { records } = state
  let bytes = records.reduce((sum, { size }) => sum + size, 0)
  if (bytes <= keepBytes * 1.25) return state
  let count = 0
  while (bytes > keepBytes && count < records.length - 1) bytes -= records[count++]?.size ?? 0
  return count === 0 ? state : { ...state, records: records.slice(count), isTrimmed: true }
}
