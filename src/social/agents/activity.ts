import type { Statement } from 'bun:sqlite'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import type { Store } from '../../core/store.ts'

const HALF_MINUTE = 30_000

/** When agents last made a request: known at once, written down twice a minute at most. */
export class Activity {
  readonly #seen = new Map<number, number>()
  readonly #put: Statement<unknown, [number, number]>
  #due: Deadline | undefined

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    private readonly report: (error: unknown) => void,
  ) {
    this.#put = store.prepare('UPDATE agents SET last_active_at = ? WHERE n = ? AND deleted_at IS NULL')
  }

  touch(agent: number): void {
    this.#seen.set(agent, this.clock.now())
    this.#due ??= this.deadlines.after(HALF_MINUTE, () => this.flush())
  }

  /** Of what its row says and what was seen since, the later. */
  latest({ n, last_active_at }: { n: number; last_active_at: number }): number {
    return Math.max(last_active_at, this.#seen.get(n) ?? 0)
  }

  /** Writes down what was seen. */
  async flush(): Promise<void> {
    this.#due?.cancel()
    this.#due = undefined
    const seen = [...this.#seen]
    if (seen.length === 0) return
    try {
      await this.store.write(() => {
        for (const [agent, at] of seen) this.#put.run(at, agent)
      })
    } catch (error) {
      this.report(error)
    }
    for (const [agent, at] of seen) if (this.#seen.get(agent) === at) this.#seen.delete(agent)
  }
}
