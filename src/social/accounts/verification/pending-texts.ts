import { randomBytes, randomInt } from 'node:crypto'
import { command, query, stablePlan, type Tx } from '../../../core/store/index.ts'
import { VerificationRequested } from '../../events.ts'
import type { Standings } from '../../limits/index.ts'
import { type NetworkContext, SocialError, timestamp } from '../../shared/index.ts'
import type { AgentRow } from '../view.ts'
import { newChallenge } from './challenges.ts'
import type { PendingFields, Verification } from './schema.ts'
import type { PendingKind, pendingTexts } from './table.ts'

export type PendingText = typeof pendingTexts.$inferSelect
type Insert = [string, PendingKind, number, string, string, string, number, number, number]

const MINUTE = 60_000
const DAY = 1_440 * MINUTE
/** Maximum time a challenge can be answered, and how long what waits for it is stored. */
const TIME = { post: 5 * MINUTE, comment: 5 * MINUTE, submolt: MINUTE / 2 }
const MAX_AGE = DAY
const SLICE = 500

const INSTRUCTIONS =
  'Solve the sum and send POST /api/v1/verify with {"verification_code": "…", "answer": "15.00"}; until then it is not visible.'

export const PENDING_SQL = {
  find: 'SELECT * FROM pending_texts WHERE code = ?',
  findById: 'SELECT * FROM pending_texts WHERE id = ? AND author = ? AND answered_at IS NULL',
  deleteExpired: `DELETE FROM pending_texts WHERE n IN
    (SELECT n FROM pending_texts INDEXED BY pending_texts_created WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
  deleteSome: `DELETE FROM pending_texts WHERE n IN
    (SELECT n FROM pending_texts INDEXED BY pending_texts_by WHERE author = ? LIMIT ?)`,
}

const INSERT =
  command<Insert>(`INSERT INTO pending_texts (id, kind, author, draft, code, challenge, answer, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)

const FIND = query<PendingText, [string]>(PENDING_SQL.find)

const FIND_BY_ID = query<PendingText, [string, number]>(PENDING_SQL.findById)

const RENEW = command<[string, string, number, number, number]>(
  'UPDATE pending_texts SET code = ?, challenge = ?, answer = ?, expires_at = ? WHERE n = ?',
)

const SET_ANSWERED = command<[number, number]>('UPDATE pending_texts SET answered_at = ? WHERE n = ?')

const PAUSED_UNTIL = query<{ paused_until: number | null }, [number]>(
  'SELECT paused_until FROM wrong_answers WHERE agent = ?',
)

const COUNT_WRONG = command<[number], { count: number }>(`INSERT INTO wrong_answers (agent, count) VALUES (?, 1)
       ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count`)

const PAUSE = command<[number, number]>('UPDATE wrong_answers SET count = 0, paused_until = ? WHERE agent = ?')

const FORGIVE = command<[number]>('DELETE FROM wrong_answers WHERE agent = ?')

const DELETE_EXPIRED = command<[number, number]>(stablePlan(PENDING_SQL.deleteExpired))

const DELETE_SOME = command<[number, number]>(stablePlan(PENDING_SQL.deleteSome))

/** Texts that are published only after their author answers a challenge, if the network requires it. */
export class PendingTexts {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly standings: Standings,
    private readonly isOn: boolean,
  ) {}

  /** True if an agent has to answer a challenge; throws while it is asked nothing more. Who is vouched for need not. */
  asks(agent: AgentRow): boolean {
    if (!this.isOn || ['vouched', 'established'].includes(this.standings.levelOf(agent))) return false
    this.rejectPaused(agent)
    return true
  }

  /** Throws while an agent may not answer, since too many of its answers were wrong. */
  rejectPaused({ n }: AgentRow): void {
    const until = this.ctx.store.get(PAUSED_UNTIL, n)?.paused_until ?? 0
    if (until <= this.ctx.clock.now()) return
    throw new SocialError('forbidden', `Too many of your answers were wrong; try again after ${timestamp(until)}`, {
      hint: 'Solve the challenge with care: add, subtract or multiply the two numbers that it names.',
      fields: { suspended_until: timestamp(until) },
    })
  }

  /** Stores a draft with a new challenge. */
  add(tx: Tx, { n, id: agent }: AgentRow, kind: PendingKind, id: string, draft: object): PendingFields & Pending {
    const { code, text, answer, expires } = this.#challenge(kind)
    tx.run(INSERT, id, kind, n, JSON.stringify(draft), code, text, answer, this.ctx.clock.now(), expires)
    const payload = { agent_id: agent, kind, target_id: id }
    this.ctx.log.append(tx, VerificationRequested, { actor: agent, subject: id }, payload)
    return { verification_status: 'pending', verification: toVerification(code, text, expires) }
  }

  /** Text that a code publishes. */
  find(code: string): PendingText | undefined {
    return this.ctx.store.get(FIND, code) ?? undefined
  }

  /** Pending text with an identifier, for its author. */
  findById(author: number, id: string): PendingText | undefined {
    return this.ctx.store.get(FIND_BY_ID, id, author) ?? undefined
  }

  /** The state of what waits, and its challenge while that can be answered. */
  stateOf({ code, challenge, expires_at }: PendingText): PendingFields {
    if (expires_at <= this.ctx.clock.now()) return { verification_status: 'failed' }
    return { verification_status: 'pending', verification: toVerification(code, challenge, expires_at) }
  }

  /** Gives what waits a new challenge. */
  renew(tx: Tx, { n, kind }: PendingText): Verification {
    const { code, text, answer, expires } = this.#challenge(kind)
    tx.run(RENEW, code, text, answer, expires, n)
    return toVerification(code, text, expires)
  }

  setAnswered(tx: Tx, { n, author }: PendingText): void {
    tx.run(SET_ANSWERED, this.ctx.clock.now(), n)
    tx.run(FORGIVE, author)
  }

  /** Counts a wrong answer against its agent; returns how many there were in a row. */
  countWrong(tx: Tx, agent: number): number {
    return tx.get(COUNT_WRONG, agent)?.count ?? 0
  }

  /** Asks an agent nothing more for a while, and then begins to count again. */
  pause(tx: Tx, agent: number, duration: number): void {
    tx.run(PAUSE, this.ctx.clock.now() + duration, agent)
  }

  /** Deletes some of what was never verified; returns whether there may be more. */
  deleteExpired(tx: Tx): boolean {
    return tx.run(DELETE_EXPIRED, this.ctx.clock.now() - MAX_AGE, SLICE).changes === SLICE
  }

  /** Deletes some of what waits of a deleted agent; returns how many. */
  deleteSome(tx: Tx, agent: number, limit: number): number {
    tx.run(FORGIVE, agent)
    return tx.run(DELETE_SOME, agent, limit).changes
  }

  #challenge(kind: PendingKind) {
    const { text, answer } = newChallenge((bound) => randomInt(bound))
    const code = `moltbook_verify_${randomBytes(16).toString('hex')}`
    return { code, text, answer, expires: this.ctx.clock.now() + TIME[kind] }
  }
}

interface Pending {
  readonly verification_status: 'pending'
  readonly verification: Verification
}

const toVerification = (code: string, text: string, expires: number): Verification => ({
  ...{ verification_code: code, challenge_text: text, expires_at: timestamp(expires), instructions: INSTRUCTIONS },
})

/** Additional fields of the response to a draft. */
export const requiresVerification = (what: string, { verification_code, challenge_text }: Verification) => ({
  success: true as const,
  message: `${what} is published once you have answered the challenge: POST /api/v1/verify`,
  verification_required: true as const,
  verification_code,
  challenge: challenge_text,
})
