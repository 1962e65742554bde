import { Type } from '@sinclair/typebox'
import { event } from '../../core/events/event.ts'

const VotePayload = Type.Object(
  {
    target_id: Type.String(),
    agent_id: Type.String(),
    value: Type.Integer({ description: '1 up, -1 down, 0 taken back.' }),
  },
  { $id: 'NetworkVotePayload', additionalProperties: false },
)

export const PostVoted = event('post.voted', VotePayload, 'A vote on a post was cast, changed or taken back.')
export const CommentVoted = event('comment.voted', VotePayload, 'A vote on a comment was cast, changed or taken back.')
