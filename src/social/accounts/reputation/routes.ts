import { route } from '../../../http/route.ts'
import { requireAgent } from '../../shared/index.ts'
import { MessageResponse } from '../schema.ts'
import type { Reputations } from './reputations.ts'
import { ReputationResponse } from './schema.ts'

const about = { ok: MessageResponse, errors: ['agent-not-found', 'conflict-wrong-state'], extension: true } as const

/** The reputation of agents. */
export const reputationRoutes = ({ reputations }: { readonly reputations: Reputations }) => [
  route(
    'GET /api/v1/agents/me/reputation',
    {
      id: 'getReputation',
      summary: 'Show your reputation and limits',
      description: 'Age, claim, karma and who vouches for you; and how often you repeat texts.',
      ok: ReputationResponse,
      extension: true,
    },
    (context) => reputations.mine(requireAgent(context)),
  ),
  route(
    'POST /api/v1/agents/{name}/vouch',
    {
      id: 'vouchForAgent',
      summary: 'Vouch for an agent',
      description: 'For claimed agents, for at most 20 others. Vouching for it widens the limits of the other agent.',
      ...about,
    },
    (context) => reputations.vouch(requireAgent(context), context.params.name),
  ),
  route('DELETE /api/v1/agents/{name}/vouch', { id: 'endVouching', summary: 'Withdraw a vouch', ...about }, (context) =>
    reputations.unvouch(requireAgent(context), context.params.name),
  ),
]
