import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { command, query, stablePlan, type Tx } from '../../core/store/index.ts'
import { matchAllTerms, matchTermPrefixes, parseSearchTerms } from '../../core/text/index.ts'
import { cursorAfterKey, fillPage, inBatches, parseKeyCursor } from '../../http/respond/index.ts'
import { pageSize } from '../../http/schema.ts'
import type { BeadRepository } from '../beads/index.ts'
import type { BeadSearch, BeadsFound } from './schema.ts'

/** Maximum matches that one request examines, so that a frequent word costs no more than a rare one. */
const MAX_MATCHES = 2_000

/** Number of beads of a page that are read together. */
const BATCH = 32

type Selection = [string, string | null, string | null, string | null, number]

const MATCHES = query<{ n: number }, [string, number, number]>(
  stablePlan(
    'SELECT rowid / 1024 AS n FROM bead_search WHERE bead_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
  ),
)

const SELECT = query<{ n: number; id: string }, Selection>(
  stablePlan(`SELECT n, id FROM beads WHERE n IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR status = ?2)
       AND (?3 IS NULL OR type = ?3) AND (?4 IS NULL OR rig = ?4) ORDER BY n DESC LIMIT ?5`),
)

/** Finds beads by their words and by those of the comments on them. */
export class Search {
  /** Runs beside the city, so that what is written can be found. */
  readonly words: WordIndex

  constructor(
    private readonly context: CityContext,
    /** The name of the city. */
    private readonly city: string,
    private readonly beads: BeadRepository,
  ) {
    this.words = new WordIndex(context)
  }

  /** A page, the bead that was stored last first. */
  async find({ q = '', prefixes = false, status, type, rig, cursor, limit }: BeadSearch): Promise<BeadsFound> {
    const [below] = parseKeyCursor(cursor, 'beads-found', 1) ?? [Number.MAX_SAFE_INTEGER / 1024]
    const words = parseSearchTerms(q)
    if (words.length === 0) return { items: [] }
    await this.words.settle()
    const wanted = prefixes ? matchTermPrefixes(words) : matchAllTerms(words)
    const size = pageSize(limit)
    const matches = this.context.store.all(MATCHES, wanted, Math.floor((below ?? 0) * 1024), MAX_MATCHES)
    const numbers = [...new Set(matches.map(({ n }) => n))]
    const rigName = rig === this.city ? '' : rig || null
    const selected = this.context.store.all(
      SELECT,
      JSON.stringify(numbers),
      status || null,
      type || null,
      rigName,
      size + 1,
    )
    const rows = inBatches(selected, BATCH, (batch) => this.#withBeads(batch))
    const page = fillPage(rows, size, ({ bead }) => bead)
    const last = page.last?.n ?? (matches.length === MAX_MATCHES ? numbers.at(-1) : undefined)
    return {
      items: page.items,
      ...(last !== undefined && { next_cursor: cursorAfterKey('beads-found', [last]) }),
    }
  }

  #withBeads(rows: readonly { n: number; id: string }[]) {
    const beads = new Map(this.beads.list(rows.map(({ id }) => id)).map((bead) => [bead.id, bead]))
    return rows.flatMap(({ n, id }) => {
      const bead = beads.get(id)
      return bead ? [{ n, bead }] : []
    })
  }
}

/** Indexed words of a queued bead or comment; `body` is null if it no longer exists. */
interface Words {
  readonly n: number
  readonly title: string
  readonly body: string | null
  readonly labels: string
}

/** Time new words wait, so that several writes are indexed together. */
const DELAY_MS = 1000
/** Maximum time one slice may hold the loop. */
const MAX_SLICE_MS = 1
/** Maximum entries indexed by one slice: the commit merges them with existing ones. */
const MAX_SLICE = 100

/** Events after which there may be words to index. */
const INDEXED_EVENTS = new Set(['bead.created', 'bead.updated', 'bead.commented'])

const QUEUED = query<Words, [number]>(
  stablePlan(`SELECT bead_unworded.n, coalesce(b.title, '') AS title, coalesce(b.description, c.text) AS body,
         coalesce(b.labels, '') AS labels
       FROM bead_unworded
       LEFT JOIN beads b ON b.n = iif(bead_unworded.n % 1024 = 0, bead_unworded.n / 1024, NULL)
       LEFT JOIN bead_comments c ON c.n = bead_unworded.n
       ORDER BY bead_unworded.n LIMIT ?`),
)

const QUEUE_LENGTH = query<{ n: number }>('SELECT count(*) AS n FROM bead_unworded')

/** As values: an INSERT of what it selects would write each entry to the index separately. */
const ADD = command<[number, string, string, string]>(
  'INSERT INTO bead_search (rowid, title, body, labels) VALUES (?, ?, ?, ?)',
)

const DEQUEUE = command<[number, number]>('DELETE FROM bead_unworded WHERE n BETWEEN ? AND ?')

/**
 * Indexes the words of beads and comments. Every write that adds words queues them in its own transaction, so that none
 * is left out; a second later, or when somebody searches, they are indexed together.
 */
class WordIndex {
  #next: Deadline | undefined
  #running: Promise<void> | undefined
  #unsubscribe = () => {}
  #isStopped = false

  constructor(private readonly context: CityContext) {}

  /** Indexes what is queued, and what is written from now on. */
  start(): void {
    this.#unsubscribe = this.context.log.subscribe(({ type }) => {
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
    if (this.context.store.get(QUEUED, 1)) await this.#run()
  }

  #arm(): void {
    if (this.#next || this.#isStopped) return
    this.#next = this.context.deadlines.after(DELAY_MS, () => {
      this.#next = undefined
      this.#run().catch(this.context.reportError)
    })
  }

  #run(): Promise<void> {
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Indexes as many entries as are queued now; what is queued is indexed by the next run. */
  async #runOnce(): Promise<void> {
    for (let left = this.context.store.get(QUEUE_LENGTH)?.n ?? 0; left > 0 && !this.#isStopped; ) {
      const added = await this.context.store.write((tx) => this.#slice(tx))
      if (added === 0) return
      left -= added
    }
  }

  #slice(tx: Tx): number {
    const started = performance.now()
    const numbers: number[] = []
    for (const { n, title, body, labels } of this.context.store.iterate(QUEUED, MAX_SLICE)) {
      if (numbers.length > 0 && performance.now() - started > MAX_SLICE_MS) break
      if (body !== null) tx.run(ADD, n, title, body, labels)
      numbers.push(n)
    }
    tx.run(DEQUEUE, numbers.at(0) ?? 0, numbers.at(-1) ?? 0)
    return numbers.length
  }
}
