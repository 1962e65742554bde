import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Beads } from '../beads/beads.ts'
import type { BeadGuard } from '../beads/draft.ts'
import type { Bead } from '../beads/schema.ts'
import { CLAIM_LOST } from '../errors.ts'
import { WorkKey } from '../metadata.ts'
import { ClaimBook, type Held } from './book.ts'
import { BeadClaimRejected, BeadDeadAssigneeReopened } from './events.ts'
import type { Worker } from './worker.ts'

/** Why a bead was not given. */
export interface Rejected {
  refused: string
}

/** What is in nobody's hands: a record rather than work. */
const RECORDS = new Set(['session', 'message', 'convoy', 'gate'])
const UNMARKED = { [WorkKey.sessionId]: null, [WorkKey.sessionName]: null }

/** The rules by which a bead comes into a session's hands and leaves them, each within the write that causes it. */
export class Tenure implements BeadGuard {
  protected readonly book: ClaimBook

  constructor(
    store: Store,
    private readonly log: EventLog,
    protected readonly clock: Clock,
    protected readonly beads: Beads,
    /** How long a claim lasts without a heartbeat when its holder's process is not ours to see. */
    protected readonly term: number,
  ) {
    this.book = new ClaimBook(store)
    beads.guardedBy(this)
  }

  /** Gives a bead to a worker, under a new epoch unless this very worker has it already. */
  take(tx: Tx, id: string, worker: Worker): Held | Rejected {
    const bead = this.beads.get(id)
    const held = this.book.find(id)
    if (held && held.session === worker.session && held.incarnation === worker.incarnation) return this.#again(held)
    const refused = unfit(bead) ?? taken(bead, held, worker)
    if (refused) return this.#reject(tx, bead, worker, refused)
    const now = this.clock.now()
    const put = this.book.put(id, worker, bead.assignee !== undefined, now, worker.hosted ? null : now + this.term)
    if (!put) throw new Error(`the claim of ${id} was not written`)
    const mark = { [WorkKey.sessionId]: worker.session, [WorkKey.sessionName]: worker.sessionName }
    const change = { status: 'in_progress', assignee: worker.identity, metadata: mark }
    this.beads.change(tx, id, change, { by: worker.session })
    return put
  }

  /**
   * Takes from a session all it has claimed, because its process is gone: the same write ends its token.
   * `names` are given when nobody will work under them again; work under way in those names is opened too.
   */
  loseAll(tx: Tx, session: string, names: readonly string[] = []): void {
    for (const held of this.book.of(session)) this.lose(tx, held, names.length > 0)
    for (const name of names) {
      for (const id of this.beads.underWay(name)) if (!this.book.find(id)) this.#reopen(tx, id, name, false)
    }
  }

  /** A session that lost a bead may not write to it until it claims it again. */
  admit(_tx: Tx, id: string, session: string): void {
    if (!this.book.hasLost(session, id)) return
    throw new AppError(CLAIM_LOST, `the claim of ${id} was lost: leave it, or claim it again before changing it`)
  }

  /** A claim lasts while its bead is in progress in its holder's name. */
  changed(_tx: Tx, _before: Bead, after: Bead, by: string | undefined): void {
    if (after.issue_type === 'session' && after.status === 'closed') this.book.forget(after.id)
    const held = this.book.find(after.id)
    if (!held || (after.status === 'in_progress' && after.assignee === held.identity)) return
    this.book.end(after.id)
    if (after.status !== 'closed' && by !== held.session) this.book.lose(held.session, after.id)
  }

  /** Takes a bead from its holder and offers it again; what was in the holder's name before stays in it. */
  protected lose(tx: Tx, held: Held, forGood: boolean): void {
    this.book.end(held.bead_id)
    this.book.lose(held.session, held.bead_id)
    this.#reopen(tx, held.bead_id, held.identity, held.assigned === 1 && !forGood)
  }

  #again(held: Held): Held {
    if (held.expires_at === null) return held
    const expires = this.clock.now() + this.term
    this.book.renew(held.bead_id, expires)
    return { ...held, expires_at: expires }
  }

  #reject(tx: Tx, bead: Bead, worker: Worker, refused: string): Rejected {
    const holder = bead.assignee ?? ''
    if (holder !== '' && bead.status !== 'closed') {
      this.log.append(
        tx,
        BeadClaimRejected,
        { actor: worker.identity, subject: bead.id, session_id: worker.session },
        { bead_id: bead.id, existing_claimant: holder, attempted_claimant: worker.identity },
      )
    }
    return { refused }
  }

  #reopen(tx: Tx, id: string, dead: string, keep: boolean): void {
    const bead = this.beads.find(id)
    if (bead?.status !== 'in_progress' || bead.assignee !== dead) return
    const session = bead.metadata?.[WorkKey.sessionId]
    const route = bead.metadata?.[WorkKey.routedTo]
    this.log.append(
      tx,
      BeadDeadAssigneeReopened,
      { actor: 'gc', subject: id, ...(session && { session_id: session }) },
      { bead_id: id, dead_assignee: dead, ...(route && { routed_to: route }) },
    )
    this.beads.change(tx, id, { status: 'open', metadata: UNMARKED, ...(!keep && { assignee: '' }) })
  }
}

function unfit({ id, issue_type, status }: Bead): string | undefined {
  if (RECORDS.has(issue_type)) return `bead ${id} is a ${issue_type}, which nobody works on`
  if (status === 'open' || status === 'in_progress') return undefined
  return `bead ${id} is ${status}: only an open bead can be claimed`
}

function taken(bead: Bead, held: Held | undefined, worker: Worker): string | undefined {
  if (held && held.session !== worker.session) return `bead ${bead.id} is held by ${held.identity}`
  if (bead.assignee === undefined || worker.names.includes(bead.assignee)) return undefined
  return `bead ${bead.id} is assigned to ${bead.assignee}`
}
