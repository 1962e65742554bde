import type { CityOf } from '../http/city-of.ts'
import { route } from '../http/route.ts'
import type { ConfigViews } from './config-views.ts'
import { ConfigExplained, ConfigResponse, ConfigValidated } from './schema.ts'

/** The operations on what a city's files declare; all of them only look. */
export const configRoutes = (city: CityOf<{ configViews: ConfigViews }>) => [
  route(
    'GET ~/config',
    {
      id: 'get-v0-city-by-city-name-config',
      summary: 'Show the configuration in force',
      description: 'The last good one: while the files are broken, `config/validate` says why they are not in force.',
      ok: ConfigResponse,
      index: true,
    },
    (x) => city(x).configViews.show(),
  ),
  route(
    'GET ~/config/defaults',
    {
      id: 'get-v0-city-by-city-name-config-defaults',
      summary: 'Show what a city has that declares nothing',
      ok: ConfigResponse,
      index: true,
    },
    (x) => city(x).configViews.defaults(),
  ),
  route(
    'GET ~/config/explain',
    {
      id: 'get-v0-city-by-city-name-config-explain',
      summary: 'Show where each agent and provider comes from',
      ok: ConfigExplained,
      index: true,
    },
    (x) => city(x).configViews.explain(),
  ),
  route(
    'GET ~/config/validate',
    {
      id: 'get-v0-city-by-city-name-config-validate',
      summary: 'Check the files on disk',
      description: 'Every mistake with its file, line and key. A broken file is an answer, not an error.',
      ok: ConfigValidated,
    },
    (x) => city(x).configViews.validate(),
  ),
]
