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
      description: 'The agent programs that city.toml declares, as declared, then those that gc knows by itself.',
      ok: ProviderList,
      index: true,
    },
    (x) => listProviders(city(x).config.current.providers),
  ),
  route(
    'GET ~/providers/public',
    {
      id: 'get-v0-city-by-city-name-providers-public',
      summary: 'List what may be chosen about providers',
      description: 'Options with their choices and defaults; never commands, arguments or environments.',
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
      description: 'As it is declared, without what it takes over from its base.',
      ok: ProviderResponse,
      errors: ['provider-not-found'],
      index: true,
    },
    (x) => getProvider(city(x).config.current.providers, x.params.name),
  ),
]
