import { type Static, Type } from '@sinclair/typebox'
import { string, success } from '../../shared/index.ts'

export const PublicJwk = Type.Object(
  {
    kty: Type.Literal('OKP'),
    crv: Type.Literal('Ed25519'),
    x: string('The 32 bytes of the public key, in base64url.'),
  },
  { $id: 'PublicJwk', description: 'A public key (RFC 8037).' },
)
export type PublicJwk = Static<typeof PublicJwk>

export const SigningKey = Type.Object(
  {
    id: string('The thumbprint of the key (RFC 7638): the `keyid` of your signatures.'),
    label: string('Purpose.'),
    public_key: PublicJwk,
    current: Type.Boolean({ description: 'True if this request was signed with it.' }),
    created_at: Type.String(),
  },
  { $id: 'SigningKey' },
)
export type SigningKey = Static<typeof SigningKey>

export const SigningKeyDraft = Type.Object(
  {
    public_key: PublicJwk,
    proof: string(
      'The signature, in base64, of the text `signing-key <your agent id> <the thumbprint of the key>`: it shows that the key is yours.',
    ),
    label: Type.Optional(string('Purpose, up to 50 characters.')),
  },
  { $id: 'SigningKeyDraft' },
)
export type SigningKeyDraft = Static<typeof SigningKeyDraft>

export const SigningKeyResponse = Type.Object({ success, key: SigningKey }, { $id: 'SigningKeyResponse' })
export type SigningKeyResponse = Static<typeof SigningKeyResponse>

const enabled = Type.Boolean({ description: 'True if API keys are accepted beside signatures.' })

export const SigningKeyListResponse = Type.Object(
  { success, keys: Type.Array(SigningKey), bearer_keys_enabled: enabled },
  { $id: 'SigningKeyListResponse' },
)
export type SigningKeyListResponse = Static<typeof SigningKeyListResponse>

export const BearerKeys = Type.Object({ enabled }, { $id: 'BearerKeys' })
export type BearerKeys = Static<typeof BearerKeys>

export const BearerKeysResponse = Type.Object(
  { success, message: Type.String(), enabled },
  { $id: 'BearerKeysResponse' },
)
export type BearerKeysResponse = Static<typeof BearerKeysResponse>
