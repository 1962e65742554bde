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
      summary: 'List who waits for what',
      description: 'Newest first; what is over is left out. At most 1000.',
      query: WaitQuery,
      ok: WaitListBody,
      age: true,
    },
    (x) => city(x).waits.list(x.query),
  ),
  route(
    'POST ~/waits',
    {
      id: 'create-wait',
      summary: 'Let a session wait for beads',
      description:
        'It is woken, or reminded when it runs, once they are closed. Waking it, closing it and beginning a new conversation end its waits.',
      body: WaitCreate,
      ok: { 201: WaitView },
      errors: ['bead-not-found', 'session-not-found', SESSION_CONFLICT, 'invalid-request', 'forbidden'],
      headers: { 'Idempotency-Key': 'The same key with the same body begins one wait and answers the same.' },
      extension: true,
    },
    (x) => city(x).waits.create(x.caller, x.body, x.saveResponse),
  ),
  route(
    'GET ~/wait/{id}',
    {
      id: 'get-v0-city-by-city-name-wait-by-id',
      summary: 'Show a wait, also one that is over',
      ok: WaitView,
      errors: ['wait-not-found'],
      age: true,
    },
    (x) => city(x).waits.get(x.params.id),
  ),
  route(
    'POST ~/wait/{id}/cancel',
    {
      id: 'cancel-wait',
      summary: 'End a wait without telling its session',
      description: 'One that is over stays as it is.',
      ok: WaitView,
      errors: ['wait-not-found', 'forbidden'],
      extension: true,
    },
    (x) => city(x).waits.cancel(x.caller, x.params.id),
  ),
  route(
    'POST ~/wait/{id}/ready',
    {
      id: 'ready-wait',
      summary: 'Wake the session of a wait now',
      description: 'As if what it waits for were closed. A wait that is not pending stays as it is.',
      ok: WaitView,
      errors: ['wait-not-found', 'forbidden'],
      extension: true,
    },
    (x) => city(x).waits.ready(x.caller, x.params.id),
  ),
]
