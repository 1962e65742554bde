import { type Static, Type } from '@sinclair/typebox'
import { nullable } from '../../http/schema.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))

export const FormulaVarDefResponse = Type.Object(
  {
    name: Type.String(),
    type: Type.String({ description: 'Free text, not checked; `string` when the formula does not say.' }),
    description: text('Purpose.'),
    default: Type.Optional(Type.Unknown({ description: 'Its value when none is given.' })),
    required: Type.Optional(Type.Boolean({ description: 'True if a value must be given.' })),
    enum: Type.Optional(nullable(Type.Array(Type.String(), { description: 'The values it may have.' }))),
    pattern: text('A regular expression of RE2 that its value matches.'),
  },
  { $id: 'FormulaVarDefResponse', additionalProperties: false },
)

export const FormulaRecentRunResponse = Type.Object(
  {
    workflow_id: Type.String(),
    status: Type.String({ description: '`active`, `pending`, `failed`, `done`, `skipped` or `canceled`.' }),
    target: Type.String({ description: 'Assignee.' }),
    started_at: Type.String(),
    updated_at: Type.String(),
  },
  { $id: 'FormulaRecentRunResponse', additionalProperties: false },
)
export type FormulaRecentRunResponse = Static<typeof FormulaRecentRunResponse>

const count = (description: string) => Type.Integer({ format: 'int64', description })

export const FormulaSummaryResponse = Type.Object(
  {
    name: Type.String(),
    description: Type.String({ description: 'Purpose, or the error in its file.' }),
    var_defs: nullable(Type.Array(FormulaVarDefResponse)),
    run_count: count('Always 0: ask for the runs of the formula.'),
    recent_runs: nullable(Type.Array(FormulaRecentRunResponse)),
  },
  { $id: 'FormulaSummaryResponse', additionalProperties: false },
)
export type FormulaSummaryResponse = Static<typeof FormulaSummaryResponse>

export const FormulaListBody = Type.Object(
  {
    items: nullable(Type.Array(FormulaSummaryResponse)),
    total: count('Total number.'),
    partial: Type.Boolean({ description: 'True if the file of one of them cannot be read.' }),
  },
  { $id: 'FormulaListBody', additionalProperties: false },
)
export type FormulaListBody = Static<typeof FormulaListBody>

const FormulaStepResponse = Type.Object(
  {
    id: Type.String({ description: 'The name of the formula, and of the step in it.' }),
    title: Type.String(),
    kind: Type.String({ description: 'Its `gc.kind`, else its type.' }),
    type: text('The type of its bead.'),
    assignee: Type.Optional(Type.String()),
    labels: Type.Optional(nullable(Type.Array(Type.String()))),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { $id: 'FormulaStepResponse', additionalProperties: false },
)

const FormulaPreviewNodeResponse = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    kind: Type.String(),
    scope_ref: text('The scope that it belongs to.'),
  },
  { $id: 'FormulaPreviewNodeResponse', additionalProperties: false },
)

const FormulaPreviewEdgeResponse = Type.Object(
  {
    from: Type.String({ description: 'Order of the results.' }),
    to: Type.String({ description: 'Dependents.' }),
    kind: text('`blocks` or `waits-for`.'),
  },
  { $id: 'FormulaPreviewEdgeResponse', additionalProperties: false },
)

const FormulaPreviewResponse = Type.Object(
  {
    nodes: nullable(Type.Array(FormulaPreviewNodeResponse)),
    edges: nullable(Type.Array(FormulaPreviewEdgeResponse)),
  },
  { $id: 'FormulaPreviewResponse', additionalProperties: false },
)

export const FormulaDetailResponse = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    var_defs: nullable(Type.Array(FormulaVarDefResponse)),
    steps: nullable(Type.Array(FormulaStepResponse)),
    deps: nullable(Type.Array(FormulaPreviewEdgeResponse)),
    preview: FormulaPreviewResponse,
  },
  { $id: 'FormulaDetailResponse', additionalProperties: false },
)
export type FormulaDetailResponse = Static<typeof FormulaDetailResponse>

export const FormulaPreviewBody = Type.Object(
  {
    target: Type.String({ minLength: 1, description: 'A bead, a convoy or an agent that it would be slung to.' }),
    scope_kind: text('`city` or `rig`; goes with `scope_ref`.'),
    scope_ref: text('The name of that city or rig.'),
    vars: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Variables of the formula.' })),
  },
  { $id: 'FormulaPreviewBody', additionalProperties: false },
)
export type FormulaPreviewBody = Static<typeof FormulaPreviewBody>

export const FormulaRunsResponse = Type.Object(
  {
    formula: Type.String(),
    run_count: count('Number of its runs.'),
    recent_runs: nullable(Type.Array(FormulaRecentRunResponse)),
    partial: Type.Boolean(),
    partial_errors: Type.Optional(nullable(Type.Array(Type.String()))),
  },
  { $id: 'FormulaRunsResponse', additionalProperties: false },
)
export type FormulaRunsResponse = Static<typeof FormulaRunsResponse>

export const FormulaSourceOutputBody = Type.Object(
  { name: Type.String(), source: Type.String({ description: 'The text of its file.' }) },
  { $id: 'FormulaSourceOutputBody', additionalProperties: false },
)
export type FormulaSourceOutputBody = Static<typeof FormulaSourceOutputBody>

export const FormulaValidateOutputBody = Type.Object(
  {
    valid: Type.Boolean(),
    errors: Type.Optional(nullable(Type.Array(Type.String(), { description: 'Errors, each with its line.' }))),
  },
  { $id: 'FormulaValidateOutputBody', additionalProperties: false },
)
export type FormulaValidateOutputBody = Static<typeof FormulaValidateOutputBody>

export const MonitorFeedItemResponse = Type.Object(
  {
    id: Type.String(),
    type: Type.String({ description: '`formula` or `exec`.' }),
    status: Type.String({ description: '`active`, `pending`, `failed`, `done`, `skipped` or `canceled`.' }),
    title: Type.String(),
    scope_kind: Type.String({ description: '`city` or `rig`.' }),
    scope_ref: Type.String({ description: 'The name of that city or rig.' }),
    target: Type.String({ description: 'Assignee.' }),
    started_at: Type.String(),
    updated_at: Type.String(),
    bead_id: Type.Optional(Type.String()),
    detail_available: Type.Optional(Type.Boolean()),
    workflow_id: text('The run.'),
    root_bead_id: text('The root bead of the run.'),
    root_store_ref: text('The city or rig of the root: `city:name` or `rig:name`.'),
    store_ref: Type.Optional(Type.String()),
    attached_bead_id: text('The bead that it was started for.'),
    logical_bead_id: Type.Optional(Type.String()),
    run_detail_available: Type.Optional(Type.Boolean({ description: 'True if the run can be asked for.' })),
  },
  { $id: 'MonitorFeedItemResponse', additionalProperties: false },
)
export type MonitorFeedItemResponse = Static<typeof MonitorFeedItemResponse>

export const FormulaFeedBody = Type.Object(
  {
    items: nullable(Type.Array(MonitorFeedItemResponse)),
    partial: Type.Boolean(),
    partial_errors: Type.Optional(nullable(Type.Array(Type.String()))),
  },
  { $id: 'FormulaFeedBody', additionalProperties: false },
)
export type FormulaFeedBody = Static<typeof FormulaFeedBody>

const scope = {
  scope_kind: text('`city` or `rig`; goes with `scope_ref`.'),
  scope_ref: text('The name of that city or rig.'),
}
const limit = (description: string) => Type.Optional(Type.Integer({ format: 'int64', minimum: 0, description }))

export const FormulaScopeQuery = Type.Object(scope)
export type FormulaScopeQuery = Static<typeof FormulaScopeQuery>

export const FormulaDetailQuery = Type.Object({
  ...scope,
  target: Type.String({ description: 'A bead, a convoy or an agent that it would be slung to.' }),
})
export type FormulaDetailQuery = Static<typeof FormulaDetailQuery>

export const FormulaRunsQuery = Type.Object({
  ...scope,
  limit: limit('Maximum rows: 0 means 3, up to 20.'),
})
export type FormulaRunsQuery = Static<typeof FormulaRunsQuery>

export const FormulaFeedQuery = Type.Object({
  ...scope,
  limit: limit('Maximum rows: 0 means 50, up to 500.'),
})
export type FormulaFeedQuery = Static<typeof FormulaFeedQuery>

const FormulaMessageResponse = Type.Object(
  { file: Type.String(), line: Type.Integer(), step: text('The step, by its id.'), message: Type.String() },
  { $id: 'FormulaMessage', additionalProperties: false },
)

const FormulaReportResponse = Type.Object(
  {
    name: Type.String(),
    source: Type.String({ description: 'Its file.' }),
    type: text('`workflow`, `expansion` or `aspect`; absent when the file cannot be read.'),
    description: Type.String(),
    catalog: Type.Optional(Type.Object({ name: Type.String(), description: Type.String() })),
    errors: Type.Array(FormulaMessageResponse, { description: 'Reason it does not compile.' }),
    warnings: Type.Array(FormulaMessageResponse, { description: 'Keys that are accepted without effect.' }),
  },
  { $id: 'FormulaReport', additionalProperties: false },
)

/** Ours: every formula file, those of templates and aspects and those that are broken as well. */
export const FormulaReports = Type.Object(
  {
    search_paths: Type.Array(Type.String(), {
      description: 'The formula folders; of the same name the last one wins.',
    }),
    formulas: Type.Array(FormulaReportResponse),
  },
  { $id: 'FormulaReports', additionalProperties: false },
)
export type FormulaReports = Static<typeof FormulaReports>

export const FormulaReportsQuery = Type.Object({ rig: text('The rig whose formulas count as well.') })
export type FormulaReportsQuery = Static<typeof FormulaReportsQuery>

export const FormulaCompile = Type.Object(
  {
    rig: text('The rig whose formulas count as well.'),
    vars: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Variables of the formula.' })),
  },
  { $id: 'FormulaCompile', additionalProperties: false },
)
export type FormulaCompile = Static<typeof FormulaCompile>

const CompiledStep = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    description: Type.Optional(Type.String()),
    notes: Type.Optional(Type.String()),
    type: Type.String(),
    priority: Type.Optional(Type.Integer()),
    labels: Type.Optional(Type.Array(Type.String())),
    assignee: Type.Optional(Type.String()),
    is_root: Type.Optional(Type.Boolean()),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { $id: 'CompiledStep', additionalProperties: false },
)

/** Ours: all of what a formula compiles to. */
export const CompiledFormula = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    contract: Type.String({ description: '`v1` or `v2`.' }),
    shape: Type.String({ description: '`graph`, `molecule` or `wisp`.' }),
    source: Type.String({ description: 'Its file.' }),
    hash: Type.String({ description: 'The SHA-256 of its file: `gc.formula_hash` of its runs.' }),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The `[metadata]` of the formula and its parents.' }),
    ),
    search_paths: Type.Array(Type.String()),
    vars: Type.Array(FormulaVarDefResponse),
    steps: Type.Array(CompiledStep),
    deps: Type.Array(Type.Object({ step_id: Type.String(), depends_on_id: Type.String(), type: Type.String() })),
    warnings: Type.Array(FormulaMessageResponse),
  },
  { $id: 'CompiledFormula', additionalProperties: false },
)
export type CompiledFormula = Static<typeof CompiledFormula>
