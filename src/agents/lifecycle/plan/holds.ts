import { toTimestamp } from '../../../core/clock.ts'
import type { SessionRow } from '../../../work/sessions/index.ts'
import type { FailureCount } from './failure-counts.ts'

/** Reason no new sessions of an agent are started now, and until when; undefined when they are. */
export function agentHold(failure: FailureCount | undefined, now: number): string | undefined {
  if (!failure || failure.until <= now) return undefined
  const { deaths, until, reason } = failure
  const cause = deaths === 0 ? 'it is held' : `its last ${deaths} starts failed`
  return `${cause}; no new session is started before ${toTimestamp(until)}: ${reason}`
}

const CAUSES: Readonly<Record<string, string>> = {
  rate_limit: 'its usage limit is reached, and no other account has quota left',
  login: 'its login is no longer accepted; `gc account check` tries it again',
}

/** Reason a quarantined session is not started now, and until when. */
export function sessionHold({ id, state, reason, quarantinedUntil }: SessionRow): string | undefined {
  if (state !== 'quarantined') return undefined
  const cause = CAUSES[reason] ?? 'it crashed too often'
  const until = quarantinedUntil === null ? '' : ` before ${toTimestamp(quarantinedUntil)}`
  return `session ${id} is not started${until}: ${cause}`
}
