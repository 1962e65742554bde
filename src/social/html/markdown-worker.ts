import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { Markup } from '../../http/html.ts'
import { asWritten } from './markdown.ts'

/** Maximum time rendering one text may take, in milliseconds. */
const TIME_LIMIT = 1_000
/** Time the worker stays without work, in milliseconds. */
const IDLE_TIME = 30_000
/** Number of texts that wait for it, and how many of them for one visitor. */
const MAX_WAITING = 512
const MAX_WAITING_PER_VISITOR = 64

/** The worker program, from the root of the source: in a bundle it is found there, otherwise beside this module. */
const PROGRAM = 'src/social/html/markdown.worker.ts'
const workerUrl = (): URL => {
  const bundled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN')
  return new URL(bundled ? `./${PROGRAM}` : './markdown.worker.ts', import.meta.url)
}

interface Job {
  readonly source: string
  resolve(rendered: Markup): void
}

interface MarkdownWorkerOptions {
  readonly deadlines: Deadlines
  report(error: unknown): void
}

/**
 * Renders Markdown in a thread of its own, one text at a time and one visitor after the other. A text that takes too long
 * is shown as it was written. The thread starts with the first text and ends when there was none for a while.
 */
export class MarkdownWorker {
  readonly #waiting = new Map<string, Job[]>()
  #waitingCount = 0
  #worker: Worker | undefined
  #job: Job | undefined
  #deadline: Deadline | undefined
  #stopped = false

  constructor(private readonly options: MarkdownWorkerOptions) {}

  /** Renders a text for a visitor; undefined when too many texts wait already, or it has stopped. */
  render(source: string, visitor: string): Promise<Markup> | undefined {
    const jobs = this.#waiting.get(visitor) ?? []
    if (this.#stopped || this.#waitingCount >= MAX_WAITING || jobs.length >= MAX_WAITING_PER_VISITOR) return undefined
    const { promise, resolve } = Promise.withResolvers<Markup>()
    jobs.push({ source, resolve })
    this.#waiting.set(visitor, jobs)
    this.#waitingCount += 1
    if (!this.#job) this.#next()
    return promise
  }

  /** Ends the thread; what waits is shown as it was written. */
  stop(): void {
    this.#stopped = true
    const jobs = [...(this.#job ? [this.#job] : []), ...[...this.#waiting.values()].flat()]
    this.#waiting.clear()
    this.#waitingCount = 0
    this.#job = undefined
    this.#end()
    for (const { source, resolve } of jobs) resolve(asWritten(source))
  }

  #next(): void {
    this.#deadline?.cancel()
    this.#job = this.#take()
    if (this.#job) {
      this.#deadline = this.options.deadlines.after(TIME_LIMIT, () => this.#giveUp())
      this.#start().postMessage(this.#job.source)
    } else {
      this.#deadline = this.options.deadlines.after(IDLE_TIME, () => this.#end())
      this.#worker?.unref()
    }
  }

  /** The next text of the visitor who has waited longest for a turn. */
  #take(): Job | undefined {
    for (const [visitor, jobs] of this.#waiting) {
      const job = jobs.shift()
      this.#waiting.delete(visitor)
      if (jobs.length > 0) this.#waiting.set(visitor, jobs)
      if (job) this.#waitingCount -= 1
      return job
    }
    return undefined
  }

  #finish(rendered: Markup): void {
    this.#job?.resolve(rendered)
    this.#next()
  }

  /** Ends the thread, which cannot be told to stop otherwise. */
  #giveUp(): void {
    this.#end()
    this.#finish(asWritten(this.#job?.source ?? ''))
  }

  #start(): Worker {
    if (this.#worker) {
      this.#worker.ref()
      return this.#worker
    }
    const worker = new Worker(workerUrl())
    worker.onmessage = ({ data }: MessageEvent<string>) => {
      if (worker === this.#worker) this.#finish(new Markup(data))
    }
    worker.onerror = ({ message }) => {
      if (worker !== this.#worker) return
      this.options.report(new Error(`Markdown was not rendered: ${message}`))
      this.#giveUp()
    }
    this.#worker = worker
    return worker
  }

  #end(): void {
    this.#deadline?.cancel()
    this.#worker?.terminate()
    this.#worker = undefined
  }
}
