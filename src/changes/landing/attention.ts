import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/index.ts'
import type { LandingRows } from './rows.ts'
import type { LandingRow, LandingState } from './table.ts'

/** Branches that only a person can get on, and rigs in which nothing lands. */
export class LandingAttention implements AttentionSource {
  readonly name = 'landings'

  constructor(
    private readonly landings: { readonly rows: Pick<LandingRows, 'everywhere' | 'unreached' | 'standing'> },
    private readonly log: Pick<EventLog, 'subscribe'>,
  ) {}

  items(): AttentionEntry[] {
    const { rows } = this.landings
    return [
      ...rows.standing().map((train) => ({
        ...{ id: `landing:${train.rig}`, kind: 'landing', rig: train.rig },
        ...(train.standingSince !== null && { since: toTimestamp(train.standingSince) }),
        asks: `Nothing lands in rig ${train.rig}: ${train.standing}.`,
        to_do: `gc land status ${train.rig}, then gc land resume ${train.rig}`,
      })),
      ...rows.everywhere('held', 'parked', 'lost').map(toEntry),
      ...rows.unreached().map(toEntry),
    ]
  }

  onChange(listener: () => void): () => void {
    return this.log.subscribe(({ type }) => {
      if (type.startsWith('land.')) listener()
    })
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

const toEntry = ({ id, rig, branch, state, reason, bead, session, agent, updatedAt }: LandingRow): AttentionEntry => ({
  ...{ id: `landing:${id}`, kind: 'landing', rig, since: toTimestamp(updatedAt) },
  ...(agent !== null && { agent }),
  ...(bead !== null && { bead_id: bead }),
  ...(session !== null && { session_id: session }),
  asks: `Branch ${branch} of rig ${rig} does not land (${state}): ${reason}.`,
  to_do: TO_DO[state]?.(id) ?? `gc land show ${id}`,
})
