import { readFile, stat } from 'node:fs/promises'
import { redact } from '../../core/redact.ts'
import type { LogReader, Native, Trouble, View } from './entry.ts'
import { isObject, items, type Json, object, parsed } from './json.ts'
import { digest, type Grammar } from './jsonl-log.ts'

/** A longer document is not read. */
const LONGEST = 32 * 1024 * 1024

/** A log that is one JSON document, written anew whenever something is added. */
export class JsonLog implements LogReader {
  #identity = ''
  #seen = ''
  #natives: Native[] = []
  #view: View | undefined
  #trouble: Trouble | undefined
  #generation = 0

  constructor(
    readonly path: string,
    private readonly grammar: Grammar,
  ) {}

  readonly truncated = false

  get stream(): string {
    return digest(`${this.path}:${this.#identity}`)
  }

  get generation(): number {
    return this.#generation
  }

  get files(): readonly string[] {
    return [this.path]
  }

  get troubles(): readonly Trouble[] {
    return this.#trouble ? [this.#trouble] : []
  }

  get view(): View {
    this.#view ??= this.grammar.view(this.#natives)
    return this.#view
  }

  async refresh(): Promise<boolean> {
    const now = await stat(this.path).catch(() => undefined)
    const seen = now ? `${now.ino}:${now.size}:${now.mtimeMs}` : ''
    if (seen === this.#seen) return false
    if (!now) {
      this.#seen = seen
      return this.#set([])
    }
    if (now.size > LONGEST) {
      this.#seen = seen
      this.#trouble = { code: 'log_too_large', count: 1, message: `the log has ${now.size} bytes and is not read` }
      return this.#set([])
    }
    const document = parsed(redact(await readFile(this.path, 'utf8').catch(() => '')))
    if (!isObject(document)) return false
    this.#seen = seen
    this.#trouble = undefined
    this.#identity = String(document.sessionId ?? object(document.info).id ?? '')
    return this.#set(nativesOf(document))
  }

  close(): void {
    this.#natives = []
    this.#view = undefined
  }

  #set(natives: Native[]): boolean {
    if (natives.length < this.#natives.length) this.#generation++
    this.#natives = natives
    this.#view = undefined
    return true
  }
}

/** The document's own fields, then its messages. */
function nativesOf(document: Json): Native[] {
  const { messages, ...head } = document
  const all = 'sessionId' in head ? [head, ...items(messages)] : items(messages)
  return all.flatMap((value, offset) => (isObject(value) ? [{ offset, size: 0, value }] : []))
}
