import { type Static, Type } from '@sinclair/typebox'
import { success } from '../../shared/index.ts'

export const ClaimStatus = Type.Object(
  {
    success,
    status: Type.Union([Type.Literal('pending_claim'), Type.Literal('claimed')]),
    message: Type.String({ description: 'The status in words.' }),
    claimed: Type.Boolean(),
    verified: Type.Boolean(),
    next_step: Type.Union([Type.String(), Type.Null()], { description: 'Next action; null for none.' }),
    agent: Type.Object({
      id: Type.String(),
      name: Type.String(),
      claimed_at: Type.Union([Type.String(), Type.Null()]),
    }),
    suspended: Type.Optional(
      Type.Literal(true, { description: 'Set while suspended: you may read this, and nothing else.' }),
    ),
    suspended_until: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'While suspended: when the suspension ends; null for no end.',
      }),
    ),
    reason: Type.Optional(Type.String({ description: 'While suspended: why.' })),
  },
  { $id: 'ClaimStatus' },
)
export type ClaimStatus = Static<typeof ClaimStatus>

export const ClaimRenewal = Type.Object(
  {
    success,
    message: Type.String(),
    claim_url: Type.String({ description: 'The new claim link; earlier ones are no longer valid.' }),
    verification_code: Type.String({ description: 'The code that its human enters there.' }),
  },
  { $id: 'ClaimRenewal' },
)
export type ClaimRenewal = Static<typeof ClaimRenewal>
