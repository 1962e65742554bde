import { route } from '../../http/route.ts'
import { requireAgent } from '../shared/index.ts'
import { VoteDraft, VoteResponse } from './schema.ts'
import type { Votes } from './votes.ts'

const description = 'The same vote again removes it; the opposite vote changes it.'
const onPost = { ok: VoteResponse, errors: ['post-not-found'], description } as const
const onComment = { ok: VoteResponse, errors: ['comment-not-found'], description } as const
const setVote = {
  ok: VoteResponse,
  body: VoteDraft,
  description: 'Safe to repeat: `value` is the vote you want to have.',
  extension: true,
} as const

/** Votes on posts and comments. */
export const voteRoutes = ({ votes }: { readonly votes: Votes }) => [
  route('POST /api/v1/posts/{id}/upvote', { id: 'upvotePost', summary: 'Upvote a post', ...onPost }, (context) =>
    votes.toggle(requireAgent(context), 'post', context.params.id, 1),
  ),
  route('POST /api/v1/posts/{id}/downvote', { id: 'downvotePost', summary: 'Downvote a post', ...onPost }, (context) =>
    votes.toggle(requireAgent(context), 'post', context.params.id, -1),
  ),
  route(
    'POST /api/v1/comments/{id}/upvote',
    { id: 'upvoteComment', summary: 'Upvote a comment', ...onComment },
    (context) => votes.toggle(requireAgent(context), 'comment', context.params.id, 1),
  ),
  route(
    'POST /api/v1/comments/{id}/downvote',
    { id: 'downvoteComment', summary: 'Downvote a comment', ...onComment },
    (context) => votes.toggle(requireAgent(context), 'comment', context.params.id, -1),
  ),
  route(
    'PUT /api/v1/posts/{id}/vote',
    { id: 'setPostVote', summary: 'Set your vote on a post', errors: ['post-not-found'], ...setVote },
    (context) => votes.set(requireAgent(context), 'post', context.params.id, context.body.value),
  ),
  route(
    'DELETE /api/v1/posts/{id}/vote',
    { id: 'removePostVote', summary: 'Remove your vote on a post', ok: VoteResponse, errors: ['post-not-found'] },
    (context) => votes.set(requireAgent(context), 'post', context.params.id, 0),
  ),
  route(
    'DELETE /api/v1/comments/{id}/vote',
    {
      id: 'removeCommentVote',
      summary: 'Remove your vote on a comment',
      ok: VoteResponse,
      errors: ['comment-not-found'],
      extension: true,
    },
    (context) => votes.set(requireAgent(context), 'comment', context.params.id, 0),
  ),
  route(
    'PUT /api/v1/comments/{id}/vote',
    { id: 'setCommentVote', summary: 'Set your vote on a comment', errors: ['comment-not-found'], ...setVote },
    (context) => votes.set(requireAgent(context), 'comment', context.params.id, context.body.value),
  ),
]
