import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const Count = (description: string) => Type.Integer({ format: 'int64', description })
const originString = (description: string) => Type.String({ description })

export const WorkspaceResponse = Type.Object(
  {
    name: Type.String({ description: 'The name of the city.' }),
    prefix: Type.Optional(Type.String({ description: 'Prefix of the ids of its own beads.' })),
    declared_name: Type.Optional(
      Type.String({ description: 'The name in city.toml, which this machine may override.' }),
    ),
    declared_prefix: Type.Optional(Type.String({ description: 'The prefix in city.toml.' })),
    provider: Type.Optional(Type.String({ description: 'The provider of agents that name none.' })),
    suspended: Type.Boolean({ description: 'True if it starts no new sessions.' }),
    session_template: Type.Optional(Type.String()),
    max_active_sessions: Type.Optional(
      Count('Maximum simultaneous sessions; absent if not declared, -1 for no limit.'),
    ),
  },
  { $id: 'WorkspaceResponse', ...closed },
)

const agent = {
  name: Type.String({ description: 'Its name, without its rig.' }),
  dir: Type.Optional(Type.String({ description: 'The rig it works in.' })),
  provider: Type.Optional(Type.String()),
  is_pool: Type.Optional(Type.Boolean({ description: 'True if it may have several sessions.' })),
  scope: Type.Optional(Type.String({ description: '`city` or `rig`.' })),
  suspended: Type.Boolean({ description: 'True if it, or its rig, is suspended.' }),
}

export const ConfigAgent = Type.Object(agent, { $id: 'ConfigAgentResponse', ...closed })
export type ConfigAgent = Static<typeof ConfigAgent>

export const ConfigRig = Type.Object(
  {
    name: Type.String(),
    path: Type.String({ description: 'Its folder on this machine.' }),
    prefix: Type.Optional(Type.String()),
    suspended: Type.Boolean(),
  },
  { $id: 'ConfigRigResponse', ...closed },
)

const provider = {
  display_name: Type.Optional(Type.String({ description: 'Its name for people.' })),
  command: Type.Optional(Type.String()),
  args: Type.Optional(Type.Array(Type.String())),
  acp_command: Type.Optional(Type.String({ description: 'The command that speaks the agent protocol.' })),
  acp_args: Type.Optional(Type.Array(Type.String())),
  prompt_mode: Type.Optional(Type.String({ description: '`arg`, `flag` or `none`.' })),
  prompt_flag: Type.Optional(Type.String()),
  ready_delay_ms: Type.Optional(Count('After this long it counts as ready when its screen does not show it.')),
  env: Type.Optional(Type.Record(Type.String(), Type.String())),
}

export const ConfigProvider = Type.Object(provider, { $id: 'ProviderSpecJSON', ...closed })
export type ConfigProvider = Static<typeof ConfigProvider>

export const ConfigPatches = Type.Object(
  {
    agent_count: Count('Number of agents.'),
    rig_count: Count('Number of rigs.'),
    provider_count: Count('Number of providers.'),
  },
  { $id: 'ConfigPatchesResponse', ...closed },
)
export type ConfigPatches = Static<typeof ConfigPatches>

export const ConfigResponse = Type.Object(
  {
    workspace: WorkspaceResponse,
    agents: Type.Array(ConfigAgent),
    rigs: Type.Array(ConfigRig),
    providers: Type.Optional(Type.Record(Type.String(), ConfigProvider)),
    patches: Type.Optional(ConfigPatches),
    effective_api_url: Type.Optional(Type.String({ description: 'Address of this city.' })),
  },
  { $id: 'ConfigResponse', ...closed },
)
export type ConfigResponse = Static<typeof ConfigResponse>

export const ConfigExplained = Type.Object(
  {
    agents: Type.Array(
      Type.Object(
        {
          ...agent,
          origin: originString(
            '`inline` when city.toml declares it; else `pack-derived`, also for an agent in `agents/` of the city.',
          ),
        },
        { $id: 'AnnotatedAgentResponse', ...closed },
      ),
    ),
    providers: Type.Record(
      Type.String(),
      Type.Object(
        { ...provider, origin: originString('`city`, `builtin`, or `builtin+city` when the city changes a builtin.') },
        { $id: 'AnnotatedProviderResponse', ...closed },
      ),
    ),
    patches: Type.Object(
      { agents: Count('Number of agents.'), rigs: Count('Number of rigs.'), providers: Count('Number of providers.') },
      { $id: 'ConfigExplainPatches', ...closed },
    ),
  },
  { $id: 'ConfigExplainResponse', ...closed },
)
export type ConfigExplained = Static<typeof ConfigExplained>

export const ConfigValidated = Type.Object(
  {
    valid: Type.Boolean({ description: 'True if the files on disk are valid.' }),
    errors: Type.Array(Type.String(), { description: 'Each with its file, line and key.' }),
    warnings: Type.Array(Type.String()),
  },
  { $id: 'ConfigValidateOutputBody', ...closed },
)
export type ConfigValidated = Static<typeof ConfigValidated>

export const ConfigReload = Type.Object(
  {
    soft: Type.Optional(
      Type.Boolean({ description: 'Sessions whose declaration has changed run on as they are until they end.' }),
    ),
  },
  { $id: 'ConfigReloadInputBody', ...closed },
)
export type ConfigReload = Static<typeof ConfigReload>

export const ConfigReloaded = Type.Object(
  {
    outcome: Type.Union([Type.Literal('applied'), Type.Literal('no_change'), Type.Literal('invalid')], {
      description: '`invalid`: the files have errors, and the last good configuration stays active.',
    }),
    errors: Type.Array(Type.String(), { description: 'Each with its file, line and key.' }),
    warnings: Type.Array(Type.String()),
    in_force_since: Type.String({
      format: 'date-time',
      description: 'Time at which the configuration was applied. gc usually applies a change before this is called.',
    }),
    files: Type.Array(Type.String(), {
      description: 'The files applied then; none if the city was opened with them.',
    }),
  },
  { $id: 'ConfigReloadBody', ...closed },
)
export type ConfigReloaded = Static<typeof ConfigReloaded>
