import { errorMessage } from '../../core/errors.ts'
import type { AgentRecord } from '../protocol/record.ts'
import type { RecordBatch } from './session-host.ts'

/** Handles records. `false` means that they are not this listener's; anything else, once resolved, that they were stored. */
type RecordListener = (batch: RecordBatch) => unknown

interface AgentRun {
  key: string
  run: string
  waiting: AgentRecord[]
  /** The last record that was received. */
  last: number
  acknowledge: (seq: number) => void
  busy: boolean
}

/** So many runs that have nothing waiting are remembered. */
const MAX_RUNS = 1_000
const MAX_TRIES = 3

/** Passes agents' records to the listeners, run by run and in order, and acknowledges those that were stored. */
export class RecordDispatcher {
  readonly #listeners = new Set<RecordListener>()
  readonly #runs = new Map<string, AgentRun>()

  constructor(private readonly report: (sentence: string) => void) {}

  /** Whether there is a listener. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  subscribe(listener: RecordListener): () => void {
    this.#listeners.add(listener)
    for (const run of this.#runs.values()) void this.#deliver(run)
    return () => this.#listeners.delete(listener)
  }

  /** A host sends again what was not acknowledged when it was last connected. */
  dispatch({ key, run, records }: RecordBatch, acknowledge: (seq: number) => void): void {
    const current = this.#runs.get(run) ?? { key, run, waiting: [], last: 0, acknowledge, busy: false }
    current.acknowledge = acknowledge
    this.#runs.delete(run)
    this.#runs.set(run, current)
    const repeated = records.filter(({ seq }) => seq <= current.last)
    current.waiting.push(...records.filter(({ seq }) => seq > current.last))
    current.last = Math.max(current.last, records.at(-1)?.seq ?? 0)
    const stored = (current.waiting[0]?.seq ?? current.last + 1) - 1
    if (repeated.length > 0 && !current.busy && stored > 0) acknowledge(stored)
    this.#forget()
    void this.#deliver(current)
  }

  async #deliver(run: AgentRun): Promise<void> {
    if (run.busy) return
    run.busy = true
    for (let tries = 0; run.waiting.length > 0 && this.hasListeners && tries < MAX_TRIES; ) {
      const records = [...run.waiting]
      if (await this.#store({ key: run.key, run: run.run, records })) {
        run.waiting.splice(0, records.length)
        run.acknowledge(records.at(-1)?.seq ?? 0)
        tries = 0
      } else tries++
    }
    run.busy = false
  }

  /** Whether a listener has stored them and none has failed. */
  async #store(batch: RecordBatch): Promise<boolean> {
    try {
      const results = await Promise.all([...this.#listeners].map(async (listener) => listener(batch)))
      return results.some((stored) => stored !== false)
    } catch (error) {
      this.report(`records of ${batch.key} were not stored: ${errorMessage(error)}`)
      return false
    }
  }

  #forget(): void {
    for (const [run, { waiting }] of this.#runs) {
      if (this.#runs.size <= MAX_RUNS) return
      if (waiting.length === 0) this.#runs.delete(run)
    }
  }
}
