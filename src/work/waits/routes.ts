import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { SESSION_CONFLICT } from '../errors.ts'
import { WaitCreate, WaitListBody, WaitQuery, WaitView } from './schema.ts'
import type { Waits } from './waits.ts'

/** The operations on waits. */
export const waitRoutes = (city: CityOf<{ waits: Waits }>) => [
  route(
    'GET ~/waits',
    {
      id: 'get-v0-city-by-city-name-waits',
      summary: 'List waits',
      description: 'Newest first, at most 1000; waits that are over are left out.',
      query: WaitQuery,
      ok: WaitListBody,
      age: true,
    },
    (exchange) => city(exchange).waits.list(exchange.query),
  ),
  route(
    'POST ~/waits',
    {
      id: 'create-wait',
      summary: 'Create a wait for beads',
      needs: 'work',
      description:
        'The session is woken, or nudged when it runs, once the beads are closed. Its waits end when it is woken, closed ' +
        'or begins a new conversation.',
      repeat: { read: (from, id) => city(from).waits.get(id) },
      body: WaitCreate,
      ok: { 201: WaitView },
      errors: ['bead-not-found', 'session-not-found', SESSION_CONFLICT, 'invalid-request', 'forbidden'],
      extension: true,
    },
    (exchange) => city(exchange).waits.create(exchange.caller, exchange.body),
  ),
  route(
    'GET ~/wait/{id}',
    {
      id: 'get-v0-city-by-city-name-wait-by-id',
      summary: 'Show a wait',
      ok: WaitView,
      errors: ['wait-not-found'],
      age: true,
    },
    (exchange) => city(exchange).waits.get(exchange.params.id),
  ),
  route(
    'POST ~/wait/{id}/cancel',
    {
      id: 'cancel-wait',
      summary: 'Cancel a wait',
      needs: 'work',
      description: 'Its session is not notified. A wait that is over does not change.',
      repeat: { read: (from, id) => city(from).waits.get(id) },
      ok: WaitView,
      errors: ['wait-not-found', 'forbidden'],
      extension: true,
    },
    (exchange) => city(exchange).waits.cancel(exchange.caller, exchange.params.id),
  ),
  route(
    'POST ~/wait/{id}/ready',
    {
      id: 'ready-wait',
      summary: 'End a wait and wake its session',
      needs: 'work',
      description: 'As if the beads of the wait were closed. A wait that is not pending does not change.',
      repeat: { read: (from, id) => city(from).waits.get(id) },
      ok: WaitView,
      errors: ['wait-not-found', 'forbidden'],
      extension: true,
    },
    (exchange) => city(exchange).waits.ready(exchange.caller, exchange.params.id),
  ),
]
