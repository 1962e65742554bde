import { defineEvent, NoPayload } from '../../../core/events/index.ts'
import { Budget, BudgetSet } from './schema.ts'

export const BudgetChanged = defineEvent('budget.set', BudgetSet, 'A budget was set.')
export const BudgetRemoved = defineEvent('budget.removed', BudgetSet, 'A budget was removed.')
export const BudgetsStrict = defineEvent(
  'budget.strict',
  NoPayload,
  'Agents whose programs do not report what they use get no turn under a budget from now on.',
)
export const BudgetWarned = defineEvent('budget.warned', Budget, '80 % of a budget is used.')
export const BudgetExhausted = defineEvent(
  'budget.exhausted',
  Budget,
  'A budget is exhausted. Its agents get no new turns.',
)
