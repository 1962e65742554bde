import { type Command, command, query, type Tx } from '../../core/store/index.ts'
import { type NetworkContext, SlicedWork } from '../shared/index.ts'
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

const PENDING = query<Rebuild>('SELECT name, done, last FROM search_rebuilds')

const SAVE_DONE = command<[number, string]>('UPDATE search_rebuilds SET done = ? WHERE name = ?')

const FORGET = command('DELETE FROM search_rebuilds')

const COPIES: Readonly<Record<CopiedTable, Command<[number, number]>>> = {
  ...{ posts: command(COPY_SQL.posts), titles: command(COPY_SQL.titles), comments: command(COPY_SQL.comments) },
  ...{ agents: command(COPY_SQL.agents), submolts: command(COPY_SQL.submolts) },
}

const DROP_TRIGGERS = OLD_TRIGGERS.map((trigger) => command(`DROP TRIGGER IF EXISTS ${trigger}`))

const DROP_INDEXES = OLD_INDEXES.map((index) => command(`DROP TABLE IF EXISTS ${index}`))

/** Copies everything into the indexes of stems, in slices, and then deletes the indexes of whole words. */
export class IndexRebuild {
  readonly #work: SlicedWork<'copy'>
  #running: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(private readonly ctx: NetworkContext) {
    const { store, report } = ctx
    this.#work = new SlicedWork({
      ...{ store, report },
      pending: () => (this.isDone ? [] : ['copy']),
      doSome: (tx) => this.#copySome(tx),
    })
  }

  /** True if the indexes of stems have everything. */
  get isDone(): boolean {
    return this.ctx.store.all(PENDING).every(({ done, last }) => done >= last)
  }

  /** Does what is left; resolves immediately when that is much. */
  async resume(): Promise<void> {
    const pending = this.ctx.store.all(PENDING)
    if (pending.length === 0) return
    const isSmall = pending.reduce((sum, { last }) => sum + last, 0) <= SMALL
    this.#running = this.#finish(isSmall).catch(this.ctx.report)
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
    await this.ctx.store.write((tx) => runAll(tx, DROP_TRIGGERS))
    const drops = DROP_INDEXES.map(({ sql }) => sql)
    if (isSmall) await this.ctx.store.write((tx) => runAll(tx, DROP_INDEXES))
    else await this.ctx.store.files.readInWorker(async (run) => void (await Promise.all(drops.map((sql) => run(sql)))))
    await this.ctx.store.write((tx) => void tx.run(FORGET))
  }

  #copySome(tx: Tx): boolean {
    const end = performance.now() + MAX_SLICE_MS
    for (const { name, done, last } of this.ctx.store.all(PENDING)) {
      let copied = done
      while (copied < last && performance.now() < end) {
        const to = Math.min(copied + ROWS, last)
        if (name === 'posts') tx.run(COPIES.titles, copied, to)
        if (isCopied(name)) tx.run(COPIES[name], copied, to)
        copied = to
      }
      if (copied > done) tx.run(SAVE_DONE, copied, name)
    }
    return !this.isDone
  }
}

function runAll(tx: Tx, commands: readonly Command[]): void {
  for (const each of commands) tx.run(each)
}

const isCopied = (name: string): name is CopiedTable => name in COPY_SQL
