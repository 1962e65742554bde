import type { CityContext } from '../../core/city-context.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/index.ts'
import { query, type Store, type Tx } from '../../core/store/index.ts'
import { BeadClosed, BeadCreated, BeadDeleted, BeadUpdated } from '../events.ts'
import { WorkflowKey, WorkKey } from '../metadata.ts'
import type { Bead, Dep } from '../schema.ts'
import { Dependencies, type EdgeRecord, parseNeed } from './dependencies.ts'
import type { BeadChange, BeadDraft, GraphBead, PreparedBead, WriteOptions } from './draft.ts'
import { eventFactsOf, eventPayloadOf } from './event-facts.ts'
import type { BeadGuard, BeadImporter, CityScope, CloseListener, MetadataProjection } from './extensions.ts'
import { validateFields, validateTotals } from './limits.ts'
import type { BeadReader } from './reader.ts'
import { BeadRestorer } from './restorer.ts'
import { type BeadRow, isSameBead, type PlainRow, type StoredBead } from './row.ts'
import { changedValues, newRow, newValues, valuesOf } from './values.ts'
import { beadWriter } from './writer.ts'

const TITLES = query<{ id: string; title: string }, [string]>(
  'SELECT id, title FROM beads WHERE id IN (SELECT value FROM json_each(?))',
)

/**
 * The beads of a city, for anyone who works with them inside a transaction. Every change that a client can see is
 * recorded as an event in the write that makes it; side tables and guards take part in that write.
 */
export class BeadRepository {
  readonly #log: EventLog
  readonly #clock: Clock
  readonly #scope: CityScope
  readonly #reader: BeadReader
  readonly #edges: Dependencies
  readonly #store: Store
  readonly #guards: BeadGuard[] = []
  /** Writes imported beads with the ids, times and dependencies they come with. */
  readonly restorer: BeadRestorer
  readonly #closeListeners = new Map<string, CloseListener>()

  constructor(context: CityContext, scope: CityScope, reader: BeadReader) {
    const { store, log, clock } = context
    this.#store = store
    this.#log = log
    this.#clock = clock
    this.#scope = scope
    this.#reader = reader
    this.#edges = new Dependencies(store)
    this.restorer = new BeadRestorer(context, {
      ...{ reader, dependencies: this.#edges },
      onClosed: (tx, bead) => this.#recordClosed(tx, bead),
      onChanged: (tx, before, after) => this.#notifyGuards(tx, before, after, undefined),
    })
  }

  /** Shows columns of a side table as metadata of beads of this type. */
  registerProjection(type: string, projection: MetadataProjection): void {
    this.#reader.registerProjection(type, projection)
  }

  /** Imports the projected metadata of beads of this type to their side table. */
  registerImporter(type: string, importer: BeadImporter): void {
    this.restorer.registerImporter(type, importer)
  }

  addGuard(guard: BeadGuard): void {
    this.#guards.push(guard)
  }

  /** Calls a listener after each close of a bead of this type. */
  onClosed(type: string, listener: CloseListener): void {
    this.#closeListeners.set(type, listener)
  }

  find = (id: string): Bead | undefined => this.#reader.find(id)

  /** Throws `bead-not-found` when there is none. */
  get(id: string): Bead {
    return this.#reader.get(id)
  }

  /**
   * A bead with its row, for a write that checks it and then changes it: `change`, `close` and `reopen` take what was
   * loaded instead of an id, as long as nothing else has changed the bead since. Throws `bead-not-found`.
   */
  load(_tx: Tx, id: string): StoredBead {
    return this.#reader.load(id)
  }

  /** Throws `bead-not-found` when there is none. */
  assertExists(id: string): void {
    this.#reader.getRow(id)
  }

  /** Those of `ids` that exist, oldest first. */
  list(ids: readonly string[]): Bead[] {
    return this.#reader.list(ids)
  }

  /** The rig of a bead; '' is the city itself. */
  rigOf = (id: string): string => this.#reader.getRow(id).rig

  /** The number of a bead in this city. */
  numberOf = (id: string): number => this.#reader.getRow(id).n

  /** The title of a bead; '' when there is no such bead. */
  titleOf(id: string): string {
    return this.titlesOf([id]).get(id) ?? ''
  }

  /** The titles of those of these beads that exist. */
  titlesOf(ids: readonly string[]): ReadonlyMap<string, string> {
    return new Map(this.#store.all(TITLES, JSON.stringify(ids)).map(({ id, title }) => [id, title]))
  }

  /** Dependencies of a bead. */
  dependenciesOf(id: string): Dep[] {
    return this.#edges.listOf(id)
  }

  /** Dependencies of each of these beads, with the time and actor of each. */
  edgesOf = (ids: readonly string[]): EdgeRecord[] => this.#edges.recordsOf(ids)

  /** Dependents of a bead. */
  dependentsOf(id: string): Dep[] {
    return this.#edges.listOn(id)
  }

  /** Beads that wait for each other and that this one leads to. */
  findCycle(id: string): string[] | undefined {
    return this.#edges.findCycle(id)
  }

  add(tx: Tx, draft: BeadDraft, { writeSideTable }: WriteOptions = {}): Bead {
    validateFields(draft)
    const prefix = this.#prefixOf(draft.rig ?? '')
    if (draft.parent) this.requireParent(draft.parent)
    const values = newValues(draft, draft.id ?? beadWriter.nextId(tx, prefix), this.#clock.now(), this.#rootOf(draft))
    validateTotals(values)
    const n = beadWriter.insert(tx, values)
    for (const { type, target } of (draft.needs ?? []).map(parseNeed)) this.#edges.add(tx, values.id, target, type)
    writeSideTable?.(values.id)
    const bead = draft.needs?.length ? this.get(values.id) : this.#reader.bead(newRow(values, n))
    this.#recordCreated(tx, bead)
    return bead
  }

  /** Ids for beads of a rig that are added by `addGraph`, in this write or a later one. */
  reserveIds(tx: Tx, rig: string, count: number): string[] {
    return beadWriter.nextIds(tx, this.#prefixOf(rig), count)
  }

  /** The row of a bead of a graph; throws for values that no bead can hold. */
  prepare(draft: GraphBead): PreparedBead {
    validateFields(draft)
    const values = newValues(draft, draft.id, this.#clock.now(), this.#rootOf(draft))
    validateTotals(values)
    return { values, needs: draft.needs ?? [] }
  }

  /**
   * Adds beads in this order, whose needs make no cycle; they may depend on beads of the same graph that are added
   * later. What follows from them is written for all of them together.
   */
  addGraph(tx: Tx, prepared: readonly PreparedBead[]): Bead[] {
    beadWriter.insertAll(
      tx,
      prepared.map(({ values }) => values),
    )
    for (const { values, needs } of prepared) {
      for (const { type, target } of needs.map(parseNeed)) this.#edges.addNew(tx, values.id, target, type)
    }
    const added = prepared.map(({ values }) => this.get(values.id))
    for (const bead of added) this.#recordCreated(tx, bead)
    return added
  }

  /** Changes a bead. When no client can see a difference, nothing is recorded. */
  change(tx: Tx, bead: string | StoredBead, change: BeadChange, options: WriteOptions = {}): Bead {
    const { before, after } = this.#apply(tx, bead, change, options)
    if (before === after) return after
    this.#log.append(tx, BeadUpdated, eventFactsOf(after), eventPayloadOf(after))
    if (before.status !== 'closed' && after.status === 'closed') this.#recordClosed(tx, after)
    return after
  }

  /** Closes a bead. A closed one stays unchanged; a session that lost its claim of it is still rejected. */
  close(tx: Tx, bead: string | StoredBead, reason?: string, options: WriteOptions = {}): Bead {
    return this.closeWith(tx, bead, reason ? { [WorkKey.closeReason]: reason } : {}, options)
  }

  /** Closes a bead and says in its metadata the result of it. */
  closeWith(
    tx: Tx,
    bead: string | StoredBead,
    metadata: Readonly<Record<string, string>>,
    options: WriteOptions = {},
  ): Bead {
    const stored = this.#stored(bead)
    if (stored.bead.status === 'closed') {
      this.#checkWrite(tx, stored.bead.id, options)
      return stored.bead
    }
    const { after } = this.#apply(tx, stored, { status: 'closed', metadata }, options)
    this.#recordClosed(tx, after)
    return after
  }

  /** Opens a closed bead again; its assignee stays. */
  reopen(tx: Tx, bead: string | StoredBead, options: WriteOptions = {}): Bead {
    const stored = this.#stored(bead)
    const { id, status } = stored.bead
    if (status === 'closed') return this.change(tx, stored, { status: 'open' }, options)
    throw new AppError('conflict-wrong-state', `bead ${id} is ${status}: only a closed bead can be reopened`)
  }

  /** Removes a bead for good, with the dependencies it has; those on it stay, and block. */
  remove(tx: Tx, id: string): void {
    const bead = this.get(id)
    beadWriter.delete(tx, id)
    this.#log.append(tx, BeadDeleted, eventFactsOf(bead), eventPayloadOf(bead))
    this.#notifyGuards(tx, bead, { ...bead, status: 'closed' }, undefined)
  }

  /** Makes `id` depend on each of `targets`, whether or not they exist. */
  depend(tx: Tx, id: string, targets: readonly string[], type = 'blocks', { session }: WriteOptions = {}): Bead {
    const writeSideTable = () => {
      const facts = { created_at: this.#clock.now(), created_by: tx.actor.name, fields: '' }
      for (const target of targets) this.#edges.add(tx, id, target, type, facts)
    }
    return this.change(tx, id, {}, { session, writeSideTable })
  }

  /** Removes the dependencies of `id` on `targets`: those of one type, or all. */
  undepend(tx: Tx, id: string, targets: readonly string[], type?: string, { session }: WriteOptions = {}): Bead {
    const writeSideTable = () => {
      for (const target of targets) this.#edges.remove(tx, id, target, type)
    }
    return this.change(tx, id, {}, { session, writeSideTable })
  }

  /** Both are the same object when nothing changed that a client can see. */
  #apply(tx: Tx, bead: string | StoredBead, change: BeadChange, options: WriteOptions): { before: Bead; after: Bead } {
    validateFields(change)
    const { row, bead: before } = this.#stored(bead)
    const { id } = row
    this.#checkWrite(tx, id, options)
    if (change.parent && change.parent !== row.parent) this.#checkParent(id, change.parent)
    const written = this.#update(tx, row, change)
    options.writeSideTable?.(id)
    // Dependencies are written beside the row, and triggers count them in it.
    const after = this.#reader.bead(options.writeSideTable ? this.#reader.getWholeRow(id) : written)
    if (isSameBead(before, after)) return { before, after: before }
    if (before.updated_at === after.updated_at) this.#touch(tx, after)
    this.#notifyGuards(tx, before, after, options.session)
    return { before, after }
  }

  #stored(bead: string | StoredBead): StoredBead {
    return typeof bead === 'string' ? this.#reader.load(bead) : bead
  }

  #checkWrite(tx: Tx, id: string, { session }: WriteOptions): void {
    if (session !== undefined) for (const guard of this.#guards) guard.checkWrite(tx, id, session)
  }

  #notifyGuards(tx: Tx, before: Bead, after: Bead, session: string | undefined): void {
    for (const guard of this.#guards) guard.onChanged(tx, before, after, session)
  }

  /** Writes what a change makes of a row; returns the row as it is then. */
  #update(tx: Tx, row: BeadRow, change: BeadChange): BeadRow {
    const before = valuesOf(row)
    const after = changedValues(before, change)
    const hasGrown = before.metadata !== after.metadata || before.output !== after.output
    if (hasGrown || before.labels !== after.labels) validateTotals(after)
    return beadWriter.update(tx, row, before, after, this.#clock.now())
  }

  /** Moves the time of a bead that differs only by a side table or a dependency. */
  #touch(tx: Tx, bead: Bead): void {
    const now = this.#clock.now()
    beadWriter.touch(tx, bead.id, now)
    bead.updated_at = toTimestamp(now)
  }

  #recordCreated(tx: Tx, bead: Bead): void {
    this.#log.append(tx, BeadCreated, eventFactsOf(bead), eventPayloadOf(bead))
    for (const guard of this.#guards) guard.onAdded?.(tx, bead)
  }

  #recordClosed(tx: Tx, bead: Bead): void {
    this.#log.append(tx, BeadClosed, eventFactsOf(bead), eventPayloadOf(bead))
    this.#closeListeners.get(bead.issue_type)?.(tx, bead)
  }

  #prefixOf(rig: string): string {
    const city = this.#scope.current
    const prefix = rig === '' ? city.prefix : city.rigs.find(({ name }) => name === rig)?.prefix
    if (prefix !== undefined) return prefix
    throw new AppError('invalid-request', `rig ${rig} does not exist in this city; name one of its rigs, or none`)
  }

  /** The root of the workflow that a new bead belongs to. */
  #rootOf({ metadata }: BeadDraft): PlainRow | undefined {
    const root = metadata?.[WorkflowKey.rootBeadId]
    return root ? this.#reader.row(root) : undefined
  }

  /** Throws when a bead should be a part of one that does not exist. */
  requireParent(parent: string): void {
    if (this.#reader.row(parent)) return
    throw new AppError('invalid-request', `parent ${parent} does not exist; name a bead that does, or none`)
  }

  #checkParent(id: string, parent: string): void {
    this.requireParent(parent)
    const seen = new Set<string>()
    for (let at: string | null | undefined = parent; at && !seen.has(at); at = this.#reader.row(at)?.parent) {
      if (at === id) throw new AppError('invalid-request', `bead ${id} cannot be a part of itself, by way of ${parent}`)
      seen.add(at)
    }
  }
}
