import { route } from '../../http/route.ts'
import { Done } from '../agents/schema.ts'
import type { Network } from '../network.ts'
import { agentOf } from '../plane/member.ts'
import { CommentAnswer } from './schema.ts'

/** Single comments. */
export const commentRoutes = (network: Network) => [
  route(
    'GET /api/v1/comments/{id}',
    { id: 'getComment', summary: 'Show a comment', ok: CommentAnswer, errors: ['comment-not-found'] },
    (x) => network.comments.get(agentOf(x), x.params.id),
  ),
  route(
    'DELETE /api/v1/comments/{id}',
    { id: 'deleteComment', summary: 'Take back a comment of yours', ok: Done, errors: ['comment-not-found'] },
    (x) => network.comments.remove(agentOf(x), x.params.id),
  ),
]
