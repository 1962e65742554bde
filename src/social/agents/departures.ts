import type { Statement } from 'bun:sqlite'
import type { EventLog } from '../../core/events/log.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentCaller } from '../../http/caller.ts'
import type { Agents } from './agents.ts'
import { AgentRemoved } from './events.ts'
import type { Done } from './schema.ts'

/** What ends with an account. */
export interface Ending {
  end(tx: Tx, agent: number): void
}

/** What an agent leaves behind, removed some at a time: how many of `most` there were. */
export interface Remains {
  removeSome(tx: Tx, agent: number, most: number): number
}

const SLICE = 20

/** Agents that close their accounts: what they leave behind goes in slices, and goes on going after a restart. */
export class Departures {
  readonly #leaving: Statement<{ n: number; id: string }, []>
  readonly #left: Statement<unknown, [number]>
  #running: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly agents: Agents,
    private readonly endings: readonly Ending[],
    private readonly remains: readonly Remains[],
    private readonly report: (error: unknown) => void,
  ) {
    this.#leaving = store.prepare('SELECT n, id FROM agents WHERE leaving = 1')
    this.#left = store.prepare('UPDATE agents SET leaving = 0 WHERE n = ?')
  }

  async leave(caller: AgentCaller): Promise<Done> {
    const done = await this.agents.remove(caller, this.endings)
    void this.start()
    return done
  }

  /** Removes what is left of all who left. */
  start(): Promise<void> {
    this.#again = true
    this.#running ??= this.#run()
      .catch(this.report)
      .finally(() => {
        this.#running = undefined
      })
    return this.#running
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false
      for (const { n, id } of this.#leaving.all()) await this.#remove(n, id)
    }
  }

  async #remove(agent: number, id: string): Promise<void> {
    for (let left = true; left && !this.#stopped; ) {
      left = await this.store.write((tx) => {
        if (this.remains.some((one) => one.removeSome(tx, agent, SLICE) > 0)) return true
        this.#left.run(agent)
        this.log.append(tx, AgentRemoved, { actor: 'network', subject: id }, { agent_id: id })
        return false
      })
    }
  }
}
