import type { AgentConfig } from '../../../config/agents/index.ts'
import type { AttentionSource } from '../../../core/attention.ts'
import {
  type Budget,
  type Budgets,
  COSTS_NOTHING,
  describeBudget,
  describeUncounted,
  describeUse,
} from '../../usage/index.ts'
import type { ListedItem } from '../schema.ts'

/** Budgets that are used up, and agents whose use they cannot count. */
export class BudgetAttention implements AttentionSource<ListedItem> {
  readonly name = 'budgets'

  constructor(private readonly budgets: Budgets) {}

  items(): ListedItem[] {
    const { isStrict } = this.budgets
    const uncounted = this.budgets.uncounted().map((each) => toUncountedItem(each, isStrict))
    return [...this.budgets.exhausted().map(toItem), ...uncounted]
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
    asks: `No new turns start: ${describeBudget(budget)} is used up until ${until}. ${describeUse(budget)}`,
    to_do: `wait, or raise it: gc budget set ${more}${scope === 'city' ? '' : ` --${scope} ${name}`}`,
  }
}

const toUncountedItem = (
  { agent: { qualified, dir }, budget }: { agent: AgentConfig; budget: Budget },
  isStrict: boolean,
): ListedItem => ({
  id: `uncounted:${qualified}`,
  kind: 'budget',
  agent: qualified,
  ...(dir && { rig: dir }),
  asks: `${qualified} ${isStrict ? 'gets no turn' : 'works uncounted'}: ${describeUncounted(budget)}.`,
  to_do: isStrict
    ? COSTS_NOTHING
    : 'declare cost = "none" on the agent if it costs nothing, or give it no turn until then: gc budget strict',
})
