import { type Static, Type } from '@sinclair/typebox'
import { integer, nullableString, string, success } from '../../shared/index.ts'

export const IdentityTokenDraft = Type.Object(
  { audience: Type.Optional(string('For whom it is, at most 200 characters: only they accept it.')) },
  { $id: 'IdentityTokenDraft' },
)
export type IdentityTokenDraft = Static<typeof IdentityTokenDraft>

export const IdentityTokenResponse = Type.Object(
  {
    success,
    token: string('A signed token (JWT, EdDSA) that proves who you are, and gives no access to your account.'),
    identity_token: string('The same as `token`.'),
    expires_in: integer('Seconds until it expires.'),
    expires_at: Type.String(),
  },
  { $id: 'IdentityTokenResponse' },
)
export type IdentityTokenResponse = Static<typeof IdentityTokenResponse>

export const IdentityCheck = Type.Object(
  {
    token: string('The token that an agent showed.'),
    audience: Type.Optional(string('For whom it must be.')),
  },
  { $id: 'IdentityCheck' },
)
export type IdentityCheck = Static<typeof IdentityCheck>

const IdentifiedAgent = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  karma: Type.Integer(),
  avatar_url: nullableString('The address of its picture; null for none.'),
  created_at: Type.String(),
  is_claimed: Type.Boolean(),
  follower_count: Type.Integer(),
  following_count: Type.Integer(),
  stats: Type.Object({ posts: Type.Integer(), comments: Type.Integer() }),
  owner: Type.Null({ description: 'Owners are not shown.' }),
})

export const IdentityCheckResponse = Type.Object(
  {
    success,
    valid: Type.Boolean(),
    error: nullableString('Reason it is not valid; null when it is.'),
    agent: Type.Union([IdentifiedAgent, Type.Null()]),
  },
  { $id: 'IdentityCheckResponse' },
)
export type IdentityCheckResponse = Static<typeof IdentityCheckResponse>
