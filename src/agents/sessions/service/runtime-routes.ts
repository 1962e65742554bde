import { Type } from '@sinclair/typebox'
import { SESSION_CONFLICT } from '../../../host/protocol/errors.ts'
import type { CityOf } from '../../../http/city-of.ts'
import { route } from '../../../http/route.ts'
import { OKWithIDResponseBody } from '../../../http/schema.ts'
import { Conversation, Heartbeat, Restart, SessionDrifts, SessionLoan } from '../runtime-schema.ts'
import type { SessionOperations } from './operations.ts'

/** What a session's program says of itself while it runs, and what it is told about its run. All of it is ours. */
export const runtimeRoutes = (city: CityOf<{ sessions: SessionOperations }>) => [
  route(
    'POST ~/session/{id}/drain-ack',
    {
      id: 'acknowledge-session-drain',
      summary: 'Say that the calling session is done',
      description: 'Only the session itself can; its program ends and its place is free.',
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).sessions.drains.acknowledge(x.params.id, x.caller),
  ),
  route(
    'POST ~/session/{id}/drain',
    {
      id: 'drain-session',
      summary: 'Let a session finish and end',
      description: 'It takes no new work; it ends when it has none, when it says so, or when its time is over.',
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).sessions.drains.drain(x.params.id),
  ),
  route(
    'POST ~/session/{id}/undrain',
    {
      id: 'undrain-session',
      summary: 'Let a draining session go on',
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).sessions.drains.undrain(x.params.id),
  ),
  route(
    'POST ~/session/{id}/restart',
    {
      id: 'restart-session',
      summary: 'End a session’s program and start it again',
      description: 'It keeps its work, and its conversation where its program can go on with one.',
      body: Type.Optional(Restart),
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).sessions.restarts.restart(x.params.id, x.caller, x.body),
  ),
  route(
    'POST ~/session/{id}/lend',
    {
      id: 'lend-session',
      summary: 'Let a program from elsewhere work as a suspended session',
      description:
        'Its token is good until the session is lent again, woken or closed. What it claims is its own for 15 minutes, and for as long after each heartbeat of the bead.',
      ok: { 201: SessionLoan },
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).sessions.lending.lend(x.params.id, x.caller),
  ),
  route(
    'POST ~/session/{id}/heartbeat',
    {
      id: 'heartbeat-session',
      summary: 'Say that the calling session is at work',
      description: 'Until then it is not taken for idle or old, whatever can be seen of it.',
      body: Type.Optional(Heartbeat),
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden', 'invalid-request'],
      extension: true,
    },
    (x) => city(x).sessions.selfReports.heartbeat(x.params.id, x.caller, x.body),
  ),
  route(
    'POST ~/session/{id}/conversation',
    {
      id: 'name-session-conversation',
      summary: 'Say what the calling session’s conversation is called',
      description: 'A later start goes on with it. The first name stays until a new conversation is begun.',
      body: Conversation,
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden'],
      extension: true,
    },
    (x) => city(x).sessions.selfReports.nameConversation(x.params.id, x.caller, x.body),
  ),
  route(
    'GET ~/sessions/drift',
    {
      id: 'list-session-drift',
      summary: 'List sessions whose declaration has changed',
      description: 'Each takes it up at its next start: when it is idle, or when it is restarted.',
      ok: SessionDrifts,
      extension: true,
    },
    (x) => city(x).sessions.reader.drifts(),
  ),
]
