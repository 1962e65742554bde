import { gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Reactions, RecordedEvent } from '../../../core/events/index.ts'
import type { Tx } from '../../../core/store/index.ts'
import { type Bead, type BeadRepository, payloadBeadOf } from '../../../work/beads/index.ts'
import type { Order } from '../order.ts'
import type { OrderLibrary } from '../order-library.ts'
import { orderActorName, TRACKING_LABEL } from './labels.ts'
import type { OrderRuns } from './order-runs.ts'
import type { Starter } from './starter.ts'
import type { TriggerStates } from './trigger-states.ts'

/** Maximum missed events that are checked after an order was absent. */
const MAX_MISSED = 1_000
const PAGE = 100
const CLOSING: ReadonlySet<string> = new Set(['bead.closed', 'bead.deleted'])
const ORDERS = gcPart('orders')

/**
 * Counts the events that orders wait for: one consumer for all orders, which each event reaches by its type. An order
 * begins at the head when it is first seen; what came while its file was not there is counted when it is back.
 */
export class EventTriggers {
  #byType: ReadonlyMap<string, readonly Order[]> = new Map()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      reactions: Reactions
      beadRepository: BeadRepository
      library: OrderLibrary
      runs: OrderRuns
      states: TriggerStates
      starter: Starter
      /** An order should be looked at: whether it is due, or may be started again. */
      look(scopedName: string): void
    },
  ) {
    peers.reactions.on(
      'orders',
      ({ type }) => CLOSING.has(type) || this.#byType.has(type),
      (tx, recorded) => this.#react(tx, recorded),
    )
  }

  /** Reads which orders wait for events now, and counts what came before they were there. */
  async refresh(): Promise<void> {
    const { store, log } = this.context
    const { library, states } = this.peers
    const waiting = library.current.filter(({ enabled, trigger }) => enabled && trigger.kind === 'event')
    this.#byType = Map.groupBy(waiting, ({ trigger }) => (trigger.kind === 'event' ? trigger.on : ''))
    for (const order of waiting) {
      if (order.trigger.kind !== 'event') continue
      const { scopedName, trigger } = order
      const row = states.find(scopedName)
      if (row?.eventType !== trigger.on) {
        await store.write((tx) => states.beginEvents(tx, scopedName, trigger.on, log.head), ORDERS)
        continue
      }
      const missed = this.#missed(order, trigger.on, Math.max(row.cursor, row.newest))
      if (missed.length === 0) continue
      await store.write((tx) => {
        for (const seq of missed) states.count(tx, scopedName, seq)
      }, ORDERS)
      this.peers.look(scopedName)
    }
  }

  #missed({ scopedName }: Order, type: string, after: number): number[] {
    const missed: number[] = []
    let before: number | undefined
    for (let looked = 0; looked < MAX_MISSED; looked += PAGE) {
      const page = this.context.log.page({ type, limit: PAGE, ...(before !== undefined && { before }) })
      const newer = page.items.filter(({ seq }) => seq > after)
      missed.push(...newer.filter((recorded) => this.#mayTrigger(scopedName, recorded)).map(({ seq }) => seq))
      if (newer.length < page.items.length || page.next === undefined) break
      before = page.next
    }
    return missed.reverse()
  }

  #react(tx: Tx, recorded: RecordedEvent): void {
    if (CLOSING.has(recorded.type) && recorded.subject !== undefined) this.#onClosed(tx, recorded.subject)
    for (const order of this.#byType.get(recorded.type) ?? []) this.#count(tx, order, recorded)
  }

  #count(tx: Tx, order: Order, recorded: RecordedEvent): void {
    const { states, starter, look } = this.peers
    if (!this.#mayTrigger(order.scopedName, recorded)) return
    if (!states.count(tx, order.scopedName, recorded.seq)) return
    if (!starter.startIfDue(tx, order)) tx.after(() => look(order.scopedName))
  }

  /** The last bead of what a formula order made is closed: the order may be started again. */
  #onClosed(tx: Tx, bead: string): void {
    const { runs, look } = this.peers
    const made = runs.orderOfRoot(bead)
    if (!made?.isOpen) return
    runs.closeRoot(tx, made.trackingId)
    tx.after(() => look(made.scopedName))
  }

  #mayTrigger(scopedName: string, recorded: RecordedEvent): boolean {
    const { runs, beadRepository } = this.peers
    return mayTrigger(scopedName, recorded, {
      orderOfRoot: (id) => runs.orderOfRoot(id),
      findBead: (id) => beadRepository.find(id),
    })
  }
}

/** Lookups that identify the cause of an event. */
interface EventContext {
  /** The order whose run made a root; undefined for any other bead. */
  orderOfRoot(id: string): { readonly scopedName: string } | undefined
  findBead(id: string): Bead | undefined
}

const MAX_DEPTH = 50

/**
 * True if an event may start an order that waits for its type: not when it is about a tracking bead, about the order
 * itself, or comes of what a run of that order wrote, so that none starts itself again.
 */
function mayTrigger(scopedName: string, recorded: RecordedEvent, context: EventContext): boolean {
  if (recorded.actor === orderActorName(scopedName)) return false
  if (recorded.type.startsWith('order.')) return recorded.subject !== scopedName
  const bead = payloadBeadOf(recorded)
  if (bead?.labels?.includes(TRACKING_LABEL)) return false
  const isOwn = (id: string | undefined) => id !== undefined && context.orderOfRoot(id)?.scopedName === scopedName
  if (isOwn(recorded.run_id) || isOwn(recorded.subject)) return false
  let parent = bead?.parent
  for (let depth = 0; parent && depth < MAX_DEPTH; depth++) {
    if (isOwn(parent)) return false
    parent = context.findBead(parent)?.parent
  }
  return true
}
