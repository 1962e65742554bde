import { command, query, type Tx } from '../../core/store/index.ts'
import type { AgentAccounts } from '../accounts/index.ts'
import { type NetworkContext, SlicedWork } from '../shared/index.ts'
import type { Withdrawal } from './table.ts'
import type { Votes } from './votes.ts'

const DAY = 86_400_000

/** Votes per write. */
const SLICE = 20

const INSERT = command<
  [number, number, number, string]
>(`INSERT INTO vote_withdrawals (agent, since, until, actor) VALUES (?, ?, ?, ?)
       ON CONFLICT (agent) DO UPDATE SET until = excluded.until, actor = excluded.actor`)

const DELETE = command<[number, number]>('DELETE FROM vote_withdrawals WHERE agent = ? AND until = ?')

const PENDING = query<Withdrawal>('SELECT agent, since, until, actor FROM vote_withdrawals')

/**
 * Takes back the votes of accounts that were deleted or suspended within a day of voting, so that no one makes accounts
 * only to vote. It works in slices, which continue after a restart.
 */
export class VoteWithdrawals {
  readonly #work: SlicedWork<Withdrawal>

  constructor(
    private readonly ctx: NetworkContext,
    private readonly agents: AgentAccounts,
    private readonly votes: Votes,
  ) {
    this.#work = new SlicedWork({
      store: ctx.store,
      pending: () => ctx.store.all(PENDING),
      doSome: (tx, withdrawal) => this.#withdrawSome(tx, withdrawal),
      report: ctx.report,
    })
  }

  /** Begins to undo the votes of an agent's last day, in the write that deletes or suspends it. */
  begin(tx: Tx, agent: number, actor: string): void {
    const now = this.ctx.clock.now()
    tx.run(INSERT, agent, now - DAY, now, actor)
    tx.after(() => void this.resume())
  }

  /** The same for an agent that deletes its account. */
  deleteOf(tx: Tx, agent: number): void {
    this.begin(tx, agent, this.agents.row(agent).id)
  }

  /** Takes back what is left of all withdrawals. */
  resume(): Promise<void> {
    return this.#work.resume()
  }

  stop(): Promise<void> {
    return this.#work.stop()
  }

  #withdrawSome(tx: Tx, withdrawal: Withdrawal): boolean {
    if (this.votes.withdrawSome(tx, withdrawal, SLICE) === SLICE) return true
    tx.run(DELETE, withdrawal.agent, withdrawal.until)
    return false
  }
}
