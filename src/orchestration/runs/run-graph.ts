import { AppError } from '../../core/errors.ts'
import { query, type Store, stablePlan } from '../../core/store/index.ts'
import { type Bead, type BeadRepository, isGating } from '../../work/beads/index.ts'
import { ResultKey, WorkflowKey } from '../../work/metadata.ts'
import { hasAttempts, isOfAttempt } from './attempt-parts.ts'
import { metadataValue } from './node.ts'

interface IdRow {
  id: string
}

const MAX_NAMED = 20

const OUTCOME = `metadata ->> '$."${ResultKey.outcome}"'`

const NAMED = query<IdRow, [string, string, string]>(
  stablePlan(`SELECT id FROM beads WHERE root_id = ?1 AND root_id IS NOT NULL AND type != 'spec' AND ref IN (?2, ?3)
       ORDER BY n LIMIT ${MAX_NAMED}`),
)

const ENDED = query<IdRow, [string]>(
  stablePlan(`SELECT id FROM beads WHERE root_id = ? AND root_id IS NOT NULL AND closed = 1 AND type != 'spec'
       AND ${OUTCOME} IN ('fail', 'skipped', 'canceled') ORDER BY n`),
)

const CONDITIONS = query<{ ref: string }, [string]>(
  stablePlan(`SELECT ref FROM beads WHERE root_id = ? AND root_id IS NOT NULL AND closed = 1
       AND metadata ->> '$."${WorkflowKey.kind}"' = 'condition' AND ${OUTCOME} = 'pass'`),
)

/** The steps of one run as a person names and follows them. */
export class RunGraph {
  constructor(
    private readonly store: Store,
    private readonly beads: BeadRepository,
  ) {}

  /** The step with this bead id, or with this name in the formula; of an attempt, the step that it is one at. */
  step(root: string, name: string): Bead {
    const bead = this.beads.find(name)
    const isMember = bead !== undefined && metadataValue(bead, WorkflowKey.rootBeadId) === root
    return this.#logical(root, isMember ? bead : this.#byName(root, name))
  }

  #byName(root: string, name: string): Bead {
    const formula = this.beads.get(root).ref ?? ''
    const [first, ...others] = this.store.all(NAMED, root, name, `${formula}.${name}`)
    if (!first) {
      throw new AppError('invalid-request', `run ${root} has no step ${name}; gc run steps ${root} shows those it has`)
    }
    if (others.length === 0) return this.beads.get(first.id)
    const ids = [first, ...others].map(({ id }) => id).join(', ')
    throw new AppError('invalid-request', `run ${root} has several steps ${name}: name one by its id, of ${ids}`)
  }

  #logical(root: string, bead: Bead): Bead {
    const seen = new Set<string>()
    for (const queue = [bead]; queue.length > 0; ) {
      const at = queue.shift()
      if (!at || seen.has(at.id)) continue
      if (!isOfAttempt(at)) return at === bead || hasAttempts(at) ? at : bead
      seen.add(at.id)
      queue.push(...this.dependents(root, at.id))
    }
    return bead
  }

  /** Current and former dependents of a run's bead: other steps, and its root. */
  dependents(root: string, id: string): Bead[] {
    const edges = this.beads.dependentsOf(id).filter(({ type }) => isGating(type))
    return this.beads
      .list(edges.map(({ issue_id }) => issue_id))
      .filter((bead) => bead.id === root || metadataValue(bead, WorkflowKey.rootBeadId) === root)
  }

  /** Current and former blockers of a bead. */
  blockers(id: string): Bead[] {
    const edges = this.beads.dependenciesOf(id).filter(({ type }) => isGating(type))
    return this.beads.list(edges.map(({ depends_on_id }) => depends_on_id))
  }

  /** Steps that failed, were skipped or were canceled, in the order in which they were made. */
  ended(root: string): Bead[] {
    return this.beads.list(this.store.all(ENDED, root).map(({ id }) => id))
  }

  /** Subjects of a run's decided conditions: references of steps. */
  decided(root: string): string[] {
    return this.store.all(CONDITIONS, root).map(({ ref }) => ref.replace(/-condition$/, ''))
  }
}
