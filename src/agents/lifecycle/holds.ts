import { toTimestamp } from '../../core/clock.ts'
import type { SessionRow } from '../sessions/table.ts'
import type { FailureCount } from './failure-counts.ts'

/** Why no new sessions of an agent are started now, and until when; undefined when they are. */
export function agentHold(failure: FailureCount | undefined, now: number): string | undefined {
  if (!failure || failure.until <= now) return undefined
  const { deaths, until, reason } = failure
  const cause = deaths === 0 ? 'it is held' : `its last ${deaths} starts failed`
  return `${cause}; no new session is started before ${toTimestamp(until)}: ${reason}`
}

/** Why a quarantined session is not started now, and until when. */
export function sessionHold({ id, state, reason, quarantinedUntil }: SessionRow): string | undefined {
  if (state !== 'quarantined') return undefined
  const cause = reason === 'rate_limit' ? 'the usage limit of its model is reached' : 'it crashed too often'
  const until = quarantinedUntil === null ? '' : ` before ${toTimestamp(quarantinedUntil)}`
  return `session ${id} is not started${until}: ${cause}`
}
