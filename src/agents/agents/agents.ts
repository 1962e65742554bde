import type { AgentConfig } from '../../config/agents/index.ts'
import { agentNamed } from '../../config/city/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { isInline, qualify } from '../../config/declare/index.ts'
import { type ProviderConfig, requireProvider, resolveProvider } from '../../config/providers/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import type { Actor } from '../../core/actor.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { LoopSlices } from '../../core/event-loop.ts'
import { RecentValues } from '../../core/recent-values.ts'
import type { Store } from '../../core/store/index.ts'
import { rejectMarkers } from '../../core/text/index.ts'
import { unknownAction } from '../../http/actions.ts'
import { actorOf, answering, partOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { type JsonRows, joined, textRows } from '../../http/respond/index.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { SseFrame } from '../../http/sse.ts'
import { instanceName, instanceNamed, memberName } from '../../work/sessions/index.ts'
import type { AgentOutput } from '../conversations/index.ts'
import type { AgentSession, AgentSessionDirectory, SessionName } from './agent-session-directory.ts'
import type {
  AgentCreate,
  AgentCreated,
  AgentDeclare,
  AgentDeclared,
  AgentFilter,
  AgentList,
  AgentResponse,
  AgentUpdate,
  OutputPage,
  SessionInfo,
} from './schema.ts'
/** The actions on an agent. */
export const AGENT_ACTIONS = ['suspend', 'resume', 'restart'] as const

/** State that all agents of a list share, read once. */
interface Shared {
  readonly config: Config['current']
  readonly active: ReturnType<AgentSessionDirectory['activeBeads']>
  readonly held: ReturnType<AgentSessionDirectory['holds']>
  readonly suspended: ReturnType<Suspensions['now']>
  readonly unavailable: (agent: AgentConfig) => string | undefined
  readonly now: number
}

const PEEK_LINES = 5
/** The agents of a city: their declarations and their state. */
export class Agents {
  readonly #shown = new ShownAgents()

  constructor(
    private readonly store: Store,
    private readonly config: Config,
    private readonly suspensions: Suspensions,
    private readonly sessions: AgentSessionDirectory,
    private readonly clock: Clock,
  ) {}

  /** The agents and the instances of pools, in the order of their declarations. */
  async list(filter: AgentFilter): Promise<JsonRows<AgentList>> {
    const rows = await this.rows(filter)
    return textRows(joined(rows.map(({ text }) => text)), { total: rows.length })
  }

  /** The rows of such a list; others are served in between where there are many. */
  async rows({ pool, rig, running, peek }: AgentFilter): Promise<AgentRow[]> {
    const sessions = this.sessions.all()
    const shared = this.#shared()
    const slices = new LoopSlices()
    const rows: AgentRow[] = []
    const withOutput: Promise<AgentRow>[] = []
    for (const spec of shared.config.agents) {
      if ((pool && spec.qualified !== pool) || (rig && spec.dir !== rig)) continue
      for (const instance of this.#shown.instances(spec, sessions.get(spec.qualified))) {
        if (running && String(instance.session?.running ?? false) !== running) continue
        if (peek) withOutput.push(this.#toRowWithOutput(instance, shared))
        else rows.push(this.#toRow(instance, shared))
      }
      if (slices.isOver) await slices.next()
    }
    return peek ? Promise.all(withOutput) : rows
  }

  /** One agent by its qualified name, or one instance of a pool. */
  get(name: string): AgentResponse {
    const instance = this.#instance(name)
    const { shown } = this.#toRow(instance, this.#shared())
    const reason = this.#idleReason(instance, shown)
    return reason === undefined ? shown : { ...shown, idle_reason: reason }
  }

  /** Declares an agent that runs a provider. */
  async create(caller: Caller, { name, provider, dir, scope }: AgentCreate): Promise<AgentCreated> {
    const created: AgentCreated = { status: 'created', agent: qualify(dir, name) }
    await this.#declare(answering(caller, created), caller, { name, provider, ...(dir && { dir }) }, scope)
    return created
  }

  /** Declares an agent with every field that a declaration has; reports why it cannot be started. */
  async declare(caller: Caller, body: AgentDeclare): Promise<AgentDeclared> {
    const declared: AgentDeclared = { status: 'created', agent: qualify(body.dir, body.name) }
    const report = () => {
      const spec = agentNamed(this.config.current, declared.agent)
      const reason = spec && this.sessions.unavailable(spec)
      if (reason !== undefined) declared.unavailable_reason = reason
    }
    // A change is announced before it is recorded, so that the reason is in the answer that is kept.
    const stop = this.config.onChange(report)
    report()
    try {
      await this.#declare(answering(caller, declared), caller, body, undefined)
    } finally {
      stop()
    }
    return declared
  }

  /** Changes the declaration of an agent, and suspends or resumes it. */
  async change(caller: Caller, name: string, { provider, scope, suspended }: AgentUpdate): Promise<OKResponseBody> {
    const spec = this.config.agent(name)
    if (provider) requireProvider(provider, this.config.current.providers)
    if (provider || scope)
      await this.config.changeAgent(actorOf(caller), name, {
        provider: provider || undefined,
        scope: scope || undefined,
      })
    const answer = { status: 'updated' }
    return suspended === undefined ? answer : this.#suspend(caller, spec, suspended, answer)
  }

  /** Removes an agent from the configuration; the reconciler ends its sessions. */
  async remove(caller: Caller, name: string): Promise<OKResponseBody> {
    const deleted = { status: 'deleted' }
    await this.config.removeAgent(answering(caller, deleted), name)
    await this.store.write((tx) => this.suspensions.delete(tx, 'agent', name), actorOf(partOf(caller)))
    return deleted
  }

  /** Suspends, resumes or restarts an agent. Resuming also lifts a hold after failed starts. */
  async act(caller: Caller, name: string, action: string): Promise<OKResponseBody> {
    const supported = AGENT_ACTIONS.find((name) => name === action)
    if (!supported) throw unknownAction(action, AGENT_ACTIONS)
    const spec = this.config.agent(name)
    const answer = { status: 'ok' }
    if (supported !== 'restart') return this.#suspend(caller, spec, supported === 'suspend', answer)
    await this.sessions.restartAll([spec.qualified], caller)
    return answer
  }

  /** The newest output of an agent. */
  async output(name: string, { tail, before }: OutputPage): Promise<AgentOutput> {
    const segments = tail === undefined || tail === '' ? 1 : Number(tail)
    if (!/^\d{0,9}$/.test(tail ?? '')) {
      const message = 'must be a number of segments, 0 for all'
      throw new AppError('validation-failed', 'validation failed', {
        fieldErrors: [{ location: 'query.tail', message, value: tail }],
      })
    }
    return this.sessions.outputOf(this.#sessionName(name), { tail: segments, ...(before && { before }) })
  }

  /** The newest output of an agent, then each new turn as a frame; a header shows if it does not run. */
  async follow(name: string, signal: AbortSignal, headers: Record<string, string>): Promise<AsyncIterable<SseFrame>> {
    const { stopped, turns } = await this.sessions.followOutput(this.#sessionName(name), signal)
    if (stopped) headers['GC-Agent-Status'] = 'stopped'
    return withFrameIds(turns)
  }

  async #declare(by: Actor, caller: Caller, body: AgentDeclare, scope: string | undefined): Promise<void> {
    const { name, dir, prompt, ...keys } = body
    rejectMarkers({ ...keys, description: undefined })
    const isThere = () => this.config.current.agents.some(({ qualified }) => qualified === qualify(dir, name))
    if (caller.request?.isRetry && isThere()) return this.config.recordAgain(by, [])
    const exceeding = keys.may?.filter((right) => caller.kind === 'session' && !caller.may.includes(right)) ?? []
    if (exceeding.length > 0) {
      throw new AppError(
        'forbidden',
        `forbidden: a session cannot grant permissions that it does not have: ${exceeding.join(', ')}`,
      )
    }
    if (keys.provider && keys.start_command) {
      throw new AppError('invalid-request', 'give either a provider or a start_command, not both')
    }
    if (keys.confine && (caller.kind === 'session' || caller.kind === 'process')) {
      throw new AppError('forbidden', 'forbidden: a session cannot set `confine` of an agent; ask the operator')
    }
    const draft = {
      name,
      ...(dir && { dir }),
      ...(prompt !== undefined && { prompt }),
      keys: { ...keys, scope: scope || undefined },
    }
    await this.config.addAgent(by, draft)
  }

  async #suspend(
    caller: Caller,
    { qualified, suspended: declared }: AgentConfig,
    suspended: boolean,
    answer: OKResponseBody,
  ): Promise<OKResponseBody> {
    if (!suspended) await this.sessions.release(qualified, caller)
    return this.store.write((tx) => {
      this.suspensions.set(tx, 'agent', qualified, suspended, declared)
      return answer
    }, actorOf(caller))
  }

  #instance(name: string): Instance {
    const { agents } = this.config.current
    const spec = agentNamed(this.config.current, name)
    if (spec) return wholeAgent(spec, this.sessions.ofAgent(spec.qualified))
    for (const pool of agents) {
      const instance = findInstance(pool, name, this.sessions.ofAgent(pool.qualified))
      if (instance) return instance
    }
    throw new AppError('agent-not-found', `agent ${name} not found`)
  }

  /** The session that an agent's name refers to; a pool's is shown under the name of its instance. */
  #sessionName(name: string): SessionName {
    const { spec, session, name: own } = this.#instance(name)
    const isUnnamed = session === undefined || session.identity === spec.qualified
    return { name: isUnnamed ? own : session.identity, session: session?.id }
  }

  #shared(): Shared {
    return {
      config: this.config.current,
      active: this.sessions.activeBeads(),
      held: this.sessions.holds(),
      suspended: this.suspensions.now(),
      unavailable: this.sessions.unavailables(),
      now: this.clock.now(),
    }
  }

  #toRow(instance: Instance, shared: Shared, lastOutput?: string): AgentRow {
    const { config, active, held, suspended, unavailable, now } = shared
    const { spec, name, session } = instance
    const names = session ? [session.id, session.name, session.identity, name] : [name]
    const context = {
      suspended: suspended.isAgentSuspended(config, spec),
      activeBead: active(names),
      unavailable: unavailable(spec),
      held: session?.running ? undefined : (session?.held ?? held(spec)),
      now,
    }
    if (lastOutput === undefined) return this.#shown.row(instance, context, config.providers)
    return new AgentRow(toAgent(instance, { ...context, lastOutput }, config.providers))
  }

  /**
   * Reason no session of an agent takes up what is routed to it; undefined when nothing is known to keep one from that.
   */
  hindrance(name: string): string | undefined {
    const { current } = this.config
    const spec = agentNamed(current, name)
    if (!spec || this.sessions.ofAgent(name).some(({ running }) => running)) return undefined
    return this.suspensions.explain(current, spec) ?? this.sessions.unavailable(spec) ?? this.sessions.held(spec)
  }

  /** Reason an agent does no work now; undefined while it does. */
  #idleReason({ spec, name, session }: Instance, shown: AgentResponse): string | undefined {
    const { state, running, unavailable_reason: unavailable, active_bead: bead } = shown
    if (state === 'working') return undefined
    const held = this.suspensions.explain(this.config.current, spec) ?? unavailable
    if (held !== undefined) return held
    if (session?.asks) return 'it asks something, and waits for the answer'
    if (bead !== undefined && running) return `it works on ${bead}, and its program has printed nothing for a while`
    const names = session ? [session.id, session.name, session.identity, name] : [name]
    const [first, ...others] = this.sessions.readyFor(spec, names)
    if (first === undefined) return `no ready work is routed to it; gc sling ${spec.qualified} "<task>"`
    const ready = others.length === 0 ? `bead ${first} is` : `${others.length + 1} beads, such as ${first}, are`
    const lack = running ? undefined : this.sessions.lackOfRoom(spec)
    return `${ready} ready for it${lack === undefined ? ', and it has not begun yet' : `, but ${lack}`}`
  }

  async #toRowWithOutput(instance: Instance, shared: Shared): Promise<AgentRow> {
    const { session } = instance
    return this.#toRow(
      instance,
      shared,
      session?.running ? await this.sessions.peek(session.id, PEEK_LINES) : undefined,
    )
  }
}

async function* withFrameIds(turns: AsyncIterable<AgentOutput>): AsyncIterable<SseFrame> {
  let id = 0
  for await (const data of turns) yield { id: String(++id), event: 'turn', data }
}

/** The state of an instance besides its declaration and session. */
interface InstanceContext {
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

/** An agent as lists show it; as text once somebody reads that. */
export class AgentRow {
  #text: string | undefined

  constructor(readonly shown: AgentResponse) {}

  get text(): string {
    this.#text ??= JSON.stringify(this.shown)
    return this.#text
  }
}

/** A row, and what it shows. */
interface ShownAgent {
  readonly instance: Instance
  readonly context: InstanceContext
  readonly providers: unknown
  readonly row: AgentRow
}

/** Maximum rows of agents with sessions in each of two generations. */
const MAX_SHOWN = 4_096

/** The rows of agents: each stays as it is while what it shows does. */
class ShownAgents {
  readonly #idle = new WeakMap<AgentConfig, ShownAgent>()
  readonly #bySession = new RecentValues<string, ShownAgent>(MAX_SHOWN, () => 1)

  /** The rows of an agent in a list. */
  instances(spec: AgentConfig, sessions: readonly AgentSession[] = []): Instance[] {
    const known = sessions.length === 0 ? this.#idle.get(spec) : undefined
    return known && !hasSlots(spec) ? [known.instance] : expandInstances(spec, sessions)
  }

  row(instance: Instance, context: InstanceContext, providers: ReadonlyMap<string, ProviderConfig>): AgentRow {
    const known = this.#find(instance)
    if (known?.providers === providers && isSame(known, instance, context)) return known.row
    const row = new AgentRow(toAgent(instance, context, providers))
    this.#keep({ instance, context, providers, row })
    return row
  }

  #find({ spec, name, session }: Instance): ShownAgent | undefined {
    if (session) return this.#bySession.get(session.id)
    return name === spec.qualified ? this.#idle.get(spec) : undefined
  }

  #keep(shown: ShownAgent): void {
    const { spec, name, session } = shown.instance
    if (session) this.#bySession.set(session.id, shown)
    else if (name === spec.qualified) this.#idle.set(spec, shown)
  }
}

/** True if a row that shows one thing shows another as well: its state may follow from the time alone. */
function isSame({ instance, context, row }: ShownAgent, other: Instance, now: InstanceContext): boolean {
  if (instance.spec !== other.spec || instance.name !== other.name || !isSameContext(context, now)) return false
  const { session } = other
  if (session === undefined || instance.session === undefined) return session === instance.session
  return isSameSession(instance.session, session) && row.shown.state === stateOf(other, now)
}

const isSameContext = (a: InstanceContext, b: InstanceContext): boolean =>
  a.suspended === b.suspended && a.activeBead === b.activeBead && a.unavailable === b.unavailable && a.held === b.held

const isSameSession = (a: AgentSession, b: AgentSession): boolean =>
  a.name === b.name &&
  a.running === b.running &&
  a.attached === b.attached &&
  a.asks === b.asks &&
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

/** One row of a list of agents: an agent with one session, or one instance of a pool. */
interface Instance {
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
function expandInstances(spec: AgentConfig, sessions: readonly AgentSession[]): Instance[] {
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
function wholeAgent(spec: AgentConfig, sessions: readonly AgentSession[]): Instance {
  if (sessions.length === 0)
    return isPool(spec) ? { spec, name: spec.qualified, pool: spec.qualified } : { spec, name: spec.qualified }
  const matching = sessions.filter(({ identity }) => identity === spec.qualified)
  const session = [...matching, ...sessions].find(({ running }) => running) ?? matching[0] ?? sessions[0]
  return { spec, name: spec.qualified, ...(isPool(spec) && { pool: spec.qualified }), ...(session && { session }) }
}

/** The instance of an agent that a name means: a row of its list, or one of an unbounded pool that could run. */
function findInstance(spec: AgentConfig, written: string, sessions: readonly AgentSession[]): Instance | undefined {
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
