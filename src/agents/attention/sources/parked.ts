import type { AttentionEntry, AttentionSource } from '../../../core/attention.ts'
import { Emitted, type EventLog, type RecordedEvent } from '../../../core/events/index.ts'
import { asObject } from '../../../programs/entries/index.ts'
import { PARKED, type Parking } from '../../lifecycle/index.ts'

/** Beads that are parked since they ended too many sessions. */
export class ParkedAttention implements AttentionSource {
  readonly name = 'parked'
  /** The beads that were listed last. */
  #listed: ReadonlySet<string> = new Set()

  constructor(
    private readonly parking: Pick<Parking, 'parked'>,
    private readonly log: Pick<EventLog, 'subscribe'>,
  ) {}

  items(): AttentionEntry[] {
    const parked = this.parking.parked()
    this.#listed = new Set(parked.map(({ bead }) => bead.id))
    return parked.map(({ bead, agent, since, reason }) => ({
      id: `parked:${bead.id}`,
      kind: 'parked',
      agent,
      bead_id: bead.id,
      since,
      asks: `Bead ${bead.id} (${bead.title}) is no longer offered: ${reason}`,
      to_do: `gc bead show ${bead.id}, then gc bead unpark ${bead.id}`,
    }))
  }

  onChange(listener: () => void): () => void {
    return this.log.subscribe((event) => {
      if (event.type.startsWith('bead.') && !event[Emitted] && this.#isAffected(event)) listener()
    })
  }

  #isAffected({ subject, payload }: RecordedEvent): boolean {
    if (subject !== undefined && this.#listed.has(subject)) return true
    const { labels } = asObject(asObject(payload).bead)
    return Array.isArray(labels) && labels.includes(PARKED)
  }
}
