import type { Deadline, Deadlines } from './deadlines.ts'

/** Milliseconds that a thread stays without a job. */
const IDLE_TIME = 30_000
/** Milliseconds that a thread may take to end. */
const CLOSE_TIME = 1000
const MAX_WAITING = 256

interface JobWorkerOptions<Result> {
  readonly deadlines: Deadlines
  /** Maximum time one job may take, in milliseconds. */
  readonly limit: number
  start(): Worker
  /** True if the thread ends after this result, which frees its heap. */
  isSpent?(result: Result): boolean
}

interface PendingJob<Job, Result> {
  readonly job: Job
  resolve(result: Result | undefined): void
}

/**
 * Runs jobs in a thread of its own, one after the other. A job that takes too long, or that breaks the thread, has no result.
 * The thread starts with the first job and ends when there was none for a while.
 */
export class JobWorker<Job, Result> {
  readonly #waiting: PendingJob<Job, Result>[] = []
  #current: PendingJob<Job, Result> | undefined
  #worker: Worker | undefined
  #deadline: Deadline | undefined
  #stopped = false

  constructor(private readonly options: JobWorkerOptions<Result>) {}

  /** The result of a job; undefined when it has none, or when too many wait already. */
  run(job: Job): Promise<Result | undefined> {
    if (this.#stopped || this.#waiting.length >= MAX_WAITING) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<Result | undefined>()
    this.#waiting.push({ job, resolve })
    if (!this.#current) this.#next()
    return promise
  }

  stop(): void {
    this.#stopped = true
    const jobs = [...(this.#current ? [this.#current] : []), ...this.#waiting.splice(0)]
    this.#current = undefined
    this.#end()
    for (const { resolve } of jobs) resolve(undefined)
  }

  #next(): void {
    this.#deadline?.cancel()
    this.#current = this.#waiting.shift()
    if (this.#current) {
      this.#deadline = this.options.deadlines.after(this.options.limit, () => this.#giveUp())
      this.#start().postMessage(this.#current.job)
    } else {
      this.#deadline = this.options.deadlines.after(IDLE_TIME, () => this.#end())
      this.#worker?.unref()
    }
  }

  #finish(result: Result | undefined): void {
    this.#current?.resolve(result)
    this.#next()
  }

  /** Ends a thread and hands out its last result once the thread's memory is free, or after `CLOSE_TIME`. */
  #finishSpent(worker: Worker, result: Result): void {
    const job = this.#current
    const finish = () => {
      if (job === this.#current) this.#finish(result)
    }
    worker.addEventListener('close', finish, { once: true })
    this.#end()
    this.#deadline = this.options.deadlines.after(CLOSE_TIME, finish)
  }

  /** Ends the thread, which cannot be told to stop otherwise. */
  #giveUp(): void {
    this.#end()
    this.#finish(undefined)
  }

  #start(): Worker {
    if (this.#worker) {
      this.#worker.ref()
      return this.#worker
    }
    const worker = this.options.start()
    worker.onmessage = ({ data }: MessageEvent<Result>) => {
      if (worker !== this.#worker) return
      if (this.options.isSpent?.(data)) this.#finishSpent(worker, data)
      else this.#finish(data)
    }
    worker.onerror = () => {
      if (worker === this.#worker) this.#giveUp()
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
