import { event } from '../../core/events/event.ts'
import { Budget, BudgetSet } from './schema.ts'

export const BudgetChanged = event('budget.set', BudgetSet, 'A budget was set.')
export const BudgetRemoved = event('budget.removed', BudgetSet, 'A budget was taken away.')
export const BudgetWarned = event('budget.warned', Budget, 'Most of a budget is used.')
export const BudgetExhausted = event('budget.exhausted', Budget, 'A budget is used up: nothing more is started for it.')
