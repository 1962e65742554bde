import type { OwnerState } from './worktrees.ts'

interface OwnerRow {
  state: string
  hostKey: string | null
}

/** How far a session is, from its row; one that was removed is over. */
export function ownerStateOf(row: OwnerRow | undefined): OwnerState {
  if (!row) return 'over'
  if (row.state !== 'closed') return 'live'
  return row.hostKey === null ? 'over' : 'ending'
}
