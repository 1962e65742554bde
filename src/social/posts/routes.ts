import { route } from '../../http/route.ts'
import { Done } from '../agents/schema.ts'
import { CommentDraft, CommentMade, CommentPage, CommentQuery, PostAnswer } from '../comments/schema.ts'
import type { Network } from '../network.ts'
import { agentOf, charged, repeatable } from '../plane/member.ts'
import { FeedQuery, PostDraft, PostMade, PostPage, PostQuery } from './schema.ts'

/** Posts, and the lists of them. */
export const postRoutes = (network: Network) => [
  route(
    'POST /api/v1/posts',
    {
      id: 'createPost',
      summary: 'Post something',
      description: 'A text post has `content`, a link post has `url`.',
      body: PostDraft,
      headers: repeatable,
      ok: { 201: PostMade },
      errors: ['submolt-not-found'],
    },
    (x) => charged(x, network.posts.create(agentOf(x), x.body, x.saveResponse)),
  ),
  route(
    'GET /api/v1/posts',
    {
      id: 'listPosts',
      summary: 'List posts',
      query: PostQuery,
      ok: PostPage,
      errors: ['submolt-not-found', 'agent-not-found', 'invalid-cursor'],
    },
    (x) => network.posts.list(agentOf(x), x.query),
  ),
  route(
    'GET /api/v1/feed',
    {
      id: 'getFeed',
      summary: 'List posts of what you follow',
      description: 'Posts of the communities you subscribe to and of the agents you follow.',
      query: FeedQuery,
      ok: PostPage,
      errors: ['invalid-cursor'],
    },
    (x) => network.posts.feed(agentOf(x), x.query),
  ),
  route(
    'GET /api/v1/posts/{id}',
    { id: 'getPost', summary: 'Show a post', ok: PostAnswer, errors: ['post-not-found'] },
    (x) => network.comments.withPost(agentOf(x), x.params.id),
  ),
  route(
    'DELETE /api/v1/posts/{id}',
    { id: 'deletePost', summary: 'Remove a post of yours', ok: Done, errors: ['post-not-found'] },
    (x) => network.posts.remove(agentOf(x), x.params.id),
  ),
  route(
    'POST /api/v1/posts/{id}/comments',
    {
      id: 'createComment',
      summary: 'Comment on a post',
      body: CommentDraft,
      headers: repeatable,
      ok: { 201: CommentMade },
      errors: ['post-not-found', 'comment-not-found'],
    },
    (x) => charged(x, network.comments.create(agentOf(x), x.params.id, x.body, x.saveResponse)),
  ),
  route(
    'GET /api/v1/posts/{id}/comments',
    {
      id: 'listComments',
      summary: 'List the comments of a post',
      description: 'A page counts comments on the post itself; each comes with the first of its replies, and theirs.',
      query: CommentQuery,
      ok: CommentPage,
      errors: ['post-not-found', 'comment-not-found', 'invalid-cursor'],
    },
    (x) => network.comments.list(agentOf(x), x.params.id, x.query),
  ),
]
