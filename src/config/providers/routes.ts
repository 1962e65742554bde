import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import type { Config } from '../config.ts'
import { getProvider, listProviders, listPublicProviders } from './catalog.ts'
import { ProviderList, ProviderPublicList, ProviderResponse } from './schema.ts'

/** The operations on providers. */
export const providerRoutes = (city: CityOf<{ config: Config }>) => [
  route(
    'GET ~/providers',
    {
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
      id: 'get-v0-city-by-city-name-provider-by-name',
      summary: 'Show a provider',
      description: 'As it is declared, without the values of its base.',
      ok: ProviderResponse,
      errors: ['provider-not-found'],
      index: true,
    },
    (x) => getProvider(city(x).config.current.providers, x.params.name),
  ),
]
