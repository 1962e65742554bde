import type { AgentConfig } from '../../config/agents/index.ts'
import { isInline } from '../../config/declare/index.ts'
import { type ProviderConfig, resolveProvider } from '../../config/providers/index.ts'
import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { instanceName, instanceNamed, memberName } from '../../work/sessions/index.ts'
import type { AgentSession } from './agent-session-directory.ts'
import type { AgentResponse, SessionInfo } from './schema.ts'

/** One row of a list of agents: an agent with one session, or one instance of a pool. */
export interface Instance {
  readonly spec: AgentConfig
  /** Its qualified name. */
  readonly name: string
  /** The pool that it is an instance of. */
  readonly pool?: string
  /** Its current session, when there is one. */
  readonly session?: AgentSession
}

/** True if an agent may have more than one session at a time. */
const isPool = ({ maxActive }: AgentConfig): boolean => maxActive === undefined || maxActive > 1

/** True if a list shows an agent by its slots. */
const hasSlots = (spec: AgentConfig): boolean => isPool(spec) && spec.maxActive !== undefined

/**
 * The rows of an agent in a list: the agent itself when it has one session; for a pool its slots, if it has a bound, and
 * every session of it that runs. One without a slot of its own, such as a person's, is shown in a free slot, else in a
 * row of its own. An agent without rows is listed as itself, so that no declared agent is hidden.
 */
export function expandInstances(spec: AgentConfig, sessions: readonly AgentSession[]): Instance[] {
  if (!isPool(spec) || (!hasSlots(spec) && sessions.length === 0)) return [wholeAgent(spec, sessions)]
  const byIdentity = Map.groupBy(sessions, ({ identity }) => identity)
  const rows = new Map<string, AgentSession | undefined>()
  for (let slot = 1; slot <= (spec.maxActive ?? 0); slot++) {
    const name = instanceName(spec, slot)
    rows.set(name, preferred(byIdentity.get(name) ?? []))
  }
  const shown = new Set(rows.values())
  const free = freeSlots(rows).values()
  for (const session of sessions) {
    if (session.running && !shown.has(session)) rows.set(free.next().value ?? nameOf(spec, session), session)
  }
  if (rows.size === 0) return [wholeAgent(spec, sessions)]
  return [...rows].map(([name, session]) => toInstance(spec, name, session))
}

/** The agent as a whole, with the session that represents it: a running one before a sleeping one. */
export function wholeAgent(spec: AgentConfig, sessions: readonly AgentSession[]): Instance {
  if (sessions.length === 0)
    return isPool(spec) ? { spec, name: spec.qualified, pool: spec.qualified } : { spec, name: spec.qualified }
  const matching = sessions.filter(({ identity }) => identity === spec.qualified)
  const session = [...matching, ...sessions].find(({ running }) => running) ?? matching[0] ?? sessions[0]
  return { spec, name: spec.qualified, ...(isPool(spec) && { pool: spec.qualified }), ...(session && { session }) }
}

/** The instance of an agent that a name means: a row of its list, or one of an unbounded pool that could run. */
export function findInstance(
  spec: AgentConfig,
  written: string,
  sessions: readonly AgentSession[],
): Instance | undefined {
  if (!isPool(spec)) return undefined
  const name = instanceNamed(spec, written)
  const row = expandInstances(spec, sessions).find((instance) => instance.name === (name ?? written))
  if (row || spec.maxActive !== undefined || name === undefined) return row
  return toInstance(spec, name, preferred(sessions.filter(({ identity }) => identity === name)))
}

const toInstance = (spec: AgentConfig, name: string, session: AgentSession | undefined): Instance => ({
  spec,
  name,
  pool: spec.qualified,
  ...(session && { session }),
})

const preferred = (sessions: readonly AgentSession[]): AgentSession | undefined =>
  sessions.find(({ running }) => running) ?? sessions[0]

/** The slots without a session, then those whose session does not run. */
function freeSlots(rows: ReadonlyMap<string, AgentSession | undefined>): string[] {
  const free = [...rows].filter(([, session]) => !session?.running)
  const [empty = [], asleep = []] = [true, false].map((isEmpty) =>
    free.filter(([, session]) => (session === undefined) === isEmpty),
  )
  return [...empty, ...asleep].map(([name]) => name)
}

const nameOf = ({ qualified }: AgentConfig, { id, identity, name }: AgentSession): string =>
  memberName({ id, template: qualified, agentName: identity, sessionName: name })

/** The state of an instance besides its declaration and session. */
export interface InstanceContext {
  /** True if no other row of its agent is before it. */
  readonly isFirst: boolean
  readonly suspended: boolean
  readonly activeBead: string | undefined
  /** Reason it could not be started, apart from being suspended. */
  readonly unavailable: string | undefined
  /** The reason for which it is not started now although it could be. */
  readonly held: string | undefined
  readonly lastOutput?: string
  readonly now: number
}

/** An agent whose program printed nothing for this long is waiting rather than working. */
const QUIET_MS = 10 * 60_000

/** The state of an agent: the first that applies. */
function stateOf({ session }: Instance, context: InstanceContext): string {
  if (context.suspended) return 'suspended'
  if (context.held !== undefined) return 'quarantined'
  if (!session?.running) return 'stopped'
  if (session.asks) return 'waiting'
  if (context.activeBead === undefined) return 'idle'
  return context.now - (session.lastActivity ?? 0) < QUIET_MS ? 'working' : 'waiting'
}

type Providers = ReadonlyMap<string, ProviderConfig>

/** An agent or instance as lists show it; it never changes. */
export class AgentRow {
  readonly shown: AgentResponse

  constructor(
    readonly instance: Instance,
    private readonly context: InstanceContext,
    private readonly providers: Providers,
  ) {
    this.shown = toAgent(instance, context, providers)
  }

  /** The agent whose limits it shows, as the first row of a pool. */
  get labelled(): AgentConfig | undefined {
    const { spec, pool } = this.instance
    return pool !== undefined && this.context.isFirst ? spec : undefined
  }

  /** True if its session ends once its work is done. */
  get isDraining(): boolean {
    return this.instance.session?.draining ?? false
  }

  /** The same with the last lines of its screen. */
  with(lastOutput: string | undefined): AgentRow {
    return lastOutput === undefined
      ? this
      : new AgentRow(this.instance, { ...this.context, lastOutput }, this.providers)
  }

  /** True if it shows this as well, whose state may follow from the time alone. */
  shows(other: Instance, now: InstanceContext, providers: Providers): boolean {
    const { instance, context } = this
    if (instance.spec !== other.spec || instance.name !== other.name || this.providers !== providers) return false
    if (!isSameContext(context, now)) return false
    const { session } = other
    if (session === undefined || instance.session === undefined) return session === instance.session
    return isSameSession(instance.session, session) && this.shown.state === stateOf(other, now)
  }
}

const isSameContext = (a: InstanceContext, b: InstanceContext): boolean =>
  a.isFirst === b.isFirst &&
  a.suspended === b.suspended &&
  a.activeBead === b.activeBead &&
  a.unavailable === b.unavailable &&
  a.held === b.held

const isSameSession = (a: AgentSession, b: AgentSession): boolean =>
  a.id === b.id &&
  a.name === b.name &&
  a.running === b.running &&
  a.draining === b.draining &&
  a.attached === b.attached &&
  a.lastActivity === b.lastActivity &&
  a.activity === b.activity &&
  a.model === b.model &&
  a.contextPct === b.contextPct &&
  a.contextWindow === b.contextWindow

function toAgent(
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
    pack_derived: !isInline(spec.block),
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
