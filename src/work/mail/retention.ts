import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { query, stablePlan, type Tx } from '../../core/store/index.ts'
import type { BeadRepository } from '../beads/index.ts'
import type { MailForwarder } from './forwarder.ts'

interface MessagePosition {
  created_at: number
  id: string
}

interface AgedMessage extends MessagePosition {
  readonly due: number
}

const agedMessages = (state: string, terms: string) =>
  query<AgedMessage, [number, string, number, number, number]>(
    stablePlan(`SELECT m.created_at, m.id, b.updated_at < ?4 AND ${terms} AS due
     FROM messages m CROSS JOIN beads b ON b.id = m.id
     WHERE ${state}
       AND (m.created_at, m.id) > (?1, ?2) AND m.created_at < ?3 ORDER BY m.created_at, m.id LIMIT ?5`),
  )

const READ = agedMessages('m.open = 1 AND m.read = 1', '1')

const ARCHIVED = agedMessages(
  'm.open = 0',
  `NOT EXISTS (SELECT 1 FROM bead_edges e WHERE e.depends_on_id = m.id)
     AND NOT EXISTS (SELECT 1 FROM beads c WHERE c.parent = m.id)`,
)

const INTERVAL_MS = 3_600_000
/** Maximum messages that one write examines. */
const SLICE = 10
/** Maximum time mail waits for a recipient who may be configured again. */
const GRACE_MS = 24 * INTERVAL_MS
const ARCHIVE_REASON = 'it was read, and left alone since'

/**
 * Keeps mail from growing indefinitely. A message that was read and then untouched for a while is archived; one that
 * was archived and untouched as long again is removed, unless another bead refers to it. Unread mail stays, and is
 * forwarded when its recipient is gone.
 */
export class MailRetention {
  #next: Deadline | undefined
  #running: Promise<void> | undefined
  #isStopped = false

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      beads: BeadRepository
      forwarder: MailForwarder
      /** Time a message stays after it was read, and again after it was archived, in milliseconds; 0 indefinitely. */
      ttl(): number
      /** Takes a message out of every list. */
      archive(tx: Tx, id: string, reason: string): void
    },
  ) {}

  /** Runs now, and again an hour after each run. */
  start(): void {
    const { deadlines, reportError: report } = this.context
    const scheduleNext = () => {
      if (!this.#isStopped) this.#next = deadlines.interval(INTERVAL_MS, () => this.start())
    }
    void this.run().catch(report).finally(scheduleNext)
  }

  /** Waits for a run that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#next?.cancel()
    await this.#running?.catch(() => {})
  }

  run(): Promise<void> {
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #runOnce(): Promise<void> {
    const { clock } = this.context
    const { forwarder, beads, archive, ttl } = this.peers
    for (const inbox of forwarder.abandonedInboxes()) await this.#forward(inbox)
    const age = ttl()
    if (age === 0) return
    const before = clock.now() - age
    await this.#forEachDue(ARCHIVED, before, (tx, id) => beads.remove(tx, id))
    await this.#forEachDue(READ, before, (tx, id) => archive(tx, id, ARCHIVE_REASON))
  }

  async #forward(inbox: string): Promise<void> {
    const { store, clock } = this.context
    const { forwarder } = this.peers
    const before = clock.now() - GRACE_MS
    while (!this.#isStopped && (await store.write((tx) => forwarder.forward(tx, inbox, before), gcPart('mail'))) > 0);
  }

  /** Applies an action to every message that is due, the oldest first, in slices. */
  async #forEachDue(aged: typeof READ, before: number, action: (tx: Tx, id: string) => void): Promise<void> {
    let position: MessagePosition | undefined = { created_at: 0, id: '' }
    while (position && !this.#isStopped) {
      const { created_at, id }: MessagePosition = position
      position = await this.context.store.write((tx) => {
        const rows: AgedMessage[] = tx.all(aged, created_at, id, before, before, SLICE)
        for (const row of rows) if (row.due) action(tx, row.id)
        return rows.length === SLICE ? rows.at(-1) : undefined
      }, gcPart('mail'))
    }
  }
}
