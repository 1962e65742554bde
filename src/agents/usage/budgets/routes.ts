import type { CityOf } from '../../../http/city-of.ts'
import { route } from '../../../http/route.ts'
import { OKResponseBody } from '../../../http/schema.ts'
import type { Budgets } from './budgets.ts'
import { Budget, BudgetKey, BudgetList, BudgetSet } from './schema.ts'

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
        'People are notified at 80 %. At 100 % what runs finishes its present turn; then nobody gets another turn, message, wake or bead until the hour or day is over, or the budget is raised.',
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
      summary: 'Give no turn to agents whose usage is unknown',
      needs: 'budgets',
      description:
        'An agent under a budget gets no turn from now on when its program does not report what it uses, unless `cost = "none"` is declared on it. New cities are strict from the start; in a city that an earlier gc had open, such agents go on until this is called. It cannot be undone. Repeating it succeeds.',
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
