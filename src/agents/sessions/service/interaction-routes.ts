import { SESSION_CONFLICT } from '../../../host/protocol/errors.ts'
import type { CityOf } from '../../../http/city-of.ts'
import { route } from '../../../http/route.ts'
import {
  PendingList,
  PermissionMode,
  Respond,
  Responded,
  SessionPending,
  SessionResponse,
  SubAgent,
  SubAgents,
} from '../schema.ts'
import type { SessionOperations } from './operations.ts'

/** What sessions ask of people, what they are allowed, and whom they started. */
export const interactionRoutes = (city: CityOf<{ sessions: SessionOperations }>) => [
  route(
    'GET ~/pending',
    {
      id: 'get-v0-city-by-city-name-pending',
      summary: 'List what sessions ask people',
      description: 'What is asked in words is told by the session’s own `pending`.',
      ok: PendingList,
      index: true,
    },
    (x) => city(x).sessions.interactions.list(),
  ),
  route(
    'GET ~/session/{id}/pending',
    {
      id: 'get-v0-city-by-city-name-session-by-id-pending',
      summary: 'Show what a session asks a person',
      ok: SessionPending,
      errors: ['session-not-found', SESSION_CONFLICT],
      index: true,
    },
    (x) => city(x).sessions.interactions.pending(x.params.id),
  ),
  route(
    'POST ~/session/{id}/respond',
    {
      id: 'respond-session',
      summary: 'Answer what a session asks',
      description:
        'An option of a dialog is taken with its own keys while that dialog is on the screen; once it is another, 409 and nothing is confirmed.',
      body: Respond,
      ok: { 202: Responded },
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden', 'not-implemented'],
    },
    (x) => city(x).sessions.interactions.respond(x.params.id, x.caller, x.body),
  ),
  route(
    'POST ~/session/{id}/permission-mode',
    {
      id: 'post-v0-city-by-city-name-session-by-id-permission-mode',
      summary: 'Choose what a session may do without asking',
      description:
        'Counts from its next start, and a program that runs has to be suspended first; one that is spoken to by protocol takes it at once.',
      body: PermissionMode,
      ok: SessionResponse,
      errors: ['session-not-found', SESSION_CONFLICT, 'invalid-request', 'not-implemented'],
      index: true,
    },
    (x) => city(x).sessions.permissionModes.choose(x.params.id, x.body.permission_mode),
  ),
  route(
    'GET ~/session/{id}/agents',
    {
      id: 'get-v0-city-by-city-name-session-by-id-agents',
      summary: 'List the agents a session’s agent started',
      ok: SubAgents,
      errors: ['session-not-found', SESSION_CONFLICT],
      index: true,
    },
    (x) => city(x).sessions.transcripts.subAgents(x.params.id),
  ),
  route(
    'GET ~/session/{id}/agents/{agentId}',
    {
      id: 'get-v0-city-by-city-name-session-by-id-agents-by-agent-id',
      summary: 'Read the conversation of an agent that a session’s agent started',
      ok: SubAgent,
      errors: ['session-not-found', SESSION_CONFLICT, 'agent-not-found', 'invalid-request'],
      index: true,
    },
    (x) => city(x).sessions.transcripts.subAgent(x.params.id, x.params.agentId),
  ),
]
