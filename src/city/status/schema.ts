import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const
const Count = (description: string) => Type.Integer({ description })

export const CityGet = Type.Object(
  {
    name: Type.String(),
    path: Type.String({ description: 'The folder it lives in.' }),
    version: Type.Optional(Type.String({ description: 'The version of gc that runs it.' })),
    suspended: Type.Boolean({ description: 'True if it starts no new sessions.' }),
    provider: Type.Optional(Type.String({ description: 'The default provider of its agents.' })),
    session_template: Type.Optional(Type.String({ description: 'The template for the run-time names of sessions.' })),
    uptime_sec: Count('Seconds since it was opened.'),
    agent_count: Count('Agents it declares; a pool counts once.'),
    rig_count: Count('Rigs it declares.'),
  },
  { $id: 'CityGetResponse', ...closed },
)
export type CityGet = Static<typeof CityGet>

export const CityPatch = Type.Object(
  {
    suspended: Type.Optional(
      Type.Boolean({ description: 'True: start no new sessions. False: start them again. Kept across restarts.' }),
    ),
  },
  { $id: 'CityPatchInputBody', ...closed },
)
export type CityPatch = Static<typeof CityPatch>

export const Health = Type.Object(
  {
    status: Type.String({ description: '`ok`, or `failed: ` and why its writes fail.' }),
    version: Type.Optional(Type.String()),
    city: Type.Optional(Type.String()),
    uptime_sec: Count('Seconds since it was opened.'),
  },
  { $id: 'HealthOutputBody', ...closed },
)
export type Health = Static<typeof Health>

const AgentCounts = Type.Object(
  {
    total: Count('Instances that may run.'),
    running: Count('Those with a running session.'),
    suspended: Count('Those that are suspended.'),
    quarantined: Count('Those that crashed so often that they are not restarted for a while.'),
  },
  { $id: 'StatusAgentCounts', ...closed },
)

const RigCounts = Type.Object(
  { total: Count('Declared rigs.'), suspended: Count('Those that are suspended.') },
  { $id: 'StatusRigCounts', ...closed },
)

const WorkCounts = Type.Object(
  {
    in_progress: Count('Beads being worked on.'),
    ready: Count('Open beads that nothing blocks.'),
    open: Count('Open beads.'),
  },
  { $id: 'StatusWorkCounts', ...closed },
)

const MailCounts = Type.Object(
  { unread: Count('Unread messages.'), total: Count('Messages that are not archived.') },
  { $id: 'StatusMailCounts', ...closed },
)

const StoreHealth = Type.Object(
  {
    path: Type.String({ description: 'The database file.' }),
    size_bytes: Count('Its size.'),
    live_rows: Count('Beads in it.'),
    ratio_mb_per_row: Type.Number({ description: 'Megabytes per bead.' }),
    threshold_mb_per_row: Type.Number({ description: 'The ratio above which `warning` is true.' }),
    warning: Type.Boolean({ description: 'True if the file is larger than its content should need.' }),
    last_gc_at: Type.Optional(Type.String()),
    last_gc_status: Type.Optional(Type.String()),
  },
  { $id: 'StatusStoreHealth', ...closed },
)

const BeadsDiagnostic = Type.Object(
  {
    beads_store: Type.String({ description: 'Storage of beads.' }),
    native_store_eligible: Type.Boolean(),
    preflight_gate: Type.Optional(Type.String()),
    preflight_reason: Type.Optional(Type.String()),
  },
  { $id: 'BeadsDiagnostic', ...closed },
)

const RolloutNotice = Type.Object(
  {
    flag_key: Type.String(),
    kind: Type.String(),
    message: Type.String(),
    config_value: Type.Optional(Type.String()),
    env_value: Type.Optional(Type.String()),
    env_var: Type.Optional(Type.String()),
  },
  { $id: 'StatusRolloutNotice', ...closed },
)

const oneOf = (...words: string[]) => Type.Union(words.map((each) => Type.Literal(each)))

const StoreVerdict = Type.Object(
  {
    store_id: Type.String({ description: '`city` or `rig/<name>`.' }),
    kind: Type.String(),
    capable: Type.Boolean(),
    probe: oneOf('capable', 'incapable', 'unprobed'),
    latch: oneOf('incapable', 'unlatched'),
    reason: Type.Optional(Type.String()),
  },
  { $id: 'StatusConditionalWriteStoreVerdict', ...closed },
)

const ConditionalWrites = Type.Object(
  {
    mode: oneOf('off', 'auto', 'require'),
    origin: oneOf('builtin', 'config', 'env'),
    effective: oneOf('off', 'active', 'degraded', 'fail_closed', 'pending_restart'),
    stores: Type.Optional(Type.Array(StoreVerdict)),
    notices: Type.Optional(Type.Array(RolloutNotice)),
  },
  { $id: 'StatusConditionalWrites', ...closed, description: 'True if the store itself rejects lost updates.' },
)

const AgentDetail = Type.Object(
  {
    name: Type.String(),
    qualified_name: Type.String(),
    scope: Type.String({ description: '`city` or `rig`.' }),
    running: Type.Boolean(),
    suspended: Type.Boolean(),
    session_name: Type.Optional(Type.String()),
    group_name: Type.Optional(Type.String({ description: 'The pool this is an instance of.' })),
    expanded: Type.Optional(Type.Boolean({ description: 'True if it is an instance of a pool.' })),
    scale_label: Type.Optional(Type.String({ description: 'The limits of the pool; only on its first row.' })),
    draining: Type.Optional(Type.Boolean()),
  },
  { $id: 'StatusAgentDetail', ...closed },
)
export type AgentDetail = Static<typeof AgentDetail>

const RigDetail = Type.Object(
  { name: Type.String(), path: Type.String(), suspended: Type.Boolean() },
  { $id: 'StatusRigDetail', ...closed },
)

const NamedSessionDetail = Type.Object(
  {
    identity: Type.String(),
    mode: Type.String({ description: '`always` or `on_demand`.' }),
    status: Type.String({ description: 'The state of its session, or `reserved-unmaterialized`.' }),
  },
  { $id: 'StatusNamedSessionDetail', ...closed },
)

const SessionCounts = Type.Object(
  {
    active: Count('Sessions whose program runs.'),
    suspended: Count('Sessions that a person suspended.'),
  },
  { $id: 'StatusSessionCountsDetail', ...closed },
)

export const Status = Type.Object(
  {
    name: Type.String(),
    path: Type.String(),
    version: Type.Optional(Type.String()),
    dolt_version: Type.Optional(Type.String({ description: 'Absent: gc keeps its data in SQLite.' })),
    beads_version: Type.Optional(Type.String({ description: 'The version of the bead store.' })),
    uptime_sec: Count('Seconds since the city was opened.'),
    suspended: Type.Boolean({ description: 'True if it starts no new sessions.' }),
    agent_count: Count('The same as `agents.total`.'),
    rig_count: Count('The same as `rigs.total`.'),
    running: Count('Running agent processes.'),
    agents: AgentCounts,
    rigs: RigCounts,
    work: WorkCounts,
    mail: MailCounts,
    partial: Type.Optional(Type.Boolean({ description: 'True if something could not be counted.' })),
    partial_errors: Type.Optional(Type.Array(Type.String())),
    store_health: Type.Optional(StoreHealth),
    beads: Type.Optional(BeadsDiagnostic),
    conditional_writes: Type.Optional(ConditionalWrites),
    agent_details: Type.Optional(Type.Array(AgentDetail)),
    rig_details: Type.Optional(Type.Array(RigDetail)),
    named_session_details: Type.Optional(Type.Array(NamedSessionDetail)),
    session_counts_detail: Type.Optional(SessionCounts),
  },
  { $id: 'StatusBody', ...closed },
)
export type Status = Static<typeof Status>
