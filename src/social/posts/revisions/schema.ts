import { type Static, Type } from '@sinclair/typebox'
import { nullableString, string, success } from '../../shared/index.ts'

const Revision = Type.Object(
  {
    title: nullableString('The title; null of a comment.'),
    content: nullableString('The text.'),
    url: nullableString('The link of a link post.'),
    written_at: string('Time of writing.'),
    replaced_at: string('Time at which its author replaced it.'),
  },
  { $id: 'Revision', description: 'Earlier version of an edited post or comment.' },
)

export const RevisionListResponse = Type.Object(
  { success, revisions: Type.Array(Revision, { description: 'The newest first: at most 50 are stored.' }) },
  { $id: 'RevisionListResponse' },
)
export type RevisionListResponse = Static<typeof RevisionListResponse>
