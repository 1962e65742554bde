import { createHash } from 'node:crypto'
import { redactTokens } from '../../../http/credentials.ts'
import { isObject, parsed } from '../entries/json.ts'
import type { LogReader, Native, Since, Trouble, View } from '../entries/log-reader.ts'
import { atOnce, inSlices, type Steps } from '../entries/slices.ts'
import { type Line, type LineBounds, LineFile } from './line-reader.ts'

/** Turns pieces of a log into entries. */
export interface Grammar {
  view(natives: readonly Native[]): Steps<View>
}

/** How much of a log is kept in memory. */
export interface Bounds extends LineBounds {
  /** Beyond so many bytes the oldest entries are let go. */
  readonly keep: number
}

export const digest = (said: string): string => createHash('sha256').update(said).digest('hex').slice(0, 16)

/** What is kept of a log. */
interface Kept {
  readonly grammar: Grammar
  readonly natives: readonly Native[]
  /** The file that it is of. */
  readonly identity: string
  /** Whether older entries were let go. */
  readonly trimmed: boolean
  /** Lines that are no JSON objects. */
  readonly bad: number
}

/** A log of one JSON object a line, which grows at its end. */
export class JsonlLog implements LogReader {
  readonly #file: LineFile
  #kept: Kept
  #view: View
  #generation = 0
  #more = false

  constructor(
    readonly path: string,
    private readonly grammar: () => Grammar,
    private readonly bounds: Bounds,
  ) {
    this.#file = new LineFile(path, bounds)
    this.#kept = this.#nothing()
    this.#view = atOnce(this.#kept.grammar.view([]))
  }

  get stream(): string {
    return digest(`${this.path}:${this.#kept.identity}`)
  }

  get generation(): number {
    return this.#generation
  }

  get truncated(): boolean {
    return this.#kept.trimmed || this.#file.truncated
  }

  get more(): boolean {
    return this.#more
  }

  /** Everything before it was in a view. */
  get place(): Since | undefined {
    const { natives, identity } = trimmed(this.#kept, this.bounds.keep)
    return natives[0] && { file: identity, offset: natives[0].offset }
  }

  get files(): readonly string[] {
    return [this.path]
  }

  get troubles(): readonly Trouble[] {
    const bad = this.#kept.bad + this.#file.skipped
    if (bad === 0) return []
    return [{ code: 'malformed_line', count: bad, message: 'lines that are not JSON, or too long, were passed over' }]
  }

  /** Everything that was new at the last reading, and as much of what was before it as is kept. */
  get view(): View {
    return this.#view
  }

  /** Reads a window of what is new; nobody sees any of it before all of it is understood. */
  async refresh(): Promise<boolean> {
    const added: Native[] = []
    let lines = 0
    const read = await this.#file.read((found) => {
      lines += found.length
      for (const line of found) added.push(...understood(line))
    })
    const before = this.#kept
    const fresh = read === undefined || read.fresh
    const kept = fresh ? this.#nothing() : trimmed(before, this.bounds.keep)
    const differs = lines > 0 || (fresh && before.natives.length > 0)
    if (differs || kept !== before) {
      const bad = kept.bad + lines - added.length
      const next = { ...kept, natives: [...kept.natives, ...added], bad }
      this.#view = await inSlices(next.grammar.view(next.natives))
      this.#kept = next
      if (fresh && before.natives.length > 0) this.#generation++
    }
    this.#more = read?.more ?? false
    return differs || this.#more
  }

  close(): void {
    this.#kept = this.#nothing()
    this.#view = atOnce(this.#kept.grammar.view([]))
  }

  #nothing(): Kept {
    return { grammar: this.grammar(), natives: [], identity: this.#file.identity, trimmed: false, bad: 0 }
  }
}

/** A line as a piece of a log; none when it is no JSON object. */
function understood({ offset, size, text }: Line): Native[] {
  const value = parsed(redactTokens(text))
  return isObject(value) ? [{ offset, size, value }] : []
}

/** Lets go of the oldest entries, somewhat more than need be, so that it seldom happens. */
function trimmed(kept: Kept, keep: number): Kept {
  const { natives } = kept
  let bytes = natives.reduce((sum, { size }) => sum + size, 0)
  if (bytes <= keep * 1.25) return kept
  let count = 0
  while (bytes > keep && count < natives.length - 1) bytes -= natives[count++]?.size ?? 0
  return count === 0 ? kept : { ...kept, natives: natives.slice(count), trimmed: true }
}
