import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { Beads } from '../beads/index.ts'
import { CLAIM_LOST } from '../errors.ts'
import type { Claims } from './claims.ts'
import { Claim, ClaimList, NextWork } from './schema.ts'

/** The operations on claims. Claiming, renewing and releasing need a session's token. */
export const claimRoutes = (city: CityOf<{ claims: Claims; beads: Beads }>) => [
  route(
    'GET ~/claims',
    {
      id: 'list-claims',
      summary: 'List claims',
      query: Type.Object({
        session: Type.Optional(Type.String({ description: 'Only the claims of this session id.' })),
      }),
      ok: ClaimList,
      index: true,
      extension: true,
    },
    (exchange) => city(exchange).claims.list(exchange.query.session),
  ),
  route(
    'GET ~/claims/{bead_id}',
    {
      id: 'get-claim',
      summary: 'Show the claim of a bead',
      ok: Claim,
      errors: ['bead-not-found'],
      index: true,
      extension: true,
    },
    (exchange) => city(exchange).claims.get(exchange.params.bead_id),
  ),
  route(
    'POST ~/claims/next',
    {
      id: 'claim-next',
      summary: 'Claim the next bead for the calling session',
      needs: 'session',
      description:
        'Its work in progress first, then what is ready and assigned to it, then the oldest bead that is routed to its ' +
        'agent. When there is nothing to do, the action is `drain`.',
      repeat: { part: 'bead', read: (from, id) => city(from).beads.show(id) },
      ok: NextWork,
      errors: ['forbidden'],
      extension: true,
    },
    (exchange) => city(exchange).claims.next(exchange.caller),
  ),
  route(
    'POST ~/bead/{id}/claim',
    {
      id: 'claim-bead',
      summary: 'Claim a bead for the calling session',
      needs: 'session',
      description: 'Claiming a bead that the session holds already changes nothing.',
      ok: Claim,
      errors: ['forbidden', 'bead-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (exchange) => city(exchange).claims.claim(exchange.caller, exchange.params.id),
  ),
  route(
    'POST ~/bead/{id}/heartbeat',
    {
      id: 'heartbeat-bead',
      summary: 'Renew the claim of a bead by the calling session',
      needs: 'session',
      ok: Claim,
      errors: ['forbidden', 'bead-not-found', 'conflict-wrong-state', CLAIM_LOST],
      extension: true,
    },
    (exchange) => city(exchange).claims.heartbeat(exchange.caller, exchange.params.id),
  ),
  route(
    'POST ~/bead/{id}/release',
    {
      id: 'release-bead',
      summary: 'Return a claimed bead unfinished',
      needs: 'session',
      ok: OKResponseBody,
      errors: ['forbidden', 'bead-not-found', 'conflict-wrong-state', CLAIM_LOST],
      extension: true,
    },
    (exchange) => city(exchange).claims.release(exchange.caller, exchange.params.id),
  ),
]
