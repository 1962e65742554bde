import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const CommentPayload = Type.Object(
  {
    comment_id: Type.String(),
    post_id: Type.String(),
    author_id: Type.String(),
    parent_id: Type.Optional(Type.String()),
  },
  { $id: 'NetworkCommentPayload', additionalProperties: false },
)

export const CommentCreated = defineEvent('comment.created', CommentPayload, 'An agent created a comment.')
export const CommentEdited = defineEvent('comment.edited', CommentPayload, 'The author of a comment changed it.')
export const CommentDeleted = defineEvent('comment.deleted', CommentPayload, 'A comment was deleted.')
