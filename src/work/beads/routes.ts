import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { CLAIM_LOST } from '../errors.ts'
import { Bead, Dep } from '../schema.ts'
import type { Beads } from './beads.ts'
import { BeadsBulkCreate, BeadsBulkUpdate, BeadsBurned, BeadsCreated } from './bulk-schema.ts'
import { BEAD_LIMITS } from './limits.ts'
import {
  BeadAssigned,
  BeadAssignInputBody,
  BeadCreateInputBody,
  BeadDependencies,
  BeadDependInput,
  BeadDepsResponse,
  BeadFilter,
  BeadGraphResponse,
  BeadPage,
  BeadUpdateBody,
  ListBodyBead,
} from './schema.ts'

type City = CityOf<{ beads: Beads }>

/** The longest output of a step, with what its escapes in JSON add to it. */
const MAX_BODY_BYTES = 4 * BEAD_LIMITS.output

const force = {
  needs: { needs: 'work', fields: { force: 'coordinate' } },
  query: Type.Object({
    force: Type.Optional(
      Type.Boolean({
        description: 'Takes the bead away from another session that holds it; only a session needs this.',
      }),
    ),
  }),
} as const

/** The operations on beads. */
export const beadRoutes = (city: City) => [
  route(
    'GET ~/beads',
    {
      id: 'get-v0-city-by-city-name-beads',
      summary: 'List beads',
      description:
        'Newest first. Closed beads are left out unless `all` or `status=closed` is given. With several filters, a page ' +
        'of closed beads may be short, even empty, and still have a `next_cursor`: follow it to read on.',
      query: BeadFilter,
      ok: ListBodyBead,
      errors: ['invalid-cursor'],
      index: true,
      blocking: true,
    },
    (exchange) => city(exchange).beads.list(exchange.query),
  ),
  route(
    'POST ~/beads',
    {
      id: 'create-bead',
      summary: 'Create a bead',
      needs: 'work',
      repeat: { read: (from, id) => city(from).beads.show(id) },
      body: BeadCreateInputBody,
      maxBodyBytes: MAX_BODY_BYTES,
      ok: { 201: Bead },
      errors: ['invalid-request'],
      index: true,
    },
    (exchange) => city(exchange).beads.create(exchange.caller, exchange.body),
  ),
  route(
    'GET ~/beads/ready',
    {
      id: 'get-v0-city-by-city-name-beads-ready',
      summary: 'List ready beads',
      description: 'Open, not deferred and not blocked; the most urgent first, then the oldest. There are no pages.',
      ok: ListBodyBead,
      index: true,
      blocking: true,
    },
    (exchange) => city(exchange).beads.ready(),
  ),
  route(
    'GET ~/beads/graph/{rootID}',
    {
      id: 'get-v0-city-by-city-name-beads-graph-by-root-id',
      summary: 'Show the graph of a bead',
      description: 'Edges point from a prerequisite to the bead that depends on it, and from parent to child.',
      ok: BeadGraphResponse,
      errors: ['bead-not-found'],
      index: true,
    },
    (exchange) => city(exchange).beads.graph(exchange.params.rootID),
  ),
  route(
    'GET ~/beads/graph/{rootID}/beads',
    {
      id: 'list-graph-beads',
      summary: 'List the beads of a graph by page',
      description: 'Oldest first, the root among them: for graphs that are too large for one response.',
      query: BeadPage,
      ok: ListBodyBead,
      errors: ['bead-not-found', 'invalid-cursor'],
      index: true,
      extension: true,
    },
    (exchange) => city(exchange).beads.graphBeads(exchange.params.rootID, exchange.query),
  ),
  route(
    'GET ~/bead/{id}',
    {
      id: 'get-v0-city-by-city-name-bead-by-id',
      summary: 'Show a bead',
      ok: Bead,
      errors: ['bead-not-found'],
      index: true,
    },
    (exchange) => city(exchange).beads.show(exchange.params.id),
  ),
  ...(['PATCH ~/bead/{id}', 'POST ~/bead/{id}/update'] as const).map((path) => updateRoute(city, path)),
  route(
    'DELETE ~/bead/{id}',
    {
      id: 'delete-v0-city-by-city-name-bead-by-id',
      summary: 'Close a bead',
      ...force,
      description: 'Deleting a bead closes it; nothing is removed.',
      ok: OKResponseBody,
      errors: ['bead-not-found', 'conflict-wrong-state', CLAIM_LOST],
    },
    (exchange) => city(exchange).beads.close(exchange.caller, exchange.params.id, exchange.query),
  ),
  route(
    'POST ~/bead/{id}/assign',
    {
      id: 'post-v0-city-by-city-name-bead-by-id-assign',
      summary: 'Assign or unassign a bead',
      ...force,
      description: 'The last assignment wins, and the status does not change. Only a claim is exclusive.',
      body: BeadAssignInputBody,
      ok: BeadAssigned,
      errors: ['bead-not-found', 'invalid-request', 'conflict-wrong-state', CLAIM_LOST],
      index: true,
    },
    (exchange) => city(exchange).beads.assign(exchange.caller, exchange.params.id, exchange.body, exchange.query),
  ),
  route(
    'POST ~/bead/{id}/close',
    {
      id: 'post-v0-city-by-city-name-bead-by-id-close',
      summary: 'Close a bead',
      ...force,
      description:
        'Closing a closed bead changes nothing, but a session that lost its claim of it still gets `claim-lost`.',
      ok: OKResponseBody,
      errors: ['bead-not-found', 'conflict-wrong-state', CLAIM_LOST],
    },
    (exchange) => city(exchange).beads.close(exchange.caller, exchange.params.id, exchange.query),
  ),
  route(
    'POST ~/bead/{id}/burn',
    {
      id: 'burn-molecule',
      summary: 'Discard a molecule',
      ...force,
      description:
        'Removes bookkeeping for good, with everything below it, also while it is open. Of other molecules, work is ' +
        'closed and stays as history.',
      ok: BeadsBurned,
      errors: ['bead-not-found', 'conflict-wrong-state', CLAIM_LOST],
      extension: true,
    },
    (exchange) => city(exchange).beads.burn(exchange.caller, exchange.params.id, exchange.query),
  ),
  route(
    'POST ~/bead/{id}/reopen',
    {
      id: 'post-v0-city-by-city-name-bead-by-id-reopen',
      summary: 'Reopen a closed bead',
      needs: 'work',
      ok: OKResponseBody,
      errors: ['bead-not-found', 'conflict-wrong-state', CLAIM_LOST],
    },
    (exchange) => city(exchange).beads.reopen(exchange.caller, exchange.params.id),
  ),
  route(
    'GET ~/bead/{id}/deps',
    {
      id: 'get-v0-city-by-city-name-bead-by-id-deps',
      summary: 'List the open children of a bead',
      description: 'Includes the molecule and the workflow that it names. For dependencies, see `dependencies`.',
      ok: BeadDepsResponse,
      errors: ['bead-not-found'],
      index: true,
    },
    (exchange) => city(exchange).beads.deps(exchange.params.id),
  ),
  ...dependencyRoutes(city),
  ...bulkRoutes(city),
]

const bulkRoutes = (city: City) => [
  route(
    'POST ~/beads/bulk',
    {
      id: 'create-beads',
      summary: 'Create several beads together',
      needs: 'work',
      description:
        'All or none. Entries may refer to each other as parent and in `needs`, in any order; an error says which ' +
        'entry failed.',
      repeat: { part: 'beads', read: (from, id) => city(from).beads.show(id) },
      body: BeadsBulkCreate,
      ok: { 201: BeadsCreated },
      errors: ['invalid-request'],
      extension: true,
    },
    (exchange) => city(exchange).beads.bulk.create(exchange.caller, exchange.body),
  ),
  route(
    'PATCH ~/beads/bulk',
    {
      id: 'update-beads',
      summary: 'Change several beads together',
      ...force,
      description: 'All or none; an error says which entry failed. Absent fields do not change.',
      body: BeadsBulkUpdate,
      maxBodyBytes: MAX_BODY_BYTES,
      ok: OKResponseBody,
      errors: ['bead-not-found', 'invalid-request', 'conflict-wrong-state', CLAIM_LOST],
      extension: true,
    },
    (exchange) => city(exchange).beads.bulk.update(exchange.caller, exchange.body, exchange.query.force),
  ),
]

const updateRoute = (city: City, path: 'PATCH ~/bead/{id}' | 'POST ~/bead/{id}/update') =>
  route(
    path,
    {
      id: path.startsWith('PATCH')
        ? 'patch-v0-city-by-city-name-bead-by-id'
        : 'post-v0-city-by-city-name-bead-by-id-update',
      summary: 'Change a bead',
      ...force,
      description: 'Absent fields do not change. `status: closed` closes the bead.',
      body: BeadUpdateBody,
      maxBodyBytes: MAX_BODY_BYTES,
      ok: OKResponseBody,
      errors: ['bead-not-found', 'invalid-request', 'conflict-wrong-state', CLAIM_LOST],
    },
    (exchange) => city(exchange).beads.update(exchange.caller, exchange.params.id, exchange.body, exchange.query),
  )

const dependencyRoutes = (city: City) => [
  route(
    'GET ~/bead/{id}/dependencies',
    {
      id: 'list-bead-dependencies',
      summary: 'List the dependencies and dependents of a bead',
      ok: BeadDependencies,
      errors: ['bead-not-found'],
      index: true,
      extension: true,
    },
    (exchange) => city(exchange).beads.dependencies(exchange.params.id),
  ),
  route(
    'POST ~/bead/{id}/deps',
    {
      id: 'add-bead-dependency',
      summary: 'Make a bead depend on another',
      needs: 'work',
      description: 'The types `blocks`, `waits-for` and `conditional-blocks` keep the bead from being ready.',
      body: BeadDependInput,
      ok: { 201: Dep },
      errors: ['bead-not-found', 'invalid-request', CLAIM_LOST],
      extension: true,
    },
    (exchange) => city(exchange).beads.depend(exchange.caller, exchange.params.id, exchange.body),
  ),
  route(
    'DELETE ~/bead/{id}/deps/{depends_on_id}',
    {
      id: 'remove-bead-dependency',
      summary: 'Remove a dependency',
      needs: 'work',
      description:
        'All types of it, unless `type` names one. Removing a dependency that does not exist changes nothing.',
      query: Type.Object({ type: Type.Optional(Type.String({ description: 'Only this type.' })) }),
      ok: OKResponseBody,
      errors: ['bead-not-found', CLAIM_LOST],
      extension: true,
    },
    (exchange) =>
      city(exchange).beads.undepend(
        exchange.caller,
        exchange.params.id,
        exchange.params.depends_on_id,
        exchange.query.type,
      ),
  ),
]
