import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { EventLog } from '../../core/events/log.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Statement } from '../../core/statement.ts'
import type { Store } from '../../core/store.ts'

/** What of a queued bead or comment is indexed; `body` is null when it is not there any more. */
interface Words {
  readonly n: number
  readonly title: string
  readonly body: string | null
  readonly labels: string
}

export interface WordIndexOptions {
  store: Store
  log: EventLog
  deadlines: Deadlines
  report(error: unknown): void
}

/** How long new words wait, so that several writes are indexed together. */
const DELAY_MS = 1000
/** How long one slice may hold the loop. */
const MAX_SLICE_MS = 1
/** How many entries one slice indexes: the commit has to merge them with what is there. */
const MAX_SLICE = 100

/** Events after which there may be words to index. */
const INDEXED_EVENTS = new Set(['bead.created', 'bead.updated', 'bead.commented'])

/**
 * Indexes the words of beads and comments. Every write that adds words queues them in its own transaction, so that none
 * is left out; a second later, or when somebody searches, they are indexed together.
 */
export class WordIndex {
  readonly #queued: Statement<Words, [number]>
  readonly #queueLength: Statement<{ n: number }, []>
  readonly #add: Statement<unknown, [number, string, string, string]>
  readonly #dequeue: Statement<unknown, [number, number]>
  #next: Deadline | undefined
  #running: Promise<void> | undefined
  #unsubscribe = () => {}
  #isStopped = false

  constructor(private readonly options: WordIndexOptions) {
    const { store } = options
    this.#queued = store.prepare(
      stablePlan(`SELECT bead_unworded.n, coalesce(b.title, '') AS title, coalesce(b.description, c.text) AS body,
         coalesce(b.labels, '') AS labels
       FROM bead_unworded
       LEFT JOIN beads b ON b.n = iif(bead_unworded.n % 1024 = 0, bead_unworded.n / 1024, NULL)
       LEFT JOIN bead_comments c ON c.n = bead_unworded.n
       ORDER BY bead_unworded.n LIMIT ?`),
    )
    this.#queueLength = store.prepare('SELECT count(*) AS n FROM bead_unworded')
    // As values: an INSERT of what it selects would write every entry to the index by itself.
    this.#add = store.prepare('INSERT INTO bead_search (rowid, title, body, labels) VALUES (?, ?, ?, ?)')
    this.#dequeue = store.prepare('DELETE FROM bead_unworded WHERE n BETWEEN ? AND ?')
  }

  /** Indexes what is queued, and what is written from now on. */
  start(): void {
    this.#unsubscribe = this.options.log.subscribe(({ type }) => {
      if (INDEXED_EVENTS.has(type)) this.#arm()
    })
    this.#arm()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#unsubscribe()
    this.#next?.cancel()
    await this.#running?.catch(() => {})
  }

  /** Resolves once everything that is written now can be found. */
  async settle(): Promise<void> {
    await this.#running
    if (this.#queued.get(1)) await this.#run()
  }

  #arm(): void {
    if (this.#next || this.#isStopped) return
    this.#next = this.options.deadlines.after(DELAY_MS, () => {
      this.#next = undefined
      this.#run().catch(this.options.report)
    })
  }

  #run(): Promise<void> {
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Indexes as many entries as are queued now; what is queued meanwhile is indexed by the next run. */
  async #runOnce(): Promise<void> {
    for (let left = this.#queueLength.get()?.n ?? 0; left > 0 && !this.#isStopped; ) {
      const added = await this.options.store.write(() => this.#slice())
      if (added === 0) return
      left -= added
    }
  }

  #slice(): number {
    const started = performance.now()
    const numbers: number[] = []
    for (const { n, title, body, labels } of this.#queued.iterate(MAX_SLICE)) {
      if (numbers.length > 0 && performance.now() - started > MAX_SLICE_MS) break
      if (body !== null) this.#add.run(n, title, body, labels)
      numbers.push(n)
    }
    this.#dequeue.run(numbers.at(0) ?? 0, numbers.at(-1) ?? 0)
    return numbers.length
  }
}
