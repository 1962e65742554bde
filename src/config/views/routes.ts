import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import type { ConfigViews } from './config-views.ts'
import { ConfigExplained, ConfigReload, ConfigReloaded, ConfigResponse, ConfigValidated } from './schema.ts'

/** The operations on a city's configuration; none of them writes its files. */
export const configRoutes = (city: CityOf<{ configViews: ConfigViews }>) => [
  route(
    'GET ~/config',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-config',
      summary: 'Show the current configuration',
      description: 'The last good configuration. While the files have errors, `config/validate` lists them.',
      ok: ConfigResponse,
      index: true,
    },
    (x) => city(x).configViews.show(),
  ),
  route(
    'GET ~/config/defaults',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-config-defaults',
      summary: 'Show the default configuration',
      ok: ConfigResponse,
      index: true,
    },
    (x) => city(x).configViews.defaults(),
  ),
  route(
    'GET ~/config/explain',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-config-explain',
      summary: 'Show the declaration of each agent and provider',
      ok: ConfigExplained,
      index: true,
    },
    (x) => city(x).configViews.explain(),
  ),
  route(
    'GET ~/config/validate',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-config-validate',
      summary: 'Validate the configuration files',
      description:
        'Lists every error and warning with its file, line and key, also keys that have no effect. The status is 200 in any case.',
      ok: ConfigValidated,
    },
    (x) => city(x).configViews.validate(),
  ),
  route(
    'POST ~/config/reload',
    {
      configuration: true,
      id: 'reload-config',
      summary: 'Reload the configuration',
      description:
        'gc applies changed files within a second. This responds once they are applied, or with the reason they cannot be.',
      needs: 'work',
      body: Type.Optional(ConfigReload),
      ok: ConfigReloaded,
      extension: true,
    },
    (x) => city(x).configViews.reload(x.caller, x.body),
  ),
]
