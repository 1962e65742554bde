import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { Bead, ListBodyBead } from '../beads/schema.ts'
import type { Convoys } from './convoys.ts'
import {
  ConvoyAddInputBody,
  ConvoyCheckResponse,
  ConvoyCreateInputBody,
  ConvoyGetResponse,
  ConvoyQuery,
  ConvoyRemoveInputBody,
  ConvoyTerms,
} from './schema.ts'

/** The operations on convoys. */
export const convoyRoutes = (city: CityOf<{ convoys: Convoys }>) => [
  route(
    'GET ~/convoys',
    {
      id: 'get-v0-city-by-city-name-convoys',
      summary: 'List open convoys',
      description: 'Newest first.',
      query: ConvoyQuery,
      ok: ListBodyBead,
      errors: ['invalid-cursor'],
      index: true,
      blocking: true,
    },
    (x) => city(x).convoys.list(x.query),
  ),
  route(
    'POST ~/convoys',
    {
      id: 'create-convoy',
      summary: 'Create a convoy',
      description: 'It tracks its items and closes with the last of them.',
      body: ConvoyCreateInputBody,
      ok: { 201: Bead },
      errors: ['invalid-request', 'bead-not-found'],
      index: true,
      headers: { 'Idempotency-Key': 'The same key with the same body creates one convoy and answers the same.' },
    },
    (x) => city(x).convoys.create(x.caller, x.body, x.saveResponse),
  ),
  route(
    'POST ~/convoys/terms',
    {
      id: 'create-convoy-on-terms',
      summary: 'Create a convoy with what is agreed about it',
      description:
        'Who answers for it and how its work is to be merged are kept in its metadata, as `convoy.owner`, `convoy.merge` ' +
        'and `target`; one that is `owned` does not close with the last of its items.',
      body: ConvoyTerms,
      ok: { 201: Bead },
      errors: ['invalid-request', 'bead-not-found'],
      index: true,
      headers: { 'Idempotency-Key': 'The same key with the same body creates one convoy and answers the same.' },
      extension: true,
    },
    (x) => city(x).convoys.create(x.caller, x.body, x.saveResponse),
  ),
  route(
    'GET ~/convoy/{id}',
    {
      id: 'get-v0-city-by-city-name-convoy-by-id',
      summary: 'Show a convoy, its members and how far they are',
      ok: ConvoyGetResponse,
      errors: ['convoy-not-found'],
      index: true,
    },
    (x) => city(x).convoys.get(x.params.id),
  ),
  route(
    'DELETE ~/convoy/{id}',
    {
      id: 'delete-v0-city-by-city-name-convoy-by-id',
      summary: 'Close a convoy',
      description: 'Its members stay as they are.',
      ok: OKResponseBody,
      errors: ['convoy-not-found', 'invalid-request'],
    },
    (x) => city(x).convoys.close(x.caller, x.params.id),
  ),
  route(
    'POST ~/convoy/{id}/add',
    {
      id: 'post-v0-city-by-city-name-convoy-by-id-add',
      summary: 'Add beads to a convoy',
      description: 'A bead can be in several convoys; its parent stays. All are added or none.',
      body: ConvoyAddInputBody,
      ok: OKResponseBody,
      errors: ['convoy-not-found', 'bead-not-found', 'invalid-request'],
    },
    (x) => city(x).convoys.addItems(x.params.id, x.body.items),
  ),
  route(
    'POST ~/convoy/{id}/remove',
    {
      id: 'post-v0-city-by-city-name-convoy-by-id-remove',
      summary: 'Take beads out of a convoy',
      description: 'All are taken out or none.',
      body: ConvoyRemoveInputBody,
      ok: OKResponseBody,
      errors: ['convoy-not-found', 'bead-not-found', 'invalid-request'],
    },
    (x) => city(x).convoys.removeItems(x.params.id, x.body.items),
  ),
  route(
    'POST ~/convoy/{id}/close',
    {
      id: 'post-v0-city-by-city-name-convoy-by-id-close',
      summary: 'Close a convoy',
      description: 'Whether or not its members are done.',
      ok: OKResponseBody,
      errors: ['convoy-not-found', 'invalid-request'],
    },
    (x) => city(x).convoys.close(x.caller, x.params.id),
  ),
  route(
    'GET ~/convoy/{id}/check',
    {
      id: 'get-v0-city-by-city-name-convoy-by-id-check',
      summary: 'Tell whether a convoy is complete',
      description: 'Only looks; a convoy without members is never complete.',
      ok: ConvoyCheckResponse,
      errors: ['convoy-not-found', 'invalid-request'],
      index: true,
    },
    (x) => city(x).convoys.check(x.params.id),
  ),
]
