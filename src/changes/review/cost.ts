import type { UsageTotals } from '../../agents/usage/index.ts'
import type { ChangeRows } from './rows.ts'
import type { ChangeCost } from './schema.ts'
import type { ChangeRow } from './table.ts'

/** The usage of sessions. */
export interface AttemptUsage {
  ofSession(session: string, from: number, to: number): UsageTotals
}

interface CostOptions {
  clock: { now(): number }
  rows: Pick<ChangeRows, 'ofBead' | 'rounds'>
  usage: AttemptUsage
}

/**
 * The cost of a change: the usage of all sessions that worked on its bead, failed attempts included. Once it is
 * decided, what it had cost then.
 */
export function costOf(row: ChangeRow, { clock, rows, usage }: CostOptions): ChangeCost {
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
  const { tokens = cost.tokens, cost: total = cost.cost } = {
    ...(row.tokens !== null && { tokens: row.tokens }),
    ...(row.cost !== null && { cost: row.cost }),
  }
  return { attempts: cost.attempts, tokens, cost_usd_estimate: Math.round(total * 1e6) / 1e6, unpriced: cost.unpriced }
}

const tokensOf = (used: UsageTotals): number =>
  used.input_tokens + used.output_tokens + used.cache_read_tokens + used.cache_creation_tokens
