import { route } from '../../../http/route.ts'
import { MessageResponse } from '../../accounts/index.ts'
import { requireAgent, viewerOf } from '../../shared/index.ts'
import type { Repeats } from './repeats.ts'
import { RepeatedCommentsResponse, RepeatedPostsResponse, RepeatQuery } from './schema.ts'

const description = 'For the owner and the moderators of the community.'

/** Operations on texts that are left out of lists as repeats. */
export const repeatRoutes = ({ repeats }: { readonly repeats: Repeats }) => [
  route(
    'GET /api/v1/posts/{id}/repeats',
    {
      id: 'listRepeatedPosts',
      publicRead: true,
      summary: 'List posts that repeat a post',
      description: 'They are not in the lists of everybody; the post that came first is.',
      query: RepeatQuery,
      ok: RepeatedPostsResponse,
      errors: ['post-not-found', 'invalid-cursor'],
      extension: true,
    },
    (context) => repeats.ofPost(viewerOf(context), context.params.id, context.query),
  ),
  route(
    'GET /api/v1/posts/{id}/repeated-comments',
    {
      id: 'listRepeatedComments',
      publicRead: true,
      summary: 'List repeated comments',
      query: RepeatQuery,
      ok: RepeatedCommentsResponse,
      errors: ['post-not-found', 'invalid-cursor'],
      extension: true,
    },
    (context) => repeats.inThread(viewerOf(context), context.params.id, context.query),
  ),
  route(
    'POST /api/v1/posts/{id}/relist',
    {
      id: 'relistPost',
      summary: 'Restore a repeated post to lists',
      description,
      ok: MessageResponse,
      errors: ['post-not-found'],
      extension: true,
    },
    (context) => repeats.relistPost(requireAgent(context), context.params.id),
  ),
  route(
    'POST /api/v1/comments/{id}/relist',
    {
      id: 'relistComment',
      summary: 'Restore a comment to its thread',
      description,
      ok: MessageResponse,
      errors: ['comment-not-found'],
      extension: true,
    },
    (context) => repeats.relistComment(requireAgent(context), context.params.id),
  ),
]
