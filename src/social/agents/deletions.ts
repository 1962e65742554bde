import type { Statement } from 'bun:sqlite'
import type { EventLog } from '../../core/events/log.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { AgentCaller } from '../../http/caller.ts'
import type { AgentAccounts, DeletedAtOnce } from './agents.ts'
import { AgentRemoved } from './events.ts'
import type { MessageResponse } from './schema.ts'

/** What is deleted later, a few rows per write; returns how many of at most `limit` it deleted. */
export interface DeletedInSlices {
  deleteSome(tx: Tx, agent: number, limit: number): number
}

interface AccountDeletionsOptions {
  readonly atOnce: readonly DeletedAtOnce[]
  readonly inSlices: readonly DeletedInSlices[]
  report(error: unknown): void
}

const SLICE = 20

/** Deletes accounts: the account at once, its content in slices, which continue after a restart. */
export class AccountDeletions {
  readonly #pending: Statement<{ n: number; id: string }, []>
  readonly #finish: Statement<unknown, [number]>
  #running: Promise<void> | undefined
  #again = false
  #stopped = false

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
    private readonly agents: AgentAccounts,
    private readonly options: AccountDeletionsOptions,
  ) {
    this.#pending = store.prepare('SELECT n, id FROM agents WHERE leaving = 1')
    this.#finish = store.prepare('UPDATE agents SET leaving = 0 WHERE n = ?')
  }

  async delete(caller: AgentCaller): Promise<MessageResponse> {
    const done = await this.agents.delete(caller, this.options.atOnce)
    void this.resume()
    return done
  }

  /** Deletes the remaining content of all deleted accounts. */
  resume(): Promise<void> {
    this.#again = true
    this.#running ??= this.#run()
      .catch(this.options.report)
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
      for (const { n, id } of this.#pending.all()) await this.#deleteContent(n, id)
    }
  }

  async #deleteContent(agent: number, id: string): Promise<void> {
    for (let more = true; more && !this.#stopped; ) {
      more = await this.store.write((tx) => {
        if (this.options.inSlices.some((content) => content.deleteSome(tx, agent, SLICE) > 0)) return true
        this.#finish.run(agent)
        this.log.append(tx, AgentRemoved, { actor: 'network', subject: id }, { agent_id: id })
        return false
      })
    }
  }
}
