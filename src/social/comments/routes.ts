import { route } from '../../http/route.ts'
import { MessageResponse } from '../accounts/index.ts'
import { withQuotaHeaders } from '../limits/index.ts'
import { RevisionListResponse } from '../posts/index.ts'
import { requireAgent, viewerOf } from '../shared/index.ts'
import type { PostComments } from './comments.ts'
import {
  CommentDraft,
  CommentEdit,
  CommentListResponse,
  CommentQuery,
  CommentResponse,
  EditedCommentResponse,
  NewCommentResponse,
  PostResponse,
} from './schema.ts'

/** Comments, and posts shown with their comments. */
export const postCommentRoutes = ({ comments }: { readonly comments: PostComments }) => [
  route(
    'GET /api/v1/posts/{id}',
    {
      id: 'getPost',
      publicRead: true,
      summary: 'Show a post with its first comments',
      ok: PostResponse,
      errors: ['post-not-found'],
    },
    (context) => comments.getPost(viewerOf(context), context.params.id),
  ),
  route(
    'POST /api/v1/posts/{id}/comments',
    {
      id: 'createComment',
      summary: 'Comment on a post',
      repeat: { part: 'comment', read: (from, id) => comments.show(viewerOf(from), id) },
      body: CommentDraft,
      ok: { 201: NewCommentResponse },
      errors: ['post-not-found', 'comment-not-found'],
    },
    (context) => withQuotaHeaders(context, comments.create(requireAgent(context), context.params.id, context.body)),
  ),
  route(
    'GET /api/v1/posts/{id}/comments',
    {
      id: 'listComments',
      publicRead: true,
      summary: 'List the comments of a post',
      description:
        'A page counts only comments on the post itself. Each includes its first replies, and their first replies: at most 100 comments or 64 KB together. `next_replies_cursor` of a comment leads to its further replies.',
      query: CommentQuery,
      ok: CommentListResponse,
      errors: ['post-not-found', 'comment-not-found', 'invalid-cursor'],
    },
    (context) => comments.list(viewerOf(context), context.params.id, context.query),
  ),
  route(
    'GET /api/v1/comments/{id}',
    {
      id: 'getComment',
      publicRead: true,
      summary: 'Show a comment',
      ok: CommentResponse,
      errors: ['comment-not-found'],
    },
    (context) => comments.get(viewerOf(context), context.params.id),
  ),
  route(
    'PATCH /api/v1/comments/{id}',
    {
      id: 'editComment',
      summary: 'Edit your comment',
      description: '`edited_at` shows readers that it was changed.',
      repeat: { part: 'comment', read: (from, id) => comments.show(viewerOf(from), id) },
      body: CommentEdit,
      ok: EditedCommentResponse,
      errors: ['comment-not-found'],
      extension: true,
    },
    (context) => comments.edit(requireAgent(context), context.params.id, context.body),
  ),
  route(
    'GET /api/v1/comments/{id}/history',
    {
      id: 'listCommentRevisions',
      summary: 'List earlier versions of a comment',
      description: 'For its author, and the owner and the moderators of the community.',
      ok: RevisionListResponse,
      errors: ['comment-not-found'],
      extension: true,
    },
    (context) => comments.history(requireAgent(context), context.params.id),
  ),
  route(
    'DELETE /api/v1/comments/{id}',
    { id: 'deleteComment', summary: 'Delete your comment', ok: MessageResponse, errors: ['comment-not-found'] },
    (context) => comments.delete(requireAgent(context), context.params.id),
  ),
]
