import { redactTokens } from '../../../http/credentials.ts'
import { isObject, items, type Json, object, parsed } from '../entries/json.ts'
import type { LogReader, Native, Trouble, View } from '../entries/log-reader.ts'
import { atOnce, inSlices } from '../entries/slices.ts'
import { openFile } from './files.ts'
import { digest, type Grammar } from './jsonl-log.ts'

/** A longer document is not read. */
const LONGEST = 32 * 1024 * 1024

/** A log that is one JSON document, written anew whenever something is added. */
export class JsonLog implements LogReader {
  #identity = ''
  #seen = ''
  #natives: Native[] = []
  #view: View
  #trouble: Trouble | undefined
  #generation = 0

  constructor(
    readonly path: string,
    private readonly grammar: Grammar,
  ) {
    this.#view = atOnce(grammar.view([]))
  }

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
    return this.#view
  }

  async refresh(): Promise<boolean> {
    const file = await openFile(this.path)
    try {
      const now = await file?.stat()
      const seen = now ? `${now.ino}:${now.size}:${now.mtimeMs}` : ''
      if (seen === this.#seen) return false
      const large = now !== undefined && now.size > LONGEST
      const document = file && !large ? parsed(redactTokens(await file.readFile('utf8'))) : {}
      if (!isObject(document)) return false
      this.#seen = seen
      this.#trouble = large ? tooLarge(now.size) : undefined
      this.#identity = String(document.sessionId ?? object(document.info).id ?? '')
      await this.#set(nativesOf(document))
      return true
    } finally {
      await file?.close()
    }
  }

  close(): void {
    this.#natives = []
    this.#view = atOnce(this.grammar.view([]))
  }

  async #set(natives: Native[]): Promise<void> {
    this.#view = await inSlices(this.grammar.view(natives))
    if (natives.length < this.#natives.length) this.#generation++
    this.#natives = natives
  }
}

const tooLarge = (size: number): Trouble => ({
  ...{ code: 'log_too_large', count: 1, message: `the log has ${size} bytes and is not read` },
})

/** The document's own fields, then its messages. */
function nativesOf(document: Json): Native[] {
  const { messages, ...head } = document
  const all = 'sessionId' in head ? [head, ...items(messages)] : items(messages)
  return all.flatMap((value, offset) => (isObject(value) ? [{ offset, size: 0, value }] : []))
}
