import { Capacity } from './capacity.ts'
import type {
  AgentState,
  CitySnapshot,
  NamedSessionState,
  ProcessState,
  ReconcileAction,
  ReconcilePlan,
  SessionSnapshot,
} from './snapshot.ts'

/** A plan in the making: the actions so far, the sessions they concern, and when to plan again. */
export class PlanBuilder {
  readonly capacity: Capacity
  readonly startOrder: StartOrder
  readonly #actions: ReconcileAction[] = []
  readonly #touched = new Set<string>()
  readonly #started = new Set<string>()
  readonly #byId: ReadonlyMap<string, SessionSnapshot>
  /** Active pool sessions without an action, by agent. */
  readonly #pooled = new Map<string, number>()
  #due: number | undefined

  constructor(
    readonly snapshot: CitySnapshot,
    readonly hosted: ReadonlyMap<string, ProcessState>,
  ) {
    this.capacity = new Capacity(snapshot)
    this.startOrder = new StartOrder(snapshot, this.capacity)
    this.#byId = new Map(snapshot.sessions.map((session) => [session.id, session]))
    for (const session of snapshot.sessions) if (!session.busy) this.#countPooled(session, 1)
  }

  get now(): number {
    return this.snapshot.now
  }

  /** Sessions without an action so far, and with no step under way. */
  get idle(): SessionSnapshot[] {
    return this.snapshot.sessions.filter((session) => this.isIdle(session))
  }

  isIdle({ id, busy }: SessionSnapshot): boolean {
    return !busy && !this.#touched.has(id)
  }

  /** Number of idle sessions in the pool of an agent that are active. */
  activePooled(agent: string): number {
    return this.#pooled.get(agent) ?? 0
  }

  agentOf(session: SessionSnapshot): AgentState | undefined {
    return this.capacity.agent(session.agent)
  }

  /** True if a session is up, or should be started. */
  isUp({ id, state }: SessionSnapshot): boolean {
    return state === 'creating' || state === 'active' || this.#started.has(id)
  }

  /** The named sessions that an agent has. */
  namedOf(agent: string): NamedSessionState[] {
    return this.snapshot.named.filter((named) => named.agent === agent)
  }

  /** Adds an action; a session gets at most one in a plan. */
  add(action: ReconcileAction): void {
    this.#actions.push(action)
    if (action.do === 'create') this.startOrder.markStarting(action.agent, action.named)
    if (action.do === 'start') {
      this.#started.add(action.session)
      this.startOrder.markStarting(this.#byId.get(action.session)?.agent ?? '')
    }
    if ('session' in action && action.session !== undefined) this.#touch(action.session)
  }

  #touch(id: string): void {
    const session = this.#byId.get(id)
    if (session && this.isIdle(session)) this.#countPooled(session, -1)
    this.#touched.add(id)
  }

  #countPooled({ agent, state, origin }: SessionSnapshot, change: number): void {
    if (state === 'active' && origin === 'ephemeral') this.#pooled.set(agent, this.activePooled(agent) + change)
  }

  /** True if a time has come; if not, the plan is made again then. */
  isDue(timestamp: number): boolean {
    if (timestamp <= this.now) return true
    this.#due = this.#due === undefined ? timestamp : Math.min(this.#due, timestamp)
    return false
  }

  plan(): ReconcilePlan {
    return { actions: this.#actions, due: this.#due }
  }
}

/** The order in which agents start: those that others depend on come first, and the others wait for them. */
class StartOrder {
  /** Agents that others which run or have a reason to run depend on; the deepest first. */
  readonly needed: readonly AgentState[]
  readonly #up = new Set<string>()
  readonly #starting = new Set<string>()
  readonly #created = new Set<string>()

  constructor(
    private readonly snapshot: CitySnapshot,
    private readonly capacity: Capacity,
  ) {
    for (const { agent, state, key, busy } of snapshot.sessions) {
      if (state === 'active' && key !== undefined) this.#up.add(agent)
      else if (busy || state === 'creating') this.#starting.add(agent)
    }
    this.needed = this.#needed()
  }

  /** A session of this agent should be started, or created for this identity. */
  markStarting(agent: string, named?: string): void {
    this.#starting.add(agent)
    if (named !== undefined) this.#created.add(named)
  }

  isCreated(named: string): boolean {
    return this.#created.has(named)
  }

  isUp(agent: string): boolean {
    return this.#up.has(agent)
  }

  /** True if one of its sessions runs or is starting. */
  isPresent(agent: string): boolean {
    return this.#up.has(agent) || this.#starting.has(agent)
  }

  /** True if others need a session of this agent. */
  isNeeded(agent: string): boolean {
    return this.needed.some(({ name }) => name === agent)
  }

  /** True if an agent it depends on is still starting. One that cannot start is not waited for. */
  mustWait(agent: AgentState | undefined): boolean {
    const isStarting = (name: string) =>
      this.capacity.agent(name) !== undefined && !this.#up.has(name) && this.#starting.has(name)
    return agent?.dependsOn.some(isStarting) ?? false
  }

  /** Circles need no care here: the configuration rejects them. */
  #needed(): AgentState[] {
    const needed: AgentState[] = []
    const seen = new Set<AgentState>()
    const visit = (agent: AgentState) => {
      for (const name of agent.dependsOn) {
        const dependency = this.capacity.agent(name)
        if (!dependency || seen.has(dependency) || dependency.problem !== undefined) continue
        if (this.capacity.isBlocked(name)) continue
        seen.add(dependency)
        visit(dependency)
        needed.push(dependency)
      }
    }
    for (const agent of this.snapshot.agents) if (this.#hasReasonToRun(agent)) visit(agent)
    return needed
  }

  /** True if an agent runs, or would without waiting. */
  #hasReasonToRun(agent: AgentState): boolean {
    if (this.capacity.isBlocked(agent.name) || agent.problem !== undefined) return false
    if (agent.minActive > 0 || agent.scaleTarget > 0 || agent.demand.length > 0) return true
    const isAlwaysUp = this.snapshot.named.some((named) => named.agent === agent.name && named.mode === 'always')
    return isAlwaysUp || this.snapshot.sessions.some((session) => session.agent === agent.name && isAlive(session))
  }
}

const isAlive = ({ state, busy, wakeRequested, work, messages }: SessionSnapshot): boolean => {
  if (state === 'active' || state === 'creating' || state === 'start-pending' || busy) return true
  return state === 'asleep' && (wakeRequested || work.length > 0 || messages > 0)
}
