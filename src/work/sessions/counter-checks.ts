import { type CounterCheck, groupCheck } from '../../core/store/index.ts'

/** Checks of the counters of sessions that triggers maintain. */
export const sessionCounterChecks: readonly CounterCheck[] = [
  groupCheck('closed_sessions', 'n', ['template'], {
    truth: "SELECT template, count(*) AS counted FROM sessions WHERE state = 'closed' GROUP BY template",
  }),
]
