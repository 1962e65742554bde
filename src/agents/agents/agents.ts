import type { AgentConfig } from '../../config/city-config.ts'
import type { Config } from '../../config/config.ts'
import { qualify } from '../../config/declare/names.ts'
import { suggestion, withHint } from '../../config/diagnostics/suggestion.ts'
import { BUILTINS } from '../../config/providers/presets.ts'
import type { Suspensions } from '../../config/suspensions/suspensions.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { type Attempt, firstAttempt } from '../../core/replays/replays.ts'
import { rejectMarkers } from '../../core/secrets.ts'
import type { Store } from '../../core/store.ts'
import { unknownAction } from '../../http/actions.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { SseFrame } from '../../http/sse.ts'
import { expandInstances, findInstance, type Instance, wholeAgent } from './instances.ts'
import type {
  AgentCreate,
  AgentCreated,
  AgentDeclare,
  AgentFilter,
  AgentList,
  AgentOutput,
  AgentResponse,
  AgentUpdate,
  OutputPage,
} from './schema.ts'
import type { AgentSessions, SessionName } from './sessions.ts'
import { toAgent } from './view.ts'

/** The actions on an agent. */
export const AGENT_ACTIONS = ['suspend', 'resume', 'restart'] as const

type ActiveBeads = ReturnType<AgentSessions['activeBeads']>

const PEEK_LINES = 5
/** How long it is cached whether an agent can be started, since that searches the PATH. */
const CACHE_MS = 2000

/** The agents of a city: their declarations and their state. */
export class Agents {
  /** Why agents cannot be started, cached for a short time. */
  readonly #unavailableReasons = new Map<AgentConfig, { at: number; reason: string | undefined }>()

  constructor(
    private readonly store: Store,
    private readonly config: Config,
    private readonly suspensions: Suspensions,
    private readonly sessions: AgentSessions,
    private readonly clock: Clock,
  ) {
    config.onChange(() => this.#unavailableReasons.clear())
  }

  /** The agents and the instances of pools, in the order of their declarations. */
  async list({ pool, rig, running, peek }: AgentFilter): Promise<AgentList> {
    const specs = this.config.current.agents.filter(
      ({ qualified, dir }) => (!pool || qualified === pool) && (!rig || dir === rig),
    )
    const sessions = this.sessions.all()
    const instances = specs
      .flatMap((spec) => expandInstances(spec, sessions.get(spec.qualified) ?? []))
      .filter(({ session }) => !running || String(session?.running ?? false) === running)
    const active = this.sessions.activeBeads()
    const items = await Promise.all(
      instances.map((instance) =>
        peek ? this.#toResponseWithOutput(instance, active) : this.#toResponse(instance, active),
      ),
    )
    return { items, total: items.length }
  }

  /** One agent by its qualified name, or one instance of a pool. */
  get(name: string): AgentResponse {
    return this.#toResponse(this.#instance(name), this.sessions.activeBeads())
  }

  /** Declares an agent that runs a provider. */
  create(caller: Caller, { name, provider, dir, scope }: AgentCreate, attempt = firstAttempt): Promise<AgentCreated> {
    return this.#declare(caller, { name, provider, ...(dir && { dir }) }, scope, attempt)
  }

  /** Declares an agent with every field that a declaration has. */
  declare(caller: Caller, body: AgentDeclare, attempt = firstAttempt): Promise<AgentCreated> {
    return this.#declare(caller, body, undefined, attempt)
  }

  /** Changes the declaration of an agent, and suspends or resumes it. */
  async change(caller: Caller, name: string, { provider, scope, suspended }: AgentUpdate): Promise<OKResponseBody> {
    const spec = this.config.agent(name)
    if (provider) this.#requireProvider(provider)
    if (provider || scope)
      await this.config.changeAgent(actorOf(caller), name, {
        provider: provider || undefined,
        scope: scope || undefined,
      })
    if (suspended !== undefined) await this.#suspend(caller, spec, suspended)
    return { status: 'updated' }
  }

  /** Removes an agent from the configuration; the reconciler ends its sessions. */
  async remove(caller: Caller, name: string): Promise<OKResponseBody> {
    await this.config.removeAgent(actorOf(caller), name)
    await this.store.write((tx) => this.suspensions.delete(tx, 'agent', name), actorOf(caller))
    return { status: 'deleted' }
  }

  /** Suspends, resumes or restarts an agent. Resuming also lifts a hold after failed starts. */
  async act(caller: Caller, name: string, action: string): Promise<OKResponseBody> {
    const supported = AGENT_ACTIONS.find((name) => name === action)
    if (!supported) throw unknownAction(action, AGENT_ACTIONS)
    const spec = this.config.agent(name)
    if (supported === 'restart') await this.sessions.restartAll([spec.qualified], caller)
    else await this.#suspend(caller, spec, supported === 'suspend')
    return { status: 'ok' }
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

  /** The newest output of an agent, then each new turn as a frame; a header tells when it does not run. */
  async follow(name: string, signal: AbortSignal, headers: Record<string, string>): Promise<AsyncIterable<SseFrame>> {
    const { stopped, turns } = await this.sessions.followOutput(this.#sessionName(name), signal)
    if (stopped) headers['GC-Agent-Status'] = 'stopped'
    return withFrameIds(turns)
  }

  async #declare(
    caller: Caller,
    body: AgentDeclare,
    scope: string | undefined,
    attempt: Attempt,
  ): Promise<AgentCreated> {
    const { name, dir, prompt, ...keys } = body
    rejectMarkers({ ...keys, description: undefined })
    const created: AgentCreated = { status: 'created', agent: qualify(dir, name) }
    if (attempt.isRetry && this.config.current.agents.some(({ qualified }) => qualified === created.agent))
      return created
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
    if (keys.provider) this.#requireProvider(keys.provider)
    const draft = {
      name,
      ...(dir && { dir }),
      ...(prompt !== undefined && { prompt }),
      keys: { ...keys, scope: scope || undefined },
    }
    await this.config.addAgent(actorOf(caller), draft, attempt)
    return created
  }

  async #suspend(caller: Caller, { qualified, suspended: declared }: AgentConfig, suspended: boolean): Promise<void> {
    await this.store.write((tx) => this.suspensions.set(tx, 'agent', qualified, suspended, declared), actorOf(caller))
    if (!suspended) await this.sessions.release(qualified, caller)
  }

  #requireProvider(name: string): void {
    const { providers } = this.config.current
    if (providers.has(name) || BUILTINS.has(name)) return
    const hint =
      suggestion(name, [...providers.keys(), ...BUILTINS.keys()]) || `declare [providers.${name}] in city.toml`
    throw new AppError('invalid-request', withHint(`provider "${name}" is neither declared nor built in`, hint))
  }

  #instance(name: string): Instance {
    const { agents } = this.config.current
    const spec = agents.find(({ qualified }) => qualified === name)
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

  #toResponse(instance: Instance, active: ActiveBeads, lastOutput?: string): AgentResponse {
    const { spec, name, session } = instance
    const names = session ? [session.id, session.name, session.identity, name] : [name]
    const context = {
      suspended: this.suspensions.isAgentSuspended(this.config.current, spec),
      activeBead: active(names),
      unavailable: this.#unavailableReason(spec),
      held: session?.running ? undefined : (session?.held ?? this.sessions.held(spec)),
      now: this.clock.now(),
      ...(lastOutput !== undefined && { lastOutput }),
    }
    return toAgent(instance, context, this.config.current.providers)
  }

  /** Why no session of an agent takes up what is routed to it; undefined when nothing is known to keep one from that. */
  hindrance(name: string): string | undefined {
    const { current } = this.config
    const spec = current.agents.find(({ qualified }) => qualified === name)
    if (!spec || this.sessions.ofAgent(name).some(({ running }) => running)) return undefined
    return this.suspensions.explain(current, spec) ?? this.#unavailableReason(spec) ?? this.sessions.held(spec)
  }

  #unavailableReason(spec: AgentConfig): string | undefined {
    const now = this.clock.now()
    const cached = this.#unavailableReasons.get(spec)
    if (cached && Math.abs(now - cached.at) < CACHE_MS) return cached.reason
    const reason = this.sessions.unavailable(spec)
    this.#unavailableReasons.set(spec, { at: now, reason })
    return reason
  }

  async #toResponseWithOutput(instance: Instance, active: ActiveBeads): Promise<AgentResponse> {
    const { session } = instance
    return this.#toResponse(
      instance,
      active,
      session?.running ? await this.sessions.peek(session.id, PEEK_LINES) : undefined,
    )
  }
}

async function* withFrameIds(turns: AsyncIterable<AgentOutput>): AsyncIterable<SseFrame> {
  let id = 0
  for await (const data of turns) yield { id: String(++id), event: 'turn', data }
}
