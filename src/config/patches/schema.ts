import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { nullable } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const
const Integer = Type.Integer({ format: 'int64' })
const OptionalString = nullable(Type.String())
const OptionalStrings = nullable(Type.Array(Type.String()))
const OptionalBoolean = nullable(Type.Boolean())
const OptionalInteger = nullable(Integer)
const Strings = Type.Record(Type.String(), Type.String())

export const PoolOverride = Type.Object(
  {
    Min: OptionalInteger,
    Max: OptionalInteger,
    Check: OptionalString,
    DrainTimeout: OptionalString,
    OnDeath: OptionalString,
    OnBoot: OptionalString,
  },
  { $id: 'PoolOverride', ...closed, description: 'An older form of the limits of a pool.' },
)

export const AgentPatch = Type.Object(
  {
    Dir: Type.String({ description: 'The rig of the agent; empty for one of the city.' }),
    Name: Type.String({ description: 'The agent, with the name of its pack.' }),
    WorkDir: OptionalString,
    TmuxAlias: OptionalString,
    Scope: OptionalString,
    Suspended: OptionalBoolean,
    Pool: PoolOverride,
    Env: Strings,
    EnvRemove: OptionalStrings,
    PreStart: OptionalStrings,
    PromptTemplate: OptionalString,
    Session: OptionalString,
    Provider: OptionalString,
    Upstream: OptionalString,
    Args: OptionalStrings,
    StartCommand: OptionalString,
    Lifecycle: OptionalString,
    Nudge: OptionalString,
    IdleTimeout: OptionalString,
    MaxSessionAge: OptionalString,
    MaxSessionAgeJitter: OptionalString,
    AssignedWorkDeferLimit: OptionalInteger,
    SleepAfterIdle: OptionalString,
    InstallAgentHooks: OptionalStrings,
    Skills: OptionalStrings,
    MCP: OptionalStrings,
    SkillsAppend: OptionalStrings,
    MCPAppend: OptionalStrings,
    HooksInstalled: OptionalBoolean,
    InjectAssignedSkills: OptionalBoolean,
    SessionSetup: OptionalStrings,
    SessionSetupScript: OptionalString,
    SessionLive: OptionalStrings,
    OverlayDir: OptionalString,
    DefaultSlingFormula: OptionalString,
    InjectFragments: OptionalStrings,
    AppendFragments: OptionalStrings,
    Attach: OptionalBoolean,
    DependsOn: OptionalStrings,
    ResumeCommand: OptionalString,
    WakeMode: OptionalString,
    MouseMode: OptionalString,
    PreStartAppend: OptionalStrings,
    SessionSetupAppend: OptionalStrings,
    SessionLiveAppend: OptionalStrings,
    InstallAgentHooksAppend: OptionalStrings,
    InjectFragmentsAppend: OptionalStrings,
    MaxActiveSessions: OptionalInteger,
    MinActiveSessions: OptionalInteger,
    ScaleCheck: OptionalString,
    OptionDefaults: Strings,
  },
  { $id: 'AgentPatch', ...closed, description: 'Patch of an agent; null fields do not change.' },
)
export type AgentPatch = Static<typeof AgentPatch>

export const RigPatch = Type.Object(
  {
    Name: Type.String(),
    Path: OptionalString,
    Prefix: OptionalString,
    DefaultBranch: OptionalString,
    Suspended: OptionalBoolean,
    SuspendedOnStart: OptionalBoolean,
    FormulaVars: Strings,
  },
  { $id: 'RigPatch', ...closed, description: 'Patch of a rig; null fields do not change.' },
)
export type RigPatch = Static<typeof RigPatch>

export const ProviderPatch = Type.Object(
  {
    Name: Type.String(),
    Base: OptionalString,
    Command: OptionalString,
    ACPCommand: OptionalString,
    Args: OptionalStrings,
    ACPArgs: OptionalStrings,
    ArgsAppend: OptionalStrings,
    OptionsSchemaMerge: OptionalString,
    PromptMode: OptionalString,
    PromptFlag: OptionalString,
    ReadyDelayMs: OptionalInteger,
    AcceptStartupDialogs: OptionalBoolean,
    Env: Strings,
    EnvRemove: OptionalStrings,
    Replace: Type.Boolean({ description: 'True if it replaces the whole declaration.' }),
  },
  { $id: 'ProviderPatch', ...closed, description: 'Patch of a provider; null fields do not change.' },
)
export type ProviderPatch = Static<typeof ProviderPatch>

const listOf = <Schema extends TSchema>(item: Schema, id: string) =>
  Type.Object(
    {
      items: nullable(Type.Array(item)),
      total: Type.Integer({ format: 'int64', description: 'Total number.' }),
      next_cursor: Type.Optional(Type.String({ description: 'Pass it as `cursor` for the next page.' })),
      partial: Type.Optional(Type.Boolean({ description: 'True if something could not be read.' })),
      partial_errors: Type.Optional(OptionalStrings),
    },
    { $id: id, ...closed },
  )

export const AgentPatchList = listOf(AgentPatch, 'ListBodyAgentPatch')
export const RigPatchList = listOf(RigPatch, 'ListBodyRigPatch')
export const ProviderPatchList = listOf(ProviderPatch, 'ListBodyProviderPatch')

export const AgentPatchSet = Type.Object(
  {
    dir: Type.Optional(Type.String({ description: 'The rig of the agent; absent for one of the city.' })),
    name: Type.Optional(Type.String({ description: 'The agent, with the name of its pack. Required.' })),
    provider: Type.Optional(Type.String()),
    work_dir: Type.Optional(Type.String()),
    tmux_alias: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String({ description: '`city` or `rig`.' })),
    suspended: Type.Optional(Type.Boolean()),
    env: Type.Optional(Strings),
  },
  { $id: 'AgentPatchSetInputBody', ...closed },
)
export type AgentPatchSet = Static<typeof AgentPatchSet>

export const RigPatchSet = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'The rig. Required.' })),
    path: Type.Optional(Type.String()),
    prefix: Type.Optional(Type.String()),
    default_branch: Type.Optional(Type.String()),
    suspended: Type.Optional(Type.Boolean({ description: 'True if it starts suspended.' })),
  },
  { $id: 'RigPatchSetInputBody', ...closed },
)
export type RigPatchSet = Static<typeof RigPatchSet>

export const ProviderPatchSet = Type.Object(
  {
    name: Type.Optional(Type.String({ description: 'The provider, which the city declares. Required.' })),
    command: Type.Optional(Type.String()),
    acp_command: Type.Optional(Type.String()),
    args: Type.Optional(OptionalStrings),
    acp_args: Type.Optional(OptionalStrings),
    prompt_mode: Type.Optional(Type.String()),
    prompt_flag: Type.Optional(Type.String()),
    ready_delay_ms: Type.Optional(Integer),
    accept_startup_dialogs: Type.Optional(Type.Boolean()),
    env: Type.Optional(Strings),
  },
  { $id: 'ProviderPatchSetInputBody', ...closed },
)
export type ProviderPatchSet = Static<typeof ProviderPatchSet>

const outcome = {
  status: Type.String({ description: 'Action, in one word.' }),
  agent_patch: Type.Optional(Type.String({ description: 'The agent, with its rig.' })),
  rig_patch: Type.Optional(Type.String()),
  provider_patch: Type.Optional(Type.String()),
}

export const PatchSaved = Type.Object(outcome, { $id: 'PatchOKResponseBody', ...closed })
export type PatchSaved = Static<typeof PatchSaved>

export const PatchDeleted = Type.Object(outcome, { $id: 'PatchDeletedResponseBody', ...closed })
export type PatchDeleted = Static<typeof PatchDeleted>
