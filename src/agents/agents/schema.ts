import { type Static, Type } from '@sinclair/typebox'
import { PERMISSIONS } from '../../http/needs.ts'
import { listOf } from '../../http/schema.ts'

const closed = { additionalProperties: false } as const

export const SessionInfo = Type.Object(
  {
    name: Type.String({ description: 'The name of the session at run time.' }),
    last_activity: Type.Optional(
      Type.String({ format: 'date-time', description: "Time of its program's last output." }),
    ),
    attached: Type.Boolean({ description: 'True if a terminal is attached to it.' }),
  },
  { $id: 'SessionInfo', ...closed },
)
export type SessionInfo = Static<typeof SessionInfo>

export const AgentResponse = Type.Object(
  {
    name: Type.String({
      description:
        'Qualified: `rig/name`, or `name` for an agent of the city. An instance of a pool ends in its number.',
    }),
    description: Type.Optional(Type.String()),
    display_name: Type.Optional(Type.String({ description: 'The display name of the provider.' })),
    running: Type.Boolean({ description: 'True if a session of it is running.' }),
    suspended: Type.Boolean({ description: 'True if it or its rig is suspended.' }),
    rig: Type.Optional(Type.String({ description: 'The rig it works in.' })),
    pool: Type.Optional(Type.String({ description: 'The pool that this is an instance of.' })),
    session: Type.Optional(SessionInfo),
    active_bead: Type.Optional(Type.String({ description: 'The bead it works on.' })),
    provider: Type.Optional(Type.String({ description: 'The program that it runs.' })),
    pack_derived: Type.Boolean({
      description: 'True if it is declared outside of city.toml: by a pack or in `agents/` of the city.',
    }),
    pack: Type.Optional(Type.String({ description: 'The pack that declares it.' })),
    state: Type.String({ description: 'suspended, quarantined, stopped, working, waiting or idle.' }),
    available: Type.Boolean({ description: 'True if it can be started.' }),
    unavailable_reason: Type.Optional(Type.String({ description: 'Reason it cannot be started.' })),
    idle_reason: Type.Optional(
      Type.String({ description: 'Reason it does no work now, and what to do; only where one agent is read.' }),
    ),
    last_output: Type.Optional(Type.String({ description: 'The last lines of its screen; only with `peek`.' })),
    activity: Type.Optional(Type.String({ description: '`idle` or `in-turn`.' })),
    model: Type.Optional(Type.String()),
    context_pct: Type.Optional(Type.Integer({ description: 'The used part of its context in percent.' })),
    context_window: Type.Optional(Type.Integer({ description: 'The size of its context in tokens.' })),
  },
  { $id: 'AgentResponse', ...closed },
)
export type AgentResponse = Static<typeof AgentResponse>

export const AgentList = listOf(AgentResponse, 'ListBodyAgentResponse')
export type AgentList = Static<typeof AgentList>

/** The filter of a list of agents. */
export const AgentFilter = Type.Object({
  pool: Type.Optional(Type.String({ description: 'Only the instances of this agent, by its qualified name.' })),
  rig: Type.Optional(Type.String({ description: 'Only agents of this rig.' })),
  running: Type.Optional(
    Type.Union([Type.Literal('true'), Type.Literal('false')], {
      description: 'Only agents that run, or only those that do not.',
    }),
  ),
  peek: Type.Optional(Type.Boolean({ description: 'Includes the last lines of each screen as `last_output`.' })),
})
export type AgentFilter = Static<typeof AgentFilter>

export const AgentCreate = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'Letters, digits, `-` and `_`.' }),
    provider: Type.String({
      minLength: 1,
      description: 'The program that it runs: `claude`, `codex`, or one of your own.',
    }),
    dir: Type.Optional(Type.String({ description: 'The rig it works in; absent for an agent of the city.' })),
    scope: Type.Optional(Type.String({ description: '`city` or `rig`.' })),
  },
  { $id: 'AgentCreateInputBody', ...closed },
)
export type AgentCreate = Static<typeof AgentCreate>

export const AgentCreated = Type.Object(
  {
    status: Type.String({ description: 'Always `created`.' }),
    agent: Type.String({ description: 'Its qualified name.' }),
  },
  { $id: 'AgentCreatedOutputBody', ...closed },
)
export type AgentCreated = Static<typeof AgentCreated>

/** Ours: an agent that was created, and whether it can start. */
export const AgentDeclared = Type.Object(
  {
    ...AgentCreated.properties,
    unavailable_reason: Type.Optional(
      Type.String({ description: 'Reason it cannot be started; absent if none is known.' }),
    ),
  },
  { $id: 'AgentDeclaredOutputBody', ...closed },
)
export type AgentDeclared = Static<typeof AgentDeclared>

const updates = {
  provider: Type.Optional(Type.String({ description: 'The program that it runs.' })),
  scope: Type.Optional(Type.String({ description: '`city` or `rig`.' })),
  suspended: Type.Optional(Type.Boolean({ description: 'True suspends it; false resumes it.' })),
}

export const AgentUpdate = Type.Object(updates, { $id: 'AgentUpdateInputBody', ...closed })
export type AgentUpdate = Static<typeof AgentUpdate>

export const AgentUpdateQualified = Type.Object(updates, { $id: 'AgentUpdateQualifiedInputBody', ...closed })
export type AgentUpdateQualified = Static<typeof AgentUpdateQualified>

const Strings = Type.Record(Type.String(), Type.String())

/** Ours: every field of an agent that is created. */
export const AgentDeclare = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'Letters, digits, `-` and `_`.' }),
    dir: Type.Optional(Type.String({ description: 'The rig it works in; absent for an agent of the city.' })),
    description: Type.Optional(Type.String({ description: 'Its purpose in a sentence.' })),
    provider: Type.Optional(Type.String({ minLength: 1, description: 'The program that it runs.' })),
    start_command: Type.Optional(
      Type.String({ minLength: 1, description: 'A shell command to run instead of a provider.' }),
    ),
    args: Type.Optional(Type.Array(Type.String(), { description: "Added to the provider's arguments." })),
    env: Type.Optional(Strings),
    option_defaults: Type.Optional(Strings),
    prompt: Type.Optional(Type.String({ description: 'The text of its prompt template.' })),
    prompt_mode: Type.Optional(
      Type.Union([Type.Literal('arg'), Type.Literal('flag'), Type.Literal('none')], {
        description: 'Prompt delivery: as an argument, after `prompt_flag`, or typed into the terminal.',
      }),
    ),
    prompt_flag: Type.Optional(Type.String()),
    work_dir: Type.Optional(Type.String({ description: 'Its working folder, relative to the city.' })),
    worktree: Type.Optional(Type.Boolean({ description: 'True if each session gets a git worktree of its own.' })),
    confine: Type.Optional(
      Type.Union([Type.Literal('default'), Type.Literal('network'), Type.Literal('off')], {
        description: 'Its sandbox: `network` reaches every network, `off` is none. Sessions cannot set it.',
      }),
    ),
    min_active_sessions: Type.Optional(Type.Integer({ minimum: 0 })),
    max_active_sessions: Type.Optional(Type.Integer({ minimum: -1, description: '-1 for no limit.' })),
    scale_check: Type.Optional(
      Type.String({ description: 'A command that prints how many more sessions are needed.' }),
    ),
    idle_timeout: Type.Optional(Type.String({ description: 'Such as `30m`.' })),
    wake_mode: Type.Optional(Type.Union([Type.Literal('resume'), Type.Literal('fresh')])),
    session: Type.Optional(Type.String({ description: '`acp` for programs that speak the Agent Client Protocol.' })),
    suspended: Type.Optional(Type.Boolean()),
    may: Type.Optional(
      Type.Array(Type.String(), {
        description: `Permissions of its sessions: ${PERMISSIONS.map((permission) => `\`${permission}\``).join(', ')}.`,
      }),
    ),
  },
  { $id: 'AgentDeclareInputBody', ...closed },
)
export type AgentDeclare = Static<typeof AgentDeclare>

/** The requested part of an agent's output. */
export const OutputPage = Type.Object({
  tail: Type.Optional(
    Type.String({ description: 'The number of segments of the conversation: 1 when absent, 0 for all.' }),
  ),
  before: Type.Optional(Type.String({ description: 'The `truncated_before_message` of the page after.' })),
})
export type OutputPage = Static<typeof OutputPage>
