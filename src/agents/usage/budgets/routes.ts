import type { CityOf } from '../../../http/city-of.ts'
import { route } from '../../../http/route.ts'
import { OKResponseBody } from '../../../http/schema.ts'
import { Budget, BudgetKey, BudgetList, BudgetSet } from '../../schema.ts'
import type { Budgets } from './budgets.ts'

/** The operations on budgets. */
export const budgetRoutes = (city: CityOf<{ budgets: Budgets }>) => [
  route(
    'GET ~/budgets',
    {
      id: 'list-budgets',
      summary: 'List budgets and their usage',
      ok: BudgetList,
      index: true,
      extension: true,
    },
    (x) => city(x).budgets.list(),
  ),
  route(
    'PUT ~/budgets',
    {
      id: 'set-budget',
      summary: 'Limit the usage of a city, a rig or an agent',
      needs: 'budgets',
      description:
        'People are notified at 80 %. At 100 %, running sessions finish their turn. No new turns, messages, wakes or beads start until the hour or day ends, or the budget is raised.',
      body: BudgetSet,
      ok: Budget,
      errors: ['forbidden', 'invalid-request', 'agent-not-found', 'rig-not-found', 'store-unavailable'],
      extension: true,
    },
    (x) => city(x).budgets.set(x.caller, x.body),
  ),
  route(
    'POST ~/budgets/strict',
    {
      id: 'make-budgets-strict',
      summary: 'Refuse turns to agents with unknown usage',
      needs: 'budgets',
      description:
        'From now on, an agent with a budget gets no turns if its program reports no usage, unless it declares `cost = "none"`. New cities are strict from the start. In cities of an earlier gc, such agents continue until this is called. It cannot be undone. Repeating it succeeds.',
      ok: BudgetList,
      errors: ['forbidden', 'store-unavailable'],
      extension: true,
    },
    (x) => city(x).budgets.makeStrict(x.caller),
  ),
  route(
    'DELETE ~/budgets',
    {
      id: 'remove-budget',
      summary: 'Remove a budget',
      needs: 'budgets',
      description: 'Removing a budget that does not exist succeeds.',
      query: BudgetKey,
      ok: OKResponseBody,
      errors: ['forbidden', 'store-unavailable'],
      extension: true,
    },
    (x) => city(x).budgets.remove(x.caller, x.query),
  ),
]
