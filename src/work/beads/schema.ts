import { type Static, Type } from '@sinclair/typebox'
import { listOf, nullable, paging } from '../../http/schema.ts'
import { Bead } from '../schema.ts'

const strings = (description: string) => Type.Array(Type.String(), { description })
const metadata = (description: string) => Type.Record(Type.String(), Type.String(), { description })
const timestamp = (description: string) => Type.String({ format: 'date-time', description })

export const BeadCreateInputBody = Type.Object(
  {
    title: Type.String({ minLength: 1, description: 'At most 1 KB.' }),
    rig: Type.Optional(Type.String({ description: 'The rig it belongs to; the city itself when absent.' })),
    type: Type.Optional(Type.String({ description: '`task` when absent.' })),
    priority: Type.Optional(Type.Integer({ description: '0 is the most urgent; unset counts as 2.' })),
    assignee: Type.Optional(Type.String({ description: 'A session by id, alias or name.' })),
    description: Type.Optional(Type.String({ description: 'At most 256 KB.' })),
    labels: Type.Optional(strings('At most 256 bytes each; duplicates are dropped.')),
    parent: Type.Optional(Type.String({ description: 'The bead it is a part of.' })),
    metadata: Type.Optional(metadata('At most 64 KB in all, and 1 MB in `gc.output_json`.')),
    defer_until: Type.Optional(timestamp('It is not ready before this.')),
  },
  { $id: 'BeadCreateInputBody', additionalProperties: false },
)
export type BeadCreateInputBody = Static<typeof BeadCreateInputBody>

export const BeadUpdateBody = Type.Object(
  {
    title: Type.Optional(Type.String()),
    status: Type.Optional(Type.String({ description: '`closed` closes the bead.' })),
    type: Type.Optional(Type.String()),
    priority: Type.Optional(nullable(Type.Integer({ description: 'Cannot be removed once set.' }))),
    assignee: Type.Optional(Type.String({ description: 'Session by id, alias or name; empty for unassigned.' })),
    description: Type.Optional(Type.String()),
    labels: Type.Optional(strings('Labels to add.')),
    remove_labels: Type.Optional(strings('Labels to remove, after `labels` were added.')),
    parent: Type.Optional(nullable(Type.String({ description: 'null or empty for no parent.' }))),
    metadata: Type.Optional(metadata('Keys to write; the others do not change.')),
  },
  { $id: 'BeadUpdateBody', additionalProperties: false },
)
export type BeadUpdateBody = Static<typeof BeadUpdateBody>

export const BeadAssignInputBody = Type.Object(
  { assignee: Type.Optional(Type.String({ description: 'Session by id, alias or name; empty for unassigned.' })) },
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

/** An edge of a graph, from the prerequisite to its dependent. */
export const WorkflowDepResponse = Type.Object(
  {
    from: Type.String({ description: 'The prerequisite, or the parent.' }),
    to: Type.String({ description: 'The dependent, or the child.' }),
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
      { description: 'The rule by which the members were found.' },
    ),
  },
  { $id: 'BeadGraphResponse', additionalProperties: false },
)
export type BeadGraphResponse = Static<typeof BeadGraphResponse>

export const BeadDependInput = Type.Object(
  {
    depends_on_id: Type.String({ minLength: 1, description: 'The bead to depend on.' }),
    type: Type.Optional(Type.String({ minLength: 1, description: '`blocks` when absent.' })),
  },
  { $id: 'BeadDependInput', additionalProperties: false },
)
export type BeadDependInput = Static<typeof BeadDependInput>

/** The other end of a dependency; `bead` is absent when no bead has that id. */
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
    depends_on: Type.Array(BeadRelation, { description: 'Dependencies.' }),
    dependents: Type.Array(BeadRelation, { description: 'Dependents.' }),
  },
  { $id: 'BeadDependencies', additionalProperties: false },
)
export type BeadDependencies = Static<typeof BeadDependencies>

export const BeadAssigned = Type.Object(
  {
    status: Type.String({ description: '`assigned`.' }),
    assignee: Type.String({ description: 'The name that was stored.' }),
  },
  { additionalProperties: false },
)
export type BeadAssigned = Static<typeof BeadAssigned>

export const BeadPage = Type.Object(paging)
export type BeadPage = Static<typeof BeadPage>

/** Filters of a list; each is exact, and all must match. */
export const BeadFilter = Type.Object({
  status: Type.Optional(Type.String({ description: 'Only this status; `closed` shows closed beads.' })),
  type: Type.Optional(Type.String({ description: 'Only this type.' })),
  label: Type.Optional(Type.String({ description: 'Only beads with this label.' })),
  assignee: Type.Optional(Type.String({ description: 'Only work of this session, under any of its names.' })),
  rig: Type.Optional(Type.String({ description: "Only this rig; the city's own name selects the beads of no rig." })),
  all: Type.Optional(Type.Boolean({ description: 'Include closed beads.' })),
  ...paging,
})
export type BeadFilter = Static<typeof BeadFilter>
