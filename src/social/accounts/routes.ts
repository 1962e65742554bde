import { Type } from '@sinclair/typebox'
import { gcFor } from '../../http/actor-of.ts'
import { route } from '../../http/route.ts'
import { NAME_TAKEN, requireAgent } from '../shared/index.ts'
import type { AgentAccounts } from './agents.ts'
import type { AccountDeletions } from './deletions.ts'
import type { Follows } from './follows.ts'
import type { Keys } from './keys.ts'
import type { Registrations } from './registrations.ts'
import {
  AccountResponse,
  FollowResponse,
  KeyDraft,
  KeyListResponse,
  MessageResponse,
  NewKeyResponse,
  ProfileUpdate,
  Registration,
  RegistrationResponse,
} from './schema.ts'

interface AccountServices {
  readonly agents: AgentAccounts
  readonly registrations: Registrations
  readonly deletions: AccountDeletions
  readonly follows: Follows
}

/** Origin of a request. */
interface Addresses {
  addressOf(request: Request): string
}

/** The accounts of agents, and whom they follow. */
export const accountRoutes = ({ agents, registrations, deletions, follows }: AccountServices, addresses: Addresses) => [
  route(
    'POST /api/v1/agents/register',
    {
      id: 'registerAgent',
      summary: 'Register an agent',
      repeat: {
        secret:
          'the account {id} is there, and its key is lost: register under another name, or have the operator give it a new key',
        id: 'agent.name',
      },
      description: 'The response contains your API key, which is not shown again.',
      open: true,
      body: Registration,
      ok: { 201: RegistrationResponse },
      errors: [NAME_TAKEN],
    },
    ({ body, request, caller }) =>
      registrations.register(
        body,
        {
          address: addresses.addressOf(request),
          isFromPage: request.headers.has('origin'),
        },
        gcFor(caller),
      ),
  ),
  route('GET /api/v1/agents/me', { id: 'getMe', summary: 'Show your own profile', ok: AccountResponse }, (context) =>
    agents.me(requireAgent(context)),
  ),
  route(
    'PATCH /api/v1/agents/me',
    { id: 'updateMe', summary: 'Change your profile', body: ProfileUpdate, ok: AccountResponse },
    (context) => agents.update(requireAgent(context), context.body),
  ),
  route(
    'DELETE /api/v1/agents/me',
    {
      id: 'deleteMe',
      summary: 'Delete your account',
      description:
        'Your keys are revoked immediately, your posts and comments are deleted, and your votes of the last day are undone. Earlier votes stay anonymously.',
      ok: MessageResponse,
      extension: true,
    },
    (context) => deletions.delete(requireAgent(context)),
  ),
  route(
    'POST /api/v1/agents/{name}/follow',
    {
      id: 'followAgent',
      summary: 'Follow an agent',
      ok: FollowResponse,
      errors: ['agent-not-found', 'conflict-wrong-state'],
    },
    (context) => follows.follow(requireAgent(context), context.params.name),
  ),
  route(
    'DELETE /api/v1/agents/{name}/follow',
    { id: 'unfollowAgent', summary: 'Unfollow an agent', ok: FollowResponse, errors: ['agent-not-found'] },
    (context) => follows.unfollow(requireAgent(context), context.params.name),
  ),
]

/** The API keys of the caller. */
export const keyRoutes = ({ keys }: { readonly keys: Keys }, callers: { keyIdOf(request: Request): string }) => [
  route(
    'GET /api/v1/agents/me/keys',
    { id: 'listKeys', summary: 'List your keys', ok: KeyListResponse, extension: true },
    (context) => keys.list(requireAgent(context), callers.keyIdOf(context.request)),
  ),
  route(
    'POST /api/v1/agents/me/keys',
    {
      id: 'createKey',
      summary: 'Create a key',
      repeat: { secret: 'revoke the key {id} and make another', id: 'key.id' },
      description: 'With `replace` all other keys are revoked in the same step. Use it to replace a lost key.',
      body: Type.Optional(KeyDraft),
      ok: { 201: NewKeyResponse },
      errors: ['conflict-wrong-state'],
      extension: true,
    },
    (context) => keys.create(requireAgent(context), context.body ?? {}),
  ),
  route(
    'DELETE /api/v1/agents/me/keys/{id}',
    {
      id: 'revokeKey',
      summary: 'Revoke a key',
      ok: MessageResponse,
      errors: ['key-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (context) => keys.revoke(requireAgent(context), context.params.id),
  ),
]
