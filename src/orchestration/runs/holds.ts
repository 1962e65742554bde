import { eq, or } from 'drizzle-orm'
import type { Actor } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { query, type Store, stablePlan, type Tx } from '../../core/store/index.ts'
import type { Bead, BeadGuard, BeadRepository } from '../../work/beads/index.ts'
import { EngineKey, WorkflowKey } from '../../work/metadata.ts'
import { metadataValue } from './node.ts'
import { runHolds } from './table.ts'

export type RunHold = typeof runHolds.$inferSelect

/** Maximum beads that one write holds or offers again, and maximum beads it examines. */
const SLICE = 100
const PAGE = 500

const PAUSED = query<{ root: string }, [string]>(
  "SELECT root_id AS root FROM run_holds WHERE root_id = ? AND state = 'paused'",
)

const READY = query<{ id: string }, [string, number]>(
  stablePlan(`SELECT id FROM beads WHERE root_id = ? AND root_id IS NOT NULL AND status = 'open' AND status != 'closed'
       AND blockers = 0 AND workable = 1 LIMIT ?`),
)

const RELEASED = query<{ id: string }, [string, string, string]>(
  stablePlan(`SELECT id FROM beads WHERE id = ?1 AND ready = 1 AND root_id = ?3
       UNION SELECT b.id FROM bead_edges e CROSS JOIN beads b ON b.id = e.issue_id
       WHERE e.depends_on_id = ?2 AND e.gating = 1 AND b.ready = 1 AND b.root_id = ?3`),
)

const OPEN = query<{ id: string; held: number }, [string, string, number]>(
  stablePlan(`SELECT id, metadata ->> '$."${EngineKey.paused}"' IS NOT NULL AS held FROM beads
       WHERE root_id = ? AND root_id IS NOT NULL AND status != 'closed' AND id > ? ORDER BY id LIMIT ?`),
)

/**
 * Keeps the steps of paused runs from being offered: those that are ready when the pause begins, and those that become
 * ready while it lasts, each in the write that makes it so.
 */
export class RunHolds implements BeadGuard {
  readonly #store: Store
  readonly #beads: BeadRepository

  constructor(
    { store }: CityContext,
    {
      beadRepository,
    }: {
      beadRepository: BeadRepository
    },
  ) {
    this.#store = store
    this.#beads = beadRepository
    beadRepository.addGuard(this)
  }

  isPaused(root: string): boolean {
    return this.#store.get(PAUSED, root) !== null
  }

  find(root: string): RunHold | undefined {
    return this.#store.read((orm) => orm.select().from(runHolds).where(eq(runHolds.rootId, root)).get())
  }

  /** Those that hold a run, or are about to let it continue. */
  list(): RunHold[] {
    return this.#store.read((orm) => orm.select().from(runHolds).all())
  }

  /** From now on nothing of the run becomes ready; what is ready already is held slice by slice. */
  begin(tx: Tx, hold: Omit<RunHold, 'state'>): void {
    tx.orm
      .insert(runHolds)
      .values({ ...hold, state: 'paused' })
      .run()
  }

  /** Holds steps that are ready; returns whether there may be more. */
  holdSlice(tx: Tx, root: string): boolean {
    const ready = this.#store.all(READY, root, SLICE).map(({ id }) => id)
    this.#hold(tx, ready)
    return ready.length === SLICE
  }

  /**
   * From now on what becomes ready is offered, of the runs that are paused with this one as well; what is held is
   * offered again slice by slice. Returns the runs that continue.
   */
  release(tx: Tx, root: string): string[] {
    const released = tx.orm
      .update(runHolds)
      .set({ state: 'resuming' })
      .where(or(eq(runHolds.rootId, root), eq(runHolds.heldWith, root)))
      .returning({ id: runHolds.rootId })
      .all()
    return released.map(({ id }) => id)
  }

  /** Offers steps again that lie behind `after`; returns where it stopped, or undefined once none is held. */
  offerSlice(tx: Tx, root: string, after: string): string | undefined {
    const page = this.#store.all(OPEN, root, after, PAGE)
    const held = page.filter((row) => row.held).slice(0, SLICE)
    for (const { id } of held) this.#beads.change(tx, id, { metadata: { [EngineKey.paused]: null } })
    if (held.length === SLICE) return held.at(-1)?.id
    if (page.length === PAGE) return page.at(-1)?.id
    tx.orm.delete(runHolds).where(eq(runHolds.rootId, root)).run()
    return undefined
  }

  /** Holds what is ready, in as many writes as it takes. */
  async holdAll(root: string, actor: Actor): Promise<void> {
    while (await this.#store.write((tx) => this.isPaused(root) && this.holdSlice(tx, root), actor));
  }

  /** Offers what is held again, in as many writes as it takes; `finish` runs in the last. */
  async offerAll(root: string, actor: Actor, finish: (tx: Tx) => void = () => {}): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after
      after = await this.#store.write((tx) => {
        if (this.find(root)?.state !== 'resuming') return undefined
        const next = this.offerSlice(tx, root, from)
        if (next === undefined) finish(tx)
        return next
      }, actor)
    }
  }

  checkWrite(): void {}

  onAdded(tx: Tx, bead: Bead): void {
    this.#follow(tx, bead, '')
  }

  onChanged(tx: Tx, before: Bead, after: Bead): void {
    const isClosing = before.status !== 'closed' && after.status === 'closed'
    this.#follow(tx, after, isClosing ? after.id : '')
  }

  /** Holds what a change of a bead makes ready; `closed` is its id once it is closed. */
  #follow(tx: Tx, bead: Bead, closed: string): void {
    const root = metadataValue(bead, WorkflowKey.rootBeadId)
    if (root === '' || !this.isPaused(root)) return
    const released = this.#store.all(RELEASED, bead.id, closed, root).map(({ id }) => id)
    this.#hold(tx, released)
    if (closed !== '' && metadataValue(bead, EngineKey.paused) !== '' && this.#beads.find(bead.id)) {
      this.#beads.change(tx, bead.id, { metadata: { [EngineKey.paused]: null } })
    }
  }

  #hold(tx: Tx, ids: readonly string[]): void {
    for (const id of ids) this.#beads.change(tx, id, { metadata: { [EngineKey.paused]: 'true' } })
  }
}
