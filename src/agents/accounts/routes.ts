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
      summary: 'List logins of agent programs, and which have quota left',
      description:
        'Accounts are declared in `$GC_HOME/accounts.toml`, for all cities. A session keeps its account while that has quota left. When the usage limit is reached or the login is dead, its bead moves to another account of the same provider, then to a substitute provider. Without accounts, programs use their own login.',
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
      description: 'Sessions on it keep running. Its folder and file stay.',
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
      summary: 'Check a login, and restore it if it works',
      needs: 'operator',
      body: AccountCheck,
      ok: Account,
      errors: ['forbidden', 'account-not-found', 'conflict-wrong-state', 'store-unavailable'],
      extension: true,
    },
    (x) => city(x).loginAccounts.check(x.caller, x.params.name, x.body),
  ),
]
