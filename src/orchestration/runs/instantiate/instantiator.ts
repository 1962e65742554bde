import { eq } from 'drizzle-orm'
import { type Actor, gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { nextTick } from '../../../core/event-loop.ts'
import type { Tx } from '../../../core/store/index.ts'
import {
  type BeadRepository,
  type GraphBead,
  isControl,
  isGating,
  isWorkable,
  parseNeed,
} from '../../../work/beads/index.ts'
import { EngineKey, WorkflowKey } from '../../../work/metadata.ts'
import type { GraphPlan } from './graph-plan.ts'
import { type Instantiation, instantiations } from './table.ts'

/** A graph to write. */
export interface GraphDraft<Result> {
  /** The rig of its beads; '' is the city itself. */
  rig: string
  /** Number of ids it needs: for its root and steps, and for beads made with them. */
  count: number
  /** The beads, once their ids are known; throws for what no bead can hold. */
  plan(ids: readonly string[]): GraphPlan
  /** Runs in the write with which the root comes into being; what it throws leaves nothing behind. */
  begin?(tx: Tx, plan: GraphPlan): void
  /** Runs in the write with which the graph is whole; what it throws takes the graph back. */
  finish(tx: Tx, plan: GraphPlan): Result
}

/** A graph of so many beads at most is written at a time. */
const MAX_AT_ONCE = 24
/** So many beads are added together, and so long one write may take. */
const BATCH = 8
const SLICE_MS = 4
const HELD = { [EngineKey.instantiating]: 'true' }
const INSTANTIATOR = gcPart('instantiate')

/**
 * Writes the graphs that formulas make. A large one is written in slices that leave the loop free for others; until it
 * is whole its beads are not offered. After a crash one that is not whole is undone, and one that is whole is offered.
 */
export class Instantiator {
  #recovering: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(
    private readonly context: CityContext,
    private readonly beadRepository: BeadRepository,
  ) {}

  /** Continues with what the last process began. */
  start(): void {
    this.#recovering = this.#recover(this.pending()).catch(this.context.reportError)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#recovering
  }

  /** Unfinished entries. */
  pending(): Instantiation[] {
    return this.context.store.read((orm) => orm.select().from(instantiations).all())
  }

  /** Resolves when what the last process began is over. */
  whenRecovered(): Promise<void> {
    return this.#recovering
  }

  write<Result>(draft: GraphDraft<Result>, actor: Actor): Promise<Result> {
    return draft.count <= MAX_AT_ONCE ? this.#writeAtOnce(draft, actor) : this.#writeInSlices(draft, actor)
  }

  async #writeAtOnce<Result>(draft: GraphDraft<Result>, actor: Actor): Promise<Result> {
    const { store } = this.context
    const { beadRepository: beads } = this
    const { finished } = await store.write((tx) => {
      tx.answer(undefined)
      const plan = draft.plan(beads.reserveIds(tx, draft.rig, draft.count))
      draft.begin?.(tx, plan)
      beads.addGraph(
        tx,
        Array.from({ length: plan.size }, (_, at) => beads.prepare(plan.bead(at))),
      )
      return { finished: draft.finish(tx, plan) }
    }, actor)
    return finished
  }

  async #writeInSlices<Result>(draft: GraphDraft<Result>, actor: Actor): Promise<Result> {
    const { store } = this.context
    const { beadRepository: beads } = this
    const ids = await store.write((tx) => {
      tx.answer(undefined)
      return beads.reserveIds(tx, draft.rig, draft.count)
    }, actor)
    const plan = draft.plan(ids)
    const planned = await planAll(plan)
    const row = toRow(plan.root, ids)
    await store.write((tx) => {
      draft.begin?.(tx, plan)
      tx.orm.insert(instantiations).values(row).run()
      const first = planned.slice(0, 1).map((bead) => beads.prepare(held(bead)))
      beads.addGraph(tx, first)
    }, actor)
    try {
      for (let at = 1; at < planned.length; )
        at = await store.write((tx) => this.#addSlice(tx, planned, at, row), actor)
      const result = await store.write((tx) => {
        tx.answer(undefined)
        const finished = draft.finish(tx, plan)
        this.#setState(tx, row, 'opening')
        this.#release(tx, plan.root)
        return { finished }
      }, actor)
      await this.#open(
        planned.filter((bead) => isHeld(bead, row)).map(({ id }) => id),
        row,
      )
      return result.finished
    } catch (error) {
      await this.#recoverOne(plan.root)
      throw error
    }
  }

  #addSlice(tx: Tx, beads: readonly GraphBead[], from: number, row: Instantiation): number {
    const { beadRepository: repository } = this
    const started = performance.now()
    let at = from
    do {
      const batch = beads.slice(at, at + BATCH)
      const prepared = batch.map((bead) => repository.prepare(isHeld(bead, row) ? held(bead) : bead))
      repository.addGraph(tx, prepared)
      at += batch.length
    } while (at < beads.length && performance.now() - started < SLICE_MS)
    return at
  }

  #setState(tx: Tx, { rootId }: Instantiation, state: Instantiation['state']): void {
    tx.orm.update(instantiations).set({ state }).where(eq(instantiations.rootId, rootId)).run()
  }

  #release(tx: Tx, id: string): void {
    const { beadRepository: beads } = this
    if (beads.find(id)?.metadata?.[EngineKey.instantiating] === undefined) return
    beads.change(tx, id, { metadata: { [EngineKey.instantiating]: null } })
  }

  /** Offers the beads of a whole graph. */
  #open(ids: readonly string[], row: Instantiation): Promise<void> {
    return this.#inSlices(ids, row, (tx, id) => this.#release(tx, id))
  }

  /** Removes the beads of a graph that is not whole, the root last. */
  #takeBack(row: Instantiation): Promise<void> {
    const { beadRepository: beads } = this
    const ids = idsOf(row).filter((id) => id !== row.rootId)
    return this.#inSlices([...ids.reverse(), row.rootId], row, (tx, id) => {
      if (beads.find(id)) beads.remove(tx, id)
    })
  }

  /** Does something to each bead, and removes the row in the last write. */
  async #inSlices(ids: readonly string[], row: Instantiation, action: (tx: Tx, id: string) => void): Promise<void> {
    for (let at = 0; at <= ids.length && !this.#isStopped; ) {
      at = await this.context.store.write((tx) => {
        const started = performance.now()
        let next = at
        while (next < ids.length && performance.now() - started < SLICE_MS) action(tx, ids[next++] ?? '')
        if (next < ids.length) return next
        tx.orm.delete(instantiations).where(eq(instantiations.rootId, row.rootId)).run()
        return next + 1
      }, INSTANTIATOR)
    }
  }

  async #recover(rows: readonly Instantiation[]): Promise<void> {
    for (const row of rows) await (row.state === 'opening' ? this.#open(idsOf(row), row) : this.#takeBack(row))
  }

  /** Recovers one request; one that fails, such as while the store accepts no writes, is retried at the next start. */
  async #recoverOne(root: string): Promise<void> {
    try {
      const rows = this.context.store.read((orm) =>
        orm.select().from(instantiations).where(eq(instantiations.rootId, root)).all(),
      )
      await this.#recover(rows)
    } catch (error) {
      this.context.reportError(error)
    }
  }
}

/** Plans every bead before the first is written, in slices. */
async function planAll(plan: GraphPlan): Promise<GraphBead[]> {
  const beads: GraphBead[] = []
  for (let started = performance.now(); beads.length < plan.size; ) {
    beads.push(plan.bead(beads.length))
    if (performance.now() - started < SLICE_MS) continue
    await nextTick()
    started = performance.now()
  }
  return beads
}

/** True if a bead would be offered, or acted on, although its graph is not whole: it waits for nothing in it. */
function isHeld({ type = 'task', labels = [], metadata, needs = [] }: GraphBead, row: Instantiation): boolean {
  const kind = metadata?.[WorkflowKey.kind]
  if (!isControl(kind ?? '') && !isWorkable(type, labels, { kind })) return false
  return !needs.some((need) => {
    const { type, target } = parseNeed(need)
    return isGating(type) && isOf(row, target)
  })
}

/** True if a bead is one of a graph. */
function isOf({ prefix, first, count }: Instantiation, id: string): boolean {
  const number = id.startsWith(`${prefix}-`) ? Number(id.slice(prefix.length + 1)) : Number.NaN
  return number >= first && number < first + count
}

const held = (bead: GraphBead): GraphBead => ({ ...bead, metadata: { ...bead.metadata, ...HELD } })

function toRow(rootId: string, ids: readonly string[]): Instantiation {
  const [, prefix = '', first = ''] = /^(.+)-(\d+)$/.exec(ids[0] ?? '') ?? []
  return { rootId, prefix, first: Number(first), count: ids.length, state: 'writing' }
}

const idsOf = ({ prefix, first, count }: Instantiation): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${first + index}`)
