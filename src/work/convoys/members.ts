import { stablePlan } from '../../core/stable-plan.ts'
import type { Statement } from '../../core/statement.ts'
import type { Store } from '../../core/store.ts'
import { assertFits } from '../../http/rendered.ts'
import { SIZE_OF_BEADS } from '../beads/reader.ts'
import type { BeadRepository } from '../beads/repository.ts'
import type { Bead } from '../beads/schema.ts'
import type { ConvoyProgress } from './schema.ts'

/** The members of convoys: the beads that a convoy tracks, and those whose parent it is. */
export class ConvoyMembers {
  readonly #ids: Statement<{ id: string }, [string]>
  readonly #size: Statement<{ n: number }, [string]>
  readonly #progress: Statement<ConvoyProgress, [string]>
  readonly #tracking: Statement<{ id: string }, [string]>
  readonly #parent: Statement<{ id: string | null }, [string]>
  readonly #openConvoy: Statement<{ id: string }, [string]>

  constructor(
    store: Store,
    private readonly beads: BeadRepository,
  ) {
    const members = `SELECT id FROM beads WHERE parent = ?1
      UNION SELECT depends_on_id FROM bead_edges WHERE issue_id = ?1 AND type = 'tracks'`
    this.#ids = store.prepare(stablePlan(members))
    this.#size = store.prepare(SIZE_OF_BEADS)
    this.#progress = store.prepare(
      stablePlan(`SELECT count(*) AS total, coalesce(sum(b.closed), 0) AS closed
       FROM (${members}) m LEFT JOIN beads b ON b.id = m.id`),
    )
    // One lookup at a time: most beads are in no convoy, and a join costs ten times as much as finding that out.
    this.#tracking = store.prepare("SELECT issue_id AS id FROM bead_edges WHERE depends_on_id = ? AND type = 'tracks'")
    this.#parent = store.prepare('SELECT parent AS id FROM beads WHERE id = ?')
    this.#openConvoy = store.prepare("SELECT id FROM beads WHERE id = ? AND type = 'convoy' AND closed = 0")
  }

  ids(convoy: string): Set<string> {
    return new Set(this.#ids.all(convoy).map(({ id }) => id))
  }

  /** The members, oldest first; one that does not exist is listed as `unknown`. */
  list(convoy: string): Bead[] {
    const missing = this.ids(convoy)
    const instead = `read its beads page by page at beads/graph/${convoy}/beads`
    assertFits(this.#size.get(JSON.stringify([...missing]))?.n ?? 0, `convoy ${convoy}`, instead)
    const beads = this.beads.list([...missing])
    for (const { id } of beads) missing.delete(id)
    return [...[...missing].sort().map(unknownBead), ...beads]
  }

  progress(convoy: string): ConvoyProgress {
    return this.#progress.get(convoy) ?? { total: 0, closed: 0 }
  }

  /** The open convoys that a bead is in. */
  convoysOf(id: string): string[] {
    const parent = this.#parent.get(id)?.id ?? undefined
    const convoys = new Set(this.#tracking.all(id).map((convoy) => convoy.id))
    if (parent !== undefined) convoys.add(parent)
    return [...convoys].filter((convoy) => this.#openConvoy.get(convoy) !== null).sort()
  }
}

const unknownBead = (id: string): Bead => ({
  id,
  title: id,
  status: 'unknown',
  issue_type: 'task',
  created_at: '0001-01-01T00:00:00Z',
})

/** Whether every member is closed; a convoy without members is never complete. */
export const isComplete = ({ total, closed }: ConvoyProgress): boolean => total > 0 && closed === total
