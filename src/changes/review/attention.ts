import type { AttentionEntry, AttentionResolution, AttentionSource } from '../../core/attention.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/index.ts'
import type { ChangeRows } from './rows.ts'
import type { ChangeRow } from './table.ts'

/** Changes that wait for review. */
export class ReviewAttention implements AttentionSource {
  readonly name = 'changes'

  constructor(
    private readonly rows: Pick<ChangeRows, 'find' | 'undecided'>,
    private readonly log: Pick<EventLog, 'subscribe'>,
  ) {}

  items(): AttentionEntry[] {
    return this.rows.undecided('ready').map(toEntry)
  }

  onChange(listener: () => void): () => void {
    return this.log.subscribe(({ type }) => {
      if (type.startsWith('change.')) listener()
    })
  }

  resolution(name: string): AttentionResolution | undefined {
    const row = this.rows.find(name.slice('review:'.length))
    if (!row) return undefined
    const { state, decidedBy } = row
    return { text: `the change is ${state}`, ...(decidedBy !== null && { by: decidedBy }) }
  }
}

function toEntry(row: ChangeRow): AttentionEntry {
  const { id, rig, agent, session, bead, branch, target, readyAt, round, risk } = row
  const what = branch === null ? `Work of ${agent}` : `Branch ${branch}`
  const again = round > 1 ? `again, for the ${round}${round === 2 ? 'nd' : round === 3 ? 'rd' : 'th'} time` : ''
  return {
    ...{ id: `review:${id}`, kind: 'review', rig, agent, session_id: session, to_do: `gc review show ${id}` },
    ...(bead !== null && { bead_id: bead }),
    ...(readyAt !== null && { since: toTimestamp(readyAt) }),
    asks: `${[what, `against ${target}`, 'waits for review', again].filter(Boolean).join(' ')}: ${describeSize(row)}${risk === null ? '' : `; ${risk}`}.`,
  }
}

export const describeSize = ({ files, added, removed }: Pick<ChangeRow, 'files' | 'added' | 'removed'>): string =>
  `${files} ${files === 1 ? 'file' : 'files'}, +${added} -${removed}`
