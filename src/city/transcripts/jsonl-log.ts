import { createHash } from 'node:crypto'
import { redact } from '../../core/redact.ts'
import type { LogReader, Native, Trouble, View } from './entry.ts'
import { isObject, parsed } from './json.ts'
import { type Line, LineFile } from './lines.ts'

/** Turns pieces of a log into entries. */
export interface Grammar {
  view(natives: readonly Native[]): View
  /** Understands one piece ahead of time, so that a view of many is quick. */
  prepare?(native: Native): void
}

/** How much of a log is kept in memory. */
export interface Bounds {
  /** So many bytes from its end are read at first. */
  readonly window: number
  /** Beyond so many bytes the oldest entries are let go. */
  readonly keep: number
}

export const digest = (said: string): string => createHash('sha256').update(said).digest('hex').slice(0, 16)

/** How long a stretch of reading may hold the loop. */
const SLICE_MS = 4

/** The lines that are JSON objects. Many are read in slices, and nobody sees them before all are read. */
async function understood(lines: readonly Line[], grammar: Grammar): Promise<Native[]> {
  const natives: Native[] = []
  let began = performance.now()
  for (const { offset, size, text } of lines) {
    const value = parsed(redact(text))
    if (isObject(value)) natives.push({ offset, size, value })
    const native = natives.at(-1)
    if (native) grammar.prepare?.(native)
    if (performance.now() - began < SLICE_MS) continue
    await new Promise((resolve) => setImmediate(resolve))
    began = performance.now()
  }
  return natives
}

/** A log of one JSON object a line, which grows at its end. */
export class JsonlLog implements LogReader {
  readonly #file: LineFile
  #natives: Native[] = []
  #bytes = 0
  #trimmed = false
  #bad = 0
  #generation = 0
  #view: View | undefined

  constructor(
    readonly path: string,
    private readonly grammar: () => Grammar,
    private readonly bounds: Bounds,
  ) {
    this.#file = new LineFile(path, bounds.window)
    this.#grammar = grammar()
  }

  #grammar: Grammar

  get stream(): string {
    return digest(`${this.path}:${this.#file.identity}`)
  }

  get generation(): number {
    return this.#generation
  }

  get truncated(): boolean {
    return this.#trimmed || this.#file.truncated
  }

  get files(): readonly string[] {
    return [this.path]
  }

  get troubles(): readonly Trouble[] {
    const bad = this.#bad + this.#file.skipped
    if (bad === 0) return []
    return [{ code: 'malformed_line', count: bad, message: 'lines that are not JSON, or too long, were passed over' }]
  }

  get view(): View {
    this.#view ??= this.#grammar.view(this.#natives)
    return this.#view
  }

  async refresh(): Promise<boolean> {
    const read = await this.#file.read()
    if (!read) return this.#gone()
    const grammar = read.fresh ? this.grammar() : this.#grammar
    const natives = await understood(read.lines, grammar)
    if (read.fresh) this.#clear(grammar)
    for (const native of natives) this.#add(native)
    this.#bad += read.lines.length - natives.length
    if (!read.fresh && read.lines.length === 0) return false
    this.#trim()
    this.#view = undefined
    return true
  }

  close(): void {
    this.#clear()
  }

  #add(native: Native): void {
    this.#natives.push(native)
    this.#bytes += native.size
  }

  #gone(): boolean {
    if (this.#natives.length === 0) return false
    this.#clear()
    return true
  }

  #clear(grammar = this.grammar()): void {
    if (this.#natives.length > 0) this.#generation++
    this.#natives = []
    this.#grammar = grammar
    this.#bytes = 0
    this.#bad = 0
    this.#trimmed = false
    this.#view = undefined
  }

  /** Lets go of the oldest entries, somewhat more than need be, so that it seldom happens. */
  #trim(): void {
    if (this.#bytes <= this.bounds.keep * 1.25) return
    let count = 0
    while (this.#bytes > this.bounds.keep && count < this.#natives.length - 1) {
      this.#bytes -= this.#natives[count]?.size ?? 0
      count++
    }
    this.#natives.splice(0, count)
    this.#trimmed = count > 0 || this.#trimmed
  }
}
