import type { Capacity } from './capacity.ts'
import type { AgentState, CitySnapshot, SessionSnapshot } from './snapshot.ts'

/** The order in which agents come up: those that others depend on first, and those wait for them. */
export class StartOrder {
  /** Agents that others depend on which run or have something to run for; the deepest first. */
  readonly needed: readonly AgentState[]
  readonly #up = new Set<string>()
  readonly #coming = new Set<string>()
  readonly #made = new Set<string>()

  constructor(
    private readonly situation: CitySnapshot,
    private readonly room: Capacity,
  ) {
    for (const { agent, state, key, busy } of situation.sessions) {
      if (state === 'active' && key !== undefined) this.#up.add(agent)
      else if (busy || state === 'creating') this.#coming.add(agent)
    }
    this.needed = this.#needed()
  }

  /** A start of this agent was decided, or that a session is made for this identity. */
  markStarting(agent: string, named?: string): void {
    this.#coming.add(agent)
    if (named !== undefined) this.#made.add(named)
  }

  isCreated(named: string): boolean {
    return this.#made.has(named)
  }

  isUp(agent: string): boolean {
    return this.#up.has(agent)
  }

  /** Whether one of its sessions runs, or will in a moment. */
  isPresent(agent: string): boolean {
    return this.#up.has(agent) || this.#coming.has(agent)
  }

  /** Whether others need a session of this agent. */
  isNeeded(agent: string): boolean {
    return this.needed.some(({ name }) => name === agent)
  }

  /** Whether an agent has to wait: something it depends on is still coming up. What cannot come up is not waited for. */
  mustWait(agent: AgentState | undefined): boolean {
    const isOnItsWay = (name: string) =>
      this.room.agent(name) !== undefined && !this.#up.has(name) && this.#coming.has(name)
    return agent?.dependsOn.some(isOnItsWay) ?? false
  }

  /** What declares a circle is refused where it is read. */
  #needed(): AgentState[] {
    const found: AgentState[] = []
    const seen = new Set<AgentState>()
    const visit = (agent: AgentState) => {
      for (const name of agent.dependsOn) {
        const on = this.room.agent(name)
        if (!on || seen.has(on) || this.room.isBlocked(name) || on.problem !== undefined) continue
        seen.add(on)
        visit(on)
        found.push(on)
      }
    }
    for (const agent of this.situation.agents) if (this.#runs(agent)) visit(agent)
    return found
  }

  /** Whether an agent runs, or would if nothing had to be waited for. */
  #runs(agent: AgentState): boolean {
    if (this.room.isBlocked(agent.name) || agent.problem !== undefined) return false
    if (agent.minActive > 0 || agent.scaled > 0 || agent.demand.length > 0) return true
    const always = this.situation.named.some(({ agent: of, mode }) => of === agent.name && mode === 'always')
    return always || this.situation.sessions.some((session) => session.agent === agent.name && isAlive(session))
  }
}

const isAlive = ({ state, busy, wanted, work, messages }: SessionSnapshot): boolean => {
  if (state === 'active' || state === 'creating' || state === 'start-pending' || busy) return true
  return state === 'asleep' && (wanted || work.length > 0 || messages > 0)
}
