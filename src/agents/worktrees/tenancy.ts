import type { Tenancy } from './worktrees.ts'

interface Lodger {
  state: string
  hostKey: string | null
}

/** How far a session is, from its row; one that was removed is over. */
export function tenancyOf(row: Lodger | undefined): Tenancy {
  if (!row) return 'over'
  if (row.state !== 'closed') return 'live'
  return row.hostKey === null ? 'over' : 'ending'
}
