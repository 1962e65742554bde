import type { ProviderConfig } from '../../config/providers/provider.ts'
import { resolveProvider } from '../../config/providers/resolve.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Instance } from './instances.ts'
import type { AgentResponse, SessionInfo } from './schema.ts'
import type { AgentSession } from './sessions.ts'

/** The state of an instance besides its declaration and session. */
export interface InstanceContext {
  readonly suspended: boolean
  readonly activeBead: string | undefined
  /** Why it could not be started, apart from being suspended. */
  readonly unavailable: string | undefined
  /** Why it is not started for now although it could be. */
  readonly held: string | undefined
  readonly lastOutput?: string
  readonly now: number
}

/** An agent whose program printed nothing for this long is waiting rather than working. */
const QUIET_MS = 10 * 60_000

/** The state of an agent: the first that applies. */
export function stateOf({ session }: Instance, context: InstanceContext): string {
  if (context.suspended) return 'suspended'
  if (context.held !== undefined) return 'quarantined'
  if (!session?.running) return 'stopped'
  if (session.asks) return 'waiting'
  if (context.activeBead === undefined) return 'idle'
  return context.now - (session.lastActivity ?? 0) < QUIET_MS ? 'working' : 'waiting'
}

export function toAgent(
  instance: Instance,
  context: InstanceContext,
  providers: ReadonlyMap<string, ProviderConfig>,
): AgentResponse {
  const { spec, name, pool } = instance
  const session = instance.session?.running ? instance.session : undefined
  const reason = context.suspended ? 'agent is suspended' : (context.unavailable ?? context.held)
  const display = displayName(spec.provider, providers)
  return {
    name,
    ...(spec.description !== undefined && { description: spec.description }),
    ...(display !== undefined && { display_name: display }),
    running: session !== undefined,
    suspended: context.suspended,
    ...(spec.dir !== undefined && { rig: spec.dir }),
    ...(pool !== undefined && { pool }),
    ...(session && { session: toSessionInfo(session) }),
    ...(context.activeBead !== undefined && { active_bead: context.activeBead }),
    ...(spec.provider !== undefined && { provider: spec.provider }),
    pack_derived: !spec.block.layer.isEditable,
    ...(spec.block.pack && { pack: spec.block.pack.name }),
    state: stateOf(instance, context),
    available: reason === undefined,
    ...(reason !== undefined && { unavailable_reason: reason }),
    ...(context.lastOutput !== undefined && { last_output: context.lastOutput }),
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
