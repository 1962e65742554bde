import { type CounterCheck, groupCheck } from '../../core/store/index.ts'

/** Checks of the counters of runs that triggers maintain. */
export const runCounterChecks: readonly CounterCheck[] = [
  groupCheck('run_counts', 'n', ['formula', 'scope_kind', 'scope_ref', 'state'], {
    truth: 'SELECT formula, scope_kind, scope_ref, state, count(*) AS counted FROM runs GROUP BY 1, 2, 3, 4',
  }),
  groupCheck('run_state_counts', 'n', ['state'], {
    truth: 'SELECT state, count(*) AS counted FROM runs GROUP BY state',
  }),
]
