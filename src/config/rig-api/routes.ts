import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { OKResponseBody } from '../../http/schema.ts'
import type { Rigs } from './rigs.ts'
import {
  RigActed,
  RigCreate,
  RigCreated,
  RigLand,
  RigLandUpdate,
  RigList,
  RigQuery,
  RigResponse,
  RigUpdate,
} from './schema.ts'

/** The operations on rigs. */
export const rigRoutes = (city: CityOf<{ rigs: Rigs }>) => [
  route(
    'GET ~/rigs',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-rigs',
      summary: 'List rigs',
      query: RigQuery,
      ok: RigList,
      index: true,
      blocking: true,
    },
    (x) => city(x).rigs.list(x.query),
  ),
  route(
    'POST ~/rigs',
    {
      id: 'create-rig',
      summary: 'Add a rig',
      needs: 'configure',
      description:
        'An existing folder is added immediately: 201. With `git_url`, the repository is cloned first: 202, and an event reports the outcome.',
      body: RigCreate,
      ok: { 200: RigCreated, 201: RigCreated, 202: RigCreated },
      errors: ['invalid-request', 'conflict-wrong-state'],
    },
    (x) => city(x).rigs.create(x.caller, x.body, x.response),
  ),
  route(
    'GET ~/rig/{name}',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-rig-by-name',
      summary: 'Show a rig',
      query: RigQuery,
      ok: RigResponse,
      errors: ['rig-not-found'],
      index: true,
    },
    (x) => city(x).rigs.get(x.params.name, x.query),
  ),
  route(
    'PATCH ~/rig/{name}',
    {
      id: 'patch-v0-city-by-city-name-rig-by-name',
      summary: 'Change a rig',
      needs: 'configure',
      description: '`suspended` sets whether it starts suspended. To suspend it now, use the action.',
      body: RigUpdate,
      ok: OKResponseBody,
      errors: ['invalid-request', 'rig-not-found', 'conflict-wrong-state'],
    },
    (x) => city(x).rigs.change(x.caller, x.params.name, x.body),
  ),
  route(
    'DELETE ~/rig/{name}',
    {
      id: 'delete-v0-city-by-city-name-rig-by-name',
      summary: 'Remove a rig',
      needs: 'configure',
      description: 'Removes its agents as well. Its folder and its work stay.',
      ok: OKResponseBody,
      errors: ['rig-not-found', 'conflict-wrong-state'],
    },
    (x) => city(x).rigs.remove(x.caller, x.params.name),
  ),
  route(
    'POST ~/rig/{name}/{action}',
    {
      id: 'post-v0-city-by-city-name-rig-by-name-by-action',
      summary: 'Suspend, resume or restart a rig',
      needs: 'configure',
      description:
        'Restarting stops the sessions of its agents and starts new ones. Sessions that could not be stopped are listed.',
      ok: RigActed,
      errors: ['rig-not-found'],
    },
    (x) => city(x).rigs.act(x.caller, x.params.name, x.params.action),
  ),
  route(
    'GET ~/rig/{name}/land/settings',
    {
      configuration: true,
      id: 'get-rig-land-settings',
      summary: 'Show the landing settings of a rig',
      ok: RigLand,
      errors: ['rig-not-found'],
      index: true,
      extension: true,
    },
    (x) => city(x).rigs.land(x.params.name),
  ),
  route(
    'PATCH ~/rig/{name}/land/settings',
    {
      id: 'change-rig-land-settings',
      summary: 'Change the landing settings of a rig',
      needs: 'operator',
      description:
        'Writes `[rigs.land]`. The check is a command that runs on this machine, so no session may change it.',
      body: RigLandUpdate,
      ok: OKResponseBody,
      errors: ['invalid-request', 'rig-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (x) => city(x).rigs.changeLand(x.caller, x.params.name, x.body),
  ),
]
