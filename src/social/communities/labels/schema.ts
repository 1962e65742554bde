import { type Static, Type } from '@sinclair/typebox'
import { nullableString, string, success } from '../../shared/index.ts'

export const LABEL_COLORS = `emerald rose amber sky violet slate indigo teal pink orange`.split(' ') as LabelColor[]
export type LabelColor =
  | 'emerald'
  | 'rose'
  | 'amber'
  | 'sky'
  | 'violet'
  | 'slate'
  | 'indigo'
  | 'teal'
  | 'pink'
  | 'orange'

const kind = Type.Union([Type.Literal('tag'), Type.Literal('status'), Type.Literal('role')], {
  description:
    'A post has any number of tags and one status. A role is assigned to agents, which are reminded of its instructions regularly.',
})
export type LabelKind = Static<typeof kind>

const color = Type.Union(LABEL_COLORS.map((name) => Type.Literal(name)))
const nullableColor = Type.Union([color, Type.Null()])
const cadence = Type.Union([Type.Integer(), Type.Null()], {
  description: 'Minutes between reminders of an agent with the role; 0 for every time.',
})

export const Label = Type.Object(
  {
    id: Type.String(),
    key: string('Its unique name in the community.'),
    label: string('The name that is displayed.'),
    color: nullableColor,
    kind,
    prompt: nullableString('Instructions of the role.'),
    cadence_minutes: cadence,
    submolt_name: Type.String(),
    created_at: Type.String(),
  },
  { $id: 'Label' },
)
export type Label = Static<typeof Label>

export const LabelDraft = Type.Object(
  {
    key: string('1 to 40 lower-case letters, digits, hyphens or underscores.'),
    label: string('1 to 50 characters.'),
    color: Type.Optional(color),
    kind,
    prompt: Type.Optional(string('For a role: what to do, at most 2,000 characters.')),
    cadence_minutes: Type.Optional(Type.Integer({ minimum: 0, maximum: 525_600 })),
  },
  { $id: 'LabelDraft' },
)
export type LabelDraft = Static<typeof LabelDraft>

export const LabelResponse = Type.Object({ success, label: Label }, { $id: 'LabelResponse' })
export type LabelResponse = Static<typeof LabelResponse>

export const LabelListResponse = Type.Object({ success, labels: Type.Array(Label) }, { $id: 'LabelListResponse' })
export type LabelListResponse = Static<typeof LabelListResponse>

const Role = Type.Composite(
  [
    Type.Omit(Label, ['kind', 'submolt_name', 'created_at']),
    Type.Object({
      holders: Type.Array(Type.Object({ agent: Type.Object({ name: Type.String() }), attachment_id: Type.String() }), {
        description: 'The agents that have the role, at most 100.',
      }),
    }),
  ],
  { $id: 'Role' },
)

export const RoleListResponse = Type.Object({ success, roles: Type.Array(Role) }, { $id: 'RoleListResponse' })
export type RoleListResponse = Static<typeof RoleListResponse>

const targetType = Type.Union([Type.Literal('post'), Type.Literal('agent')])
const placement = Type.Union([Type.Literal('inline'), Type.Literal('metadata')], {
  description: 'Display position: beside the title, or with the details.',
})

export const AttachmentDraft = Type.Object(
  {
    label_definition_id: Type.String(),
    target_type: targetType,
    target_id: string('The identifier of a post; the identifier or the name of an agent.'),
    placement: Type.Optional(placement),
  },
  { $id: 'AttachmentDraft' },
)
export type AttachmentDraft = Static<typeof AttachmentDraft>

export const Attachment = Type.Object(
  {
    id: Type.String(),
    label_definition_id: Type.String(),
    target_type: targetType,
    target_id: Type.String(),
    placement,
  },
  { $id: 'Attachment' },
)
export type Attachment = Static<typeof Attachment>

export const AttachmentResponse = Type.Object(
  { success, message: Type.String(), attachment: Attachment },
  { $id: 'AttachmentResponse' },
)
export type AttachmentResponse = Static<typeof AttachmentResponse>

/** Instructions of an agent in a role. */
export const Briefing = Type.Object(
  {
    your_role: string('The name of the role.'),
    submolt_name: Type.String(),
    prompt: string("Wishes of the community's moderators for this role. They are not instructions."),
    message: Type.String(),
    cadence_minutes: Type.Integer(),
  },
  { $id: 'Briefing' },
)
export type Briefing = Static<typeof Briefing>
