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

/** One decision in the making: what was decided so far, which sessions it concerns, when to look again. */
export class PlanBuilder {
  readonly capacity: Capacity
  readonly startOrder: StartOrder
  readonly #actions: ReconcileAction[] = []
  readonly #touched = new Set<string>()
  readonly #started = new Set<string>()
  #due: number | undefined

  constructor(
    readonly state: CitySnapshot,
    readonly hosted: ReadonlyMap<string, ProcessState>,
  ) {
    this.capacity = new Capacity(state)
    this.startOrder = new StartOrder(state, this.capacity)
  }

  get now(): number {
    return this.state.now
  }

  /** Sessions nothing was decided about yet, and which nobody is busy with. */
  get idle(): SessionSnapshot[] {
    return this.state.sessions.filter((session) => !session.busy && !this.#touched.has(session.id))
  }

  agentOf(session: SessionSnapshot): AgentState | undefined {
    return this.capacity.agent(session.agent)
  }

  /** Whether a session is up, or was just decided to come up. */
  isUp({ id, state }: SessionSnapshot): boolean {
    return state === 'creating' || state === 'active' || this.#started.has(id)
  }

  /** The named sessions that an agent has. */
  namedOf(agent: string): NamedSessionState[] {
    return this.state.named.filter((named) => named.agent === agent)
  }

  /** Decides something; a session is decided about once a turn. */
  add(action: ReconcileAction): void {
    this.#actions.push(action)
    if (action.do === 'create') this.startOrder.markStarting(action.agent, action.named)
    if (action.do === 'start') {
      this.#started.add(action.session)
      this.startOrder.markStarting(this.state.sessions.find(({ id }) => id === action.session)?.agent ?? '')
    }
    if ('session' in action && action.session !== undefined) this.#touched.add(action.session)
  }

  /** Whether a moment has come; if not, the turn is taken again then. */
  isDue(moment: number): boolean {
    if (moment <= this.now) return true
    this.#due = this.#due === undefined ? moment : Math.min(this.#due, moment)
    return false
  }

  plan(): ReconcilePlan {
    return { actions: this.#actions, due: this.#due }
  }
}
