import { gcPart } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { sessionOf } from '../actor.ts'
import type { BeadRepository } from '../beads/repository.ts'
import { WorkflowKey, WorkKey } from '../metadata.ts'
import { type ClaimableBead, ClaimableBeads } from './claimable.ts'
import { LeaseTimer } from './lease-timer.ts'
import { type ClaimManager, type ClaimRejection, WITHOUT_SESSION } from './manager.ts'
import { ClaimRepository, type ClaimRow, toClaim } from './repository.ts'
import type { Claim, ClaimList, NextWork } from './schema.ts'
import type { Worker, Workers } from './worker.ts'

export interface ClaimsOptions {
  /** The city's name. */
  city: string
  store: Store
  clock: Clock
  deadlines: Deadlines
  beads: BeadRepository
  manager: ClaimManager
  workers: Workers
  report?(error: unknown): void
}

const NO_WORK: NextWork = { action: 'drain', reason: 'no_work' }

/** The claims of a city as sessions take, keep and return them. */
export class Claims {
  readonly #options: ClaimsOptions
  readonly #manager: ClaimManager
  readonly #claims: ClaimRepository
  readonly #claimable: ClaimableBeads
  readonly #timer: LeaseTimer

  constructor(options: ClaimsOptions) {
    const { store, clock, deadlines, manager, report = () => {} } = options
    this.#options = options
    this.#manager = manager
    this.#claims = new ClaimRepository(store)
    this.#claimable = new ClaimableBeads(store)
    const actions = {
      nextExpiry: () => this.#claims.nextExpiry(),
      expire: () => store.write((tx) => manager.revokeExpired(tx), gcPart('claims')),
      renewAll: () => store.write(() => manager.renewAll()),
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
    this.#options.beads.assertExists(bead)
    const claim = this.#claims.find(bead)
    if (claim) return toClaim(claim)
    throw new AppError('bead-not-found', `bead ${bead} is not claimed`)
  }

  async claim(caller: Caller, id: string): Promise<Claim> {
    const worker = this.#workerOf(caller)
    const claim = await this.#options.store.write((tx) => this.#claim(tx, id, worker), actorOf(caller))
    if ('rejection' in claim) throw new AppError('conflict-wrong-state', claim.rejection)
    return toClaim(claim)
  }

  /** Renews a claim; without heartbeats, one whose process gc does not run expires. */
  heartbeat(caller: Caller, id: string): Promise<Claim> {
    const worker = this.#workerOf(caller)
    return this.#options.store.write((tx) => {
      const claim = this.#manager.renew(this.#ownClaim(tx, id, worker))
      if (claim.expires_at !== null) tx.after(() => this.#timer.arm())
      return toClaim(claim)
    }, actorOf(caller))
  }

  /** Returns a bead unfinished, for anybody to claim. */
  release(caller: Caller, id: string): Promise<OKResponseBody> {
    const worker = this.#workerOf(caller)
    return this.#options.store.write((tx) => {
      this.#ownClaim(tx, id, worker)
      const change = { status: 'open', assignee: '', metadata: WITHOUT_SESSION }
      this.#options.beads.change(tx, id, change, { session: worker.session })
      return { status: 'released' }
    }, actorOf(caller))
  }

  /** Claims the next bead for a worker: its own work, then what is assigned to it, then what its agent is routed. */
  next(caller: Caller): Promise<NextWork> {
    const worker = this.#workerOf(caller)
    if (worker.blocked !== undefined) return Promise.resolve(NO_WORK)
    return this.#options.store.write((tx) => {
      for (const claimable of this.#claimable.listFor(worker, this.#options.clock.now())) {
        const claim = this.#claim(tx, claimable.id, worker)
        if (!('rejection' in claim)) return this.#workFor(tx, claimable, claim)
      }
      return NO_WORK
    }, actorOf(caller))
  }

  #claim(tx: Tx, id: string, worker: Worker): ClaimRow | ClaimRejection {
    tx.after(() => this.#timer.arm())
    return this.#manager.claim(tx, id, worker)
  }

  #workFor(tx: Tx, { id, reason }: ClaimableBead, claim: ClaimRow): NextWork {
    const { beads, clock } = this.#options
    const bead = beads.get(id)
    const route = bead.metadata?.[WorkKey.routedTo]
    const root = bead.metadata?.[WorkflowKey.rootBeadId]
    const group = bead.metadata?.[WorkflowKey.continuationGroup]
    const continuation = root && group ? this.#claimable.listContinuation(root, group, clock.now()) : []
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
    this.#options.beads.assertExists(id)
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
    if (sessionOf(caller, this.#options.city)) return this.#options.workers.worker(caller)
    throw new AppError('forbidden', `this session belongs to city ${caller.city}, and only its own work is for it`)
  }
}
