import { command, query, type Tx } from '../../core/store/index.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { AgentRemoved } from '../events.ts'
import { type NetworkContext, SlicedWork } from '../shared/index.ts'
import type { AgentAccounts, DeletedWithAccount } from './agents.ts'
import type { MessageResponse } from './schema.ts'

/** Rows to delete later, a few per write; returns the number deleted, up to `limit`. */
export interface DeletedInSlices {
  deleteSome(tx: Tx, agent: number, limit: number): number
}

interface AccountDeletionsOptions {
  readonly immediate: readonly DeletedWithAccount[]
  readonly sliced: readonly DeletedInSlices[]
  report(error: unknown): void
}

interface DeletedAccount {
  n: number
  id: string
}

const SLICE = 20

const FINISH = command<[number]>('UPDATE agents SET leaving = 0 WHERE n = ?')

const PENDING = query<DeletedAccount>('SELECT n, id FROM agents WHERE leaving = 1')

/** Deletes accounts: the account immediately, its content in slices, which continue after a restart. */
export class AccountDeletions {
  readonly #work: SlicedWork<DeletedAccount>

  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly options: AccountDeletionsOptions,
  ) {
    this.#work = new SlicedWork({
      store: ctx.store,
      pending: () => ctx.store.all(PENDING),
      doSome: (tx, account) => this.#deleteSome(tx, account),
      report: options.report,
    })
  }

  async delete(caller: AgentCaller): Promise<MessageResponse> {
    const done = await this.agents.delete(caller, this.options.immediate)
    void this.resume()
    return done
  }

  /** Deletes the remaining content of all deleted accounts. */
  resume(): Promise<void> {
    return this.#work.resume()
  }

  stop(): Promise<void> {
    return this.#work.stop()
  }

  #deleteSome(tx: Tx, { n, id }: DeletedAccount): boolean {
    if (this.options.sliced.some((content) => content.deleteSome(tx, n, SLICE) > 0)) return true
    tx.run(FINISH, n)
    this.ctx.log.append(tx, AgentRemoved, { actor: 'network', subject: id }, { agent_id: id })
    return false
  }
}
