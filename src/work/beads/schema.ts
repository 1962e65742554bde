import { type Static, Type } from '@sinclair/typebox'
import { listOf, nullable, paging } from '../../http/schema.ts'

const strings = (description: string) => Type.Array(Type.String(), { description })
const metadata = (description: string) => Type.Record(Type.String(), Type.String(), { description })
const moment = (description: string) => Type.String({ format: 'date-time', description })

/** One dependency of a bead: `issue_id` waits for, tracks or relates to `depends_on_id`. */
export const Dep = Type.Object(
  {
    issue_id: Type.String({ description: 'The bead that depends.' }),
    depends_on_id: Type.String({ description: 'The bead it depends on.' }),
    type: Type.String({ description: '`blocks`, `waits-for` and `conditional-blocks` keep a bead from being ready.' }),
  },
  { $id: 'Dep', additionalProperties: false },
)
export type Dep = Static<typeof Dep>

/** The universal record of a city: a task, a message, a session, a convoy. */
export const Bead = Type.Object(
  {
    id: Type.String({ description: 'Prefix of the city or rig, a hyphen and a number.' }),
    title: Type.String(),
    status: Type.String({ description: '`open`, `in_progress` or `closed`.' }),
    issue_type: Type.String({ description: '`task` unless said otherwise.' }),
    created_at: moment('When it was created.'),
    updated_at: Type.Optional(moment('When anything about it last changed.')),
    priority: Type.Optional(Type.Integer({ description: '0 is the most urgent; unset counts as 2.' })),
    assignee: Type.Optional(Type.String({ description: 'Who works on it, or whom a message is for.' })),
    from: Type.Optional(Type.String({ description: 'Who sent it, for messages.' })),
    parent: Type.Optional(Type.String({ description: 'The bead it is a part of.' })),
    ref: Type.Optional(Type.String({ description: 'The formula or formula step it came from.' })),
    needs: Type.Optional(strings('Dependencies it was created with.')),
    description: Type.Optional(Type.String()),
    labels: Type.Optional(strings('In the order they were added.')),
    metadata: Type.Optional(metadata('Free keys and values; `gc.` keys are written by gc itself.')),
    dependencies: Type.Optional(Type.Array(Dep, { description: 'What it depends on.' })),
    ephemeral: Type.Optional(
      Type.Boolean({ description: 'Bookkeeping of a run rather than work to keep: wisps, their steps, messages.' }),
    ),
    no_history: Type.Optional(
      Type.Boolean({ description: 'Kept, but without a history of changes: what tracks orders.' }),
    ),
    defer_until: Type.Optional(moment('It is not ready before this.')),
    is_blocked: Type.Optional(Type.Boolean({ description: 'Whether something it waits for is not closed.' })),
  },
  { $id: 'Bead', additionalProperties: false },
)
export type Bead = Static<typeof Bead>

export const BeadCreateInputBody = Type.Object(
  {
    title: Type.String({ minLength: 1, description: 'At most 1 KB.' }),
    rig: Type.Optional(Type.String({ description: 'The rig it belongs to; absent: the city itself.' })),
    type: Type.Optional(Type.String({ description: '`task` when absent.' })),
    priority: Type.Optional(Type.Integer({ description: '0 is the most urgent; unset counts as 2.' })),
    assignee: Type.Optional(Type.String({ description: 'A session by id, alias or name.' })),
    description: Type.Optional(Type.String({ description: 'At most 256 KB.' })),
    labels: Type.Optional(strings('At most 256 bytes each; repeats are dropped.')),
    parent: Type.Optional(Type.String({ description: 'The bead it is a part of.' })),
    metadata: Type.Optional(metadata('At most 64 KB in all.')),
    defer_until: Type.Optional(moment('It is not ready before this.')),
  },
  { $id: 'BeadCreateInputBody', additionalProperties: false },
)
export type BeadCreateInputBody = Static<typeof BeadCreateInputBody>

export const BeadUpdateBody = Type.Object(
  {
    title: Type.Optional(Type.String()),
    status: Type.Optional(Type.String({ description: '`closed` closes it.' })),
    type: Type.Optional(Type.String()),
    priority: Type.Optional(nullable(Type.Integer({ description: 'Cannot be unset once set.' }))),
    assignee: Type.Optional(Type.String({ description: 'A session by id, alias or name; empty: nobody.' })),
    description: Type.Optional(Type.String()),
    labels: Type.Optional(strings('Labels to add.')),
    remove_labels: Type.Optional(strings('Labels to take off, after `labels` were added.')),
    parent: Type.Optional(nullable(Type.String({ description: 'null or empty: no parent.' }))),
    metadata: Type.Optional(metadata('Keys to write; the others stay.')),
  },
  { $id: 'BeadUpdateBody', additionalProperties: false },
)
export type BeadUpdateBody = Static<typeof BeadUpdateBody>

export const BeadAssignInputBody = Type.Object(
  { assignee: Type.Optional(Type.String({ description: 'A session by id, alias or name; empty: nobody.' })) },
  { $id: 'BeadAssignInputBody', additionalProperties: false },
)
export type BeadAssignInputBody = Static<typeof BeadAssignInputBody>

export const ListBodyBead = listOf(Bead, 'ListBodyBead')
export type ListBodyBead = Static<typeof ListBodyBead>

export const BeadDepsResponse = Type.Object(
  { children: Type.Array(Bead) },
  { $id: 'BeadDepsResponse', additionalProperties: false },
)
export type BeadDepsResponse = Static<typeof BeadDepsResponse>

/** An arrow of a graph, from the prerequisite to what depends on it. */
export const WorkflowDepResponse = Type.Object(
  {
    from: Type.String({ description: 'The prerequisite, or the parent.' }),
    to: Type.String({ description: 'What depends on it, or the child.' }),
    kind: Type.Optional(Type.String({ description: 'The type of the dependency.' })),
  },
  { $id: 'WorkflowDepResponse', additionalProperties: false },
)
export type WorkflowDepResponse = Static<typeof WorkflowDepResponse>

export const BeadGraphResponse = Type.Object(
  {
    root: Bead,
    beads: Type.Array(Bead, { description: 'The root first.' }),
    deps: Type.Array(WorkflowDepResponse),
    membership: Type.Union(
      [Type.Literal('direct-root-id+parent-closure'), Type.Literal('direct-root-id+parent-closure+convoy-members')],
      { description: 'By which rule the members were found.' },
    ),
  },
  { $id: 'BeadGraphResponse', additionalProperties: false },
)
export type BeadGraphResponse = Static<typeof BeadGraphResponse>

export const BeadEventPayload = Type.Object({ bead: Bead }, { $id: 'BeadEventPayload', additionalProperties: false })
export type BeadEventPayload = Static<typeof BeadEventPayload>

export const BeadDependInput = Type.Object(
  {
    depends_on_id: Type.String({ minLength: 1, description: 'The bead to depend on.' }),
    type: Type.Optional(Type.String({ minLength: 1, description: '`blocks` when absent.' })),
  },
  { $id: 'BeadDependInput', additionalProperties: false },
)
export type BeadDependInput = Static<typeof BeadDependInput>

/** The far end of a dependency; `bead` is absent when there is none of that id. */
export const BeadRelation = Type.Object(
  {
    id: Type.String(),
    type: Type.String({ description: 'The type of the dependency.' }),
    bead: Type.Optional(Bead),
  },
  { $id: 'BeadRelation', additionalProperties: false },
)
export type BeadRelation = Static<typeof BeadRelation>

export const BeadDependencies = Type.Object(
  {
    depends_on: Type.Array(BeadRelation, { description: 'What it depends on.' }),
    dependents: Type.Array(BeadRelation, { description: 'What depends on it.' }),
  },
  { $id: 'BeadDependencies', additionalProperties: false },
)
export type BeadDependencies = Static<typeof BeadDependencies>

export const BeadAssigned = Type.Object(
  {
    status: Type.String({ description: '`assigned`.' }),
    assignee: Type.String({ description: 'The name as stored.' }),
  },
  { additionalProperties: false },
)
export type BeadAssigned = Static<typeof BeadAssigned>

/** Which beads a list shows: every filter is exact, and all must hold. */
export const BeadFilter = Type.Object({
  status: Type.Optional(Type.String({ description: 'Only this status; `closed` shows closed beads.' })),
  type: Type.Optional(Type.String({ description: 'Only this type.' })),
  label: Type.Optional(Type.String({ description: 'Only beads with this label.' })),
  assignee: Type.Optional(Type.String({ description: 'Only work of this session, under whichever of its names.' })),
  rig: Type.Optional(Type.String({ description: "Only this rig; the city's own name: only beads of no rig." })),
  all: Type.Optional(Type.Boolean({ description: 'Closed beads too.' })),
  ...paging,
})
export type BeadFilter = Static<typeof BeadFilter>
