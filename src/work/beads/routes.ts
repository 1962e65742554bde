import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { CLAIM_LOST } from '../errors.ts'
import type { Beads } from './beads.ts'
import { BeadsBulkCreate, BeadsBulkUpdate, BeadsCreated } from './bulk-schema.ts'
import {
  Bead,
  BeadAssigned,
  BeadAssignInputBody,
  BeadCreateInputBody,
  BeadDependencies,
  BeadDependInput,
  BeadDepsResponse,
  BeadFilter,
  BeadGraphResponse,
  BeadUpdateBody,
  Dep,
  ListBodyBead,
} from './schema.ts'

type City = CityOf<{ beads: Beads }>

/** The operations on beads. */
export const beadRoutes = (city: City) => [
  route(
    'GET ~/beads',
    {
      id: 'get-v0-city-by-city-name-beads',
      summary: 'List beads',
      description:
        'Newest first. Closed beads are left out unless asked for with `all` or `status=closed`. Asked for by several ' +
        'terms at once, a page of them may be short, even empty, and still have a `next_cursor`: it goes on looking there.',
      query: BeadFilter,
      ok: ListBodyBead,
      errors: ['invalid-cursor'],
      index: true,
      blocking: true,
    },
    (x) => city(x).beads.list(x.query),
  ),
  route(
    'POST ~/beads',
    {
      id: 'create-bead',
      summary: 'Create a bead',
      body: BeadCreateInputBody,
      ok: { 201: Bead },
      errors: ['invalid-request'],
      index: true,
      headers: { 'Idempotency-Key': 'The same key with the same body creates one bead and answers the same.' },
    },
    (x) => city(x).beads.create(x.body, x.saveResponse),
  ),
  route(
    'GET ~/beads/ready',
    {
      id: 'get-v0-city-by-city-name-beads-ready',
      summary: 'List beads that can be worked on now',
      description: 'Open, not deferred, waiting for nothing; the most urgent first, then the oldest. Not paged.',
      ok: ListBodyBead,
      index: true,
      blocking: true,
    },
    (x) => city(x).beads.ready(),
  ),
  route(
    'GET ~/beads/graph/{rootID}',
    {
      id: 'get-v0-city-by-city-name-beads-graph-by-root-id',
      summary: 'Show a bead with everything that belongs to it',
      description: 'Arrows point from the prerequisite to what depends on it, and from parent to child.',
      ok: BeadGraphResponse,
      errors: ['bead-not-found'],
      index: true,
    },
    (x) => city(x).beads.graph(x.params.rootID),
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
    (x) => city(x).beads.show(x.params.id),
  ),
  ...(['PATCH ~/bead/{id}', 'POST ~/bead/{id}/update'] as const).map((path) => updateRoute(city, path)),
  route(
    'DELETE ~/bead/{id}',
    {
      id: 'delete-v0-city-by-city-name-bead-by-id',
      summary: 'Close a bead',
      description: 'Beads are never lost this way: deleting one closes it.',
      ok: OKResponseBody,
      errors: ['bead-not-found', CLAIM_LOST],
    },
    (x) => city(x).beads.close(x.caller, x.params.id),
  ),
  route(
    'POST ~/bead/{id}/assign',
    {
      id: 'post-v0-city-by-city-name-bead-by-id-assign',
      summary: 'Give a bead to a session, or to nobody',
      description: 'The last one to assign wins; the status stays. Only a claim is exclusive.',
      body: BeadAssignInputBody,
      ok: BeadAssigned,
      errors: ['bead-not-found', 'invalid-request', CLAIM_LOST],
      index: true,
    },
    (x) => city(x).beads.assign(x.caller, x.params.id, x.body),
  ),
  route(
    'POST ~/bead/{id}/close',
    {
      id: 'post-v0-city-by-city-name-bead-by-id-close',
      summary: 'Close a bead',
      description:
        'Closing a closed bead changes nothing; a session that lost its claim of it is refused all the same.',
      ok: OKResponseBody,
      errors: ['bead-not-found', CLAIM_LOST],
    },
    (x) => city(x).beads.close(x.caller, x.params.id),
  ),
  route(
    'POST ~/bead/{id}/reopen',
    {
      id: 'post-v0-city-by-city-name-bead-by-id-reopen',
      summary: 'Open a closed bead again',
      ok: OKResponseBody,
      errors: ['bead-not-found', 'conflict-wrong-state', CLAIM_LOST],
    },
    (x) => city(x).beads.reopen(x.caller, x.params.id),
  ),
  route(
    'GET ~/bead/{id}/deps',
    {
      id: 'get-v0-city-by-city-name-bead-by-id-deps',
      summary: 'List the open children of a bead',
      description: 'With the molecule and the workflow it names. Its dependencies are in `dependencies`.',
      ok: BeadDepsResponse,
      errors: ['bead-not-found'],
      index: true,
    },
    (x) => city(x).beads.deps(x.params.id),
  ),
  ...dependencyRoutes(city),
  ...bulkRoutes(city),
]

const bulkRoutes = (city: City) => [
  route(
    'POST ~/beads/bulk',
    {
      id: 'create-beads',
      summary: 'Create many beads at once',
      description:
        'All or none. Entries may name each other as parent and in `needs`, in any order; a refusal says which entry is ' +
        'at fault.',
      body: BeadsBulkCreate,
      ok: { 201: BeadsCreated },
      errors: ['invalid-request'],
      headers: { 'Idempotency-Key': 'The same key with the same body creates the beads once and answers the same.' },
      extension: true,
    },
    (x) => city(x).beads.bulk.create(x.body, x.saveResponse),
  ),
  route(
    'PATCH ~/beads/bulk',
    {
      id: 'update-beads',
      summary: 'Change many beads at once',
      description: 'All or none; a refusal says which entry is at fault. What is absent stays.',
      body: BeadsBulkUpdate,
      ok: OKResponseBody,
      errors: ['bead-not-found', 'invalid-request', CLAIM_LOST],
      extension: true,
    },
    (x) => city(x).beads.bulk.update(x.caller, x.body),
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
      description: 'What is absent stays. `status: closed` closes it.',
      body: BeadUpdateBody,
      ok: OKResponseBody,
      errors: ['bead-not-found', 'invalid-request', CLAIM_LOST],
    },
    (x) => city(x).beads.update(x.caller, x.params.id, x.body),
  )

const dependencyRoutes = (city: City) => [
  route(
    'GET ~/bead/{id}/dependencies',
    {
      id: 'list-bead-dependencies',
      summary: 'List what a bead depends on and what depends on it',
      ok: BeadDependencies,
      errors: ['bead-not-found'],
      index: true,
      extension: true,
    },
    (x) => city(x).beads.dependencies(x.params.id),
  ),
  route(
    'POST ~/bead/{id}/deps',
    {
      id: 'add-bead-dependency',
      summary: 'Make a bead depend on another',
      description: 'One of type `blocks`, `waits-for` or `conditional-blocks` keeps it from being ready.',
      body: BeadDependInput,
      ok: { 201: Dep },
      errors: ['bead-not-found', 'invalid-request', CLAIM_LOST],
      extension: true,
    },
    (x) => city(x).beads.depend(x.caller, x.params.id, x.body),
  ),
  route(
    'DELETE ~/bead/{id}/deps/{depends_on_id}',
    {
      id: 'remove-bead-dependency',
      summary: 'End a dependency',
      description: 'Every type of it unless `type` names one. Ending one that is not there changes nothing.',
      query: Type.Object({ type: Type.Optional(Type.String({ description: 'Only this type.' })) }),
      ok: OKResponseBody,
      errors: ['bead-not-found', CLAIM_LOST],
      extension: true,
    },
    (x) => city(x).beads.undepend(x.caller, x.params.id, x.params.depends_on_id, x.query.type),
  ),
]
