import { type CounterCheck, groupCheck } from '../../core/store/index.ts'
import { QUARTER_MS } from './usage-store.ts'

/** Quarter hours of which all facts are stored: facts expire before their sums. */
const COMPLETE = 'at > (SELECT min(at) FROM usage_facts)'
const QUARTER = `(at - at % ${QUARTER_MS})`

/** Each sum with the SQL of what a fact adds to it. */
const SUMS: readonly (readonly [column: string, added: string])[] = [
  ['invocations', "kind = 'model'"],
  ['computes', "kind = 'compute'"],
  ...['input', 'output', 'cache_read', 'cache_write', 'wall_ms', 'unpriced'].map((name) => [name, name] as const),
]
const MONEY = ['cost', 'assumed']
/** A millionth of a dollar: sums of fractions depend on their order. */
const TOLERANCE = 1e-6

const sumCheck = (column: string, added: string, tolerance?: number): CounterCheck =>
  groupCheck('usage_sums', column, ['at', 'rig', 'agent'], {
    where: COMPLETE,
    truth: `SELECT ${QUARTER} AS at, rig, agent, sum(${added}) AS counted FROM usage_facts
      WHERE ${QUARTER} > (SELECT min(at) FROM usage_facts) GROUP BY 1, 2, 3`,
    ...(tolerance !== undefined && { tolerance }),
  })

/** Sums of usage, as far back as their facts go. Those by day are not checked: a day is one of the time zone of then. */
export const usageCounterChecks: readonly CounterCheck[] = [
  ...SUMS.map(([column, added]) => sumCheck(column, added)),
  ...MONEY.map((column) => sumCheck(column, column, TOLERANCE)),
]
