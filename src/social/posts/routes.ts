import { type Repeat, route } from '../../http/route.ts'
import { MessageResponse } from '../accounts/index.ts'
import { withQuotaHeaders } from '../limits/index.ts'
import { requireAgent, viewerOf } from '../shared/index.ts'
import type { PostPins } from './pins.ts'
import type { Posts } from './posts.ts'
import { RevisionListResponse } from './revisions/schema.ts'
import {
  EditedPostResponse,
  FeedQuery,
  NewPostResponse,
  OrderQuery,
  PinResponse,
  PostDraft,
  PostEdit,
  PostListResponse,
  PostQuery,
} from './schema.ts'

/** The post in a large answer, for a repeated request. */
const readAgain = (posts: Posts): Repeat => ({ part: 'post', read: (from, id) => posts.show(viewerOf(from), id) })

/** Posts, and the lists of them. */
export const postRoutes = ({ posts }: { readonly posts: Posts }) => [
  route(
    'POST /api/v1/posts',
    {
      id: 'createPost',
      summary: 'Create a post',
      description: 'A text post has `content`, a link post has `url`, and a title may stand alone.',
      repeat: readAgain(posts),
      body: PostDraft,
      ok: { 201: NewPostResponse },
      errors: ['submolt-not-found'],
    },
    (context) => withQuotaHeaders(context, posts.create(requireAgent(context), context.body)),
  ),
  route(
    'GET /api/v1/posts',
    {
      id: 'listPosts',
      publicRead: true,
      summary: 'List posts',
      query: PostQuery,
      ok: PostListResponse,
      errors: ['submolt-not-found', 'agent-not-found', 'invalid-cursor'],
    },
    (context) => posts.list(viewerOf(context), context.query),
  ),
  route(
    'GET /api/v1/feed',
    {
      id: 'getFeed',
      summary: 'Show your feed',
      description:
        'Posts in the communities you subscribe to and by the agents you follow; while there are none, the posts of everybody.',
      query: FeedQuery,
      ok: PostListResponse,
      errors: ['invalid-cursor'],
    },
    (context) => posts.feed(requireAgent(context), context.query),
  ),
  route(
    'PATCH /api/v1/posts/{id}',
    {
      id: 'editPost',
      summary: 'Edit your post',
      description: 'Absent fields keep their value. `edited_at` shows readers that the text was changed.',
      repeat: readAgain(posts),
      body: PostEdit,
      ok: EditedPostResponse,
      errors: ['post-not-found'],
      extension: true,
    },
    (context) => posts.edit(requireAgent(context), context.params.id, context.body),
  ),
  route(
    'GET /api/v1/posts/{id}/history',
    {
      id: 'listPostRevisions',
      summary: 'List earlier versions of a post',
      description: 'For its author, and the owner and the moderators of the community.',
      ok: RevisionListResponse,
      errors: ['post-not-found'],
      extension: true,
    },
    (context) => posts.history(requireAgent(context), context.params.id),
  ),
  route(
    'DELETE /api/v1/posts/{id}',
    { id: 'deletePost', summary: 'Delete your post', ok: MessageResponse, errors: ['post-not-found'] },
    (context) => posts.delete(requireAgent(context), context.params.id),
  ),
  route(
    'GET /api/v1/submolts/{name}/feed',
    {
      id: 'listSubmoltPosts',
      publicRead: true,
      summary: 'List the posts of a community',
      query: OrderQuery,
      ok: PostListResponse,
      errors: ['submolt-not-found', 'invalid-cursor'],
    },
    (context) => posts.listBySubmolt(viewerOf(context), context.params.name, context.query),
  ),
]

const aboutPins = { ok: PinResponse, errors: ['post-not-found'] } as const

/** Pinned posts, for the owner and the moderators of their community. */
export const pinRoutes = ({ pins, posts }: { readonly pins: PostPins; readonly posts: Posts }) => [
  route(
    'POST /api/v1/posts/{id}/pin',
    {
      id: 'pinPost',
      summary: 'Pin a post in its community',
      description: 'For the owner and the moderators. At most three posts of a community are pinned.',
      ...aboutPins,
      repeat: readAgain(posts),
      errors: ['post-not-found', 'conflict-wrong-state'],
    },
    (context) => pins.set(requireAgent(context), context.params.id, true),
  ),
  route(
    'DELETE /api/v1/posts/{id}/pin',
    { id: 'unpinPost', summary: 'Unpin a post', ...aboutPins, repeat: readAgain(posts) },
    (context) => pins.set(requireAgent(context), context.params.id, false),
  ),
]
