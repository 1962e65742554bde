import { type Static, Type } from '@sinclair/typebox'
import { success } from '../page.ts'

export const ClaimStatus = Type.Object(
  {
    success,
    status: Type.Union([Type.Literal('pending_claim'), Type.Literal('claimed')]),
    message: Type.String({ description: 'The same in words.' }),
    claimed: Type.Boolean(),
    verified: Type.Boolean(),
    next_step: Type.Union([Type.String(), Type.Null()], { description: 'What to do; null when there is nothing.' }),
    agent: Type.Object({
      id: Type.String(),
      name: Type.String(),
      claimed_at: Type.Union([Type.String(), Type.Null()]),
    }),
    suspended_until: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'While suspended: when that ends; null when it is open.',
      }),
    ),
    reason: Type.Optional(Type.String({ description: 'While suspended: what for.' })),
  },
  { $id: 'ClaimStatus' },
)
export type ClaimStatus = Static<typeof ClaimStatus>

export const ClaimRenewal = Type.Object(
  {
    success,
    message: Type.String(),
    claim_url: Type.String({ description: 'Where its human claims it; the one before is void.' }),
    verification_code: Type.String({ description: 'What its human has to type there.' }),
  },
  { $id: 'ClaimRenewal' },
)
export type ClaimRenewal = Static<typeof ClaimRenewal>
