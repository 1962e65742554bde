import type { AttentionSource } from '../../../core/attention.ts'
import { type Budgets, describeBudget, describeUse } from '../../budgets/budgets.ts'
import type { Budget } from '../../budgets/schema.ts'
import type { ListedItem } from '../schema.ts'

/** Budgets that are used up: nobody they are for gets another turn. */
export class BudgetAttention implements AttentionSource<ListedItem> {
  readonly name = 'budgets'

  constructor(private readonly budgets: Budgets) {}

  items(): ListedItem[] {
    return this.budgets.exhausted().map(toItem)
  }

  onChange(listener: () => void): () => void {
    return this.budgets.onChange(listener)
  }
}

function toItem(budget: Budget): ListedItem {
  const { scope, name, unit, per, limit, period_end: until } = budget
  const more = `${limit * 2}${unit === 'usd' ? 'usd' : 'tokens'}${per === 'hour' ? ' --per hour' : ''}`
  return {
    id: `budget:${scope}:${name ?? ''}:${unit}:${per}`,
    kind: 'budget',
    ...(scope === 'agent' && name && { agent: name }),
    ...(scope === 'rig' && name && { rig: name }),
    since: budget.period_start,
    until,
    asks: `Nobody gets another turn: ${describeBudget(budget)} is used up until ${until}. ${describeUse(budget)}`,
    to_do: `wait, or raise it: gc budget set ${more}${scope === 'city' ? '' : ` --${scope} ${name}`}`,
  }
}
