import type { Statement } from 'bun:sqlite'
import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Store } from '../../core/store.ts'
import type { BeadRepository } from '../../work/beads/repository.ts'
import { EngineKey, WorkflowKey } from '../../work/metadata.ts'
import { metadataValue } from './node.ts'

interface RunAttentionOptions {
  store: Store
  log: Pick<EventLog, 'subscribe'>
  deadlines: Deadlines
  beadRepository: BeadRepository
}

/** On a control of a run that could not do what it is for. */
export const QUARANTINED_LABEL = 'gc:control-quarantined'
/** So many are listed: the newest. */
const MAX_LISTED = 100
/** What changes within this is announced together. */
const SETTLING_MS = 250

/** Whether the bead of an event is such a control, whatever its labels are by now. */
function isQuarantined(payload: unknown): boolean {
  const bead: unknown = Object(payload).bead
  return Object.hasOwn(Object(Object(bead).metadata), EngineKey.quarantined)
}

/** Controls of runs that were set aside, until a person takes their label off. */
export class RunAttention implements AttentionSource {
  readonly name = 'runs'
  readonly #labelled: Statement<{ id: string }, [string, number]>

  constructor(private readonly options: RunAttentionOptions) {
    this.#labelled = options.store.prepare(
      'SELECT id FROM bead_labels WHERE label = ? AND closed = 1 ORDER BY created_at DESC, id DESC LIMIT ?',
    )
  }

  items(): AttentionEntry[] {
    const ids = this.#labelled.all(QUARANTINED_LABEL, MAX_LISTED).map(({ id }) => id)
    return this.options.beadRepository.list(ids).map((bead) => {
      const run = metadataValue(bead, WorkflowKey.rootBeadId)
      const reason = metadataValue(bead, EngineKey.quarantineReason)
      const since = metadataValue(bead, EngineKey.quarantinedAt)
      return {
        id: `run:${bead.id}`,
        kind: 'run',
        bead_id: bead.id,
        ...(since && { since }),
        asks: `The step "${bead.title}" of run ${run} was set aside: ${reason || 'it could not be run'}.`,
        to_do: `gc run show ${run}; once its cause is mended, bd label remove ${bead.id} ${QUARANTINED_LABEL}`,
      }
    })
  }

  onChange(listener: () => void): () => void {
    let waiting: Deadline | undefined
    const unsubscribe = this.options.log.subscribe(({ type, payload }) => {
      if (!type.startsWith('bead.') || !isQuarantined(payload)) return
      waiting ??= this.options.deadlines.after(SETTLING_MS, () => {
        waiting = undefined
        listener()
      })
    })
    return () => {
      waiting?.cancel()
      unsubscribe()
    }
  }
}
