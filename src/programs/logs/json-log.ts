import { redactTokens } from '../../core/text/index.ts'
import { asArray, asObject, isObject, type JsonRecord, parseJson, runInSteps, runSync } from '../entries/index.ts'
import { openFile } from './files.ts'
import { type LogParser, shortHash } from './jsonl-log.ts'
import type { LogDiagnostic, LogReader, LogRecord, LogSnapshot } from './log-reader.ts'

/** A longer document is not read. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024

/** A log that is one JSON document, rewritten whenever something is added. */
export class JsonLog implements LogReader {
  #identity = ''
  #fileVersion = ''
  #records: LogRecord[] = []
  #snapshot: LogSnapshot
  #diagnostic: LogDiagnostic | undefined
  #generation = 0

  constructor(
    readonly path: string,
    private readonly parser: LogParser,
  ) {
    this.#snapshot = runSync(parser.parse([]))
  }

  readonly truncated = false

  get stream(): string {
    return shortHash(`${this.path}:${this.#identity}`)
  }

  get generation(): number {
    return this.#generation
  }

  get files(): readonly string[] {
    return [this.path]
  }

  get diagnostics(): readonly LogDiagnostic[] {
    return this.#diagnostic ? [this.#diagnostic] : []
  }

  get snapshot(): LogSnapshot {
    return this.#snapshot
  }

  async refresh(): Promise<boolean> {
    const file = await openFile(this.path)
    try {
      const stats = await file?.stat()
      const version = stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}` : ''
      if (version === this.#fileVersion) return false
      const isTooLarge = stats !== undefined && stats.size > MAX_DOCUMENT_BYTES
      const document = file && !isTooLarge ? parseJson(redactTokens(await file.readFile('utf8'))) : {}
      if (!isObject(document)) return false
      this.#fileVersion = version
      this.#diagnostic = isTooLarge ? tooLarge(stats.size) : undefined
      this.#identity = String(document.sessionId ?? asObject(document.info).id ?? '')
      await this.#update(recordsOf(document))
      return true
    } finally {
      await file?.close()
    }
  }

  close(): void {
    this.#records = []
    this.#snapshot = runSync(this.parser.parse([]))
  }

  async #update(records: LogRecord[]): Promise<void> {
    this.#snapshot = await runInSteps(this.parser.parse(records))
    if (records.length < this.#records.length) this.#generation++
    this.#records = records
  }
}

const tooLarge = (size: number): LogDiagnostic => ({
  code: 'log_too_large',
  count: 1,
  message: `the log has ${size} bytes and is not read`,
})

/** A record of the document's own fields, then one of each message. */
function recordsOf(document: JsonRecord): LogRecord[] {
  const { messages, ...head } = document
  const all = 'sessionId' in head ? [head, ...asArray(messages)] : asArray(messages)
  return all.flatMap((value, offset) => (isObject(value) ? [{ offset, size: 0, value }] : []))
}
