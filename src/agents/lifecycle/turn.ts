import { Room } from './room.ts'
import type { Action, AgentView, HostedView, NamedView, Plan, SessionView, Situation } from './state.ts'
import { Waves } from './waves.ts'

/** One decision in the making: what was decided so far, which sessions it concerns, when to look again. */
export class Turn {
  readonly room: Room
  readonly waves: Waves
  readonly #actions: Action[] = []
  readonly #touched = new Set<string>()
  readonly #started = new Set<string>()
  #due: number | undefined

  constructor(
    readonly situation: Situation,
    readonly hosted: ReadonlyMap<string, HostedView>,
  ) {
    this.room = new Room(situation)
    this.waves = new Waves(situation, this.room)
  }

  get now(): number {
    return this.situation.now
  }

  /** Sessions nothing was decided about yet, and which nobody is busy with. */
  get idle(): SessionView[] {
    return this.situation.sessions.filter((session) => !session.busy && !this.#touched.has(session.id))
  }

  agentOf(session: SessionView): AgentView | undefined {
    return this.room.agent(session.agent)
  }

  /** Whether a session is up, or was just decided to come up. */
  isUp({ id, state }: SessionView): boolean {
    return state === 'creating' || state === 'active' || this.#started.has(id)
  }

  /** The named sessions that an agent has. */
  namedOf(agent: string): NamedView[] {
    return this.situation.named.filter((named) => named.agent === agent)
  }

  /** Decides something; a session is decided about once a turn. */
  decide(action: Action): void {
    this.#actions.push(action)
    if (action.do === 'create') this.waves.comes(action.agent, action.named)
    if (action.do === 'start') {
      this.#started.add(action.session)
      this.waves.comes(this.situation.sessions.find(({ id }) => id === action.session)?.agent ?? '')
    }
    if ('session' in action && action.session !== undefined) this.#touched.add(action.session)
  }

  /** Whether a moment has come; if not, the turn is taken again then. */
  reached(moment: number): boolean {
    if (moment <= this.now) return true
    this.#due = this.#due === undefined ? moment : Math.min(this.#due, moment)
    return false
  }

  plan(): Plan {
    return { actions: this.#actions, due: this.#due }
  }
}
