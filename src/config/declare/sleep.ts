import type { AgentConfig, ChatSessionsConfig, SessionSleepConfig } from '../city-config.ts'
import type { Reader } from './section-reader.ts'

const MINUTE = 60_000

/** `[session_sleep]`, of the city or a rig. */
export function readSleep(at: Reader): SessionSleepConfig {
  const spec: SessionSleepConfig = {
    resume: length(at, 'interactive_resume'),
    fresh: length(at, 'interactive_fresh'),
    noninteractive: length(at, 'noninteractive'),
  }
  at.end()
  return spec
}

/** `[chat_sessions]`: those that people start themselves. */
export function readChat(at: Reader): ChatSessionsConfig {
  const spec: ChatSessionsConfig = {
    idleTimeout: length(at, 'idle_timeout') ?? undefined,
    gracePeriod: at.span('grace_period') ?? 10 * MINUTE,
  }
  at.end()
  return spec
}

/** How long the idle sessions of an agent stay up that says nothing of it: what its rig says, else its city. */
export function sleepOf(
  agent: AgentConfig,
  rig: SessionSleepConfig | undefined,
  city: SessionSleepConfig,
): number | undefined {
  const kind = !agent.attach ? 'noninteractive' : agent.wakeMode
  const told = rig?.[kind]
  return (told === undefined ? city[kind] : told) ?? undefined
}

/** A length of time; null when it is said to be off, undefined when nothing is said. */
const length = (at: Reader, key: string): number | null | undefined => (at.text(key) === 'off' ? null : at.span(key))
