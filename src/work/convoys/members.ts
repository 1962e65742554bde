import type { Statement } from 'bun:sqlite'
import { stablePlan } from '../../core/stable-plan.ts'
import type { Store } from '../../core/store.ts'
import type { Beads } from '../beads/beads.ts'
import type { Bead } from '../beads/schema.ts'
import type { ConvoyProgress } from './schema.ts'

/** Which beads a convoy has: those it tracks, and those whose parent it is. */
export class Members {
  readonly #ids: Statement<{ id: string }, [string]>
  readonly #progress: Statement<ConvoyProgress, [string]>
  readonly #tracking: Statement<{ id: string }, [string]>
  readonly #parent: Statement<{ id: string | null }, [string]>
  readonly #open: Statement<{ id: string }, [string]>

  constructor(
    store: Store,
    private readonly beads: Beads,
  ) {
    const members = `SELECT id FROM beads WHERE parent = ?1
      UNION SELECT depends_on_id FROM bead_edges WHERE issue_id = ?1 AND type = 'tracks'`
    this.#ids = store.prepare(stablePlan(members))
    this.#progress = store.prepare(
      stablePlan(`SELECT count(*) AS total, coalesce(sum(b.status IN ('closed', 'tombstone')), 0) AS closed
       FROM (${members}) m LEFT JOIN beads b ON b.id = m.id`),
    )
    // One look at a time: most beads are in no convoy, and a join costs ten times as much as finding that out.
    this.#tracking = store.prepare("SELECT issue_id AS id FROM bead_edges WHERE depends_on_id = ? AND type = 'tracks'")
    this.#parent = store.prepare('SELECT parent AS id FROM beads WHERE id = ?')
    this.#open = store.prepare("SELECT id FROM beads WHERE id = ? AND type = 'convoy' AND closed = 0")
  }

  ids(convoy: string): Set<string> {
    return new Set(this.#ids.all(convoy).map(({ id }) => id))
  }

  /** The members, oldest first; one that cannot be found is there as `unknown`. */
  of(convoy: string): Bead[] {
    const ids = this.ids(convoy)
    const found = this.beads.some([...ids])
    for (const { id } of found) ids.delete(id)
    return [...[...ids].sort().map(lost), ...found]
  }

  progress(convoy: string): ConvoyProgress {
    return this.#progress.get(convoy) ?? { total: 0, closed: 0 }
  }

  /** The open convoys that a bead is in. */
  convoysOf(id: string): string[] {
    const parent = this.#parent.get(id)?.id ?? undefined
    const above = new Set(this.#tracking.all(id).map((convoy) => convoy.id))
    if (parent !== undefined) above.add(parent)
    return [...above].filter((convoy) => this.#open.get(convoy) !== null).sort()
  }
}

const lost = (id: string): Bead => ({
  id,
  title: id,
  status: 'unknown',
  issue_type: 'task',
  created_at: '0001-01-01T00:00:00Z',
})

/** A convoy is done when it has members and all of them are; one without members never is. */
export const isComplete = ({ total, closed }: ConvoyProgress): boolean => total > 0 && closed === total
