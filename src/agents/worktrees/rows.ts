import { eq, getTableColumns, or, sql } from 'drizzle-orm'
import { type Orm, query, type Store, type Tx } from '../../core/store/index.ts'
import { type WorktreeRow, worktrees } from './table.ts'

const COLUMNS = Object.entries(getTableColumns(worktrees))
  .map(([key, { name }]) => `${name} AS ${key}`)
  .join(', ')

/** Finds the worktree of a session; runs at each event of a session and several times per claim. */
const FIND = query<WorktreeRow, [string]>(`SELECT ${COLUMNS} FROM worktrees WHERE session = ?`)

/** Finds the worktrees of the sessions that a closed bead belongs to or that work on it; runs for every closed bead. */
const prepareFindOf = (orm: Orm) => {
  const [bead, by] = [sql.placeholder('bead'), sql.placeholder('by')]
  return orm
    .select()
    .from(worktrees)
    .where(or(eq(worktrees.session, bead), eq(worktrees.bead, bead), eq(worktrees.session, by)))
    .prepare()
}

/** The rows of worktrees that are still there. */
export class WorktreeRows {
  readonly #findOf: ReturnType<typeof prepareFindOf>

  constructor(private readonly store: Store) {
    this.#findOf = prepareFindOf(store.orm)
  }

  find(session: string): WorktreeRow | undefined {
    return this.store.get(FIND, session) ?? undefined
  }

  /** The worktrees that a closed bead concerns, and that of the session which closed it. */
  concerning(bead: string, by = ''): WorktreeRow[] {
    return this.#findOf.all({ bead, by })
  }

  /** All, oldest first. */
  all(): WorktreeRow[] {
    return this.store.read((orm) => orm.select().from(worktrees).orderBy(worktrees.createdAt).all())
  }

  add(tx: Tx, row: WorktreeRow): void {
    tx.orm.insert(worktrees).values(row).run()
  }

  update(tx: Tx, session: string, change: Partial<WorktreeRow>): void {
    tx.orm.update(worktrees).set(change).where(eq(worktrees.session, session)).run()
  }

  remove(tx: Tx, session: string): void {
    tx.orm.delete(worktrees).where(eq(worktrees.session, session)).run()
  }
}
