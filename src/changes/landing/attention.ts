import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/index.ts'
import type { LandingRows } from './rows.ts'
import type { LandingRow } from './table.ts'

/** Branches that only a person can get on, and rigs in which nothing lands. */
export class LandingAttention implements AttentionSource {
  readonly name = 'landings'

  constructor(
    private readonly landings: { readonly rows: Pick<LandingRows, 'everywhere' | 'standing'> },
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
    ]
  }

  onChange(listener: () => void): () => void {
    return this.log.subscribe(({ type }) => {
      if (type.startsWith('land.')) listener()
    })
  }
}

const TO_DO = {
  held: (id: string) => `gc land show ${id}, then gc land release ${id} or gc land cancel ${id}`,
  parked: (id: string) => `gc land log ${id}, then gc land retry ${id} or gc land cancel ${id}`,
  lost: (id: string) => `gc land show ${id}, then gc land retry ${id} or gc land cancel ${id}`,
} as const

function toEntry({ id, rig, branch, state, reason, bead, session, agent, updatedAt }: LandingRow): AttentionEntry {
  const kind = state === 'parked' || state === 'lost' ? state : 'held'
  return {
    ...{ id: `landing:${id}`, kind: 'landing', rig, since: toTimestamp(updatedAt) },
    ...(agent !== null && { agent }),
    ...(bead !== null && { bead_id: bead }),
    ...(session !== null && { session_id: session }),
    asks: `Branch ${branch} of rig ${rig} is ${kind}: ${reason}.`,
    to_do: TO_DO[kind](id),
  }
}
