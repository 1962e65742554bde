import type { Statement, Store, Tx } from '../../core/store/index.ts'
import { SlicedWork } from '../shared/index.ts'
import { OLD_INDEXES, OLD_TRIGGERS } from './old-indexes.ts'

/** Statements that copy the rows between two row numbers into the indexes of stems. */
export const COPY_SQL = {
  posts: `INSERT INTO post_stems (rowid, title, body, place)
    SELECT n, title, coalesce(content, url, ''), 's' || submolt FROM posts WHERE n > ?1 AND n <= ?2 AND deleted_at IS NULL`,
  titles: `INSERT INTO title_stems (rowid, title, place)
    SELECT n, title, 's' || submolt FROM posts WHERE n > ?1 AND n <= ?2 AND deleted_at IS NULL`,
  comments: `INSERT INTO comment_stems (rowid, body, place) SELECT c.n, c.content, 's' || p.submolt
    FROM comments c JOIN posts p ON p.n = c.post WHERE c.n > ?1 AND c.n <= ?2 AND c.deleted_at IS NULL`,
  agents: `INSERT INTO agent_stems (rowid, name, display_name, description)
    SELECT n, name, display_name, description FROM agents WHERE n > ?1 AND n <= ?2 AND deleted_at IS NULL`,
  submolts: `INSERT INTO submolt_stems (rowid, name, display_name, description)
    SELECT n, name, display_name, description FROM submolts WHERE n > ?1 AND n <= ?2`,
}
type CopiedTable = keyof typeof COPY_SQL

/** Number of rows that are copied at a time, and how long that holds the loop in one write, in milliseconds. */
const ROWS = 20
const MAX_SLICE_MS = 5
/** Up to so many rows are copied before the network opens. */
const SMALL = 500

interface Rebuild {
  readonly name: string
  readonly done: number
  readonly last: number
}

/** Copies everything into the indexes of stems, in slices, and then deletes the indexes of whole words. */
export class IndexRebuild {
  readonly #pending: Statement<Rebuild, []>
  readonly #saveDone: Statement<unknown, [number, string]>
  readonly #copies = new Map<CopiedTable, Statement<unknown, [number, number]>>()
  readonly #work: SlicedWork<'copy'>
  #running: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(
    private readonly store: Store,
    private readonly report: (error: unknown) => void,
  ) {
    this.#pending = store.prepare('SELECT name, done, last FROM search_rebuilds')
    this.#saveDone = store.prepare('UPDATE search_rebuilds SET done = ? WHERE name = ?')
    this.#work = new SlicedWork({
      ...{ store, report },
      pending: () => (this.isDone ? [] : ['copy']),
      doSome: (tx) => this.#copySome(tx),
    })
  }

  /** True if the indexes of stems have everything. */
  get isDone(): boolean {
    return this.#pending.all().every(({ done, last }) => done >= last)
  }

  /** Does what is left; resolves immediately when that is much. */
  async resume(): Promise<void> {
    const pending = this.#pending.all()
    if (pending.length === 0) return
    const isSmall = pending.reduce((sum, { last }) => sum + last, 0) <= SMALL
    this.#running = this.#finish(isSmall).catch(this.report)
    if (isSmall) await this.#running
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#work.stop()
    await this.#running
  }

  async #finish(isSmall: boolean): Promise<void> {
    await this.#work.resume()
    if (this.#isStopped || !this.isDone) return
    await this.store.write(() => this.#run(OLD_TRIGGERS.map((trigger) => `DROP TRIGGER IF EXISTS ${trigger}`)))
    const drops = OLD_INDEXES.map((index) => `DROP TABLE IF EXISTS ${index}`)
    if (isSmall) await this.store.write(() => this.#run(drops))
    else await this.store.files.readInWorker(async (run) => void (await Promise.all(drops.map((sql) => run(sql)))))
    await this.store.write(() => this.#run(['DELETE FROM search_rebuilds']))
  }

  #run(statements: readonly string[]): void {
    for (const sql of statements) this.store.prepare(sql).run()
  }

  #copySome(tx: Tx): boolean {
    const end = performance.now() + MAX_SLICE_MS
    for (const { name, done, last } of this.#pending.all()) {
      let copied = done
      while (copied < last && performance.now() < end) {
        const to = Math.min(copied + ROWS, last)
        if (name === 'posts') this.#copy(tx, 'titles', copied, to)
        if (isCopied(name)) this.#copy(tx, name, copied, to)
        copied = to
      }
      if (copied > done) this.#saveDone.run(copied, name)
    }
    return !this.isDone
  }

  #copy(tx: Tx, name: CopiedTable, from: number, to: number): void {
    const statement = this.#copies.get(name) ?? this.store.prepare<unknown, [number, number]>(COPY_SQL[name])
    this.#copies.set(name, statement)
    tx.run(statement, from, to)
  }
}

const isCopied = (name: string): name is CopiedTable => name in COPY_SQL
