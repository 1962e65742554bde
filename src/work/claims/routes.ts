import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { CLAIM_LOST } from '../errors.ts'
import type { Claims } from './claims.ts'
import { Claim, ClaimList, NextWork } from './schema.ts'

/** The operations on claims. Taking, keeping and giving back need a session's token. */
export const claimRoutes = (city: CityOf<{ claims: Claims }>) => [
  route(
    'GET ~/claims',
    {
      id: 'list-claims',
      summary: 'List who has which bead',
      query: Type.Object({
        session: Type.Optional(Type.String({ description: 'Only the claims of this session id.' })),
      }),
      ok: ClaimList,
      index: true,
      extension: true,
    },
    (x) => city(x).claims.list(x.query.session),
  ),
  route(
    'GET ~/claims/{bead_id}',
    {
      id: 'get-claim',
      summary: 'Show who has a bead',
      ok: Claim,
      errors: ['bead-not-found'],
      index: true,
      extension: true,
    },
    (x) => city(x).claims.get(x.params.bead_id),
  ),
  route(
    'POST ~/claims/next',
    {
      id: 'claim-next',
      summary: 'Claim the next bead for the calling session',
      description:
        'First what it has in hand, then what is ready in its name, then the oldest bead routed to its agent. With nothing to do the action is `drain`.',
      ok: NextWork,
      errors: ['forbidden'],
      extension: true,
    },
    (x) => city(x).claims.next(x.caller),
  ),
  route(
    'POST ~/bead/{id}/claim',
    {
      id: 'claim-bead',
      summary: 'Claim a bead for the calling session',
      description: 'Claiming again what it has changes nothing.',
      ok: Claim,
      errors: ['forbidden', 'bead-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (x) => city(x).claims.claim(x.caller, x.params.id),
  ),
  route(
    'POST ~/bead/{id}/heartbeat',
    {
      id: 'heartbeat-bead',
      summary: 'Tell that the calling session still works on a bead',
      ok: Claim,
      errors: ['forbidden', 'bead-not-found', 'conflict-wrong-state', CLAIM_LOST],
      extension: true,
    },
    (x) => city(x).claims.heartbeat(x.caller, x.params.id),
  ),
  route(
    'POST ~/bead/{id}/release',
    {
      id: 'release-bead',
      summary: 'Give a claimed bead back unfinished',
      ok: OKResponseBody,
      errors: ['forbidden', 'bead-not-found', 'conflict-wrong-state', CLAIM_LOST],
      extension: true,
    },
    (x) => city(x).claims.release(x.caller, x.params.id),
  ),
]
