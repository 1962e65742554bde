import type { AgentState, CitySnapshot, SessionSnapshot } from './snapshot.ts'

/** True if a session counts against the limits of its agent, rig and city. */
export const occupiesSlot = ({ state, key, busy }: SessionSnapshot): boolean =>
  busy || key !== undefined || state === 'creating' || state === 'active' || state === 'draining'

/** Remaining sessions of agents, rigs and the city, and how many may start now. */
export class Capacity {
  readonly #agents = new Map<string, AgentState>()
  readonly #byAgent = new Map<string, number>()
  readonly #byRig = new Map<string, number>()
  #all = 0
  #wakes: number

  constructor(private readonly snapshot: CitySnapshot) {
    this.#wakes = snapshot.wakes
    for (const agent of snapshot.agents) this.#agents.set(agent.name, agent)
    for (const session of snapshot.sessions) if (occupiesSlot(session)) this.#count(session.agent)
  }

  agent(name: string): AgentState | undefined {
    return this.#agents.get(name)
  }

  /** True if no session of this agent may be started until a suspension or budget is lifted. */
  isBlocked(name: string): boolean {
    const agent = this.#agents.get(name)
    if (this.snapshot.city.suspended || this.snapshot.city.blocked) return true
    if (!agent) return false
    return agent.suspended || agent.blocked === true || (this.snapshot.rigs.get(agent.rig)?.suspended ?? false)
  }

  /** True if one more session of this agent may be started now. */
  hasRoom(name: string): boolean {
    return this.#wakes > 0 && this.available(name) > 0
  }

  /** Number of further sessions of this agent that all three limits allow. */
  available(name: string): number {
    const agent = this.#agents.get(name)
    const rig = agent?.rig ? this.snapshot.rigs.get(agent.rig) : undefined
    return Math.min(
      remaining(agent?.maxActive || undefined, this.#byAgent.get(name)),
      remaining(rig?.maxActive, this.#byRig.get(agent?.rig ?? '')),
      remaining(this.snapshot.city.maxActive, this.#all),
    )
  }

  reserve(name: string): void {
    this.#wakes--
    this.#count(name)
  }

  #count(name: string): void {
    const rig = this.#agents.get(name)?.rig ?? ''
    this.#byAgent.set(name, (this.#byAgent.get(name) ?? 0) + 1)
    this.#byRig.set(rig, (this.#byRig.get(rig) ?? 0) + 1)
    this.#all++
  }
}

const remaining = (max: number | undefined, taken = 0): number =>
  max === undefined ? Number.POSITIVE_INFINITY : max - taken
