import { type Static, Type } from '@sinclair/typebox'
import { RunStatus } from '../../schema.ts'

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
const text = (description: string) => Type.Optional(Type.String({ description }))

export const SlingInputBody = Type.Object(
  {
    target: Type.String({ minLength: 1, description: 'The agent or pool: `mayor`, `rig/worker`, one of a pool.' }),
    bead: text('The bead to sling.'),
    formula: text('The formula to run instead of a bead.'),
    attached_bead_id: text('The bead that the formula is run for.'),
    rig: text('The rig in which a target without a rig is looked up first.'),
    title: text('The title of the run.'),
    vars: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Variables of the formula.' })),
    scope_kind: text('`city` or `rig`; goes with `scope_ref`.'),
    scope_ref: text('The name of that city or rig.'),
    force: flag('Ignore another rig, cycles and warnings.'),
    reassign: flag('Take the bead from its assignee.'),
    no_convoy: flag('Create no convoy for the bead.'),
    owned: flag('Keep the convoy open until a person closes it.'),
    no_formula: flag('Do not use the default formula of the agent.'),
    merge: text('Merge strategy of the result: `direct`, `mr` or `local`.'),
  },
  { $id: 'SlingInputBody', additionalProperties: false },
)
export type SlingInputBody = Static<typeof SlingInputBody>

/** Ours: a bead to create and sling. */
export const SlingText = Type.Object(
  {
    target: Type.String({ minLength: 1, description: 'The agent or pool: `mayor`, `rig/worker`, one of a pool.' }),
    title: Type.String({ minLength: 1, description: 'The work in one line.' }),
    description: text('The work in detail.'),
    rig: text(
      'The rig in which a target without a rig is looked up first, and that the bead belongs to when the target has none.',
    ),
    no_convoy: flag('Create no convoy for the bead.'),
    owned: flag('Keep the convoy open until a person closes it.'),
    no_formula: flag('Do not use the default formula of the agent.'),
    merge: text('Merge strategy of the result: `direct`, `mr` or `local`.'),
  },
  { $id: 'SlingTextBody', additionalProperties: false },
)
export type SlingText = Static<typeof SlingText>

/** Ours: what a sling would do. */
export const SlingCheck = Type.Object(
  {
    target: Type.String({ description: 'The agent, by its qualified name.' }),
    bead: text('The bead that would be slung, or that the formula would be run for.'),
    formula: text('The formula that would be run.'),
    steps: Type.Optional(Type.Integer({ description: 'The number of its steps with these variables.' })),
  },
  { $id: 'SlingCheck', additionalProperties: false },
)
export type SlingCheck = Static<typeof SlingCheck>

const RunRef = Type.Object(
  { run_id: Type.String(), kind: Type.Union([Type.Literal('sling'), Type.Literal('order')]), status: RunStatus },
  { $id: 'RunRef', additionalProperties: false },
)

export const SlingResponse = Type.Object(
  {
    status: Type.String({ description: '`slung`.' }),
    target: Type.String({ description: 'The agent, by its qualified name.' }),
    mode: text('`direct` when the bead itself was slung; `attached` or `standalone` when a formula was started.'),
    bead: text('The bead.'),
    formula: text('The formula.'),
    workflow_id: text('The run that was started.'),
    root_bead_id: text('The root bead of the run.'),
    attached_bead_id: text('The bead it was started for.'),
    warnings: Type.Optional(Type.Array(Type.String(), { description: 'Possible obstacle to the work.' })),
    dashboard_url: text('A page that shows the run.'),
    run: Type.Optional(RunRef),
  },
  { $id: 'SlingResponse', additionalProperties: false },
)
export type SlingResponse = Static<typeof SlingResponse>

/** Ours: what to make of a formula. */
export const FormulaCook = Type.Object(
  {
    vars: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Its variables.' })),
    title: text('The title of the root.'),
    rig: text('The rig of the beads; the city itself when absent.'),
    attach: text('The bead that they are for.'),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'More metadata of the root.' })),
    ephemeral: flag('They are bookkeeping, which is removed some time after it is closed.'),
    root_only: flag('Make only the root.'),
  },
  { $id: 'FormulaCookBody', additionalProperties: false },
)
export type FormulaCook = Static<typeof FormulaCook>

export const FormulaCooked = Type.Object(
  {
    formula: Type.String(),
    mode: Type.String({ description: '`cook`, or `attach` when it is for a bead.' }),
    attach_bead_id: text('The bead that it is for.'),
    root_id: Type.String({ description: 'The root of what was made.' }),
    workflow_root_id: text('The same, of a graph.'),
    created: Type.Integer({ description: 'Number of created beads.' }),
    id_mapping: Type.Record(Type.String(), Type.String(), { description: 'The beads by their steps.' }),
  },
  { $id: 'FormulaCooked', additionalProperties: false },
)
export type FormulaCooked = Static<typeof FormulaCooked>

/** Ours: a convoy whose open beads are slung. */
export const SlingConvoy = Type.Object(
  {
    convoy: Type.String({ minLength: 1, description: 'The convoy.' }),
    target: Type.String({ minLength: 1, description: 'The agent or pool: `mayor`, `rig/worker`, one of a pool.' }),
    formula: text('The formula that is run for each of them; one that is a graph is run once, for the convoy.'),
    vars: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Variables of the formula.' })),
    title: text('The title of the run.'),
    rig: text('The rig in which a target without a rig is looked up first.'),
    force: flag('Ignore another rig, cycles and warnings.'),
    reassign: flag('Take the beads from their assignees.'),
    no_formula: flag('Do not use the default formula of the agent.'),
    merge: text('Merge strategy of the results: `direct`, `mr` or `local`.'),
  },
  { $id: 'SlingConvoyBody', additionalProperties: false },
)
export type SlingConvoy = Static<typeof SlingConvoy>

const many = (description: string) => Type.Integer({ minimum: 0, description })

export const SlingBatch = Type.Object(
  {
    convoy_id: Type.String(),
    target: Type.String({ description: 'The agent, by its qualified name.' }),
    run: Type.Optional(RunRef),
    total: many('Number of beads in the convoy.'),
    routed: many('Number slung now.'),
    failed: many('Number that could not be slung.'),
    skipped: many('Number left unchanged: not open, or slung before.'),
    idempotent: many('Number slung to the same agent before.'),
    children: Type.Array(
      Type.Object(
        {
          bead: Type.String(),
          outcome: Type.Union(['routed', 'again', 'skipped', 'failed'].map((each) => Type.Literal(each))),
          reason: text('Reason it was left alone, or could not be slung.'),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'SlingBatch', additionalProperties: false },
)
export type SlingBatch = Static<typeof SlingBatch>

/** Ours: what continues for a bead. */
export const BeadRuns = Type.Object(
  {
    bead_id: Type.String(),
    runs: Type.Array(
      Type.Object({ run_id: Type.String(), title: Type.String(), status: RunStatus }, { additionalProperties: false }),
    ),
  },
  { $id: 'BeadRuns', additionalProperties: false },
)
export type BeadRuns = Static<typeof BeadRuns>

export const DefaultTarget = Type.Object(
  {
    bead_id: Type.String(),
    target: Type.String({ description: 'One of the default targets of its rig.' }),
    rig: Type.String(),
  },
  { $id: 'DefaultTarget', additionalProperties: false },
)
export type DefaultTarget = Static<typeof DefaultTarget>
