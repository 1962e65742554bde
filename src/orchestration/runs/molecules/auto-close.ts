import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import type { Reactions, RecordedEvent } from '../../../core/events/index.ts'
import { query, stablePlan, type Tx } from '../../../core/store/index.ts'
import { type Bead, type BeadRepository, payloadBeadOf } from '../../../work/beads/index.ts'
import { WorkKey } from '../../../work/metadata.ts'
import { MoleculeResolved } from '../../events.ts'

const MAX_DEPTH = 50
const REASON = 'every step of the molecule is closed'

const CHILDREN_SQL = 'SELECT id FROM beads WHERE parent = ? AND parent IS NOT NULL'

const OPEN_CHILD = query<{ id: string }, [string]>(stablePlan(`${CHILDREN_SQL} AND closed = 0 LIMIT 1`))

const CHILDREN = query<{ id: string }, [string]>(stablePlan(CHILDREN_SQL))

/** Closes molecules with the last of their steps, whichever way that was closed. */
export class MoleculeAutoClose {
  constructor(
    private readonly context: CityContext,
    reactions: Reactions,
    private readonly beadRepository: BeadRepository,
  ) {
    reactions.on('molecules.autoclose', ['bead.closed', 'bead.deleted'], (tx, recorded) => this.#react(tx, recorded))
  }

  #react(tx: Tx, recorded: RecordedEvent): void {
    const { beadRepository: beads } = this
    const step = payloadBeadOf(recorded)
    let at = step?.parent
    for (let depth = 0; at && depth < MAX_DEPTH; depth++) {
      const bead = beads.find(at)
      if (bead?.issue_type === 'molecule' && bead.status !== 'closed') {
        if (step && this.#isDone(bead.id)) this.#close(tx, bead, step, recorded.actor)
        return
      }
      at = bead?.parent
    }
  }

  /** Closes a molecule with a step that `actor` closed last; the session is that of the molecule, or of the step. */
  #close(tx: Tx, { id, status, metadata }: Bead, step: Bead, actor: string): void {
    const { clock, log } = this.context
    const { beadRepository: beads } = this
    beads.close(tx, id, REASON)
    const stamped = (key: WorkKey) => metadata?.[key] || step.metadata?.[key]
    const [sessionId, sessionName, workDir] = [WorkKey.sessionId, WorkKey.sessionName, WorkKey.workDir].map(stamped)
    log.append(
      tx,
      MoleculeResolved,
      { subject: id },
      {
        ...{ issue_id: id, from_status: status, to_status: 'closed', actor, close_reason: REASON },
        ts: toTimestamp(clock.now()),
        ...(sessionId && { session_id: sessionId }),
        ...(sessionName && { session_name: sessionName }),
        ...(workDir && { work_dir: workDir }),
      },
    )
  }

  /** True if nothing below a bead is open: looked at level by level, and no further than the first that is. */
  #isDone(root: string): boolean {
    const pending = [root]
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (this.context.store.get(OPEN_CHILD, id)) return false
      for (const child of this.context.store.all(CHILDREN, id)) pending.push(child.id)
    }
    return true
  }
}
