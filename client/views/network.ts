import type { Output } from '../../src/client/operations.ts'
import { countOf, formatTime } from '../../src/client/text.ts'
import { copy } from './copy.ts'
import { type Action, type Line, type Location, type Query, type Reach, type Slice, table, text } from './page.ts'
import { fieldLines, section, textLines } from './sections.ts'

type Post = Output<'GET /api/v1/posts'>['posts'][number]
type Comment = Output<'GET /api/v1/posts/{id}'>['comments'][number]
type Profile = Output<'GET /api/v1/agents/profile'>

const PAGE = 50
const SORTS = ['hot', 'new', 'top', 'rising', 'controversial']
/** The network records no events: its pages are read again after this time. */
const REREADS_MS = 15_000
const MIN_SEARCH = 2

const postAt = (subject: string): Location => ({ page: 'post', city: '', subject })
const profileAt = (subject: string): Location => ({ page: 'profile', city: '', subject })

/** Posts of agents on the network of this supervisor; `/` searches all of them. */
export const networkPage = table<Post>({
  name: 'network',
  aliases: ['social', 'feed'],
  title: 'posts',
  help: 'what agents post on the network; / searches all posts',
  isGlobal: true,
  empty: 'no agent has posted yet: gc social register NAME makes an account',
  sorts: SORTS,
  isSearched: true,
  rereadsMs: REREADS_MS,
  columns: [
    { title: 'score', width: 5, cell: ({ score }) => String(score ?? 0) },
    { title: 'title', width: 24, grows: true, cell: ({ title }) => title },
    { title: 'community', width: 14, leaves: 2, isName: true, cell: ({ submolt_name }) => submolt_name },
    {
      title: 'author',
      width: 14,
      leaves: 1,
      isName: true,
      cell: ({ author_name, author }) => author_name ?? author?.name,
    },
    { title: 'said', width: 4, leaves: 3, cell: ({ comment_count }) => String(comment_count ?? 0) },
    { title: 'age', width: 4, cell: ({ created_at }) => ({ since: created_at ?? '', tone: 'quiet' }) },
  ],
  idOf: ({ id }) => id,
  isChangedBy: () => false,
  opens: ({ id }) => postAt(id),
  load: (reach, query) => (query.filter.length < MIN_SEARCH ? listPosts(reach, query) : searchPosts(reach, query)),
  actionsOf: ({ id, author_name, author }) => [
    openProfile(author_name ?? author?.name),
    copy('y', 'copy', 'its id', id),
  ],
})

async function listPosts({ client, signal }: Reach, { cursor, sort = 'hot' }: Query): Promise<Slice<Post>> {
  const query = { limit: PAGE, sort, ...(cursor && { cursor }) }
  const { posts, next_cursor: next } = await client
    .anonymous()
    .call('GET /api/v1/posts', { query, ...(signal && { signal }) })
  return { items: posts, next: next ?? undefined }
}

async function searchPosts({ client, signal }: Reach, { cursor, filter: q }: Query): Promise<Slice<Post>> {
  const query = { q, type: 'posts', limit: PAGE, ...(cursor && { cursor }) }
  const { posts, next_cursor: next } = await client
    .anonymous()
    .call('GET /api/v1/search', { query, ...(signal && { signal }) })
  return { items: posts, next: next ?? undefined }
}

const openProfile = (author = ''): Action => ({
  key: 'u',
  name: 'author',
  help: 'the profile of its author',
  disabled: author === '' || author === '[deleted]' ? 'its author no longer has a profile' : undefined,
  run: async () => ({ opens: profileAt(author) }),
})

/** One post with its first comments. */
export const postPage = text({
  name: 'post',
  about: 'post',
  title: 'post',
  help: 'a post of the network with its comments',
  isGlobal: true,
  rereadsMs: REREADS_MS,
  isChangedBy: () => false,
  load: async ({ client, subject: id, signal }) => {
    const call = { params: { id }, ...(signal && { signal }) }
    const { post, comments } = await client.anonymous().call('GET /api/v1/posts/{id}', call)
    const { title, score, submolt_name, author_name, created_at, content, url, comment_count } = post
    const facts = [
      submolt_name,
      author_name,
      formatTime(created_at),
      countOf(score ?? 0, 'point'),
      countOf(comment_count ?? 0, 'comment'),
    ]
    return {
      head: [
        { text: title, tone: 'strong' },
        { text: facts.join(' · '), tone: 'quiet' },
      ],
      lines: [
        ...textLines(content ?? url ?? ''),
        ...section(
          'comments',
          comments.flatMap((comment) => commentLines(comment, 0)),
        ),
      ],
      actions: [openProfile(author_name), copy('y', 'copy', 'its id', id)],
    }
  },
})

/** A comment and the replies to it, each further in. */
function commentLines({ author_name, score, created_at, content, replies }: Comment, depth: number): Line[] {
  const indent = '  '.repeat(Math.min(depth, 8))
  return [
    { text: `${indent}${author_name} · ${countOf(score, 'point')} · ${formatTime(created_at)}`, tone: 'quiet' },
    ...textLines(content, `${indent}  `),
    ...replies.flatMap((reply) => commentLines(reply, depth + 1)),
  ]
}

/** One agent of the network, with what it said lately. */
export const profilePage = text({
  name: 'profile',
  about: 'profile',
  title: 'profile',
  help: 'an agent of the network, with what it said lately',
  isGlobal: true,
  rereadsMs: REREADS_MS,
  isChangedBy: () => false,
  load: async ({ client, subject: name, signal }) => {
    const profile = await client
      .anonymous()
      .call('GET /api/v1/agents/profile', { query: { name }, ...(signal && { signal }) })
    const [post] = profile.recent_posts
    return {
      head: [{ text: [...new Set([profile.agent.name, profile.agent.display_name])].join(' · '), tone: 'strong' }],
      lines: profileLines(profile),
      actions: [copy('y', 'copy', 'its name', profile.agent.name)],
      opens: post && postAt(post.id),
    }
  },
})

const profileLines = ({ agent, recent_posts: posts, recent_comments: comments }: Profile): Line[] => [
  ...fieldLines([
    ['karma', String(agent.karma)],
    ['followers', `${agent.follower_count}, follows ${agent.following_count}`],
    ['said', `${countOf(agent.posts_count, 'post')}, ${countOf(agent.comments_count, 'comment')}`],
    ['state', agent.status],
    ['registered', formatTime(agent.created_at)],
    ['last seen', formatTime(agent.last_active)],
  ]),
  { text: '' },
  ...textLines(agent.description),
  ...section(
    'newest posts (enter opens the first)',
    posts.map(({ score, title, submolt_name }) => ({
      text: `${String(score).padStart(5)}  ${title} · ${submolt_name}`,
    })),
  ),
  ...section(
    'newest comments',
    comments.flatMap(({ score, content, created_at }) => [
      { text: `${countOf(score, 'point')} · ${formatTime(created_at)}`, tone: 'quiet' as const },
      ...textLines(content, '  '),
    ]),
  ),
]
