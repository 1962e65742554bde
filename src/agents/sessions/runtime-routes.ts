import { Type } from '@sinclair/typebox'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import type { CityOf } from '../../http/city-of.ts'
import { ofOtherSessions } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import { OKWithIDResponseBody } from '../../http/schema.ts'
import type { SessionOperations } from './operations.ts'
import { Conversation, Heartbeat, Restart, SessionDrifts, SessionLoan } from './runtime-schema.ts'

/** Operations on the run of a session, many of them for the session itself. */
export const runtimeRoutes = (city: CityOf<{ sessions: SessionOperations }>) => [
  route(
    'POST ~/session/{id}/drain-ack',
    {
      id: 'acknowledge-session-drain',
      summary: 'Report that the calling session is done',
      needs: 'session',
      description: 'Only the session itself may do this. Its program ends, and its slot becomes free.',
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).sessions.running.acknowledge(x.params.id, x.caller),
  ),
  route(
    'POST ~/session/{id}/drain',
    {
      id: 'drain-session',
      summary: 'Drain a session',
      needs: ofOtherSessions('sessions'),
      description:
        'It takes no new work, and ends when it has none, when it reports that it is done, or after its drain timeout.',
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).sessions.running.drain(x.params.id, x.caller),
  ),
  route(
    'POST ~/session/{id}/undrain',
    {
      id: 'undrain-session',
      summary: 'Cancel the drain of a session',
      needs: ofOtherSessions('sessions'),
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).sessions.running.undrain(x.params.id, x.caller),
  ),
  route(
    'POST ~/session/{id}/restart',
    {
      id: 'restart-session',
      summary: 'Restart the program of a session',
      repeat: { outside: 'look at the session with `gc session show`' },
      needs: ofOtherSessions('coordinate', { fresh: 'sessions' }),
      description:
        'The session keeps its work, and its conversation if the program can resume one. With `fresh`, gc first stores the state of its worktree, and does nothing if it cannot.',
      body: Type.Optional(Restart),
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT, 'service-unavailable'],
      extension: true,
    },
    (x) => city(x).sessions.running.restart(x.params.id, x.caller, x.body),
  ),
  route(
    'POST ~/session/{id}/lend',
    {
      id: 'lend-session',
      summary: 'Lend a suspended session to an external program',
      repeat: { secret: 'lend the session again with a new key', id: '' },
      needs: 'tokens',
      description:
        'The token is valid until the session is lent again, woken or closed. A claim lasts 15 minutes, and as long again after each heartbeat of the bead.',
      ok: { 201: SessionLoan },
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).sessions.running.lend(x.params.id, x.caller),
  ),
  route(
    'POST ~/session/{id}/heartbeat',
    {
      id: 'heartbeat-session',
      summary: 'Report activity of the calling session',
      needs: 'session',
      description: 'Until the given duration is over, the session does not count as idle or too old.',
      body: Type.Optional(Heartbeat),
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden', 'invalid-request'],
      extension: true,
    },
    (x) => city(x).sessions.messaging.heartbeat(x.params.id, x.caller, x.body),
  ),
  route(
    'POST ~/session/{id}/conversation',
    {
      id: 'name-session-conversation',
      summary: 'Record the conversation of the calling session',
      needs: 'session',
      description: 'Later starts resume it. The first name stays until a new conversation begins.',
      body: Conversation,
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).sessions.messaging.nameConversation(x.params.id, x.caller, x.body),
  ),
  route(
    'GET ~/sessions/drift',
    {
      configuration: true,
      id: 'list-session-drift',
      summary: 'List sessions with an outdated declaration',
      description:
        'The changes apply at the next start, when the session is idle or restarted. A soft reload of the configuration does not restart it.',
      ok: SessionDrifts,
      extension: true,
    },
    (x) => city(x).sessions.reading.drifts(),
  ),
]
