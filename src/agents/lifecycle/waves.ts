import type { Room } from './room.ts'
import type { AgentView, SessionView, Situation } from './state.ts'

/** The order in which agents come up: those that others depend on first, and those wait for them. */
export class Waves {
  /** Agents that others depend on which run or have something to run for; the deepest first. */
  readonly needed: readonly AgentView[]
  readonly #up = new Set<string>()
  readonly #coming = new Set<string>()
  readonly #made = new Set<string>()

  constructor(
    private readonly situation: Situation,
    private readonly room: Room,
  ) {
    for (const { agent, state, key, busy } of situation.sessions) {
      if (state === 'active' && key !== undefined) this.#up.add(agent)
      else if (busy || state === 'creating') this.#coming.add(agent)
    }
    this.needed = this.#needed()
  }

  /** A start of this agent was decided, or that a session is made for this identity. */
  comes(agent: string, named?: string): void {
    this.#coming.add(agent)
    if (named !== undefined) this.#made.add(named)
  }

  isMade(named: string): boolean {
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
  needs(agent: string): boolean {
    return this.needed.some(({ name }) => name === agent)
  }

  /** Whether an agent has to wait: something it depends on is still coming up. What cannot come up is not waited for. */
  waits(agent: AgentView | undefined): boolean {
    const isOnItsWay = (name: string) =>
      this.room.agent(name) !== undefined && !this.#up.has(name) && this.#coming.has(name)
    return agent?.dependsOn.some(isOnItsWay) ?? false
  }

  /** What declares a circle is refused where it is read. */
  #needed(): AgentView[] {
    const found: AgentView[] = []
    const seen = new Set<AgentView>()
    const visit = (agent: AgentView) => {
      for (const name of agent.dependsOn) {
        const on = this.room.agent(name)
        if (!on || seen.has(on) || this.room.held(name) || on.problem !== undefined) continue
        seen.add(on)
        visit(on)
        found.push(on)
      }
    }
    for (const agent of this.situation.agents) if (this.#runs(agent)) visit(agent)
    return found
  }

  /** Whether an agent runs, or would if nothing had to be waited for. */
  #runs(agent: AgentView): boolean {
    if (this.room.held(agent.name) || agent.problem !== undefined) return false
    if (agent.minActive > 0 || agent.scaled > 0 || agent.demand.length > 0) return true
    const always = this.situation.named.some(({ agent: of, mode }) => of === agent.name && mode === 'always')
    return always || this.situation.sessions.some((session) => session.agent === agent.name && alive(session))
  }
}

const alive = ({ state, busy, wanted, work, messages }: SessionView): boolean => {
  if (state === 'active' || state === 'creating' || state === 'start-pending' || busy) return true
  return state === 'asleep' && (wanted || work.length > 0 || messages > 0)
}
