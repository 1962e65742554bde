import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Beads } from '../beads/beads.ts'
import type { Heirs } from './heirs.ts'

interface Needs {
  store: Store
  clock: Clock
  deadlines: Deadlines
  beads: Beads
  heirs: Heirs
  /** How long a message stays after it was read, and again after it was archived, in milliseconds; 0 for ever. */
  ttl(): number
  /** Takes a message out of every list. */
  archive(tx: Tx, id: string, reason: string): void
  report(error: unknown): void
}

interface Place {
  created_at: number
  id: string
}

type Old = Statement<Place & { due: number }, [number, string, number, number, number]>

const EVERY = 3_600_000
/** Messages looked at in one stretch. */
const SLICE = 10
/** How long mail waits for a reader who may yet be declared again. */
const GRACE = 24 * EVERY
const LEFT_ALONE = 'it was read, and left alone since'

/**
 * Keeps mail from growing for ever. A message that was read, and then left alone for a while, is archived; one that was
 * archived, and left alone as long again, is removed, unless something else on record refers to it. Unread mail stays,
 * and goes to somebody else when nobody comes for it.
 */
export class MailRetention {
  readonly #read: Old
  readonly #archived: Old
  #next: Deadline | undefined
  #running: Promise<void> | undefined
  #ended = false

  constructor(private readonly needs: Needs) {
    const old = (state: string, terms: string): Old =>
      needs.store.prepare(
        stablePlan(`SELECT m.created_at, m.id, b.updated_at < ?4 AND ${terms} AS due
         FROM messages m CROSS JOIN beads b ON b.id = m.id
         WHERE ${state}
           AND (m.created_at, m.id) > (?1, ?2) AND m.created_at < ?3 ORDER BY m.created_at, m.id LIMIT ?5`),
      )
    this.#read = old('m.open = 1 AND m.read = 1', '1')
    this.#archived = old(
      'm.open = 0',
      `NOT EXISTS (SELECT 1 FROM bead_edges e WHERE e.depends_on_id = m.id)
         AND NOT EXISTS (SELECT 1 FROM beads c WHERE c.parent = m.id)`,
    )
  }

  /** Runs now, and again an hour after each run. */
  start(): void {
    const again = () => {
      if (!this.#ended) this.#next = this.needs.deadlines.after(EVERY, () => this.start())
    }
    void this.run().catch(this.needs.report).finally(again)
  }

  /** Waits for a run that is under way. */
  async stop(): Promise<void> {
    this.#ended = true
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
    const { heirs, beads, clock, archive } = this.needs
    for (const box of heirs.abandoned()) await this.#handOn(box)
    const ttl = this.needs.ttl()
    if (ttl === 0) return
    const before = clock.now() - ttl
    await this.#walk(this.#archived, before, (tx, id) => beads.remove(tx, id))
    await this.#walk(this.#read, before, (tx, id) => archive(tx, id, LEFT_ALONE))
  }

  async #handOn(box: string): Promise<void> {
    const { store, heirs, clock } = this.needs
    const before = clock.now() - GRACE
    while (!this.#ended && (await store.write((tx) => heirs.handOn(tx, box, before))) > 0);
  }

  /** Does something to every message that is due, the oldest first, in slices. */
  async #walk(old: Old, before: number, act: (tx: Tx, id: string) => void): Promise<void> {
    let at: Place | undefined = { created_at: 0, id: '' }
    while (at && !this.#ended) {
      const from: Place = at
      at = await this.needs.store.write((tx) => {
        const rows = old.all(from.created_at, from.id, before, before, SLICE)
        for (const { id, due } of rows) if (due) act(tx, id)
        return rows.length === SLICE ? rows.at(-1) : undefined
      })
    }
  }
}
