import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { Config } from '../compose/index.ts'
import { getProvider, listProviders, listPublicProviders } from './catalog.ts'
import type { ProviderDeclarations } from './provider-declarations.ts'
import {
  ProviderCreate,
  ProviderCreated,
  ProviderList,
  ProviderPublicList,
  ProviderResponse,
  ProviderUpdate,
} from './schema.ts'

/** The operations on providers. */
export const providerRoutes = (city: CityOf<{ config: Config; providerDeclarations: ProviderDeclarations }>) => [
  route(
    'GET ~/providers',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-providers',
      summary: 'List providers',
      description: 'The providers that city.toml declares, as they are written there, then those that are built in.',
      ok: ProviderList,
      index: true,
    },
    (x) => listProviders(city(x).config.current.providers),
  ),
  route(
    'GET ~/providers/public',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-providers-public',
      summary: 'List the options of providers',
      description: 'Options with their choices and defaults, without commands, arguments or environments.',
      ok: ProviderPublicList,
      index: true,
    },
    (x) => listPublicProviders(city(x).config.current.providers),
  ),
  route(
    'GET ~/provider/{name}',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-provider-by-name',
      summary: 'Show a provider',
      description: 'The declaration, without the values of its base.',
      ok: ProviderResponse,
      errors: ['provider-not-found'],
      index: true,
    },
    (x) => getProvider(city(x).config.current.providers, x.params.name),
  ),
  route(
    'POST ~/providers',
    {
      id: 'create-provider',
      summary: 'Declare a provider',
      needs: 'configure',
      description: 'In city.toml, with a command or a base. It may have the name of one that is built in.',
      body: ProviderCreate,
      ok: { 201: ProviderCreated },
      errors: ['invalid-request', 'conflict-wrong-state'],
    },
    (x) => city(x).providerDeclarations.create(x.caller, x.body),
  ),
  route(
    'PATCH ~/provider/{name}',
    {
      id: 'patch-v0-city-by-city-name-provider-by-name',
      summary: 'Change a provider',
      needs: 'configure',
      description: 'Absent and null fields do not change. Lists are replaced, and tables are merged.',
      body: ProviderUpdate,
      ok: OKResponseBody,
      errors: ['invalid-request', 'provider-not-found', 'conflict-wrong-state'],
    },
    (x) => city(x).providerDeclarations.change(x.caller, x.params.name, x.body),
  ),
  route(
    'DELETE ~/provider/{name}',
    {
      id: 'delete-v0-city-by-city-name-provider-by-name',
      summary: 'Remove a provider',
      needs: 'configure',
      description: 'One that agents run cannot be removed, unless a builtin has its name.',
      ok: OKResponseBody,
      errors: ['provider-not-found', 'conflict-wrong-state'],
    },
    (x) => city(x).providerDeclarations.remove(x.caller, x.params.name),
  ),
]
