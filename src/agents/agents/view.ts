import type { ProviderConfig } from '../../config/providers/provider.ts'
import { resolveProvider } from '../../config/providers/resolve.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Instance } from './instances.ts'
import type { AgentResponse, SessionInfo } from './schema.ts'
import type { AgentSession } from './sessions.ts'

/** What is known of an instance beside its declaration and its session. */
export interface InstanceContext {
  readonly suspended: boolean
  readonly activeBead: string | undefined
  /** Why it could not be started, apart from being suspended. */
  readonly unavailable: string | undefined
  readonly lastOutput?: string
  readonly now: number
}

/** An agent whose program showed nothing for this long waits for something, rather than working. */
const QUIET_MS = 10 * 60_000

/** The one word for how an agent is; the first that fits. */
export function stateOf({ session, quarantined }: Instance, standing: InstanceContext): string {
  if (standing.suspended) return 'suspended'
  if (quarantined) return 'quarantined'
  if (!session?.running) return 'stopped'
  if (standing.activeBead === undefined) return 'idle'
  return standing.now - (session.lastActivity ?? 0) < QUIET_MS ? 'working' : 'waiting'
}

export function toAgent(
  instance: Instance,
  standing: InstanceContext,
  providers: ReadonlyMap<string, ProviderConfig>,
): AgentResponse {
  const { spec, name, pool } = instance
  const session = instance.session?.running ? instance.session : undefined
  const reason = standing.suspended ? 'agent is suspended' : standing.unavailable
  const display = displayName(spec.provider, providers)
  return {
    name,
    ...(spec.description !== undefined && { description: spec.description }),
    ...(display !== undefined && { display_name: display }),
    running: session !== undefined,
    suspended: standing.suspended,
    ...(spec.dir !== undefined && { rig: spec.dir }),
    ...(pool !== undefined && { pool }),
    ...(session && { session: toSessionInfo(session) }),
    ...(standing.activeBead !== undefined && { active_bead: standing.activeBead }),
    ...(spec.provider !== undefined && { provider: spec.provider }),
    pack_derived: false,
    state: stateOf(instance, standing),
    available: reason === undefined,
    ...(reason !== undefined && { unavailable_reason: reason }),
    ...(standing.lastOutput !== undefined && { last_output: standing.lastOutput }),
    ...(session?.activity !== undefined && { activity: session.activity }),
    ...(session?.model !== undefined && { model: session.model }),
    ...(session?.contextPct !== undefined && { context_pct: session.contextPct }),
    ...(session?.contextWindow !== undefined && { context_window: session.contextWindow }),
  }
}

const toSessionInfo = ({ name, attached, lastActivity }: AgentSession): SessionInfo => ({
  name,
  attached,
  ...(lastActivity !== undefined && { last_activity: toTimestamp(lastActivity) }),
})

function displayName(provider: string | undefined, providers: ReadonlyMap<string, ProviderConfig>): string | undefined {
  if (provider === undefined) return undefined
  try {
    return resolveProvider(provider, providers).displayName
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}
