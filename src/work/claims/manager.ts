import type { CityContext } from '../../core/city-context.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/index.ts'
import { Signal } from '../../core/signal.ts'
import { query, type Store, stablePlan, type Tx } from '../../core/store/index.ts'
import { type Bead, type BeadGuard, type BeadHolder, type BeadRepository, isRecord } from '../beads/index.ts'
import { CLAIM_LOST } from '../errors.ts'
import { BeadClaimDisplaced, BeadClaimRejected, BeadDeadAssigneeReopened } from '../events.ts'
import { EngineKey, WorkflowKey, WorkKey } from '../metadata.ts'
import { ClaimRepository, type ClaimRow } from './repository.ts'
import type { Worker } from './worker.ts'

/** Reason a bead could not be claimed. */
export interface ClaimRejection {
  rejection: string
}

/** Time a claim lasts without a heartbeat when gc does not run its holder's process. */
const LEASE_MS = 15 * 60_000

const IN_PROGRESS = query<{ id: string }, [string]>(
  stablePlan(`SELECT id FROM beads
    WHERE assignee = ? AND assignee != '' AND status = 'in_progress' AND status != 'closed' AND workable = 1
    ORDER BY created_at, id`),
)

const CONTINUING = query<{ id: string }, [string]>(
  stablePlan(`SELECT id FROM beads
    WHERE assignee = ? AND assignee != '' AND status = 'open' AND status != 'closed' AND workable = 1
      AND routed_to IS NOT NULL AND metadata ->> '$."${WorkflowKey.continuationGroup}"' IS NOT NULL
    ORDER BY created_at, id`),
)

/** Removes from a bead which session holds it. */
export const WITHOUT_SESSION = { [WorkKey.sessionId]: null, [WorkKey.sessionName]: null }

/** Takes, ends and revokes claims, each within the write that causes it: two sessions never hold one bead. */
export class ClaimManager implements BeadGuard {
  readonly #store: Store
  readonly #claims: ClaimRepository
  readonly #log: EventLog
  readonly #clock: Clock
  readonly #beads: BeadRepository
  readonly #claimed = new Signal<[tx: Tx, bead: string, session: string]>()
  /** The bead whose claim was just written: what changes of it follows from that claim. */
  #taken: string | undefined

  constructor({ store, log, clock }: CityContext, beads: BeadRepository) {
    this.#store = store
    this.#claims = new ClaimRepository(store)
    this.#log = log
    this.#clock = clock
    this.#beads = beads
    beads.addGuard(this)
  }

  /** Claims a bead for a worker, under a new epoch unless this very worker holds it already. */
  claim(tx: Tx, id: string, worker: Worker): ClaimRow | ClaimRejection {
    const stored = this.#beads.load(tx, id)
    const { bead } = stored
    const current = this.#claims.find(id)
    if (current?.session === worker.session && current.incarnation === worker.incarnation)
      return this.renew(tx, current)
    const rejection = worker.blocked ?? whyUnclaimable(bead) ?? whyTaken(bead, current, worker)
    if (rejection) return this.#reject(tx, bead, worker, rejection)
    const taken_at = this.#clock.now()
    const expires_at = worker.hosted ? null : taken_at + LEASE_MS
    const assigned = bead.assignee === undefined ? 0 : 1
    const saved = this.#claims.save(tx, id, worker, { assigned, taken_at, expires_at })
    if (!saved) throw new Error(`the claim of ${id} was not written`)
    const metadata = { [WorkKey.sessionId]: worker.session, [WorkKey.sessionName]: worker.sessionName }
    const change = { status: 'in_progress', assignee: worker.identity, metadata }
    this.#taken = id
    try {
      this.#beads.change(tx, stored, change, { session: worker.session })
    } finally {
      this.#taken = undefined
    }
    this.#claimed.emit(tx, id, worker.session)
    return saved
  }

  /** Calls the listener in the write in which a session claims a bead that it did not hold. */
  readonly onClaim = this.#claimed.listen

  /** Gives a claim that can expire its full length again. */
  renew(tx: Tx, claim: ClaimRow): ClaimRow {
    if (claim.expires_at === null) return claim
    const expires = this.#clock.now() + LEASE_MS
    this.#claims.renew(tx, claim.bead_id, expires)
    return { ...claim, expires_at: expires }
  }

  /**
   * Revokes every claim of a session whose process is gone; the same write ends its token. `names` are given when no
   * one will work under them again: work in progress under those names is opened as well, and steps that were to
   * continue in the session are offered to all.
   */
  revokeAll(tx: Tx, session: string, names: readonly string[] = []): void {
    for (const claim of this.#claims.listBySession(session)) this.#revoke(tx, claim, names.length > 0)
    for (const name of names) {
      for (const { id } of this.#store.all(IN_PROGRESS, name))
        if (!this.#claims.find(id)) this.#reopen(tx, id, name, false)
      for (const { id } of this.#store.all(CONTINUING, name)) this.#beads.change(tx, id, { assignee: '' })
    }
  }

  /** Revokes a claim and offers its bead again, under the holder's name if it was assigned to it before. */
  #revoke(tx: Tx, claim: ClaimRow, isFinal: boolean): void {
    this.#claims.end(tx, claim.bead_id)
    this.#claims.addRevocation(tx, claim.session, claim.bead_id)
    this.#reopen(tx, claim.bead_id, claim.identity, claim.assigned === 1 && !isFinal)
  }

  /** Revokes the claims that have expired. */
  revokeExpired(tx: Tx): void {
    for (const claim of this.#claims.listExpired(this.#clock.now())) this.#revoke(tx, claim, false)
  }

  /** Gives every claim that can expire its full length again. */
  renewAll(tx: Tx): void {
    this.#claims.renewAll(tx, this.#clock.now() + LEASE_MS)
  }

  /** A session whose claim was revoked may not write to the bead until it claims it again. */
  checkWrite(_tx: Tx, id: string, session: string): void {
    if (id === this.#taken || !this.#claims.isRevoked(session, id)) return
    throw new AppError(CLAIM_LOST, `the claim of ${id} was lost: leave it, or claim it again before changing it`)
  }

  holderOf(id: string): BeadHolder | undefined {
    const claim = this.#claims.find(id)
    return claim && { session: claim.session, name: claim.identity }
  }

  /** Ends a claim once its bead is no longer in progress under its holder's name. */
  onChanged(tx: Tx, _before: Bead, after: Bead, session: string | undefined): void {
    if (after.id === this.#taken) return
    if (after.issue_type === 'session' && after.status === 'closed') this.#claims.deleteRevocations(tx, after.id)
    const claim = this.#claims.find(after.id)
    if (!claim || (after.status === 'in_progress' && after.assignee === claim.identity)) return
    this.#claims.end(tx, after.id)
    if (session !== claim.session) this.#recordDisplaced(tx, claim)
    if (after.status !== 'closed' && session !== claim.session) this.#claims.addRevocation(tx, claim.session, after.id)
  }

  #recordDisplaced(tx: Tx, { bead_id, session, identity }: ClaimRow): void {
    this.#log.append(
      tx,
      BeadClaimDisplaced,
      { subject: bead_id },
      { bead_id, session_id: session, displaced: identity },
    )
  }

  #reject(tx: Tx, bead: Bead, worker: Worker, rejection: string): ClaimRejection {
    const holder = bead.assignee ?? ''
    if (holder !== '' && bead.status !== 'closed') {
      this.#log.append(
        tx,
        BeadClaimRejected,
        { subject: bead.id, session_id: worker.session },
        { bead_id: bead.id, existing_claimant: holder, attempted_claimant: worker.identity },
      )
    }
    return { rejection }
  }

  #reopen(tx: Tx, id: string, assignee: string, keepsAssignee: boolean): void {
    const bead = this.#beads.find(id)
    if (bead?.status !== 'in_progress' || bead.assignee !== assignee) return
    const session = bead.metadata?.[WorkKey.sessionId]
    const route = bead.metadata?.[WorkKey.routedTo]
    this.#log.append(
      tx,
      BeadDeadAssigneeReopened,
      { subject: id, ...(session && { session_id: session }) },
      { bead_id: id, dead_assignee: assignee, ...(route && { routed_to: route }) },
    )
    const change = { status: 'open', metadata: WITHOUT_SESSION, ...(!keepsAssignee && { assignee: '' }) }
    this.#beads.change(tx, id, change)
  }
}

function whyUnclaimable({ id, issue_type, status, metadata = {} }: Bead): string | undefined {
  if (isRecord(issue_type)) return `bead ${id} is a ${issue_type}, which is not work`
  if (metadata[EngineKey.paused])
    return `bead ${id} is a step of run ${metadata[WorkflowKey.rootBeadId]}, which is paused`
  if (status === 'open' || status === 'in_progress') return undefined
  return `bead ${id} is ${status}: only an open bead can be claimed`
}

function whyTaken(bead: Bead, claim: ClaimRow | undefined, worker: Worker): string | undefined {
  if (claim && claim.session !== worker.session) return `bead ${bead.id} is held by ${claim.identity}`
  if (bead.assignee === undefined || worker.names.includes(bead.assignee)) return undefined
  return `bead ${bead.id} is assigned to ${bead.assignee}`
}
