import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../../core/events/index.ts'

const PostPayload = Type.Object(
  { post_id: Type.String(), submolt: Type.String() },
  { $id: 'NetworkRelistedPostPayload', additionalProperties: false },
)
const CommentPayload = Type.Object(
  { comment_id: Type.String(), post_id: Type.String() },
  { $id: 'NetworkRelistedCommentPayload', additionalProperties: false },
)

export const PostRelisted = defineEvent('post.relisted', PostPayload, 'A post that repeats another is in lists again.')
export const CommentRelisted = defineEvent(
  'comment.relisted',
  CommentPayload,
  'A comment that repeats another is in lists again.',
)
