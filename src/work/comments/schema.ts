import { type Static, Type } from '@sinclair/typebox'
import { listOf, paging } from '../../http/schema.ts'
import { BeadComment } from '../schema.ts'

export const BeadCommentInput = Type.Object(
  { text: Type.String({ minLength: 1, description: 'At most 64 KB.' }) },
  { $id: 'BeadCommentInput', additionalProperties: false },
)
export type BeadCommentInput = Static<typeof BeadCommentInput>

export const BeadCommentList = listOf(BeadComment, 'BeadCommentList')
export type BeadCommentList = Static<typeof BeadCommentList>

export const BeadCommentCounts = Type.Object(
  {
    counts: Type.Record(Type.String(), Type.Integer(), {
      description: 'The number of comments by bead; beads without comments are left out.',
    }),
  },
  { $id: 'BeadCommentCounts', additionalProperties: false },
)
export type BeadCommentCounts = Static<typeof BeadCommentCounts>

export const CommentPage = Type.Object(paging)
export type CommentPage = Static<typeof CommentPage>
