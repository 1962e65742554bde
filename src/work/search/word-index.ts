import type { Statement } from 'bun:sqlite'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { EventLog } from '../../core/events/log.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'

export interface WordIndexNeeds {
  store: Store
  log: EventLog
  deadlines: Deadlines
  report(error: unknown): void
}

/** How long new words wait for others to go with. */
const GATHER_MS = 1000
/** What one stretch may take from the loop. */
const SLICE_MS = 1
/** Texts looked up for one stretch. */
const SLICE = 200

/** Events after which there may be words to put into the index. */
const TELLING = new Set(['bead.created', 'bead.updated', 'bead.commented'])

/**
 * Puts the words of beads and comments into the index. Which ones are yet to be put there is written down with them, so
 * none is lost; a moment later, or when somebody searches, they go in together.
 */
export class WordIndex {
  readonly #due: Statement<{ n: number }, [number]>
  readonly #count: Statement<{ n: number }, []>
  readonly #addBead: Statement<unknown, [number]>
  readonly #addComment: Statement<unknown, [number]>
  readonly #done: Statement<unknown, [number]>
  #next: Deadline | undefined
  #running: Promise<void> | undefined
  #stopListening = () => {}
  #stopped = false

  constructor(private readonly needs: WordIndexNeeds) {
    const { store } = needs
    this.#due = store.prepare(stablePlan('SELECT n FROM bead_unworded ORDER BY n LIMIT ?'))
    this.#count = store.prepare('SELECT count(*) AS n FROM bead_unworded')
    this.#addBead = store.prepare(
      `INSERT INTO bead_search (rowid, title, body, labels)
       SELECT n * 1024, title, description, labels FROM beads WHERE n = ? / 1024`,
    )
    this.#addComment = store.prepare(
      "INSERT INTO bead_search (rowid, title, body, labels) SELECT n, '', text, '' FROM bead_comments WHERE n = ?",
    )
    this.#done = store.prepare('DELETE FROM bead_unworded WHERE n = ?')
  }

  /** Goes on where the last run stopped, and follows what is written from now on. */
  start(): void {
    this.#stopListening = this.needs.log.subscribe(({ type }) => {
      if (TELLING.has(type)) this.#arm()
    })
    this.#arm()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#stopListening()
    this.#next?.cancel()
    await this.#running?.catch(() => {})
  }

  /** Resolves once all that is written now can be found. */
  async settle(): Promise<void> {
    await this.#running
    if (this.#due.get(1)) await this.#run()
  }

  #arm(): void {
    if (this.#next || this.#stopped) return
    this.#next = this.needs.deadlines.after(GATHER_MS, () => {
      this.#next = undefined
      this.#run().catch(this.needs.report)
    })
  }

  #run(): Promise<void> {
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** As many as wait now; what comes meanwhile has its own turn. */
  async #runOnce(): Promise<void> {
    for (let left = this.#count.get()?.n ?? 0; left > 0 && !this.#stopped; ) {
      const added = await this.needs.store.write(() => this.#slice())
      if (added === 0) return
      left -= added
    }
  }

  #slice(): number {
    const started = performance.now()
    let added = 0
    for (const { n } of this.#due.all(SLICE)) {
      if (added > 0 && performance.now() - started > SLICE_MS) break
      if (n % 1024 === 0) this.#addBead.run(n)
      else this.#addComment.run(n)
      this.#done.run(n)
      added++
    }
    return added
  }
}
