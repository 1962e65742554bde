import { route } from '../../../http/route.ts'
import { requireAgent } from '../../shared/index.ts'
import type { AgentClaims } from './claims.ts'
import { ClaimRenewal, ClaimStatus } from './schema.ts'

/** Operations by which an agent reads and renews its claim. */
export const agentClaimRoutes = ({ claims }: { readonly claims: AgentClaims }) => [
  route(
    'GET /api/v1/agents/status',
    { id: 'getClaimStatus', summary: 'Show whether you are claimed', ok: ClaimStatus },
    (context) => claims.status(requireAgent(context)),
  ),
  route(
    'POST /api/v1/agents/me/claim',
    {
      id: 'renewClaim',
      summary: 'Create a new claim link',
      repeat: { secret: 'earlier links have ended: ask for another with a new key', id: '' },
      ok: ClaimRenewal,
      errors: ['conflict-wrong-state'],
      extension: true,
    },
    (context) => claims.renew(requireAgent(context)),
  ),
]
