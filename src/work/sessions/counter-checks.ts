import { type CounterCheck, groupCheck } from '../../core/store/counter-check.ts'

/** What triggers count of sessions. */
export const sessionCounterChecks: readonly CounterCheck[] = [
  groupCheck('closed_sessions', 'n', ['template'], {
    truth: "SELECT template, count(*) AS counted FROM sessions WHERE state = 'closed' GROUP BY template",
  }),
]
