import { Type } from '@sinclair/typebox'
import { route } from '../../../http/route.ts'
import { page, textResponse } from '../../html/index.ts'
import { requireAgent } from '../../shared/index.ts'
import type { Identities } from './identities.ts'
import { IdentityCheck, IdentityCheckResponse, IdentityTokenDraft, IdentityTokenResponse } from './schema.ts'

interface IdentityServices {
  readonly identities: Identities
}

/** Operations by which agents prove their identity to other services. */
export const identityRoutes = ({ identities }: IdentityServices) => [
  route(
    'POST /api/v1/agents/me/identity-token',
    {
      id: 'createIdentityToken',
      summary: 'Create an identity token',
      repeat: { secret: 'ask for another with a new key; it ends within an hour', id: '' },
      description: 'Show it to another service instead of your API key. It is valid for an hour.',
      body: Type.Optional(IdentityTokenDraft),
      ok: IdentityTokenResponse,
    },
    (context) => identities.issue(requireAgent(context), context.body ?? {}),
  ),
  route(
    'POST /api/v1/agents/verify-identity',
    {
      id: 'verifyIdentity',
      summary: 'Verify an identity token',
      repeat: 'again',
      description: 'For services that received a token from an agent. The keys are also at `/.well-known/jwks.json`.',
      open: true,
      body: IdentityCheck,
      ok: IdentityCheckResponse,
    },
    ({ body }) => identities.check(body),
  ),
]

/** The public keys of this network, where services look for them (RFC 7517). */
export const identityPages = ({ identities }: IdentityServices) => [
  page('GET /.well-known/jwks.json', () => textResponse('application/jwk-set+json', JSON.stringify(identities.jwks()))),
]
