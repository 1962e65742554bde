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
import { StartOrder } from './start-order.ts'

/** A plan in the making: the actions so far, the sessions they concern, and when to plan again. */
export class PlanBuilder {
  readonly capacity: Capacity
  readonly startOrder: StartOrder
  readonly #actions: ReconcileAction[] = []
  readonly #touched = new Set<string>()
  readonly #started = new Set<string>()
  #due: number | undefined

  constructor(
    readonly snapshot: CitySnapshot,
    readonly hosted: ReadonlyMap<string, ProcessState>,
  ) {
    this.capacity = new Capacity(snapshot)
    this.startOrder = new StartOrder(snapshot, this.capacity)
  }

  get now(): number {
    return this.snapshot.now
  }

  /** Sessions without an action so far, and with no step under way. */
  get idle(): SessionSnapshot[] {
    return this.snapshot.sessions.filter((session) => !session.busy && !this.#touched.has(session.id))
  }

  agentOf(session: SessionSnapshot): AgentState | undefined {
    return this.capacity.agent(session.agent)
  }

  /** Whether a session is up, or is to be started. */
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
      this.startOrder.markStarting(this.snapshot.sessions.find(({ id }) => id === action.session)?.agent ?? '')
    }
    if ('session' in action && action.session !== undefined) this.#touched.add(action.session)
  }

  /** Whether a time has come; if not, the plan is made again then. */
  isDue(timestamp: number): boolean {
    if (timestamp <= this.now) return true
    this.#due = this.#due === undefined ? timestamp : Math.min(this.#due, timestamp)
    return false
  }

  plan(): ReconcilePlan {
    return { actions: this.#actions, due: this.#due }
  }
}
