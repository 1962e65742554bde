import { command, query, type Store, type Tx } from '../../core/store/index.ts'
import type { AgentAccounts, Follows } from '../accounts/index.ts'
import { SlicedWork } from '../shared/index.ts'

interface ArrivedKey {
  key: string
  agent: number
}

interface MovedFollowsServices {
  readonly store: Store
  readonly agents: AgentAccounts
  readonly follows: Follows
  /** Maximum number of agents one may follow, and so may wait for. */
  readonly maxFollowed: number
  report(error: unknown): void
}

const SLICE = 20

export const MOVED_FOLLOWS_SQL = {
  count: 'SELECT count(*) AS count FROM moved_follows WHERE follower = ?',
  ofKey: 'SELECT follower FROM moved_follows WHERE key = ? ORDER BY follower LIMIT ?',
  ofFollower: 'SELECT key FROM moved_follows WHERE follower = ? ORDER BY key LIMIT ?',
}

const INSERT = command<[string, number]>('INSERT OR IGNORE INTO moved_follows (key, follower) VALUES (?, ?)')

const DELETE = command<[string, number]>('DELETE FROM moved_follows WHERE key = ? AND follower = ?')

const COUNT = query<{ count: number }, [number]>(MOVED_FOLLOWS_SQL.count)

const OF_KEY = query<{ follower: number }, [string, number]>(MOVED_FOLLOWS_SQL.ofKey)

const OF_FOLLOWER = query<{ key: string }, [number, number]>(MOVED_FOLLOWS_SQL.ofFollower)

const ARRIVE = command<[string, number]>('REPLACE INTO arrived_keys (key, agent) VALUES (?, ?)')

const FINISH = command<[string]>('DELETE FROM arrived_keys WHERE key = ?')

const PENDING = query<ArrivedKey>('SELECT key, agent FROM arrived_keys')

/**
 * Follows that agents bring from another network, of agents that have not moved here yet: each waits until an account with
 * the key of the followed agent is here. So it does not matter who of two agents moves first.
 */
export class MovedFollows {
  readonly #work: SlicedWork<ArrivedKey>

  constructor(private readonly services: MovedFollowsServices) {
    const { store, report } = services
    this.#work = new SlicedWork({
      store,
      pending: () => store.all(PENDING),
      doSome: (tx, arrived) => this.#followSome(tx, arrived),
      report,
    })
  }

  /** Lets an agent follow the holder of a key once that is here; false when it waits already, or for as many as it may. */
  wait(tx: Tx, follower: number, key: string): boolean {
    if ((tx.get(COUNT, follower)?.count ?? 0) >= this.services.maxFollowed) return false
    return tx.run(INSERT, key, follower).changes > 0
  }

  /** An account has this key from now on: those who wait for it follow it. */
  arrive(tx: Tx, agent: number, key: string): void {
    if (tx.get(OF_KEY, key, 1) === null) return
    tx.run(ARRIVE, key, agent)
    tx.after(() => void this.resume())
  }

  /** Lets those follow who still wait for agents that are here, after a restart as well. */
  resume(): Promise<void> {
    return this.#work.resume()
  }

  stop(): Promise<void> {
    return this.#work.stop()
  }

  /** Deletes some of what a deleted agent waits for; returns how many. */
  deleteSome(tx: Tx, agent: number, limit: number): number {
    const rows = this.services.store.all(OF_FOLLOWER, agent, limit)
    for (const { key } of rows) tx.run(DELETE, key, agent)
    return rows.length
  }

  #followSome(tx: Tx, { key, agent }: ArrivedKey): boolean {
    const { agents, follows } = this.services
    const rows = this.services.store.all(OF_KEY, key, SLICE)
    for (const { follower } of rows) {
      tx.run(DELETE, key, follower)
      const isHere = [follower, agent].every((n) => agents.row(n).deleted_at === null)
      if (isHere && follower !== agent) follows.restore(tx, follower, agent)
    }
    if (rows.length === SLICE) return true
    tx.run(FINISH, key)
    return false
  }
}
