import type { AgentState, CitySnapshot, SessionSnapshot } from './snapshot.ts'

/** Whether a session takes up one of the places its agent, rig and city have. */
export const occupiesSlot = ({ state, key, busy }: SessionSnapshot): boolean =>
  busy || key !== undefined || state === 'creating' || state === 'active' || state === 'draining'

/** Counts the places that are taken, agent ≤ rig ≤ city, and the starts that may still be made. */
export class Capacity {
  readonly #agents = new Map<string, AgentState>()
  readonly #byAgent = new Map<string, number>()
  readonly #byRig = new Map<string, number>()
  #all = 0
  #wakes: number

  constructor(private readonly situation: CitySnapshot) {
    this.#wakes = situation.wakes
    for (const agent of situation.agents) this.#agents.set(agent.name, agent)
    for (const session of situation.sessions) if (occupiesSlot(session)) this.#count(session.agent)
  }

  agent(name: string): AgentState | undefined {
    return this.#agents.get(name)
  }

  /** Whether nothing of this agent may be started, now or later, until someone lifts it. */
  isBlocked(name: string): boolean {
    const agent = this.#agents.get(name)
    if (this.situation.city.suspended) return true
    if (!agent) return false
    return agent.suspended || agent.blocked === true || (this.situation.rigs.get(agent.rig)?.suspended ?? false)
  }

  /** Whether one more session of this agent fits. */
  hasRoom(name: string): boolean {
    return this.#wakes > 0 && this.available(name) > 0
  }

  /** How many more sessions of this agent fit under all three limits. */
  available(name: string): number {
    const agent = this.#agents.get(name)
    const rig = agent?.rig ? this.situation.rigs.get(agent.rig) : undefined
    return Math.min(
      remaining(agent?.maxActive || undefined, this.#byAgent.get(name)),
      remaining(rig?.maxActive, this.#byRig.get(agent?.rig ?? '')),
      remaining(this.situation.city.maxActive, this.#all),
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

const remaining = (most: number | undefined, taken = 0): number =>
  most === undefined ? Number.POSITIVE_INFINITY : most - taken
