import { eq } from 'drizzle-orm'
import type { Actor } from '../../core/actor.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import type { RestartPlan, RestartRequest, StoredPlan } from './restart-plan.ts'
import { runRestarts } from './table.ts'

export type StoredRestart = typeof runRestarts.$inferSelect

const idsOf = (beads: readonly { readonly id: string }[]): string[] => beads.map(({ id }) => id)

export function toStored({ reopened, held, anew }: RestartPlan, root: string, isHeld: boolean): StoredPlan {
  const last = reopened.filter(({ id }) => id === root)
  const made = [...anew].map(([control, beads]) => [control, idsOf(beads)] as const)
  return {
    ...{ reopened: idsOf([...reopened.filter(({ id }) => id !== root), ...last]), held: idsOf(held) },
    ...{ anew: Object.fromEntries(made), isHeld },
  }
}

/** Keeps what should be opened again of runs that are too large for one write. */
export class RestartStore {
  constructor(private readonly store: Store) {}

  list(): string[] {
    return this.store.read((orm) => orm.select({ id: runRestarts.rootId }).from(runRestarts).all()).map(({ id }) => id)
  }

  find(root: string): StoredRestart | undefined {
    return this.store.read((orm) => orm.select().from(runRestarts).where(eq(runRestarts.rootId, root)).get())
  }

  add(tx: Tx, rootId: string, request: RestartRequest, actor: Actor, plan: StoredPlan): void {
    tx.orm.insert(runRestarts).values({ rootId, request, actor, plan, done: 0 }).run()
  }

  advance(tx: Tx, root: string, done: number): void {
    tx.orm.update(runRestarts).set({ done }).where(eq(runRestarts.rootId, root)).run()
  }

  remove(tx: Tx, root: string): void {
    tx.orm.delete(runRestarts).where(eq(runRestarts.rootId, root)).run()
  }
}
