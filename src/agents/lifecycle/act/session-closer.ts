import type { CityContext } from '../../../core/city-context.ts'
import type { Reactions } from '../../../core/events/index.ts'
import type { Tx } from '../../../core/store/index.ts'
import type { ClaimManager } from '../../../work/claims/index.ts'
import { type SessionRepository, type SessionTokens, workNamesOf } from '../../../work/sessions/index.ts'
import type { SessionActivity } from '../../conversations/index.ts'
import type { MessageDelivery, SessionRequests } from '../../messaging/index.ts'
import type { CrashHistory } from '../exit/crash-history.ts'
import type { FailureCounts } from '../plan/failure-counts.ts'

/** The reason given while a session is still ending. */
export const STILL_ENDING = 'its program is still ending'

/** Closes sessions: on request, by plan, and when somebody closes their beads. */
export class SessionCloser {
  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      reactions: Reactions
      repository: SessionRepository
      tokens: SessionTokens
      claims: Pick<ClaimManager, 'revokeAll'>
      failures: FailureCounts
      crashes: Pick<CrashHistory, 'forget'>
      delivery: Pick<MessageDelivery, 'abandon'>
      requests: SessionRequests
      activity: SessionActivity
    },
  ) {
    const { reactions, requests } = peers
    reactions.on('sessions.beads', ['bead.closed'], (tx, { subject }) => this.#onBeadClosed(tx, subject ?? ''))
    requests.onTimeout((tx, { operation, subject }) => operation === 'session.create' && this.#giveUp(tx, subject))
  }

  /** Closes a session: what waits for it fails, its names become free, its work is offered again. */
  close(tx: Tx, id: string, reason: string): void {
    const { clock } = this.context
    const { repository, tokens, claims, delivery, requests, activity, crashes } = this.peers
    const row = repository.get(id)
    if (row.state === 'closed') return
    tokens.revoke(tx, id)
    claims.revokeAll(tx, id, workNamesOf(row))
    delivery.abandon(tx, id, reason)
    const closed = repository.transition(tx, id, 'close', { closedAt: clock.now(), reason })
    const create = requests.find('session.create', id)
    if (create) requests.fail(tx, create, 'create_failed', `session ${closed.id} was closed: ${reason}`)
    activity.forget(id)
    tx.after(() => crashes.forget(id))
  }

  /**
   * Reopens a closed session, asleep: its next start continues in its folder and, if its program can, in its
   * conversation. Returns why that is impossible; undefined once it is done.
   */
  reopen(tx: Tx, id: string): string | undefined {
    const { clock } = this.context
    const { repository } = this.peers
    const row = repository.find(id)
    if (!row) return 'it is gone'
    if (row.state !== 'closed') return undefined
    if (row.hostKey !== null) return STILL_ENDING
    if (row.wokeAt === null) return 'it was never started'
    const names = (['sessionName', 'alias', 'named'] as const).flatMap((column) => {
      const name = row[column]
      return name === null ? [] : repository.liveByName(column, name)
    })
    if (names.length > 0) return `session ${names[0]?.id} has its name now`
    const isSlotTaken = repository.liveByTemplate(row.template).some(({ slot }) => slot === row.slot)
    const change = { closedAt: null, sleptAt: clock.now(), failures: 0, churn: 0, ...(isSlotTaken && { slot: null }) }
    repository.transition(tx, id, 'reopen', change)
    return undefined
  }

  /** No one waits any more for a session whose start has not begun: it does not start later, unasked. */
  #giveUp(tx: Tx, id: string): void {
    if (this.peers.repository.find(id)?.state === 'start-pending') this.close(tx, id, 'it did not start in time')
  }

  /** The failures of a closed bead are forgotten; a session whose bead was closed is closed. */
  #onBeadClosed(tx: Tx, id: string): void {
    const { failures, repository } = this.peers
    failures.clear(tx, 'bead', id)
    const row = repository.find(id)
    if (row && row.state !== 'closed') this.close(tx, id, 'its bead was closed')
  }
}
