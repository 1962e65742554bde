import { toTimestamp } from '../../core/clock.ts'
import { lastSegment } from '../../core/text/index.ts'
import type { SessionKey } from '../../work/metadata.ts'
import type { SessionRow } from './table.ts'

const timestamp = (at: number | null): string | undefined => (at === null ? undefined : toTimestamp(at))

/** The metadata that a session's bead shows of its row, under the keys that clients and hooks read. */
export function metadataOf(row: SessionRow): Record<string, string> {
  const overrides = { ...row.options, ...(row.firstMessage !== null && { initial_message: row.firstMessage }) }
  const fields: Record<SessionKey, string | undefined> = {
    state: row.state,
    template: row.template,
    provider: row.provider,
    work_dir: row.workDir,
    session_name: row.sessionName,
    session_origin: row.origin,
    generation: String(row.generation),
    session_key: row.sessionKey ?? undefined,
    alias: row.alias ?? undefined,
    alias_history: row.aliasHistory.join(',') || undefined,
    agent_name: row.agentName || undefined,
    pool_managed: row.origin === 'ephemeral' ? 'true' : undefined,
    pool_slot: row.slot === null ? undefined : String(row.slot),
    configured_named_session: row.named === null ? undefined : 'true',
    configured_named_identity: row.named ?? undefined,
    sleep_reason: row.state === 'asleep' || row.state === 'quarantined' ? row.reason || undefined : undefined,
    state_reason: row.reason || undefined,
    last_woke_at: timestamp(row.wokeAt),
    slept_at: timestamp(row.sleptAt),
    suspended_at: timestamp(row.suspendedAt),
    drain_at: timestamp(row.drainAt),
    quarantined_until: timestamp(row.quarantinedUntil),
    wake_requested_at: timestamp(row.wakeRequestedAt),
    last_nudge_delivered_at: timestamp(row.nudgedAt),
    wake_attempts: row.failures > 0 ? String(row.failures) : undefined,
    churn_count: row.churn > 0 ? String(row.churn) : undefined,
    template_overrides: Object.keys(overrides).length > 0 ? JSON.stringify(overrides) : undefined,
    real_world_app_project_id: row.project ?? undefined,
    real_world_app_session_kind: row.project === null ? undefined : row.kind,
    ...Object.fromEntries(Object.entries(row.options).map(([key, value]) => [`opt_${key}`, value])),
  }
  const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(present)
}

/** The name that a session's work is assigned to. */
export const identityOf = (row: Pick<SessionRow, 'alias' | 'named' | 'sessionName'>): string =>
  row.alias ?? row.named ?? row.sessionName

/** Name of a session as an agent: for a pool, the name of its instance. */
export const agentNameOf = (row: Pick<SessionRow, 'alias' | 'named' | 'agentName' | 'sessionName'>): string =>
  row.alias ?? row.named ?? (row.agentName || row.sessionName)

/** All names of a session; the one its work is assigned to first. */
export function namesOf(row: SessionRow): string[] {
  const names = [identityOf(row), row.id, row.sessionName, row.alias, row.named, row.agentName, row.template]
  return [...new Set(names.filter((name): name is string => name !== null && name !== ''))]
}

/** The names that a session's work may be assigned to. */
export function workNamesOf(row: SessionRow): string[] {
  const names = [identityOf(row), row.id, row.sessionName, row.named]
  return [...new Set(names.filter((name) => name !== null))]
}

/** The name of a session in events. */
export const displayNameOf = (row: SessionRow): string =>
  row.alias ?? row.named ?? (row.agentName || lastSegment(row.sessionName))
