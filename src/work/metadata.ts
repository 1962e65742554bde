/*
 * Every metadata key that gc itself reads or writes, spelled once. They are stored, and clients read them: none is ever
 * renamed. Keys of groups that are marked as projected are columns of a side table that a bead shows as metadata; the
 * others are kept with the bead, where workers may write them too.
 */

/** Keys on any piece of work. */
export const WorkKey = {
  /** Qualified name of the agent that it is routed to. */
  routedTo: 'gc.routed_to',
  /** The session that claimed it last. */
  sessionId: 'gc.session_id',
  sessionName: 'gc.session_name',
  /** The folder that its session works in. */
  workDir: 'gc.work_dir',
  closeReason: 'close_reason',
  /** Since when it is closed, where that is not when it last changed; a column of the bead. */
  closedAt: 'closed_at',
  mergeStrategy: 'merge_strategy',
  /** The branch with its commits, which packs hand from one agent to the next. */
  branch: 'branch',
  /** Reason it is not offered any more, and since when. */
  parkedReason: 'gc.parked_reason',
  parkedAt: 'gc.parked_at',
} as const
export type WorkKey = (typeof WorkKey)[keyof typeof WorkKey]

/** Keys that the engine gives the beads of a workflow when it creates them. */
export const WorkflowKey = {
  kind: 'gc.kind',
  workflowId: 'gc.workflow_id',
  rootBeadId: 'gc.root_bead_id',
  stepId: 'gc.step_id',
  stepRef: 'gc.step_ref',
  stepDependencies: 'gc.native_step_dependencies.v1',
  /** Ready steps of one workflow and one group go to the same session. */
  continuationGroup: 'gc.continuation_group',
  /** The bead that stands for all attempts at its step. */
  logicalBeadId: 'gc.logical_bead_id',
  attempt: 'gc.attempt',
  maxAttempts: 'gc.max_attempts',
  scopeKind: 'gc.scope_kind',
  scopeRef: 'gc.scope_ref',
  /** The workflow or molecule, as beads of older systems name it. */
  olderWorkflowId: 'workflow_id',
  olderMoleculeId: 'molecule_id',
} as const
export type WorkflowKey = (typeof WorkflowKey)[keyof typeof WorkflowKey]

/** Keys that only the engine of runs writes once a bead is there. */
export const EngineKey = {
  /** Set while the beads of a run are being written: none of them should be acted on. */
  instantiating: 'gc.instantiating',
  rootStoreRef: 'gc.root_store_ref',
  formulaContract: 'gc.formula_contract',
  formulaName: 'gc.formula_name',
  formula: 'gc.formula',
  executionRoutedTo: 'gc.execution_routed_to',
  runTarget: 'gc.run_target',
  sessionAffinity: 'gc.session_affinity',
  scopeRole: 'gc.scope_role',
  onFail: 'gc.on_fail',
  sourceBeadId: 'gc.source_bead_id',
  inputConvoyId: 'gc.input_convoy_id',
  cancelRequested: 'gc.cancel_requested',
  /** Set on a step that would be offered but that its run is paused. */
  paused: 'gc.paused',
  onExhausted: 'gc.on_exhausted',
  controlFor: 'gc.control_for',
  controlEpoch: 'gc.control_epoch',
  idempotencyKey: 'gc.idempotency_key',
  attemptLog: 'gc.attempt_log',
  failedAttempt: 'gc.failed_attempt',
  /** The number of the last attempt, or item, before a person had the step begin again. */
  restartedAfter: 'gc.restarted_after',
  checkMode: 'gc.check_mode',
  checkPath: 'gc.check_path',
  checkTimeout: 'gc.check_timeout',
  stepTimeout: 'gc.step_timeout',
  forEach: 'gc.for_each',
  bond: 'gc.bond',
  bondVars: 'gc.bond_vars',
  fanoutMode: 'gc.fanout_mode',
  fanoutState: 'gc.fanout_state',
  spawnedCount: 'gc.spawned_count',
  dynamicFragment: 'gc.dynamic_fragment',
  finalDisposition: 'gc.final_disposition',
  controllerError: 'gc.controller_error',
  controllerErrorClass: 'gc.controller_error_class',
  quarantined: 'gc.control_quarantined',
  quarantinedAt: 'gc.control_quarantined_at',
  quarantineReason: 'gc.control_quarantine_reason',
  missingRoot: 'gc.missing_root_bead_id',
  condition: 'gc.condition',
  conditionStep: 'gc.condition_step',
  scopeName: 'gc.scope_name',
  /** Kind of a step before it got attempts. */
  originalKind: 'gc.original_kind',
  /** The step of a loop that an attempt is one round of. */
  ralphStepId: 'gc.ralph_step_id',
  /** The step that a spec describes: by its id in the formula, and by its bead. */
  specFor: 'gc.spec_for',
  specForRef: 'gc.spec_for_ref',
  drainContext: 'gc.drain_context',
  drainFormula: 'gc.drain_formula',
  drainMemberAccess: 'gc.drain_member_access',
  drainOnItemFailure: 'gc.drain_on_item_failure',
  drainMaxUnits: 'gc.drain_max_units',
  drainContinuationGroup: 'gc.drain_continuation_group',
  drainItemSingleLane: 'gc.drain_item_single_lane',
  /** State of a drain and of each of its members: `Manifest` of runs/drain-manifest.ts. */
  drainState: 'gc.drain_state',
  drainManifest: 'gc.drain_manifest.v1',
  drainParentConvoyId: 'gc.drain_parent_convoy_id',
  /** On what a drain makes for one member: its convoy and the root of its run. */
  drainControlId: 'gc.drain_control_id',
  drainIndex: 'gc.drain_index',
  drainCount: 'gc.drain_count',
  drainMemberId: 'gc.drain_member_id',
  drainUnitKey: 'gc.drain_unit_key',
  itemRootKey: 'gc.item_root_key',
  /** The drain that has a member to itself; '' when it is free again. */
  exclusiveReservation: 'gc.exclusive_drain_reservation',
  /** Result of a check's command. */
  exitCode: 'gc.exit_code',
  stdout: 'gc.stdout',
  durationMs: 'gc.duration_ms',
} as const
export type EngineKey = (typeof EngineKey)[keyof typeof EngineKey]

/** Keys above that people and agents write as well: who works on a bead, and what for. */
const WRITABLE: ReadonlySet<string> = new Set([
  ...[WorkflowKey.workflowId, WorkflowKey.continuationGroup, WorkflowKey.olderWorkflowId, WorkflowKey.olderMoleculeId],
  // A step that makes the work of later drains names the convoy of it on the root.
  EngineKey.inputConvoyId,
  ...[EngineKey.executionRoutedTo, EngineKey.runTarget, EngineKey.sessionAffinity, EngineKey.sourceBeadId],
])
const OWNED: ReadonlySet<string> = new Set(
  [...Object.values(WorkflowKey), ...Object.values(EngineKey)].filter((key) => !WRITABLE.has(key)),
)

/** True if only the engine writes a key on the beads of a run. */
export const isEngineKey = (key: string): boolean => OWNED.has(key)

/** Keys in which a worker reports the result of its step. */
export const ResultKey = {
  outcome: 'gc.outcome',
  failureClass: 'gc.failure_class',
  failureReason: 'gc.failure_reason',
  outputJson: 'gc.output_json',
  outputRequired: 'gc.output_json_required',
  outputSchema: 'gc.output_json_schema',
} as const
export type ResultKey = (typeof ResultKey)[keyof typeof ResultKey]

/** Keys that the launch of a formula writes on the root of what it makes, or on the bead that it is for. */
export const LaunchKey = {
  formulaHash: 'gc.formula_hash',
  formulaSource: 'gc.formula_source',
  /** Identity of a launch. */
  rootKey: 'gc.graphv2_root_key',
  /** The variables, as JSON. */
  variables: 'gc.graphv2_vars.v1',
  /** Convoys that gc made for a launch, not a person; what for, and of which other convoy. */
  synthetic: 'gc.synthetic',
  syntheticKind: 'gc.synthetic_kind',
  parentConvoyId: 'gc.parent_convoy_id',
} as const
export type LaunchKey = (typeof LaunchKey)[keyof typeof LaunchKey]

/** Prefix of the keys that hold the variables of a formula, one each. */
export const VARIABLE_PREFIX = 'gc.var.'

/** Keys on convoys. */
export const ConvoyKey = { owner: 'convoy.owner', merge: 'convoy.merge', target: 'target' } as const
export type ConvoyKey = (typeof ConvoyKey)[keyof typeof ConvoyKey]

/** Keys on gates. */
export const GateKey = {
  /** Condition: `human`, `timer`, `gh:run`, `gh:pr`. */
  awaitType: 'await_type',
  /** The run or pull request. */
  awaitId: 'await_id',
  /** Time in milliseconds from its creation until a timer is due, or until others are overdue. */
  timeout: 'timeout',
} as const
export type GateKey = (typeof GateKey)[keyof typeof GateKey]

/** Keys on the tracking beads of orders: the result of their command. */
export const OrderKey = {
  stdout: 'convergence.gate_stdout',
  stderr: 'convergence.gate_stderr',
  exitCode: 'convergence.gate_exit_code',
  durationMs: 'convergence.gate_duration_ms',
  truncated: 'convergence.gate_truncated',
} as const
export type OrderKey = (typeof OrderKey)[keyof typeof OrderKey]

/** Projected on messages. */
export const MailKey = {
  fromDisplay: 'mail.from_display',
  toDisplay: 'mail.to_display',
  read: 'mail.read',
  fromSessionId: 'mail.from_session_id',
  toSessionId: 'mail.to_session_id',
  fromClaimed: 'mail.from_claimed',
} as const
export type MailKey = (typeof MailKey)[keyof typeof MailKey]

/** The prefix of all keys that are projected on messages. */
export const MAIL_PREFIX = 'mail.'

/** Projected on waits. */
export type WaitKey =
  | 'session_id'
  | 'session_name'
  | 'kind'
  | 'state'
  | 'dep_ids'
  | 'dep_mode'
  | 'registered_epoch'
  | 'delivery_attempt'
  | 'created_at'
  | 'nudge_id'
  | 'expires_at'
  | 'created_by_session'
  | 'ready_at'
  | 'last_error'
  | `${'closed' | 'canceled' | 'expired' | 'failed'}_at`

/** Projected on sessions. */
export type SessionKey =
  | 'state'
  | 'template'
  | 'provider'
  | 'work_dir'
  | 'session_name'
  | 'session_origin'
  | 'generation'
  | 'session_key'
  | 'alias'
  | 'alias_history'
  | 'agent_name'
  | 'pool_managed'
  | 'pool_slot'
  | 'configured_named_session'
  | 'configured_named_identity'
  | 'sleep_reason'
  | 'state_reason'
  | 'last_woke_at'
  | 'slept_at'
  | 'suspended_at'
  | 'drain_at'
  | 'quarantined_until'
  | 'wake_requested_at'
  | 'last_nudge_delivered_at'
  | 'wake_attempts'
  | 'churn_count'
  | 'template_overrides'
  | 'real_world_app_project_id'
  | 'real_world_app_session_kind'
  | `opt_${string}`

/** Fields of an imported bead that have no place of their own are kept under this prefix. */
export const IMPORTED_PREFIX = 'bd.'

export type MetadataKey =
  | WorkKey
  | WorkflowKey
  | EngineKey
  | ResultKey
  | ConvoyKey
  | GateKey
  | OrderKey
  | LaunchKey
  | MailKey
  | WaitKey
  | SessionKey
