import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { EventLog } from '../../core/events/index.ts'
import type { LandingRows } from './rows.ts'
import type { LandingRow, LandingState } from './table.ts'

interface LandingAttentionOptions {
  readonly log: Pick<EventLog, 'subscribe'>
  readonly clock: Clock
  readonly deadlines: Deadlines
}

interface WaitingLandings {
  readonly rows: Pick<LandingRows, 'everywhere' | 'standing' | 'hasLetterLost'>
  /** The time that owners in a rig have to answer a letter, in milliseconds. */
  answerTime(rig: string): number
  /** Whether the review of a landing's change decides about it, or did so just now. */
  isInReview(row: LandingRow): boolean
}

/** Branches that only a person can get on, owners who do not answer, and rigs in which nothing lands. */
export class LandingAttention implements AttentionSource {
  readonly name = 'landings'

  constructor(
    private readonly landings: WaitingLandings,
    private readonly options: LandingAttentionOptions,
  ) {}

  items(): AttentionEntry[] {
    const { landings } = this
    const { rows } = landings
    const now = this.options.clock.now()
    return [
      ...rows.standing().map(
        (train): AttentionEntry => ({
          ...{ id: `landing:${train.rig}`, kind: 'landing', rig: train.rig },
          ...(train.standingSince !== null && { since: toTimestamp(train.standingSince) }),
          asks: `${train.standingFor === 'no-forge' ? 'Pull requests wait' : 'Nothing lands'} in rig ${train.rig}: ${train.standing}.`,
          to_do: `gc land status ${train.rig}, then gc land resume ${train.rig}`,
        }),
      ),
      ...rows
        .everywhere('held', 'parked', 'lost')
        .filter((row) => !landings.isInReview(row))
        .map((row) => toEntry(row)),
      ...rows.everywhere('conflict', 'red').flatMap((row) => {
        if (rows.hasLetterLost(row)) return [toEntry(row, 'its owner cannot be reached')]
        return this.#dueOf(row) <= now ? [toEntry(row, 'its owner has not answered')] : []
      }),
    ]
  }

  onChange(listener: () => void): () => void {
    let due: Deadline | undefined
    const arm = () => {
      due?.cancel()
      const { clock, deadlines } = this.options
      const all = this.landings.rows.everywhere('conflict', 'red').map((row) => this.#dueOf(row))
      const next = Math.min(...all.filter((at) => at > clock.now()))
      due = Number.isFinite(next) ? deadlines.at(next, changed) : undefined
    }
    const changed = () => {
      listener()
      arm()
    }
    const unsubscribe = this.options.log.subscribe(({ type }) => {
      if (type.startsWith('land.') || type.startsWith('change.')) changed()
    })
    arm()
    return () => {
      unsubscribe()
      due?.cancel()
    }
  }

  /** Time at which an unanswered letter needs attention. */
  #dueOf({ rig, updatedAt }: LandingRow): number {
    return updatedAt + this.landings.answerTime(rig)
  }
}

/** The fix for a landing in each of these states. */
const TO_DO: Partial<Record<LandingState, (id: string) => string>> = {
  conflict: (id) => `merge its target into the branch, commit, and gc land submit; or gc land give-up ${id}`,
  red: (id) => `gc land log ${id}, then commit a fix, and gc land submit; or gc land give-up ${id}`,
  held: (id) => `gc land show ${id}, then gc land release ${id} or gc land cancel ${id}`,
  parked: (id) => `gc land log ${id}, then gc land retry ${id} or gc land cancel ${id}`,
  lost: (id) => `gc land show ${id}, then gc land retry ${id} or gc land cancel ${id}`,
}

function toEntry(row: LandingRow, why?: string): AttentionEntry {
  const { id, rig, branch, state, reason, bead, session, agent, updatedAt } = row
  return {
    ...{ id: `landing:${id}`, kind: 'landing', rig, since: toTimestamp(updatedAt) },
    ...(agent !== null && { agent }),
    ...(bead !== null && { bead_id: bead }),
    ...(session !== null && { session_id: session }),
    asks: `Branch ${branch} of rig ${rig} does not land (${state}): ${[reason, why].filter(Boolean).join('; ')}.`,
    to_do: TO_DO[state]?.(id) ?? `gc land show ${id}`,
  }
}
