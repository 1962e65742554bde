import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import { Bead, type Beads, ListBodyBead } from '../beads/index.ts'
import type { Convoys } from './convoys.ts'
import {
  ConvoyAddInputBody,
  ConvoyCheckResponse,
  ConvoyCreateInputBody,
  ConvoyGetResponse,
  ConvoyQuery,
  ConvoyRemoveInputBody,
  ConvoysProgress,
  ConvoyTerms,
} from './schema.ts'

/** The operations on convoys. */
export const convoyRoutes = (city: CityOf<{ convoys: Convoys; beads: Beads }>) => [
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
    (exchange) => city(exchange).convoys.list(exchange.query),
  ),
  route(
    'GET ~/convoys/progress',
    {
      id: 'list-convoys-progress',
      summary: 'Count the members of convoys and those that are closed',
      query: Type.Object({
        ids: Type.Optional(Type.String({ description: 'At most 200 convoys, separated by commas; none when absent.' })),
      }),
      ok: ConvoysProgress,
      errors: ['invalid-request'],
      extension: true,
    },
    (exchange) => city(exchange).convoys.progress(exchange.query.ids ?? ''),
  ),
  route(
    'POST ~/convoys',
    {
      id: 'create-convoy',
      summary: 'Create a convoy',
      needs: 'work',
      description: 'The convoy tracks its items and closes when the last of them is closed.',
      repeat: { read: (from, id) => city(from).beads.show(id) },
      body: ConvoyCreateInputBody,
      ok: { 201: Bead },
      errors: ['invalid-request', 'bead-not-found'],
      index: true,
    },
    (exchange) => city(exchange).convoys.create(exchange.caller, exchange.body),
  ),
  route(
    'POST ~/convoys/terms',
    {
      id: 'create-convoy-on-terms',
      summary: 'Create a convoy with an owner and merge settings',
      needs: 'work',
      description:
        'The owner and the merge settings are stored in its metadata, as `convoy.owner`, `convoy.merge` and `target`. ' +
        'With `owned`, it stays open until a person closes it.',
      repeat: { read: (from, id) => city(from).beads.show(id) },
      body: ConvoyTerms,
      ok: { 201: Bead },
      errors: ['invalid-request', 'bead-not-found'],
      index: true,
      extension: true,
    },
    (exchange) => city(exchange).convoys.create(exchange.caller, exchange.body),
  ),
  route(
    'GET ~/convoy/{id}',
    {
      id: 'get-v0-city-by-city-name-convoy-by-id',
      summary: 'Show a convoy, its members and its progress',
      ok: ConvoyGetResponse,
      errors: ['convoy-not-found'],
      index: true,
    },
    (exchange) => city(exchange).convoys.get(exchange.params.id),
  ),
  route(
    'DELETE ~/convoy/{id}',
    {
      id: 'delete-v0-city-by-city-name-convoy-by-id',
      summary: 'Close a convoy',
      needs: 'work',
      description: 'Its members do not change.',
      ok: OKResponseBody,
      errors: ['convoy-not-found', 'invalid-request'],
    },
    (exchange) => city(exchange).convoys.close(exchange.caller, exchange.params.id),
  ),
  route(
    'POST ~/convoy/{id}/add',
    {
      id: 'post-v0-city-by-city-name-convoy-by-id-add',
      summary: 'Add beads to a convoy',
      needs: 'work',
      description: 'A bead can be in several convoys and keeps its parent. All are added or none.',
      body: ConvoyAddInputBody,
      ok: OKResponseBody,
      errors: ['convoy-not-found', 'bead-not-found', 'invalid-request'],
    },
    (exchange) => city(exchange).convoys.addItems(exchange.caller, exchange.params.id, exchange.body.items),
  ),
  route(
    'POST ~/convoy/{id}/remove',
    {
      id: 'post-v0-city-by-city-name-convoy-by-id-remove',
      summary: 'Remove beads from a convoy',
      needs: 'work',
      description: 'All are removed or none.',
      body: ConvoyRemoveInputBody,
      ok: OKResponseBody,
      errors: ['convoy-not-found', 'bead-not-found', 'invalid-request'],
    },
    (exchange) => city(exchange).convoys.removeItems(exchange.caller, exchange.params.id, exchange.body.items),
  ),
  route(
    'POST ~/convoy/{id}/close',
    {
      id: 'post-v0-city-by-city-name-convoy-by-id-close',
      summary: 'Close a convoy',
      needs: 'work',
      description: 'Closes it even with open members.',
      ok: OKResponseBody,
      errors: ['convoy-not-found', 'invalid-request'],
    },
    (exchange) => city(exchange).convoys.close(exchange.caller, exchange.params.id),
  ),
  route(
    'GET ~/convoy/{id}/check',
    {
      id: 'get-v0-city-by-city-name-convoy-by-id-check',
      summary: 'Check whether a convoy is complete',
      description: 'Changes nothing. A convoy without members is never complete.',
      ok: ConvoyCheckResponse,
      errors: ['convoy-not-found', 'invalid-request'],
      index: true,
    },
    (exchange) => city(exchange).convoys.check(exchange.params.id),
  ),
]
