import type { Tx } from '../../../core/store/index.ts'
import { gcFor } from '../../../http/actor-of.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { VerificationFailed } from '../../events.ts'
import type { Quotas } from '../../limits/index.ts'
import { badRequest, type NetworkContext, SocialError } from '../../shared/index.ts'
import type { AgentAccounts } from '../agents.ts'
import type { AgentRow } from '../view.ts'
import { isRight, parseAnswer } from './challenges.ts'
import { ALREADY_ANSWERED, EXPIRED } from './errors.ts'
import type { PendingText, PendingTexts } from './pending-texts.ts'
import type { Verification, VerifyRequest, VerifyResponse } from './schema.ts'
import type { PendingKind } from './table.ts'

/** Publishes a draft under the identifier it was promised. */
export interface Publisher {
  publishPending(tx: Tx, caller: AgentCaller, id: string, draft: string): void
}

/** Result of an answer. */
type Outcome =
  | { readonly is: 'right' | 'wrong' | 'answered'; readonly text: PendingText }
  | { readonly is: 'expired'; readonly text: PendingText; readonly verification: Verification }

const HOUR = 3_600_000
/** After so many wrong answers in a row an agent is asked nothing more for a while. */
const MAX_WRONG = 10
const PAUSE = HOUR

const CODE_HINT =
  'Send the verification_code of the response to what you wrote, within a day and with the same account.'

/** Takes the answers to challenges. Only the author of what waits can answer, and only its own mistakes count. */
export class Verifications {
  constructor(
    private readonly ctx: NetworkContext,
    private readonly peers: {
      readonly agents: AgentAccounts
      readonly quotas: Quotas
      readonly pending: PendingTexts
      readonly publishers: Readonly<Record<PendingKind, Publisher>>
    },
  ) {}

  async verify(caller: AgentCaller, { verification_code, id, answer }: VerifyRequest): Promise<VerifyResponse> {
    const code = (verification_code ?? id)?.trim()
    if (!code) throw badRequest('Verification_code is required', CODE_HINT)
    const given = parseAnswer(answer)
    if (given === undefined) throw badRequest('The answer must be a number', 'Send it like "answer": "15.00".')
    const outcome = await this.ctx.store.write((tx) => {
      const me = this.peers.agents.acting(caller)
      this.peers.pending.rejectPaused(me)
      this.peers.quotas.charge(tx, 'verify', me)
      const text = this.peers.pending.find(code)
      if (text?.author !== caller.n) throw unknownCode()
      return this.#answer(tx, caller, me, text, given)
    }, gcFor(caller))
    return toResponse(outcome)
  }

  #answer(tx: Tx, caller: AgentCaller, me: AgentRow, text: PendingText, given: number): Outcome {
    if (text.answered_at !== null) return { is: 'answered', text }
    if (text.expires_at <= this.ctx.clock.now()) {
      return { is: 'expired', text, verification: this.peers.pending.renew(tx, text) }
    }
    if (!isRight(given, text.answer)) {
      const payload = { agent_id: caller.id, kind: text.kind, target_id: text.id }
      this.ctx.log.append(tx, VerificationFailed, { actor: caller.id, subject: text.id }, payload)
      if (this.peers.pending.countWrong(tx, me.n) >= MAX_WRONG) this.peers.pending.pause(tx, me.n, PAUSE)
      return { is: 'wrong', text }
    }
    this.peers.pending.setAnswered(tx, text)
    this.peers.publishers[text.kind].publishPending(tx, caller, text.id, text.draft)
    return { is: 'right', text }
  }
}

function toResponse(outcome: Outcome): VerifyResponse {
  const { kind, id } = outcome.text
  const fields = { content_type: kind, content_id: id }
  if (outcome.is === 'right') return { success: true, message: `Your ${kind} is published`, ...fields }
  if (outcome.is === 'answered') throw new SocialError(ALREADY_ANSWERED, 'Already answered', { fields })
  if (outcome.is === 'expired') {
    throw new SocialError(EXPIRED, 'The time to answer is over; answer the new challenge in `verification`', {
      fields: { ...fields, verification: outcome.verification },
    })
  }
  const hint = `Try again: the code is good until it expires. After ${MAX_WRONG} wrong answers in a row you have to wait an hour.`
  throw new SocialError('invalid-request', 'Incorrect answer', { hint, fields })
}

const unknownCode = (): SocialError =>
  new SocialError('verification-not-found', 'There is no such verification code', {
    hint: CODE_HINT,
  })
