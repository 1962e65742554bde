import { toTimestamp } from '../../core/clock.ts'
import type { Bead } from '../beads/schema.ts'
import type { WaitKey } from '../metadata.ts'
import type { WaitView } from './schema.ts'
import type { WaitRow } from './table.ts'

/** Every wait is for beads. */
const KIND = 'deps'
/** A wait sends one nudge. */
const ATTEMPT = '1'

/** The columns of a wait that its bead shows as metadata. */
export function waitMetadata(row: WaitRow, beads: readonly string[]): Partial<Record<WaitKey, string>> {
  const ended = row.endedAt === null ? {} : { [`${row.state}_at`]: toTimestamp(row.endedAt) }
  return {
    session_id: row.session,
    session_name: row.sessionName,
    kind: KIND,
    state: row.state,
    dep_ids: beads.join(','),
    dep_mode: row.mode,
    registered_epoch: String(row.epoch),
    delivery_attempt: ATTEMPT,
    created_at: toTimestamp(row.createdAt),
    ...(row.nudge !== null && { nudge_id: row.nudge }),
    ...(row.expiresAt !== null && { expires_at: toTimestamp(row.expiresAt) }),
    ...(row.createdBy !== null && { created_by_session: row.createdBy }),
    ...(row.readyAt !== null && { ready_at: toTimestamp(row.readyAt) }),
    ...(row.error !== '' && { last_error: row.error }),
    ...ended,
  }
}

export function toWaitView(row: WaitRow, bead: Bead, beads: readonly string[]): WaitView {
  return {
    id: row.id,
    session_id: row.session,
    kind: KIND,
    state: row.state,
    status: bead.status,
    session_name: row.sessionName,
    dep_ids: [...beads],
    dep_mode: row.mode,
    registered_epoch: String(row.epoch),
    delivery_attempt: ATTEMPT,
    ...(row.nudge !== null && { nudge_id: row.nudge }),
    ...(row.expiresAt !== null && { expires_at: toTimestamp(row.expiresAt) }),
    ...(bead.description !== undefined && { note: bead.description }),
    created_at: toTimestamp(row.createdAt),
    ...(bead.labels && { labels: bead.labels }),
  }
}
