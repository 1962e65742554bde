import type { UsageTotals } from '../../agents/usage/index.ts'
import type { Clock } from '../../core/clock.ts'
import type { Tx } from '../../core/store/index.ts'
import type { ChangeRows } from './rows.ts'
import type { ChangeCost } from './schema.ts'
import type { ChangeRow } from './table.ts'

/** The usage of sessions. */
export interface AttemptUsage {
  ofSession(session: string, from: number, to: number): UsageTotals
}

export interface CostPeers {
  rows: Pick<ChangeRows, 'ofBead' | 'rounds'>
  usage: AttemptUsage
}

/**
 * The cost of a change: the usage of all sessions that worked on its bead, failed attempts included. Once it is
 * decided, what it had cost then.
 */
export function costOf(row: ChangeRow, clock: Pick<Clock, 'now'>, { rows, usage }: CostPeers): ChangeCost {
  const attempts = row.bead === null ? [row] : rows.ofBead(row.bead)
  const cost = { attempts: new Set(attempts.map(({ session }) => session)).size, tokens: 0, cost: 0, unpriced: 0 }
  for (const { id, session } of attempts) {
    for (const { startedAt, endedAt } of rows.rounds(id)) {
      const used = usage.ofSession(session, startedAt, endedAt ?? clock.now())
      cost.tokens += tokensOf(used)
      cost.cost += used.cost_usd_estimate
      cost.unpriced += used.unpriced
    }
  }
  const dollars = row.cost ?? cost.cost
  return {
    attempts: cost.attempts,
    tokens: row.tokens ?? cost.tokens,
    cost_usd_estimate: Math.round(dollars * 1e6) / 1e6,
    unpriced: row.unpriced ?? cost.unpriced,
  }
}

/** Records what a change cost until now, in its row and in the totals of its agent. */
export function settleCost(
  tx: Tx,
  row: ChangeRow,
  state: 'approved' | 'landed' | 'discarded',
  clock: Pick<Clock, 'now'>,
  peers: CostPeers & { rows: Pick<ChangeRows, 'addTotals'> },
): Pick<ChangeRow, 'tokens' | 'cost' | 'unpriced'> {
  const now = costOf({ ...row, tokens: null, cost: null, unpriced: null }, clock, peers)
  const before = { tokens: row.tokens ?? 0, cost: row.cost ?? 0, unpriced: row.unpriced ?? 0 }
  // The usage of long ago is not known any more.
  const after = {
    tokens: Math.max(before.tokens, now.tokens),
    cost: Math.max(before.cost, now.cost_usd_estimate),
    unpriced: Math.max(before.unpriced, now.unpriced),
  }
  peers.rows.addTotals(tx, row, {
    ...{ [state]: 1, tokens: after.tokens - before.tokens, cost: after.cost - before.cost },
    unpriced: after.unpriced - before.unpriced,
  })
  return after
}

const tokensOf = (used: UsageTotals): number =>
  used.input_tokens + used.output_tokens + used.cache_read_tokens + used.cache_creation_tokens
