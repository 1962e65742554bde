import type { Deadline } from '../../core/deadlines.ts'
import { command } from '../../core/store/index.ts'
import type { NetworkContext } from '../shared/index.ts'

const FLUSH_DELAY = 30_000

/** Activity times of agents, by row number. */
export type Activity = readonly (readonly [agent: number, at: number])[]

/** A process that only reads passes what it saw to the one that writes this often, in milliseconds. */
const PASS_DELAY = 1_000

const UPDATE = command<[number, number]>('UPDATE agents SET last_active_at = ? WHERE n = ? AND deleted_at IS NULL')

/** Times of agents' last requests. Kept in memory and written at most twice a minute. */
export class LastActivity {
  readonly #lastActive = new Map<number, number>()
  #nextFlush: Deadline | undefined

  constructor(
    private readonly ctx: NetworkContext /** Passes activity to the process that writes; undefined in that one. */,
    private readonly pass?: (activity: Activity) => void,
  ) {}

  touch(agent: number): void {
    this.add([[agent, this.ctx.clock.now()]])
  }

  add(activity: Activity): void {
    for (const [agent, at] of activity) this.#lastActive.set(agent, Math.max(at, this.#lastActive.get(agent) ?? 0))
    this.#nextFlush ??= this.ctx.deadlines.after(this.pass ? PASS_DELAY : FLUSH_DELAY, () => this.flush())
  }

  /** Time of an agent's last activity: the later of its row and the memory. */
  latest({ n, last_active_at }: { n: number; last_active_at: number }): number {
    return Math.max(last_active_at, this.#lastActive.get(n) ?? 0)
  }

  /** Writes what is in memory. */
  async flush(): Promise<void> {
    this.#nextFlush?.cancel()
    this.#nextFlush = undefined
    const pending = [...this.#lastActive]
    if (pending.length === 0) return
    if (this.pass) {
      this.#lastActive.clear()
      return this.pass(pending)
    }
    try {
      await this.ctx.store.write((tx) => {
        for (const [agent, at] of pending) tx.run(UPDATE, at, agent)
      })
    } catch (error) {
      this.ctx.report(error)
    }
    for (const [agent, at] of pending) if (this.#lastActive.get(agent) === at) this.#lastActive.delete(agent)
  }
}
