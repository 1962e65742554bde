import type { CityContext } from '../../core/city-context.ts'
import { Emitted, type RecordedEvent } from '../../core/events/index.ts'
import { Signal } from '../../core/signal.ts'
import { query, stablePlan } from '../../core/store/index.ts'
import { type Bead, type BeadRepository, payloadBeadOf } from '../../work/beads/index.ts'
import { type Gate, parseGate } from './gate.ts'

/** Bead that only a gate blocks. */
export interface BlockedBead {
  readonly id: string
  readonly title: string
}

const OPEN = query<{ id: string }>("SELECT id FROM beads WHERE type = 'gate' AND closed = 0")

const BLOCKED = query<BlockedBead, [string]>(
  stablePlan(`SELECT b.id, b.title FROM bead_edges e CROSS JOIN beads b ON b.id = e.issue_id
       WHERE e.depends_on_id = ?1 AND e.gating = 1 AND b.closed = 0 AND NOT EXISTS (
         SELECT 1 FROM bead_edges other LEFT JOIN beads t ON t.id = other.depends_on_id
         WHERE other.issue_id = b.id AND other.gating = 1 AND coalesce(t.closed = 0 AND t.type != 'gate', 1))
       LIMIT 1`),
)

const DEPENDENTS = query<{ n: number }, [string]>(
  stablePlan('SELECT count(*) AS n FROM bead_edges WHERE depends_on_id = ? AND gating = 1'),
)

const BESIDES = query<{ id: string }, [string]>(
  stablePlan(`SELECT other.depends_on_id AS id
       FROM bead_edges e CROSS JOIN bead_edges other ON other.issue_id = e.issue_id
       WHERE e.depends_on_id = ? AND e.gating = 1 AND other.gating = 1`),
)

/** The gates that are open, kept in memory: each change of a bead costs no more than a look whether there is any. */
export class OpenGates {
  readonly #gates = new Map<string, Gate>()
  readonly #changed = new Signal<[gate: string]>()
  #unsubscribe: (() => void) | undefined

  constructor(
    private readonly context: CityContext,
    private readonly beads: Pick<BeadRepository, 'list'>,
  ) {}

  start(): void {
    const { log } = this.context
    const { beads } = this
    this.#unsubscribe = log.subscribe((recorded) => this.#follow(recorded))
    for (const bead of beads.list(this.context.store.all(OPEN).map(({ id }) => id))) this.#set(bead)
  }

  stop(): void {
    this.#unsubscribe?.()
    this.#gates.clear()
  }

  find(id: string): Gate | undefined {
    return this.#gates.get(id)
  }

  list(): Gate[] {
    return [...this.#gates.values()]
  }

  /** Calls the listener with each gate that came, went, or has something else to hold up; returns how to unsubscribe. */
  readonly onChange = this.#changed.listen

  /**
   * A bead that only gates hold up, this one among them; undefined while each waits for other work as well. `none` for
   * a gate that blocks nothing.
   */
  blockedBy(gate: string): BlockedBead | 'none' | undefined {
    if (this.context.store.get(DEPENDENTS, gate)?.n === 0) return 'none'
    return this.context.store.get(BLOCKED, gate) ?? undefined
  }

  #follow(recorded: RecordedEvent): void {
    if (!recorded.type.startsWith('bead.') || recorded[Emitted]) return
    const bead = payloadBeadOf(recorded)
    if (!bead) return
    const isDeleted = recorded.type === 'bead.deleted'
    if (bead.issue_type === 'gate' || this.#gates.has(bead.id)) {
      this.#set(isDeleted ? { ...bead, status: 'closed' } : bead)
    }
    if (this.#gates.size === 0) return
    const others = recorded.type === 'bead.created' ? [] : this.context.store.all(BESIDES, bead.id).map(({ id }) => id)
    for (const { depends_on_id: id } of bead.dependencies ?? []) others.push(id)
    for (const id of new Set(others)) if (this.#gates.has(id)) this.notify(id)
  }

  #set(bead: Bead): void {
    const gate = parseGate(bead)
    if (gate) this.#gates.set(gate.id, gate)
    if (gate || this.#gates.delete(bead.id)) this.notify(bead.id)
  }

  /** Notifies the listeners of another change of a gate. */
  notify(id: string): void {
    this.#changed.emit(id)
  }
}
