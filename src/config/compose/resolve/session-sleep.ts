import type { AgentConfig, SessionSleepConfig } from '../../city/city-config.ts'
import type { Declaration } from '../../declare/declaration.ts'
import type { SessionSleepFields } from '../../declare/session-sleep.ts'

export const resolveSessionSleep = (declared: Declaration<SessionSleepFields> | undefined): SessionSleepConfig => ({
  resume: declared?.values.resume,
  fresh: declared?.values.fresh,
  noninteractive: declared?.values.noninteractive,
})

/** How long the idle sessions of an agent stay up that declares nothing itself: as its rig says, else its city. */
export function sleepAfterIdleOf(
  { attach, wakeMode }: Pick<AgentConfig, 'attach' | 'wakeMode'>,
  rig: SessionSleepConfig | undefined,
  city: SessionSleepConfig,
): number | undefined {
  const kind = attach ? wakeMode : 'noninteractive'
  const ofRig = rig?.[kind]
  return (ofRig === undefined ? city[kind] : ofRig) ?? undefined
}
