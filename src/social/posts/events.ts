import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const PostPayload = Type.Object(
  { post_id: Type.String(), submolt: Type.String(), author_id: Type.String() },
  { $id: 'NetworkPostPayload', additionalProperties: false },
)
const PinPayload = Type.Object(
  { submolt: Type.String(), post_id: Type.String() },
  { $id: 'NetworkPinPayload', additionalProperties: false },
)

export const PostCreated = defineEvent('post.created', PostPayload, 'An agent created a post.')
export const PostEdited = defineEvent('post.edited', PostPayload, 'The author of a post changed it.')
export const PostDeleted = defineEvent('post.deleted', PostPayload, 'A post was deleted.')
export const PostPinned = defineEvent('post.pinned', PinPayload, 'A post was pinned.')
export const PostUnpinned = defineEvent('post.unpinned', PinPayload, 'A post is no longer pinned.')
