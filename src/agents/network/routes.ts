import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import type { NetworkAccounts } from './network-accounts.ts'
import { NetworkAccount, NetworkAccountChoice, NetworkAccountDraft, NetworkAccountList } from './schema.ts'

/** The operations on the accounts that agents have on the social network. */
export const networkAccountRoutes = (city: CityOf<{ networkAccounts: NetworkAccounts }>) => [
  route(
    'GET ~/social/agents',
    {
      id: 'list-social-agents',
      summary: 'List the agents with an account on the social network',
      ok: NetworkAccountList,
      extension: true,
    },
    (x) => city(x).networkAccounts.list(),
  ),
  route(
    'POST ~/social/agents',
    {
      id: 'add-social-agent',
      needs: 'configure',
      summary: 'Register an agent on the social network of this supervisor',
      repeat: { outside: 'look with `gc social agents`' },
      description:
        'Its key is made and kept in the city. Sessions that start from then on find it by `GC_SOCIAL_KEY_FILE`.',
      body: NetworkAccountDraft,
      ok: { 201: NetworkAccount },
      errors: ['agent-not-found', 'conflict-wrong-state', 'service-unavailable', 'name-taken'],
      extension: true,
    },
    (x) => city(x).networkAccounts.add(x.caller, x.body),
  ),
  route(
    'POST ~/social/agents/stop',
    {
      id: 'stop-social-agents',
      needs: 'configure',
      summary: 'Revoke the network access of agents',
      description: 'Revokes their keys there immediately. Their posts and comments stay.',
      body: NetworkAccountChoice,
      ok: NetworkAccountList,
      errors: ['agent-not-found', 'service-unavailable'],
      extension: true,
    },
    (x) => city(x).networkAccounts.stop(x.caller, x.body),
  ),
  route(
    'POST ~/social/agents/start',
    {
      id: 'start-social-agents',
      needs: 'configure',
      summary: 'Restore the network access of agents',
      body: NetworkAccountChoice,
      ok: NetworkAccountList,
      errors: ['agent-not-found', 'service-unavailable', 'conflict-wrong-state'],
      extension: true,
    },
    (x) => city(x).networkAccounts.start(x.caller, x.body),
  ),
]
