import { duration, durationOrOff, type ValuesOf } from './fields.ts'

/** `[session_sleep]` of the city or of a rig: how long idle sessions stay up. */
export const SESSION_SLEEP = {
  resume: durationOrOff('interactive_resume'),
  fresh: durationOrOff('interactive_fresh'),
  noninteractive: durationOrOff('noninteractive'),
}
export type SessionSleepFields = ValuesOf<typeof SESSION_SLEEP>

/** `[chat_sessions]`: the same for sessions that people start themselves. */
export const CHAT_SESSIONS = { idleTimeout: durationOrOff('idle_timeout'), gracePeriod: duration('grace_period') }
export type ChatSessionsFields = ValuesOf<typeof CHAT_SESSIONS>
