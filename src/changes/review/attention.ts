import type { AttentionEntry, AttentionResolution, AttentionSource } from '../../core/attention.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { EventLog } from '../../core/events/index.ts'
import type { ChangeRows } from './rows.ts'
import type { ChangeRow } from './table.ts'

/** The landing of a reviewed branch: it waits for the review, or continues or is decided without it. */
export type LandingOfChange =
  | { readonly waitsForReview: true; readonly reason?: string | undefined }
  | { readonly waitsForReview: false }

/** Changes that wait for review. One that is landing is listed only while its review decides about that. */
export class ReviewAttention implements AttentionSource {
  readonly name = 'changes'

  constructor(
    private readonly rows: Pick<ChangeRows, 'find' | 'undecided'>,
    private readonly log: Pick<EventLog, 'subscribe'>,
    private readonly landingOf: (change: ChangeRow) => LandingOfChange | undefined,
  ) {}

  items(): AttentionEntry[] {
    return this.rows.undecided('ready').flatMap((row) => {
      const landing = this.landingOf(row)
      return landing?.waitsForReview === false ? [] : [toEntry(row, landing)]
    })
  }

  onChange(listener: () => void): () => void {
    return this.log.subscribe(({ type }) => {
      if (type.startsWith('change.') || type.startsWith('land.')) listener()
    })
  }

  resolution(name: string): AttentionResolution | undefined {
    const row = this.rows.find(name.slice('review:'.length))
    if (!row) return undefined
    const { state, decidedBy } = row
    if (state === 'ready') return { text: 'its landing does not wait for the review' }
    return { text: `the change is ${state}`, ...(decidedBy !== null && { by: decidedBy }) }
  }
}

function toEntry(row: ChangeRow, landing: LandingOfChange | undefined): AttentionEntry {
  const { id, rig, agent, session, bead, branch, target, readyAt, round, risk } = row
  const what = branch === null ? `Work of ${agent}` : `Branch ${branch}`
  const again = round > 1 ? `again, for the ${round}${round === 2 ? 'nd' : round === 3 ? 'rd' : 'th'} time` : ''
  const lands = landing?.waitsForReview === true
  const why = lands && landing.reason !== undefined ? `: ${landing.reason}` : ''
  return {
    ...{ id: `review:${id}`, kind: 'review', rig, agent, session_id: session },
    to_do: `gc review show ${id}${lands ? `, then gc review approve ${id}` : ''}`,
    ...(bead !== null && { bead_id: bead }),
    ...(readyAt !== null && { since: toTimestamp(readyAt) }),
    asks: `${[what, `against ${target}`, 'waits for review', again].filter(Boolean).join(' ')}: ${describeSize(row)}${risk === null ? '' : `; ${risk}`}.${lands ? ` It lands once it is approved${why}.` : ''}`,
  }
}

export const describeSize = ({ files, added, removed }: Pick<ChangeRow, 'files' | 'added' | 'removed'>): string =>
  `${files} ${files === 1 ? 'file' : 'files'}, +${added} -${removed}`
