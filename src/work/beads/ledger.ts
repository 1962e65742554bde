import { type Clock, toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store, Tx } from '../../core/store.ts'
import { WorkflowKey, WorkKey } from '../metadata.ts'
import { checkBounds, checkWhole } from './bounds.ts'
import { changed, drafted, written } from './change.ts'
import { Dependencies, edgeOf } from './dependencies.ts'
import type { Along, BeadChange, BeadDraft, BeadGuard, Intake, OnClosed, Projection, Scopes } from './draft.ts'
import { BeadClosed, BeadCreated, BeadDeleted, BeadUpdated, factsOf } from './events.ts'
import { BeadReader, type BeadRow } from './reader.ts'
import type { Bead, Dep } from './schema.ts'
import { BeadWriter, type Written } from './writer.ts'

/**
 * How the beads of a city change. Whatever a client can see of a change is told by events that are recorded in the
 * write that made it; side tables and guards take part in that write.
 */
export class Ledger {
  protected readonly reader: BeadReader
  protected readonly edges: Dependencies
  readonly #writer: BeadWriter
  readonly #guards: BeadGuard[] = []
  readonly #intakes = new Map<string, Intake>()
  readonly #endings = new Map<string, OnClosed>()

  constructor(
    protected readonly store: Store,
    private readonly log: EventLog,
    protected readonly clock: Clock,
    protected readonly scopes: Scopes,
  ) {
    this.reader = new BeadReader(store)
    this.edges = new Dependencies(store)
    this.#writer = new BeadWriter(store)
  }

  /** Lets a side table show its columns as metadata of beads of this type. */
  projects(type: string, projection: Projection): void {
    this.reader.projects(type, projection)
  }

  guardedBy(guard: BeadGuard): void {
    this.#guards.push(guard)
  }

  /** Lets a side table take what imported beads of this type say of it. */
  takesIn(type: string, intake: Intake): void {
    this.#intakes.set(type, intake)
  }

  /** Lets something be told right after each close of a bead of this type. */
  onClosed(type: string, tell: OnClosed): void {
    this.#endings.set(type, tell)
  }

  find(id: string): Bead | undefined {
    return this.reader.find(id)
  }

  get(id: string): Bead {
    return this.reader.bead(this.reader.need(id))
  }

  /** Creates a bead. */
  add(tx: Tx, draft: BeadDraft, { beside }: Along = {}): Bead {
    checkBounds(draft)
    const prefix = this.#prefix(draft.rig ?? '')
    if (draft.parent) this.#needParent(draft.parent)
    const row = drafted(draft, this.#writer.nextId(prefix), this.clock.now(), this.#root(draft))
    checkWhole(row)
    this.#writer.insert(row)
    for (const need of draft.needs ?? []) this.#need(row.id, need)
    beside?.(row.id)
    const bead = this.get(row.id)
    this.log.append(tx, BeadCreated, factsOf(bead), { bead })
    return bead
  }

  /** Changes a bead. When no client can see a difference, nothing is recorded. */
  change(tx: Tx, id: string, change: BeadChange, along: Along = {}): Bead {
    const { before, after } = this.#alter(tx, id, change, along)
    if (before === after) return after
    this.log.append(tx, BeadUpdated, factsOf(after), { bead: after })
    if (before.status !== 'closed' && after.status === 'closed') this.#recordClosed(tx, after, along)
    return after
  }

  /** Closes a bead; one that is closed stays as it is, and a session that lost it learns so. */
  close(tx: Tx, id: string, reason?: string, along: Along = {}): Bead {
    const now = this.get(id)
    if (now.status === 'closed') {
      this.#admit(tx, id, along)
      return now
    }
    const { after } = this.#alter(
      tx,
      id,
      { status: 'closed', ...(reason && { metadata: { [WorkKey.closeReason]: reason } }) },
      along,
    )
    this.#recordClosed(tx, after, along)
    return after
  }

  /** Opens a closed bead again; its assignee stays. */
  reopen(tx: Tx, id: string, along: Along = {}): Bead {
    const { status } = this.reader.need(id)
    if (status === 'closed') return this.change(tx, id, { status: 'open' }, along)
    throw new AppError('conflict-wrong-state', `bead ${id} is ${status}: only a closed bead can be reopened`)
  }

  /** Writes a bead exactly as it was elsewhere: its id, its times, its edges. */
  restore(tx: Tx, wanted: Written, edges: readonly Dep[]): 'created' | 'updated' | 'unchanged' {
    const before = this.reader.row(wanted.id)
    const bead = before && this.reader.bead(before)
    const { row, metadata } = this.#divided(wanted)
    this.#writer.reserve(row.id)
    // Labels are found by the time of their bead, and beads that wait for this one hear of its end by a change.
    const blank = { ...(before ? written(before) : row), labels: '[]', status: before?.status ?? 'open' }
    if (!before) this.#writer.insert(blank)
    else if (before.created_at !== row.created_at) this.#writer.update(written(before), blank, row.updated_at)
    this.#intakes.get(row.type)?.put(tx, row, metadata)
    this.#writer.update(before?.created_at === row.created_at ? written(before) : blank, row, row.updated_at)
    for (const { depends_on_id: id } of this.edges.of(row.id)) this.edges.remove(row.id, id)
    for (const edge of edges) this.edges.add(row.id, edge.depends_on_id, edge.type)
    const after = this.get(row.id)
    if (JSON.stringify(bead) === JSON.stringify(after)) return 'unchanged'
    this.log.append(tx, bead ? BeadUpdated : BeadCreated, factsOf(after), { bead: after })
    if (bead && bead.status !== 'closed' && after.status === 'closed') this.#recordClosed(tx, after)
    for (const guard of this.#guards) if (bead) guard.changed(tx, bead, after, undefined)
    return bead ? 'updated' : 'created'
  }

  /** A row without the metadata that a side table holds, and that metadata. */
  #divided(wanted: Written): { row: Written; metadata: Record<string, string> } {
    const metadata: Record<string, string> = JSON.parse(wanted.metadata)
    const intake = this.#intakes.get(wanted.type)
    if (!intake) return { row: wanted, metadata }
    const free = Object.fromEntries(Object.entries(metadata).filter(([key]) => !intake.owns(key)))
    return { row: { ...wanted, metadata: JSON.stringify(free) }, metadata }
  }

  /** Removes a bead for good, with the dependencies it has; those on it stay, and block. */
  remove(tx: Tx, id: string): void {
    const bead = this.get(id)
    this.#writer.delete(id)
    this.log.append(tx, BeadDeleted, factsOf(bead), { bead })
    for (const guard of this.#guards) guard.changed(tx, bead, { ...bead, status: 'closed' }, undefined)
  }

  /** Makes `id` depend on each of `targets`, whether or not there are such beads. */
  depend(tx: Tx, id: string, targets: readonly string[], type = 'blocks', { by }: Along = {}): Bead {
    const beside = () => {
      for (const target of targets) this.edges.add(id, target, type)
    }
    return this.change(tx, id, {}, { by, beside })
  }

  /** Ends what `id` depends on `targets` for; with no type, whatever it is. */
  undepend(tx: Tx, id: string, targets: readonly string[], type?: string, { by }: Along = {}): Bead {
    const beside = () => {
      for (const target of targets) this.edges.remove(id, target, type)
    }
    return this.change(tx, id, {}, { by, beside })
  }

  /** Both are the same object when nothing changed that a client can see. */
  #alter(tx: Tx, id: string, change: BeadChange, { by, beside }: Along): { before: Bead; after: Bead } {
    checkBounds(change)
    const row = this.reader.need(id)
    this.#admit(tx, id, { by })
    if (change.parent && change.parent !== row.parent) this.#checkParent(id, change.parent)
    const before = this.reader.bead(row)
    this.#write(written(row), changed(row, change))
    beside?.(id)
    const after = this.get(id)
    if (JSON.stringify(before) === JSON.stringify(after)) return { before, after: before }
    if (before.updated_at === after.updated_at) this.#touch(after)
    for (const guard of this.#guards) guard.changed(tx, before, after, by)
    return { before, after }
  }

  #admit(tx: Tx, id: string, { by }: Along): void {
    if (by !== undefined) for (const guard of this.#guards) guard.admit(tx, id, by)
  }

  #write(before: Written, after: Written): void {
    if (before.metadata !== after.metadata || before.labels !== after.labels) checkWhole(after)
    this.#writer.update(before, after, this.clock.now())
  }

  /** The bead differs by what a side table or an edge says; its own row has yet to tell when. */
  #touch(bead: Bead): void {
    const now = this.clock.now()
    this.#writer.touch(bead.id, now)
    bead.updated_at = toTimestamp(now)
  }

  #recordClosed(tx: Tx, bead: Bead, { actor = 'gc' }: Along = {}): void {
    this.log.append(tx, BeadClosed, factsOf(bead), { bead })
    this.#endings.get(bead.issue_type)?.(tx, bead, actor)
  }

  #prefix(rig: string): string {
    const city = this.scopes.current
    const prefix = rig === '' ? city.prefix : city.rigs.find((one) => one.name === rig)?.prefix
    if (prefix !== undefined) return prefix
    throw new AppError('invalid-request', `rig ${rig} does not exist in this city; name one of its rigs, or none`)
  }

  #need(id: string, need: string): void {
    const { type, target } = edgeOf(need)
    this.edges.add(id, target, type)
  }

  #root({ metadata }: BeadDraft): BeadRow | undefined {
    const root = metadata?.[WorkflowKey.rootBeadId]
    return root ? this.reader.row(root) : undefined
  }

  #needParent(parent: string): void {
    if (this.reader.row(parent)) return
    throw new AppError('invalid-request', `parent ${parent} does not exist; name a bead that does, or none`)
  }

  #checkParent(id: string, parent: string): void {
    this.#needParent(parent)
    for (let at: string | null | undefined = parent; at; at = this.reader.row(at)?.parent) {
      if (at === id) throw new AppError('invalid-request', `bead ${id} cannot be a part of itself, by way of ${parent}`)
    }
  }
}
