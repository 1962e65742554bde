import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { Beads } from '../beads/beads.ts'
import { WorkflowKey, WorkKey } from '../metadata.ts'
import { type Held, toClaim } from './book.ts'
import { type Candidate, Candidates } from './candidates.ts'
import { LeaseWatch } from './leases.ts'
import type { Claim, ClaimList, NextWork } from './schema.ts'
import { type Rejected, Tenure } from './tenure.ts'
import type { Worker, Workers } from './worker.ts'

export interface ClaimsOptions {
  store: Store
  log: EventLog
  clock: Clock
  deadlines: Deadlines
  beads: Beads
  /** How long a claim lasts without a heartbeat when its holder's process is not ours to see. */
  term?: number
  report?(error: unknown): void
}

const QUARTER_HOUR = 15 * 60_000
const NOTHING: NextWork = { action: 'drain', reason: 'no_work' }

/** Which session has which bead: two never have one. */
export class Claims extends Tenure {
  readonly #store: Store
  readonly #candidates: Candidates
  readonly #leases: LeaseWatch
  #workers: Workers | undefined

  constructor({ store, log, clock, deadlines, beads, term = QUARTER_HOUR, report = () => {} }: ClaimsOptions) {
    super(store, log, clock, beads, term)
    this.#store = store
    this.#candidates = new Candidates(store)
    const leases = { nearest: () => this.book.nearest(), sweep: () => this.#sweep(), renew: () => this.#renewAll() }
    this.#leases = new LeaseWatch(clock, deadlines, leases, report)
  }

  /** From now on sessions can claim. */
  workedBy(workers: Workers): void {
    this.#workers = workers
  }

  start(): Promise<void> {
    return this.#leases.start()
  }

  stop(): void {
    this.#leases.stop()
  }

  override take(tx: Tx, id: string, worker: Worker): Held | Rejected {
    tx.after(() => this.#leases.arm())
    return super.take(tx, id, worker)
  }

  list(session?: string): ClaimList {
    const items = (session ? this.book.of(session) : this.book.all()).map(toClaim)
    return { items, total: items.length }
  }

  get(bead: string): Claim {
    this.beads.get(bead)
    const held = this.book.find(bead)
    if (held) return toClaim(held)
    throw new AppError('bead-not-found', `bead ${bead} is not claimed`)
  }

  async claim(caller: Caller, id: string): Promise<Claim> {
    const worker = this.#worker(caller)
    const taken = await this.#store.write((tx) => this.take(tx, id, worker))
    if ('refused' in taken) throw new AppError('conflict-wrong-state', taken.refused)
    return toClaim(taken)
  }

  /** Tells that the holder is alive and at it; without heartbeats a claim of a process we do not see ends. */
  heartbeat(caller: Caller, id: string): Promise<Claim> {
    const worker = this.#worker(caller)
    return this.#store.write((tx) => {
      const held = this.#own(tx, id, worker)
      if (held.expires_at === null) return toClaim(held)
      const expires = this.clock.now() + this.term
      this.book.renew(id, expires)
      tx.after(() => this.#leases.arm())
      return toClaim({ ...held, expires_at: expires })
    })
  }

  /** Gives a bead back unfinished, for anybody. */
  release(caller: Caller, id: string): Promise<OKResponseBody> {
    const worker = this.#worker(caller)
    return this.#store.write((tx) => {
      this.#own(tx, id, worker)
      const unmarked = { [WorkKey.sessionId]: null, [WorkKey.sessionName]: null }
      const change = { status: 'open', assignee: '', metadata: unmarked }
      this.beads.change(tx, id, change, { by: worker.session })
      return { status: 'released' }
    })
  }

  /** Claims the next bead for a worker: what it has, then what waits in its name, then what its agent is routed. */
  next(caller: Caller): Promise<NextWork> {
    const worker = this.#worker(caller)
    return this.#store.write((tx) => {
      for (const candidate of this.#candidates.of(worker, this.clock.now())) {
        const taken = this.take(tx, candidate.id, worker)
        if (!('refused' in taken)) return this.#handed(tx, candidate, taken)
      }
      return NOTHING
    })
  }

  #handed(tx: Tx, { id, reason }: Candidate, held: Held): NextWork {
    const bead = this.beads.get(id)
    const route = bead.metadata?.[WorkKey.routedTo]
    const root = bead.metadata?.[WorkflowKey.rootBeadId]
    const group = bead.metadata?.[WorkflowKey.continuationGroup]
    const siblings = root && group ? this.#candidates.siblings(root, group, this.clock.now()) : []
    for (const sibling of siblings) this.beads.change(tx, sibling, { assignee: held.identity })
    return {
      action: 'work',
      reason,
      bead_id: id,
      assignee: held.identity,
      ...(route && { route }),
      ...(root && { root_bead_id: root }),
      ...(group && { continuation_group: group }),
      ...(siblings.length > 0 && { continuation_assigned: siblings }),
      epoch: held.epoch,
      bead,
    }
  }

  #own(tx: Tx, id: string, worker: Worker): Held {
    this.beads.get(id)
    const held = this.book.find(id)
    if (held?.session === worker.session && held.incarnation === worker.incarnation) return held
    this.admit(tx, id, worker.session)
    throw new AppError('conflict-wrong-state', `bead ${id} is not claimed by this session; claim it first`)
  }

  #worker(caller: Caller): Worker {
    if (caller.kind !== 'session' || !this.#workers) {
      throw new AppError(
        'forbidden',
        'only a session claims work: send its token, which gc puts in GC_TOKEN, as Bearer',
      )
    }
    if (this.beads.sessionOf(caller)) return this.#workers.worker(caller)
    throw new AppError('forbidden', `this session belongs to city ${caller.city}, and only its own work is for it`)
  }

  #sweep(): Promise<void> {
    return this.#store.write((tx) => {
      for (const held of this.book.due(this.clock.now())) this.lose(tx, held, false)
    })
  }

  #renewAll(): Promise<void> {
    return this.#store.write(() => this.book.renewAll(this.clock.now() + this.term))
  }
}
