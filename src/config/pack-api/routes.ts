import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { PACK_CREDENTIAL_REQUIRED } from '../packs/index.ts'
import type { Packs } from './packs.ts'
import { PackAdd, PackAdded, PackCommandList, PackList, PackRemoved } from './schema.ts'

/** The operations on the packs that a city imports. */
export const packRoutes = (city: CityOf<{ packs: Packs }>) => [
  route(
    'GET ~/packs',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-packs',
      summary: 'List imported packs',
      description: 'Direct imports of the city.',
      ok: PackList,
    },
    (x) => city(x).packs.list(),
  ),
  route(
    'GET ~/pack-commands',
    {
      configuration: true,
      id: 'list-pack-commands',
      summary: 'List commands of packs',
      ok: PackCommandList,
      extension: true,
    },
    (x) => city(x).packs.commands(),
  ),
  route(
    'POST ~/packs',
    {
      id: 'add-pack',
      summary: 'Import a pack',
      needs: 'configure',
      description: 'The repository is fetched and locked before the response, with all that it imports.',
      body: PackAdd,
      ok: { 201: PackAdded },
      errors: ['invalid-request', 'conflict-wrong-state', 'bad-gateway', PACK_CREDENTIAL_REQUIRED],
    },
    (x) => city(x).packs.add(x.caller, x.body),
  ),
  route(
    'DELETE ~/packs/{name}',
    {
      id: 'delete-v0-city-by-city-name-packs-by-name',
      summary: 'Remove an imported pack',
      needs: 'configure',
      description: 'An import in city.toml goes before the one in pack.toml that it replaces.',
      ok: PackRemoved,
      errors: ['invalid-request', 'pack-not-found'],
    },
    (x) => city(x).packs.remove(x.caller, x.params.name),
  ),
]
