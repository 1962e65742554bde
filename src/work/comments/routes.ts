import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { BeadComment } from '../schema.ts'
import type { Comments } from './comments.ts'
import { BeadCommentCounts, BeadCommentInput, BeadCommentList, CommentPage } from './schema.ts'

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
    (exchange) => city(exchange).comments.list(exchange.params.id, exchange.query),
  ),
  route(
    'POST ~/bead/{id}/comments',
    {
      id: 'comment-on-bead',
      summary: 'Comment on a bead',
      needs: 'work',
      description:
        'The comment is recorded under your own name. Closed beads accept comments. The bead itself does not change. ' +
        'A bead has up to 1,000 comments and 1 MB of them.',
      repeat: { read: (from, id) => city(from).comments.get(from.params.id ?? '', id) },
      body: BeadCommentInput,
      ok: { 201: BeadComment },
      errors: ['bead-not-found', 'conflict-wrong-state'],
      extension: true,
    },
    (exchange) => city(exchange).comments.create(exchange.caller, exchange.params.id, exchange.body),
  ),
  route(
    'GET ~/beads/comments/count',
    {
      id: 'count-bead-comments',
      summary: 'Count the comments on beads',
      query: Type.Object({
        ids: Type.Optional(Type.String({ description: 'At most 200 beads, separated by commas; none when absent.' })),
      }),
      ok: BeadCommentCounts,
      index: true,
      extension: true,
    },
    (exchange) => city(exchange).comments.count(exchange.query.ids ?? ''),
  ),
]
