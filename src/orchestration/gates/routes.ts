import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { Bead, type Beads } from '../../work/beads/index.ts'
import { CLAIM_LOST } from '../../work/errors.ts'
import type { Gates } from './gates.ts'
import { GateCheck, GateCheckResponse, GateCreate } from './schema.ts'

/** The operations on gates. A gate is resolved by closing its bead. */
export const gateRoutes = (city: CityOf<{ gates: Gates; beads: Beads }>) => [
  route(
    'POST ~/gates',
    {
      id: 'create-gate',
      summary: 'Create a gate on a bead',
      needs: 'work',
      description:
        'A timer resolves itself when it is due. GitHub is asked by `gh`, once a minute until the time limit. What waits ' +
        'for a person is listed under attention as soon as nothing else holds the bead up.',
      repeat: { read: (from, id) => city(from).beads.show(id) },
      body: GateCreate,
      ok: { 201: Bead },
      errors: ['bead-not-found', 'invalid-request', CLAIM_LOST],
      extension: true,
    },
    (exchange) => city(exchange).gates.create(exchange.caller, exchange.body),
  ),
  route(
    'POST ~/gates/check',
    {
      id: 'check-gates',
      summary: 'Resolve due gates',
      needs: 'work',
      description: 'Asks GitHub, by `gh`, about those that wait for a run or a pull request.',
      body: GateCheck,
      ok: GateCheckResponse,
      extension: true,
    },
    (exchange) => city(exchange).gates.check(exchange.caller, exchange.body),
  ),
]
