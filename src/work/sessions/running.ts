import type { SessionRow } from './table.ts'

/** A session whose program runs. */
export type RunningSession = SessionRow & { hostKey: string; pid: number }

/** True if a session's program runs. */
export const isRunning = (row: SessionRow): row is RunningSession => row.hostKey !== null && row.pid !== null

/** The state as clients see it; empty once closed. */
export function wireState(row: SessionRow): string {
  if (row.state === 'closed') return ''
  if (row.state === 'active' && !isRunning(row)) return 'asleep'
  return row.state
}
