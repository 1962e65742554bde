import type { Reactions, RecordedEvent } from '../../core/events/index.ts'
import { type Statement, type Store, stablePlan, type Tx } from '../../core/store/index.ts'
import { type BeadRepository, payloadBeadOf } from '../../work/beads/index.ts'

interface MoleculeOptions {
  store: Store
  reactions: Reactions
  beadRepository: BeadRepository
}

const MAX_DEPTH = 50
const REASON = 'every step of the molecule is closed'

/** Closes molecules with the last of their steps, whichever way that was closed. */
export class MoleculeAutoClose {
  readonly #options: MoleculeOptions
  readonly #openChild: Statement<{ id: string }, [string]>
  readonly #children: Statement<{ id: string }, [string]>

  constructor(options: MoleculeOptions) {
    const { store, reactions } = options
    this.#options = options
    const children = 'SELECT id FROM beads WHERE parent = ? AND parent IS NOT NULL'
    this.#openChild = store.prepare(stablePlan(`${children} AND closed = 0 LIMIT 1`))
    this.#children = store.prepare(stablePlan(children))
    reactions.on('molecules.autoclose', ['bead.closed', 'bead.deleted'], (tx, recorded) => this.#react(tx, recorded))
  }

  #react(tx: Tx, recorded: RecordedEvent): void {
    const { beadRepository: beads } = this.#options
    let at = payloadBeadOf(recorded)?.parent
    for (let depth = 0; at && depth < MAX_DEPTH; depth++) {
      const bead = beads.find(at)
      if (bead?.issue_type === 'molecule' && bead.status !== 'closed') {
        if (this.#isDone(bead.id)) beads.close(tx, bead.id, REASON)
        return
      }
      at = bead?.parent
    }
  }

  /** Whether nothing below a bead is open: looked at level by level, and no further than the first that is. */
  #isDone(root: string): boolean {
    const pending = [root]
    for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
      if (this.#openChild.get(id)) return false
      for (const child of this.#children.all(id)) pending.push(child.id)
    }
    return true
  }
}
