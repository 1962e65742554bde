import type { Clock } from '../../../core/clock.ts'
import { query, type Store, stablePlan } from '../../../core/store/index.ts'
import { EngineKey } from '../../../work/metadata.ts'

/** The most routes that are looked at, and of how many ready beads those without a route are counted. */
const MAX_ROUTES = 200
const MAX_READY = 500

const NEXT_ROUTE = query<
  { route: string | null },
  [string]
>(`SELECT min(routed_to) AS route FROM beads INDEXED BY beads_routed
       WHERE ready = 1 AND assignee = '' AND routed_to IS NOT NULL AND routed_to > ?`)

const OLDEST = query<{ id: string }, [string]>(
  stablePlan(`SELECT id FROM beads INDEXED BY beads_routed
       WHERE ready = 1 AND assignee = '' AND routed_to IS NOT NULL AND routed_to = ? ORDER BY created_at, id LIMIT 1`),
)

const UNROUTED = query<{ id: string }, [number]>(
  stablePlan(`SELECT id FROM (SELECT id, assignee, routed_to, type, metadata FROM beads
         WHERE ready = 1 AND (defer_until IS NULL OR defer_until <= ?)
         ORDER BY coalesce(priority, 2), created_at, id LIMIT ${MAX_READY})
       WHERE assignee = '' AND coalesce(routed_to, '') = '' AND type != 'epic'
         AND coalesce(metadata ->> '$."${EngineKey.executionRoutedTo}"', '') = ''`),
)

/** Ready beads that no one holds, by where they are routed to; each look costs the same however many there are. */
export class WaitingWork {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
  ) {}

  /** Targets of ready beads, each with its oldest bead. */
  routes(): Map<string, string> {
    const routes = new Map<string, string>()
    for (let route = ''; routes.size < MAX_ROUTES; ) {
      const next = this.store.get(NEXT_ROUTE, route)?.route
      if (next === undefined || next === null) return routes
      routes.set(next, this.store.get(OLDEST, next)?.id ?? '')
      route = next
    }
    return routes
  }

  /** Beads that can be worked on now, are routed to no one and have no run, among the most urgent. */
  unrouted(): string[] {
    return this.store.all(UNROUTED, this.clock.now()).map(({ id }) => id)
  }
}
