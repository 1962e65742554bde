import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import type { Patches } from './patches.ts'
import {
  AgentPatch,
  AgentPatchList,
  AgentPatchSet,
  PatchDeleted,
  PatchSaved,
  ProviderPatch,
  ProviderPatchList,
  ProviderPatchSet,
  RigPatch,
  RigPatchList,
  RigPatchSet,
} from './schema.ts'

const FORCE = 'A patch that a person wrote is a conflict, unless the header is `X-GC-Force: 1`.'

const put = {
  needs: 'configure',
  description: `Replaces the whole patch of the same name and applies it immediately. A patch that cannot be applied changes nothing. ${FORCE}`,
  ok: PatchSaved,
  errors: ['invalid-request', 'conflict-wrong-state'],
} as const

const remove = {
  needs: 'configure',
  description: FORCE,
  ok: PatchDeleted,
  errors: ['patch-not-found', 'conflict-wrong-state'],
} as const

const get = { errors: ['patch-not-found'], index: true } as const

const isForced = ({ request }: { request: Request }): boolean =>
  /^(1|true)$/.test(request.headers.get('X-GC-Force') ?? '')

const qualified = ({ params: { dir, base } }: { params: { dir: string; base: string } }) => `${dir}/${base}`

/** The operations on patches. */
export const patchRoutes = (city: CityOf<{ patches: Patches }>) => [
  route(
    'GET ~/patches/agents',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-patches-agents',
      summary: 'List patches of agents',
      description: 'As they are written, those of pack.toml first.',
      ok: AgentPatchList,
      index: true,
    },
    (x) => city(x).patches.agents(),
  ),
  route(
    'PUT ~/patches/agents',
    {
      id: 'put-v0-city-by-city-name-patches-agents',
      summary: 'Put a patch of an agent',
      body: AgentPatchSet,
      ...put,
    },
    (x) => city(x).patches.putAgent(x.caller, x.body, isForced(x)),
  ),
  route(
    'GET ~/patches/agent/{base}',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-patches-agent-by-base',
      summary: 'Show the patch of an agent of the city',
      ok: AgentPatch,
      ...get,
    },
    (x) => city(x).patches.agent(x.params.base),
  ),
  route(
    'DELETE ~/patches/agent/{base}',
    {
      id: 'delete-v0-city-by-city-name-patches-agent-by-base',
      summary: 'Delete the patch of an agent of the city',
      ...remove,
    },
    (x) => city(x).patches.remove(x.caller, 'agent', x.params.base, isForced(x)),
  ),
  route(
    'GET ~/patches/agent/{dir}/{base}',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-patches-agent-by-dir-by-base',
      summary: 'Show the patch of an agent of a rig',
      ok: AgentPatch,
      ...get,
    },
    (x) => city(x).patches.agent(qualified(x)),
  ),
  route(
    'DELETE ~/patches/agent/{dir}/{base}',
    {
      id: 'delete-v0-city-by-city-name-patches-agent-by-dir-by-base',
      summary: 'Delete the patch of an agent of a rig',
      ...remove,
    },
    (x) => city(x).patches.remove(x.caller, 'agent', qualified(x), isForced(x)),
  ),
  route(
    'GET ~/patches/rigs',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-patches-rigs',
      summary: 'List patches of rigs',
      ok: RigPatchList,
      index: true,
    },
    (x) => city(x).patches.rigs(),
  ),
  route(
    'PUT ~/patches/rigs',
    { id: 'put-v0-city-by-city-name-patches-rigs', summary: 'Put a patch of a rig', body: RigPatchSet, ...put },
    (x) => city(x).patches.putRig(x.caller, x.body, isForced(x)),
  ),
  route(
    'GET ~/patches/rig/{name}',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-patches-rig-by-name',
      summary: 'Show the patch of a rig',
      ok: RigPatch,
      ...get,
    },
    (x) => city(x).patches.rig(x.params.name),
  ),
  route(
    'DELETE ~/patches/rig/{name}',
    { id: 'delete-v0-city-by-city-name-patches-rig-by-name', summary: 'Delete the patch of a rig', ...remove },
    (x) => city(x).patches.remove(x.caller, 'rigs', x.params.name, isForced(x)),
  ),
  route(
    'GET ~/patches/providers',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-patches-providers',
      summary: 'List patches of providers',
      ok: ProviderPatchList,
      index: true,
    },
    (x) => city(x).patches.providers(),
  ),
  route(
    'PUT ~/patches/providers',
    {
      id: 'put-v0-city-by-city-name-patches-providers',
      summary: 'Put a patch of a provider',
      body: ProviderPatchSet,
      ...put,
    },
    (x) => city(x).patches.putProvider(x.caller, x.body, isForced(x)),
  ),
  route(
    'GET ~/patches/provider/{name}',
    {
      configuration: true,
      id: 'get-v0-city-by-city-name-patches-provider-by-name',
      summary: 'Show the patch of a provider',
      ok: ProviderPatch,
      ...get,
    },
    (x) => city(x).patches.provider(x.params.name),
  ),
  route(
    'DELETE ~/patches/provider/{name}',
    {
      id: 'delete-v0-city-by-city-name-patches-provider-by-name',
      summary: 'Delete the patch of a provider',
      ...remove,
    },
    (x) => city(x).patches.remove(x.caller, 'providers', x.params.name, isForced(x)),
  ),
]
