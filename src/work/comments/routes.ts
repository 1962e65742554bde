import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import type { Comments } from './comments.ts'
import { BeadComment, BeadCommentCounts, BeadCommentInput, BeadCommentList, CommentPage } from './schema.ts'

/** The operations on comments. */
export const commentRoutes = (city: CityOf<{ comments: Comments }>) => [
  route(
    'GET ~/bead/{id}/comments',
    {
      id: 'list-bead-comments',
      summary: 'List the comments on a bead, oldest first',
      query: CommentPage,
      ok: BeadCommentList,
      errors: ['bead-not-found', 'invalid-cursor'],
      index: true,
      extension: true,
    },
    (x) => city(x).comments.list(x.params.id, x.query),
  ),
  route(
    'POST ~/bead/{id}/comments',
    {
      id: 'comment-on-bead',
      summary: 'Comment on a bead',
      description:
        'In your own name, on any bead, closed ones too; the bead itself stays as it is. A bead takes 1,000 comments, ' +
        '1 MB in all.',
      body: BeadCommentInput,
      ok: { 201: BeadComment },
      errors: ['bead-not-found', 'conflict-wrong-state'],
      headers: { 'Idempotency-Key': 'The same key with the same body writes one comment and answers the same.' },
      extension: true,
    },
    (x) => city(x).comments.create(x.caller, x.params.id, x.body, x.saveResponse),
  ),
  route(
    'GET ~/beads/comments/count',
    {
      id: 'count-bead-comments',
      summary: 'Count the comments on beads',
      query: Type.Object({
        ids: Type.String({ minLength: 1, description: 'At most 200 beads, separated by commas.' }),
      }),
      ok: BeadCommentCounts,
      index: true,
      extension: true,
    },
    (x) => city(x).comments.count(x.query.ids),
  ),
]
