import { type Declaration, duration, durationOrOff, type ValuesOf } from '../declare/index.ts'

const MINUTE = 60_000

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

/** `[session_sleep]`: how long idle sessions stay up; null for always, undefined to leave it to the wider scope. */
export interface SessionSleepConfig {
  readonly resume: number | null | undefined
  readonly fresh: number | null | undefined
  readonly noninteractive: number | null | undefined
}

/** `[chat_sessions]`: the same for sessions that people start themselves, which stay up a while in any case. */
export interface ChatSessionsConfig {
  readonly idleTimeout: number | undefined
  readonly gracePeriod: number
}

export const resolveChatSessions = (declared: Declaration<ChatSessionsFields> | undefined): ChatSessionsConfig => ({
  idleTimeout: declared?.values.idleTimeout ?? undefined,
  gracePeriod: declared?.values.gracePeriod ?? 10 * MINUTE,
})

export const resolveSessionSleep = (declared: Declaration<SessionSleepFields> | undefined): SessionSleepConfig => ({
  resume: declared?.values.resume,
  fresh: declared?.values.fresh,
  noninteractive: declared?.values.noninteractive,
})
