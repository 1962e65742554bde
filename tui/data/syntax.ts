import type { SyntaxRange } from '../../client/views/index.ts'

/** Texts of one language, whose syntax is asked for. */
export interface SyntaxJob {
  readonly id: number
  readonly language: string
  readonly texts: readonly string[]
}

/** What stands on each line of each text; undefined for an unknown language. */
export interface SyntaxResult {
  readonly id: number
  readonly lines: SyntaxLines | undefined
}

export type SyntaxLines = readonly (readonly (readonly SyntaxRange[])[])[]

const MAX_ANSWERS = 32
/** A thread that takes longer than this is stopped. */
const TIME_LIMIT_MS = 2_000

/** The worker program, from the root of the source: in a bundle it is found there, otherwise beside this module. */
const PROGRAM = 'tui/data/syntax.worker.ts'
const workerUrl = (): URL => {
  const isBundled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN')
  return new URL(isBundled ? `./${PROGRAM}` : './syntax.worker.ts', import.meta.url)
}

/** Finds the syntax of code in a thread of its own, which is started when it is first asked. */
export class Syntax implements Disposable {
  #worker: Worker | undefined
  #lastId = 0
  readonly #answers = new Map<string, Promise<SyntaxLines | undefined>>()
  readonly #waiting = new Map<number, (lines: SyntaxLines | undefined) => void>()

  /** What stands on each line of these texts; undefined where that is not known, or takes too long. The last answers are kept. */
  readonly read = (language: string, texts: readonly string[]): Promise<SyntaxLines | undefined> => {
    const name = JSON.stringify([language, texts])
    const answer = this.#answers.get(name) ?? this.#ask(language, texts)
    this.#answers.delete(name)
    this.#answers.set(name, answer)
    const [oldest] = this.#answers.keys()
    if (this.#answers.size > MAX_ANSWERS && oldest !== undefined) this.#answers.delete(oldest)
    return answer
  };

  [Symbol.dispose](): void {
    this.#stop()
  }

  #ask(language: string, texts: readonly string[]): Promise<SyntaxLines | undefined> {
    const { promise, resolve } = Promise.withResolvers<SyntaxLines | undefined>()
    const id = ++this.#lastId
    const timer = setTimeout(() => this.#stop(), TIME_LIMIT_MS)
    this.#waiting.set(id, (lines) => {
      clearTimeout(timer)
      resolve(lines)
    })
    this.#start().postMessage({ id, language, texts } satisfies SyntaxJob)
    return promise
  }

  #start(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(workerUrl(), { smol: true })
    worker.onmessage = ({ data: { id, lines } }: MessageEvent<SyntaxResult>) => {
      this.#waiting.get(id)?.(lines)
      this.#waiting.delete(id)
    }
    worker.onerror = (event) => {
      event.preventDefault()
      this.#stop()
    }
    worker.unref()
    this.#worker = worker
    return worker
  }

  /** Leaves what is waited for without syntax; the next one starts another thread. */
  #stop(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    for (const answer of this.#waiting.values()) answer(undefined)
    this.#waiting.clear()
  }
}
