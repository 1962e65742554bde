import type { OwnerState } from './worktrees.ts'

interface OwnerRow {
  state: string
  hostKey: string | null
}

/** The state of a session by its row; a session whose row was deleted is over. */
export function ownerStateOf(row: OwnerRow | undefined): OwnerState {
  if (!row) return 'over'
  if (row.state !== 'closed') return 'live'
  return row.hostKey === null ? 'over' : 'ending'
}
