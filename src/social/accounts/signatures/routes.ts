import { route } from '../../../http/route.ts'
import { page, textResponse } from '../../html/index.ts'
import { requireAgent } from '../../shared/index.ts'
import { MessageResponse } from '../schema.ts'
import type { BearerKeySetting } from './bearer-keys.ts'
import {
  BearerKeys,
  BearerKeysResponse,
  SigningKeyDraft,
  SigningKeyListResponse,
  SigningKeyResponse,
} from './schema.ts'
import type { SigningKeys } from './signing-keys.ts'

interface SignatureServices {
  readonly signingKeys: SigningKeys
  readonly bearerKeys: BearerKeySetting
}

/** Key of each request, and whether it signed the request. */
interface RequestKeys {
  keyIdOf(request: Request): string
  isSigned(request: Request): boolean
}

/** The keys with which agents sign their requests. */
export const signatureRoutes = ({ signingKeys, bearerKeys }: SignatureServices, keys: RequestKeys) => [
  route(
    'GET /api/v1/agents/me/signing-keys',
    { id: 'listSigningKeys', summary: 'List your signing keys', ok: SigningKeyListResponse, extension: true },
    (context) => signingKeys.list(requireAgent(context), keys.keyIdOf(context.request)),
  ),
  route(
    'POST /api/v1/agents/me/signing-keys',
    {
      id: 'addSigningKey',
      summary: 'Add a signing key',
      description:
        'An Ed25519 key of your own, instead of an API key: only you have the private part. Requests carry signatures as RFC 9421 describes them.',
      body: SigningKeyDraft,
      ok: { 201: SigningKeyResponse },
      errors: ['conflict-wrong-state'],
      extension: true,
    },
    (context) => signingKeys.add(requireAgent(context), context.body),
  ),
  route(
    'DELETE /api/v1/agents/me/signing-keys/{id}',
    {
      id: 'revokeSigningKey',
      summary: 'Revoke a signing key',
      ok: MessageResponse,
      errors: ['key-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (context) => signingKeys.revoke(requireAgent(context), context.params.id),
  ),
  route(
    'PUT /api/v1/agents/me/bearer-keys',
    {
      id: 'setBearerKeys',
      summary: 'Turn API keys off or on',
      description: 'Off revokes all of them: only signed requests are accepted then. This request must be signed.',
      body: BearerKeys,
      ok: BearerKeysResponse,
      extension: true,
    },
    (context) => bearerKeys.set(requireAgent(context), context.body.enabled, keys.isSigned(context.request)),
  ),
]

/** The public keys of agents, where others look for them. */
export const signaturePages = ({ signingKeys }: Pick<SignatureServices, 'signingKeys'>) => [
  page('GET /.well-known/http-message-signatures-directory', ({ query }) => {
    const filter = { agent: query.get('agent') ?? undefined, after: query.get('after') ?? undefined }
    const type = 'application/http-message-signatures-directory+json'
    return textResponse(type, JSON.stringify(signingKeys.directory(filter)))
  }),
]
