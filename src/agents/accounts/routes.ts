import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { LoginAccounts } from './accounts.ts'
import { Account, AccountAdd, AccountCheck, AccountList } from './schema.ts'

/** The operations on the logins of agents' programs. */
export const accountRoutes = (city: CityOf<{ loginAccounts: LoginAccounts }>) => [
  route(
    'GET ~/accounts',
    {
      configuration: true,
      id: 'list-accounts',
      summary: 'List the logins that agents’ programs run on, and which of them have room',
      description:
        'Accounts are declared in `$GC_HOME/accounts.toml`, for all cities. A session keeps its account while that has room; when its usage limit is reached or its login is dead, its bead goes to another account of the same provider, then to one that stands in for it. Without accounts, programs run on their own login.',
      ok: AccountList,
      errors: ['conflict-wrong-state'],
      extension: true,
    },
    (x) => city(x).loginAccounts.list(),
  ),
  route(
    'POST ~/accounts',
    {
      id: 'add-account',
      summary: 'Declare an account',
      needs: 'operator',
      description:
        'Writes `$GC_HOME/accounts.toml`. The first account of a provider is joined by one for the program’s own login, which is named like the provider, so that both are used.',
      body: AccountAdd,
      ok: Account,
      errors: ['forbidden', 'invalid-request', 'conflict-wrong-state', 'conflict-concurrent-modify'],
      extension: true,
    },
    (x) => city(x).loginAccounts.add(x.body),
  ),
  route(
    'DELETE ~/accounts/{name}',
    {
      id: 'remove-account',
      summary: 'Remove an account',
      needs: 'operator',
      description: 'What runs on it goes on; its folder and file stay.',
      ok: OKResponseBody,
      errors: ['forbidden', 'account-not-found', 'conflict-wrong-state', 'conflict-concurrent-modify'],
      extension: true,
    },
    (x) => city(x).loginAccounts.remove(x.params.name),
  ),
  route(
    'POST ~/accounts/{name}/check',
    {
      id: 'check-account',
      summary: 'Check a login, and use a dead one again when it is good',
      needs: 'operator',
      body: AccountCheck,
      ok: Account,
      errors: ['forbidden', 'account-not-found', 'conflict-wrong-state', 'store-unavailable'],
      extension: true,
    },
    (x) => city(x).loginAccounts.check(x.caller, x.params.name, x.body),
  ),
]
