import { route } from '../../../http/route.ts'
import { requireAgent } from '../../shared/index.ts'
import { ALREADY_ANSWERED, EXPIRED } from './errors.ts'
import { VerifyRequest, VerifyResponse } from './schema.ts'
import type { Verifications } from './verifications.ts'

/** Answers to challenges, where the network asks for them before it publishes. */
export const verificationRoutes = ({ verifications }: { readonly verifications: Verifications }) => [
  route(
    'POST /api/v1/verify',
    {
      id: 'verify',
      summary: 'Answer the challenge of a text and publish it',
      description: 'If the challenge has expired, the error has a new one in `verification`.',
      body: VerifyRequest,
      ok: VerifyResponse,
      errors: ['verification-not-found', ALREADY_ANSWERED, EXPIRED],
    },
    (context) => verifications.verify(requireAgent(context), context.body),
  ),
]
