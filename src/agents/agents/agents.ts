import type { AgentConfig } from '../../config/agents/index.ts'
import { agentNamed } from '../../config/city/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { qualify } from '../../config/declare/index.ts'
import { requireProvider } from '../../config/providers/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import type { Actor } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { Store } from '../../core/store/index.ts'
import { rejectMarkers } from '../../core/text/index.ts'
import { unknownAction } from '../../http/actions.ts'
import { actorOf, answering, partOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { type JsonRows, joined, textRows } from '../../http/respond/index.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { SseFrame } from '../../http/sse.ts'
import type { AgentOutput } from '../conversations/index.ts'
import { AgentRow, findInstance, type Instance, wholeAgent } from './agent-row.ts'
import type { AgentSessionDirectory, SessionName } from './agent-session-directory.ts'
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
} from './schema.ts'
import { type AgentFacts, type AgentRows, contextOf, ShownAgents } from './shown-agents.ts'

/** The actions on an agent. */
export const AGENT_ACTIONS = ['suspend', 'resume', 'restart'] as const

const PEEK_LINES = 5

/** A row as lists show it. */
const listed = ({ shown }: AgentRow): string => JSON.stringify(shown)

/** The agents of a city: their declarations and their state. */
export class Agents {
  readonly #shown: ShownAgents

  constructor(
    private readonly store: Store,
    private readonly config: Config,
    private readonly suspensions: Suspensions,
    private readonly sessions: AgentSessionDirectory,
    private readonly clock: Clock,
  ) {
    this.#shown = new ShownAgents(sessions)
  }

  /** The agents and the instances of pools, in the order of their declarations. */
  async list({ pool, rig, running, peek }: AgentFilter): Promise<JsonRows<AgentList>> {
    const all = await this.rows()
    if (!pool && !rig && !running && !peek) return textRows(all.json(listed), { total: all.total })
    const rows = all.rows().filter(({ instance: { spec }, shown }) => {
      if ((pool && spec.qualified !== pool) || (rig && spec.dir !== rig)) return false
      return !running || String(shown.running) === running
    })
    const shown = peek ? await Promise.all(rows.map((row) => this.#withOutput(row))) : rows
    return textRows(joined(shown.map(listed)), { total: shown.length })
  }

  /** The rows of all agents; others are served in between where many are new. */
  rows(): Promise<AgentRows> {
    return this.#shown.at(this.#facts())
  }

  /** One agent by its qualified name, or one instance of a pool. */
  get(name: string): AgentResponse {
    const instance = this.#instance(name)
    const facts = this.#facts()
    const { shown } = new AgentRow(instance, contextOf(instance, facts), facts.config.providers)
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

  #facts(): AgentFacts {
    return {
      config: this.config.current,
      sessions: this.sessions.all(),
      active: this.sessions.activeBeads(),
      held: this.sessions.holds(),
      suspended: this.suspensions.now(),
      unavailable: this.sessions.unavailables(),
      now: this.clock.now(),
    }
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

  async #withOutput(row: AgentRow): Promise<AgentRow> {
    const { session } = row.instance
    return session?.running ? row.with(await this.sessions.peek(session.id, PEEK_LINES)) : row
  }
}

async function* withFrameIds(turns: AsyncIterable<AgentOutput>): AsyncIterable<SseFrame> {
  let id = 0
  for await (const data of turns) yield { id: String(++id), event: 'turn', data }
}
