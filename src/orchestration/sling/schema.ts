import { type Static, Type } from '@sinclair/typebox'

const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
const text = (description: string) => Type.Optional(Type.String({ description }))

export const SlingInputBody = Type.Object(
  {
    target: Type.String({ minLength: 1, description: 'The agent or pool: `mayor`, `rig/worker`, one of a pool.' }),
    bead: text('The bead to hand over.'),
    formula: text('The formula to launch instead of a bead.'),
    attached_bead_id: text('The bead the formula is launched for.'),
    rig: text('Where to look for a bare target first.'),
    title: text('What the launched formula is called.'),
    vars: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Variables of the formula.' })),
    scope_kind: text('`city` or `rig`; goes with `scope_ref`.'),
    scope_ref: text('The name of that city or rig.'),
    force: flag('Go on in spite of another rig, a cycle or a warning.'),
    reassign: flag('Take the bead from whoever has it.'),
    no_convoy: flag('Make no convoy for the bead.'),
    owned: flag('Keep the convoy open until a person closes it.'),
    no_formula: flag('Leave out the formula that the agent has by default.'),
    merge: text('How the result is to be merged: `direct`, `mr` or `local`.'),
  },
  { $id: 'SlingInputBody', additionalProperties: false },
)
export type SlingInputBody = Static<typeof SlingInputBody>

/** Ours: work that is not a bead yet. */
export const SlingText = Type.Object(
  {
    target: Type.String({ minLength: 1, description: 'The agent or pool: `mayor`, `rig/worker`, one of a pool.' }),
    title: Type.String({ minLength: 1, description: 'What is to be done, in a line.' }),
    description: text('What is to be done, at length.'),
    rig: text('Where to look for a bare target first, and where the bead goes when the target is of the city.'),
    no_convoy: flag('Make no convoy for the bead.'),
    owned: flag('Keep the convoy open until a person closes it.'),
    no_formula: flag('Leave out the formula that the agent has by default.'),
    merge: text('How the result is to be merged: `direct`, `mr` or `local`.'),
  },
  { $id: 'SlingTextBody', additionalProperties: false },
)
export type SlingText = Static<typeof SlingText>

const RunStatus = Type.Union(
  [
    Type.Literal('pending'),
    Type.Literal('active'),
    Type.Literal('waiting'),
    Type.Literal('canceling'),
    Type.Literal('completed'),
    Type.Literal('failed'),
    Type.Literal('canceled'),
    Type.Literal('skipped'),
  ],
  { $id: 'RunStatus', description: 'How far a run is.' },
)

const RunRef = Type.Object(
  { run_id: Type.String(), kind: Type.Union([Type.Literal('sling'), Type.Literal('order')]), status: RunStatus },
  { $id: 'RunRef', additionalProperties: false },
)

export const SlingResponse = Type.Object(
  {
    status: Type.String({ description: '`slung`.' }),
    target: Type.String({ description: 'The agent, by its qualified name.' }),
    mode: text('`direct`: the bead itself was handed over; `attached`, `standalone`: a formula was launched.'),
    bead: text('The bead.'),
    formula: text('The formula.'),
    workflow_id: text('The run that was launched.'),
    root_bead_id: text('The root of what was launched.'),
    attached_bead_id: text('The bead it was launched for.'),
    warnings: Type.Optional(Type.Array(Type.String(), { description: 'What may keep the work from being done.' })),
    dashboard_url: text('Where a person can watch.'),
    run: Type.Optional(RunRef),
  },
  { $id: 'SlingResponse', additionalProperties: false },
)
export type SlingResponse = Static<typeof SlingResponse>
