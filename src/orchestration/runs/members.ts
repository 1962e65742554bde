import { query, type Store, stablePlan } from '../../core/store/index.ts'
import type { Bead, BeadRepository } from '../../work/beads/index.ts'
import { NO_STEPS } from './steps.ts'

interface NumberedRow {
  id: string
  n: number
}

/** Number of members that are read together. */
const BATCH = 200

const PAGE = query<NumberedRow, [string, number, number]>(
  stablePlan('SELECT id, n FROM beads WHERE root_id = ? AND root_id IS NOT NULL AND n > ? ORDER BY n LIMIT ?'),
)

const SLICE = query<{ id: string }, [string, number, number]>(
  stablePlan('SELECT id FROM beads WHERE root_id = ? AND root_id IS NOT NULL ORDER BY n LIMIT ? OFFSET ?'),
)

const OPEN = query<{ id: string }, [string, number]>(
  stablePlan("SELECT id FROM beads WHERE root_id = ? AND root_id IS NOT NULL AND status != 'closed' LIMIT ?"),
)

const COUNTS = query<{ steps: number; done: number }, [string]>(
  stablePlan(`SELECT count(*) AS steps, coalesce(sum(status = 'closed'), 0) AS done FROM beads
        WHERE root_id = ? AND root_id IS NOT NULL AND type NOT IN (${NO_STEPS.map((type) => `'${type}'`).join(', ')})`),
)

const CHILDREN = query<{ id: string }, [string]>(
  stablePlan('SELECT id FROM beads WHERE parent = ? AND parent IS NOT NULL'),
)

/** Reads the beads of runs, batch by batch. */
export class RunMembers {
  constructor(
    private readonly store: Store,
    private readonly beads: BeadRepository,
  ) {}

  /** The members of a run, but for its root: those that name it, and those that lie under it. */
  *of(root: string): Generator<Bead, void> {
    const seen = new Set([root])
    for (let last = 0; ; ) {
      const rows = this.store.all(PAGE, root, last, BATCH)
      yield* this.#fresh(
        rows.map(({ id }) => id),
        seen,
      )
      const end = rows.at(-1)
      if (rows.length < BATCH || !end) break
      last = end.n
    }
    yield* this.#under(root, seen)
  }

  /** Number of of the members that name a run are steps, and how many of those are closed. */
  counts(root: string): { steps: number; done: number } {
    return this.store.get(COUNTS, root) ?? { steps: 0, done: 0 }
  }

  /** A page of members in order of creation, each followed by the members below it. */
  page(root: string, from: number, limit: number): Bead[] {
    const named = this.store.all(SLICE, root, limit, from).map(({ id }) => id)
    if (named.length > 0) return this.beads.list(named)
    return this.#under(root, new Set([root]))
      .drop(from)
      .take(limit)
      .toArray()
  }

  /** So many of them that are not closed: those that name the root first. */
  open(root: string, limit: number): string[] {
    const named = this.store.all(OPEN, root, limit).map(({ id }) => id)
    if (named.length === limit) return named
    const under = [...this.#under(root, new Set([root, ...named]))].filter(({ status }) => status !== 'closed')
    return [...named, ...under.map(({ id }) => id)].slice(0, limit)
  }

  *#under(parent: string, seen: Set<string>): Generator<Bead, void> {
    const children = this.store.all(CHILDREN, parent).map(({ id }) => id)
    yield* this.#fresh(children, seen)
    for (const child of children) yield* this.#under(child, seen)
  }

  *#fresh(ids: readonly string[], seen: Set<string>): Generator<Bead, void> {
    const fresh = ids.filter((id) => !seen.has(id))
    for (const id of fresh) seen.add(id)
    yield* this.beads.list(fresh)
  }
}
