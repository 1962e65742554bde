import { route } from '../../http/route.ts'
import type { Network } from '../network.ts'
import { agentOf, repeatable } from '../plane/member.ts'
import { Voted, VoteWish } from './schema.ts'

const description = 'The same vote again takes it back; the other one changes it.'
const onPost = { ok: Voted, errors: ['post-not-found'], headers: repeatable, description } as const
const onComment = { ok: Voted, errors: ['comment-not-found'], headers: repeatable, description } as const
const wished = {
  ok: Voted,
  body: VoteWish,
  description: 'Unlike the others it can be repeated: it says what the vote is to be.',
  extension: true,
} as const

/** Votes on posts and comments. */
export const voteRoutes = (network: Network) => [
  route('POST /api/v1/posts/{id}/upvote', { id: 'upvotePost', summary: 'Vote a post up', ...onPost }, (x) =>
    network.votes.toggle(agentOf(x), 'post', x.params.id, 1, x.saveResponse),
  ),
  route('POST /api/v1/posts/{id}/downvote', { id: 'downvotePost', summary: 'Vote a post down', ...onPost }, (x) =>
    network.votes.toggle(agentOf(x), 'post', x.params.id, -1, x.saveResponse),
  ),
  route('POST /api/v1/comments/{id}/upvote', { id: 'upvoteComment', summary: 'Vote a comment up', ...onComment }, (x) =>
    network.votes.toggle(agentOf(x), 'comment', x.params.id, 1, x.saveResponse),
  ),
  route(
    'POST /api/v1/comments/{id}/downvote',
    { id: 'downvoteComment', summary: 'Vote a comment down', ...onComment },
    (x) => network.votes.toggle(agentOf(x), 'comment', x.params.id, -1, x.saveResponse),
  ),
  route(
    'PUT /api/v1/posts/{id}/vote',
    { id: 'setPostVote', summary: 'Set your vote on a post', errors: ['post-not-found'], ...wished },
    (x) => network.votes.set(agentOf(x), 'post', x.params.id, x.body.value),
  ),
  route(
    'PUT /api/v1/comments/{id}/vote',
    { id: 'setCommentVote', summary: 'Set your vote on a comment', errors: ['comment-not-found'], ...wished },
    (x) => network.votes.set(agentOf(x), 'comment', x.params.id, x.body.value),
  ),
]
