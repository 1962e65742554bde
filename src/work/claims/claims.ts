import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { query, type Store, stablePlan, type Tx } from '../../core/store/index.ts'
import { actorOf, sessionOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { BeadRepository } from '../beads/index.ts'
import { WorkflowKey, WorkKey } from '../metadata.ts'
import type { SessionRepository, TurnGate } from '../sessions/index.ts'
import { type ClaimManager, type ClaimRejection, WITHOUT_SESSION } from './manager.ts'
import { ClaimRepository, type ClaimRow, toClaim } from './repository.ts'
import type { Claim, ClaimList, NextWork } from './schema.ts'
import { toWorker, type Worker } from './worker.ts'

const NO_WORK: NextWork = { action: 'drain', reason: 'no_work' }

/** The claims of a city as sessions take, keep and return them. */
export class Claims {
  readonly #manager: ClaimManager
  readonly #claims: ClaimRepository
  readonly #claimable: ClaimableBeads
  readonly #timer: LeaseTimer

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The city's name. */
      city: string
      beads: BeadRepository
      manager: ClaimManager
      sessions: SessionRepository
      turns: TurnGate
      report?(error: unknown): void
    },
  ) {
    const { store, clock, deadlines } = context
    const { manager, report = () => {} } = options
    this.#manager = manager
    this.#claims = new ClaimRepository(store)
    this.#claimable = new ClaimableBeads(store)
    const actions = {
      nextExpiry: () => this.#claims.nextExpiry(),
      expire: () => store.write((tx) => manager.revokeExpired(tx), gcPart('claims')),
      renewAll: () => store.write((tx) => manager.renewAll(tx)),
    }
    this.#timer = new LeaseTimer(clock, deadlines, actions, report)
  }

  start(): Promise<void> {
    return this.#timer.start()
  }

  stop(): void {
    this.#timer.stop()
  }

  list(session?: string): ClaimList {
    const rows = session ? this.#claims.listBySession(session) : this.#claims.list()
    const items = rows.map(toClaim)
    return { items, total: items.length }
  }

  get(bead: string): Claim {
    this.options.beads.assertExists(bead)
    const claim = this.#claims.find(bead)
    if (claim) return toClaim(claim)
    throw new AppError('bead-not-found', `bead ${bead} is not claimed`)
  }

  async claim(caller: Caller, id: string): Promise<Claim> {
    const worker = this.#workerOf(caller)
    const claim = await this.context.store.write((tx) => {
      const claim = this.#claim(tx, id, worker)
      tx.answer('rejection' in claim ? undefined : toClaim(claim))
      return claim
    }, actorOf(caller))
    if ('rejection' in claim) throw new AppError('conflict-wrong-state', claim.rejection)
    return toClaim(claim)
  }

  /** Renews a claim; without heartbeats, one whose process gc does not run expires. The deadline moves once it fires. */
  heartbeat(caller: Caller, id: string): Promise<Claim> {
    const worker = this.#workerOf(caller)
    const renewed = (tx: Tx) => toClaim(this.#manager.renew(tx, this.#ownClaim(tx, id, worker)))
    return this.context.store.write(renewed, actorOf(caller))
  }

  /** Returns a bead unfinished, for anybody to claim. */
  release(caller: Caller, id: string): Promise<OKResponseBody> {
    const worker = this.#workerOf(caller)
    return this.context.store.write((tx) => {
      this.#ownClaim(tx, id, worker)
      const change = { status: 'open', assignee: '', metadata: WITHOUT_SESSION }
      this.options.beads.change(tx, id, change, { session: worker.session })
      return { status: 'released' }
    }, actorOf(caller))
  }

  /** Claims the next bead for a worker: its own work, then what is assigned to it, then what its agent is routed. */
  next(caller: Caller): Promise<NextWork> {
    const worker = this.#workerOf(caller)
    if (worker.blocked !== undefined) return Promise.resolve(NO_WORK)
    return this.context.store.write((tx) => {
      for (const claimable of this.#claimable.listFor(worker, this.context.clock.now())) {
        const claim = this.#claim(tx, claimable.id, worker)
        if (!('rejection' in claim)) return this.#workFor(tx, claimable, claim, worker)
      }
      return NO_WORK
    }, actorOf(caller))
  }

  #claim(tx: Tx, id: string, worker: Worker): ClaimRow | ClaimRejection {
    const claim = this.#manager.claim(tx, id, worker)
    if (!('rejection' in claim) && claim.expires_at !== null) tx.after(() => this.#timer.arm())
    return claim
  }

  #workFor(tx: Tx, { id, reason }: ClaimableBead, claim: ClaimRow, { agent }: Worker): NextWork {
    const { clock } = this.context
    const { beads } = this.options
    const bead = beads.get(id)
    const route = bead.metadata?.[WorkKey.routedTo]
    const root = bead.metadata?.[WorkflowKey.rootBeadId]
    const group = bead.metadata?.[WorkflowKey.continuationGroup]
    const continuation = root && group ? this.#claimable.listContinuation(root, group, agent, clock.now()) : []
    for (const step of continuation) beads.change(tx, step, { assignee: claim.identity })
    return {
      action: 'work',
      reason,
      bead_id: id,
      assignee: claim.identity,
      ...(route && { route }),
      ...(root && { root_bead_id: root }),
      ...(group && { continuation_group: group }),
      ...(continuation.length > 0 && { continuation_assigned: continuation }),
      epoch: claim.epoch,
      bead,
    }
  }

  /** The claim that this very worker holds on a bead. */
  #ownClaim(tx: Tx, id: string, worker: Worker): ClaimRow {
    this.options.beads.assertExists(id)
    const claim = this.#claims.find(id)
    if (claim?.session === worker.session && claim.incarnation === worker.incarnation) return claim
    this.#manager.checkWrite(tx, id, worker.session)
    throw new AppError('conflict-wrong-state', `bead ${id} is not claimed by this session; claim it first`)
  }

  #workerOf(caller: Caller): Worker {
    if (caller.kind !== 'session') {
      throw new AppError(
        'forbidden',
        'only a session claims work: send its token, which gc puts in GC_TOKEN, as Bearer',
      )
    }
    const { city, sessions, turns } = this.options
    if (!sessionOf(caller, city)) {
      throw new AppError('forbidden', `this session belongs to city ${caller.city}, and only its own work is for it`)
    }
    const row = sessions.find(caller.session)
    if (row && row.state !== 'closed') return toWorker(row, turns.closedFor(row))
    throw new AppError('session-not-found', `not_found: session not found: "${caller.session}"`)
  }
}

/** Actions of a lease timer on its leases. */
interface LeaseActions {
  /** Expiry of the next lease. */
  nextExpiry(): number | undefined
  /** Ends the leases that have expired. */
  expire(): Promise<void>
  /** Gives every lease its full length again, because heartbeats could not arrive. */
  renewAll(): Promise<void>
}

/** Keeps one deadline for the nearest of many leases. */
class LeaseTimer {
  #deadline: Deadline | undefined
  #unsubscribe: (() => void) | undefined

  constructor(
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly actions: LeaseActions,
    private readonly report: (error: unknown) => void,
  ) {}

  /** Begins every lease again, since no heartbeat could arrive while nothing ran. */
  async start(): Promise<void> {
    await this.actions.renewAll()
    this.#unsubscribe = this.deadlines.onClockStep(() => this.#armAfter(this.actions.renewAll()))
    this.arm()
  }

  stop(): void {
    this.#deadline?.cancel()
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  /** Sets the deadline to the lease that expires next. */
  arm(): void {
    if (!this.#unsubscribe) return
    this.#deadline?.cancel()
    const next = this.actions.nextExpiry()
    if (next === undefined) return
    const wait = Math.max(0, next - this.clock.now())
    this.#deadline = this.deadlines.after(wait, () => this.#armAfter(this.actions.expire()))
  }

  #armAfter(action: Promise<void>): void {
    action.then(() => this.arm(), this.report)
  }
}

/** A bead that a worker may claim, and why it is offered. */
interface ClaimableBead {
  id: string
  reason: 'existing_assignment' | 'ready_assignment' | 'claimed'
}

interface IdRow {
  id: string
}

/** Number of each kind that are offered together; each is rejected only when another worker of the same name has it. */
const MAX_OFFERED = 16

const ASSIGNED_TO = "FROM beads WHERE assignee = ? AND assignee != '' AND workable = 1"

const IN_PROGRESS = query<IdRow, [string]>(
  stablePlan(`SELECT id ${ASSIGNED_TO} AND status = 'in_progress' AND status != 'closed'
    ORDER BY created_at, id LIMIT ${MAX_OFFERED}`),
)

const ASSIGNED = query<IdRow, [string, number]>(
  stablePlan(`SELECT id ${ASSIGNED_TO} AND status = 'open' AND status != 'closed' AND ready = 1
    AND (defer_until IS NULL OR defer_until <= ?) ORDER BY created_at, id LIMIT ${MAX_OFFERED}`),
)

const ROUTED = query<IdRow, [string, number]>(
  stablePlan(`SELECT id FROM beads
    WHERE routed_to = ? AND routed_to IS NOT NULL AND ready = 1 AND assignee = '' AND type != 'epic'
      AND (defer_until IS NULL OR defer_until <= ?) ORDER BY created_at, id LIMIT ${MAX_OFFERED}`),
)

const CONTINUATION = query<IdRow, [string, string, string, number]>(
  stablePlan(`SELECT id FROM beads
    WHERE root_id = ? AND root_id IS NOT NULL AND metadata ->> '$."${WorkflowKey.continuationGroup}"' = ?
      AND +routed_to = ? AND ready = 1 AND assignee = ''
      AND (defer_until IS NULL OR defer_until <= ?) ORDER BY created_at, id`),
)

/** Finds the beads that a worker may claim, from indexes. */
class ClaimableBeads {
  constructor(private readonly store: Store) {}

  /** In the order they should be tried: work in progress first, then what is assigned, then what is routed. */
  *listFor(worker: Worker, now: number): Generator<ClaimableBead> {
    for (const name of worker.names) {
      for (const { id } of this.store.all(IN_PROGRESS, name)) yield { id, reason: 'existing_assignment' }
    }
    for (const name of worker.names) {
      for (const { id } of this.store.all(ASSIGNED, name, now)) yield { id, reason: 'ready_assignment' }
    }
    for (const { id } of this.store.all(ROUTED, worker.agent, now)) yield { id, reason: 'claimed' }
  }

  /** The ready steps of a workflow that belong to one continuation group and are routed to one agent. */
  listContinuation(root: string, group: string, agent: string, now: number): string[] {
    return this.store.all(CONTINUATION, root, group, agent, now).map(({ id }) => id)
  }
}
