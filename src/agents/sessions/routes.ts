import { Type } from '@sinclair/typebox'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import type { CityOf } from '../../http/city-of.ts'
import { ofOtherSessions } from '../../http/needs.ts'
import { route } from '../../http/route.ts'
import { AsyncAcceptedBody, OKResponseBody, OKWithIDResponseBody, paging } from '../../http/schema.ts'
import {
  SessionCreate,
  SessionList,
  SessionMessage,
  SessionPatch,
  SessionRename,
  SessionRequestView,
  SessionResponse,
  SessionSubmit,
} from '../../work/sessions/index.ts'
import { interactionRoutes } from './interaction-routes.ts'
import type { SessionOperations } from './operations.ts'
import { outputRoutes } from './output-routes.ts'
import { runtimeRoutes } from './runtime-routes.ts'

type City = CityOf<{ sessions: SessionOperations }>

const peek = Type.Optional(Type.Boolean({ description: 'Adds the last lines of the screen.' }))

/** The operations on sessions. */
export const sessionRoutes = (city: City) => [
  route(
    'GET ~/sessions',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-sessions',
      summary: 'List sessions',
      needs: { needs: 'read', fields: { peek: 'coordinate' } },
      description: 'Newest first, without closed ones unless `state` includes them.',
      query: Type.Object({
        ...paging,
        state: Type.Optional(
          Type.String({ description: 'States, separated by commas; also `open`, `closed` and `all`.' }),
        ),
        template: Type.Optional(Type.String({ description: 'Only sessions of this agent or provider.' })),
        peek,
      }),
      ok: SessionList,
      errors: ['invalid-cursor'],
      index: true,
    },
    (x) => city(x).sessions.reading.list(x.query),
  ),
  route(
    'POST ~/sessions',
    {
      id: 'create-session',
      summary: 'Create a session',
      needs: 'coordinate',
      description: 'The request is accepted immediately. An event with the same `request_id` has the result.',
      body: SessionCreate,
      ok: { 202: AsyncAcceptedBody },
      errors: ['invalid-request', 'agent-not-found', 'provider-not-found', 'service-unavailable'],
    },
    (x) => city(x).sessions.creating.create(x.caller, x.body),
  ),
  route(
    'GET ~/sessions/request/{id}',
    {
      id: 'get-session-request',
      summary: 'Show the state of an accepted request',
      needs: 'read',
      ok: SessionRequestView,
      errors: ['request-not-found'],
      extension: true,
    },
    (x) => city(x).sessions.creating.request(x.params.id),
  ),
  route(
    'DELETE ~/sessions/request/{id}',
    {
      id: 'withdraw-session-request',
      summary: 'Cancel a request for a session that has not started',
      needs: 'coordinate',
      ok: OKWithIDResponseBody,
      errors: ['request-not-found', SESSION_CONFLICT],
      extension: true,
    },
    (x) => city(x).sessions.creating.withdraw(x.params.id, x.caller),
  ),
  route(
    'GET ~/session/{id}',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-session-by-id',
      summary: 'Get a session',
      needs: { needs: 'read', ownable: 'session', fields: { peek: 'coordinate' } },
      description: 'Finds sessions by id, alias, run-time name or configured identity, including closed ones.',
      query: Type.Object({
        peek,
        peek_lines: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 10000,
            description: 'The number of lines that `peek` adds; 5 when absent.',
          }),
        ),
        peek_styles: Type.Optional(
          Type.Boolean({
            description: 'Keeps colours and text styles in the lines that `peek` adds, as SGR sequences (`ESC [ … m`).',
          }),
        ),
      }),
      ok: SessionResponse,
      errors: ['session-not-found', SESSION_CONFLICT],
      index: true,
    },
    (x) =>
      city(x).sessions.reading.get(x.params.id, {
        ...(x.query.peek && { peek: true }),
        ...(x.query.peek_lines !== undefined && { lines: x.query.peek_lines }),
        ...(x.query.peek_styles && { styles: true }),
      }),
  ),
  route(
    'PATCH ~/session/{id}',
    {
      id: 'patch-v0-city-by-city-name-session-by-id',
      summary: 'Change the title or alias of a session',
      needs: ofOtherSessions('sessions'),
      repeat: { read: (from, id) => city(from).sessions.reading.get(id, {}) },
      body: SessionPatch,
      ok: SessionResponse,
      errors: ['session-not-found', SESSION_CONFLICT, 'forbidden', 'invalid-request'],
      index: true,
    },
    (x) => city(x).sessions.creating.patch(x.params.id, x.caller, x.body),
  ),
  route(
    'POST ~/session/{id}/rename',
    {
      id: 'post-v0-city-by-city-name-session-by-id-rename',
      summary: 'Rename a session',
      needs: ofOtherSessions('sessions'),
      repeat: { read: (from, id) => city(from).sessions.reading.get(id, {}) },
      body: SessionRename,
      ok: SessionResponse,
      errors: ['session-not-found', SESSION_CONFLICT, 'invalid-request'],
      index: true,
    },
    (x) => city(x).sessions.creating.patch(x.params.id, x.caller, { title: x.body.title }),
  ),
  route(
    'POST ~/session/{id}/messages',
    {
      id: 'send-session-message',
      summary: 'Send a session a message',
      needs: ofOtherSessions('coordinate'),
      description: 'A session that is not running is woken for it. An event has the result of the delivery.',
      body: SessionMessage,
      ok: { 202: AsyncAcceptedBody },
      errors: ['session-not-found', SESSION_CONFLICT],
    },
    (x) => city(x).sessions.messaging.message(x.params.id, x.caller, x.body),
  ),
  route(
    'POST ~/session/{id}/submit',
    {
      id: 'submit-session',
      summary: 'Send a session a message now, after its turn, or instead of its turn',
      needs: ofOtherSessions('coordinate'),
      body: SessionSubmit,
      ok: { 202: AsyncAcceptedBody },
      errors: ['session-not-found', SESSION_CONFLICT],
    },
    (x) => city(x).sessions.messaging.submit(x.params.id, x.caller, x.body),
  ),
  ...controlRoutes(city),
  ...interactionRoutes(city),
  ...outputRoutes(city),
  ...runtimeRoutes(city),
]

/** Operations that start, end and hold sessions. */
const controlRoutes = (city: City) => [
  route(
    'POST ~/session/{id}/stop',
    {
      id: 'post-v0-city-by-city-name-session-by-id-stop',
      summary: 'Interrupt the current turn of a session',
      repeat: { outside: 'look at the session with `gc session show`' },
      needs: ofOtherSessions('coordinate'),
      description: 'The session stays up and waits for the next message.',
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT],
    },
    (x) => city(x).sessions.running.stop(x.params.id, x.caller),
  ),
  route(
    'POST ~/session/{id}/kill',
    {
      id: 'post-v0-city-by-city-name-session-by-id-kill',
      summary: 'Kill the program of a session',
      repeat: { outside: 'look at the session with `gc session show`' },
      needs: ofOtherSessions('coordinate'),
      description: 'It is started again if the session is still wanted. Nothing happens when it does not run.',
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT],
    },
    (x) => city(x).sessions.running.kill(x.params.id, x.caller),
  ),
  route(
    'POST ~/session/{id}/suspend',
    {
      id: 'post-v0-city-by-city-name-session-by-id-suspend',
      summary: 'Suspend a session',
      needs: ofOtherSessions('sessions'),
      description: 'Its program ends, and is not started until someone wakes the session or sends it a message.',
      ok: OKResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT],
    },
    (x) => city(x).sessions.running.suspend(x.params.id, x.caller),
  ),
  route(
    'POST ~/session/{id}/wake',
    {
      id: 'post-v0-city-by-city-name-session-by-id-wake',
      summary: 'Wake a session',
      needs: ofOtherSessions('coordinate'),
      description: 'Lifts every hold on it. The answer does not wait for its program to start.',
      ok: OKWithIDResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT, 'invalid-request'],
    },
    (x) => city(x).sessions.running.wake(x.params.id, x.caller),
  ),
  route(
    'POST ~/session/{id}/close',
    {
      id: 'post-v0-city-by-city-name-session-by-id-close',
      summary: 'Close a session',
      needs: ofOtherSessions('sessions'),
      description: 'Its program ends, its names become free, and its work is offered again.',
      query: Type.Object({ delete: Type.Optional(Type.Boolean({ description: 'Also deletes the session.' })) }),
      ok: OKResponseBody,
      errors: ['session-not-found', SESSION_CONFLICT],
    },
    (x) => city(x).sessions.running.close(x.params.id, x.caller, { remove: x.query.delete ?? false }),
  ),
]
