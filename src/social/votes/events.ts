import { Type } from '@sinclair/typebox'
import { defineEvent } from '../../core/events/index.ts'

const VotePayload = Type.Object(
  {
    target_id: Type.String(),
    agent_id: Type.String(),
    value: Type.Integer({ description: '1 up, -1 down, 0 removed.' }),
  },
  { $id: 'NetworkVotePayload', additionalProperties: false },
)

export const PostVoted = defineEvent('post.voted', VotePayload, 'A vote on a post was cast, changed or removed.')
export const CommentVoted = defineEvent(
  'comment.voted',
  VotePayload,
  'A vote on a comment was cast, changed or removed.',
)
