import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Json, NetworkClient } from '../support/network.ts'

/** The clients that agents already use, with the requests exactly as each one sends them, and the fields it reads. */

let network: NetworkClient
beforeAll(async () => {
  network = await NetworkClient.open('[limits]\ngeneral = "5000/1m"\npost = "1000/30m"\n')
}, 20_000)
afterAll(() => network[Symbol.asyncDispose]())

/** Headers and base address of a client. */
interface Client {
  readonly at: '' | '/api/v1'
  readonly headers?: Record<string, string>
}

const SDK = { at: '', headers: { 'user-agent': 'MoltbookSDK/1.0', 'content-type': 'application/json' } } as const
const SWIFT = { ...SDK, at: '/api/v1' } as const
const WEB = { at: '', headers: { 'content-type': 'application/json', accept: '*/*' } } as const
const RUST = { at: '/api/v1' } as const
const MCP = { at: '/api/v1', headers: { 'content-type': 'application/json' } } as const
const JAVA = { at: '/api/v1', headers: { 'content-type': 'application/json; charset=utf-8' } } as const

interface Sending {
  key?: string
  /** The body as it is sent: most clients send an empty one when there is no content. */
  raw?: string
  body?: unknown
}

async function send({ at, headers = {} }: Client, operation: string, { key, raw, body }: Sending = {}) {
  const [method = 'GET', path = '/'] = operation.split(' ', 2)
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(network.world.url + at + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    ...(text !== undefined && method !== 'GET' && { body: text }),
  })
  // All of them parse the body as JSON, whatever the status.
  return { status: response.status, headers: response.headers, body: Object(await response.json()) as Json }
}

let count = 0
async function join(client: Client): Promise<{ key: string; name: string; registered: Json }> {
  const { status, body } = await send(client, 'POST /agents/register', {
    body: { name: `client-${++count}`, description: 'A client' },
  })
  expect(status).toBe(201)
  return { key: body.agent.api_key, name: body.agent.name, registered: body }
}

/** An agent with a post and a comment for others to find. */
async function host(): Promise<{ name: string; post: string; comment: string }> {
  const { key, name } = await join(RUST)
  const { body } = await send(RUST, 'POST /posts', {
    key,
    body: { submolt: 'general', title: 'Of a host', content: 'x' },
  })
  const response = await send(RUST, `POST /posts/${body.post.id}/comments`, { key, body: { content: 'First' } })
  return { name, post: body.post.id, comment: response.body.comment.id }
}

const WHOLE_SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

describe.each([
  ['the TypeScript and Kotlin kits, which drop the base path', SDK],
  ['the Swift kit', SWIFT],
  ['the web client', WEB],
])('%s', (_, client) => {
  test('registers, posts, reads, votes, replies, follows, subscribes and deletes', async () => {
    const there = await host()
    const { key, registered } = await join(client)
    expect(key).toMatch(/^moltbook_[a-zA-Z0-9]{20,}$/)
    expect(registered).toMatchObject({ success: true, important: expect.any(String) })
    const { agent: me } = (await send(client, 'GET /agents/me', { key })).body
    expect(['pending_claim', 'active', 'suspended']).toContain(me.status)
    expect(me).toMatchObject({ karma: 0, is_claimed: false, created_at: expect.stringMatching(WHOLE_SECONDS) })
    const draft = { submolt: 'general', title: 'From a kit', content: 'y', postType: 'text' }
    const { post } = (await send(client, 'POST /posts', { key, body: draft })).body
    expect(post).toMatchObject({
      submolt: 'general',
      author_name: me.name,
      created_at: expect.stringMatching(WHOLE_SECONDS),
    })
    const page = (await send(client, 'GET /posts?sort=new&limit=10&offset=0&t=day', { key })).body
    expect(page.data[0]).toMatchObject({ id: post.id, submolt: 'general', score: 0, userVote: null })
    expect(page.pagination).toEqual({ count: page.data.length, limit: 10, offset: 0, hasMore: page.has_more })
    const voted = await send(client, `POST /posts/${there.post}/upvote`, { key, raw: '' })
    expect(voted.body).toMatchObject({ success: true, message: 'Upvoted!', action: 'upvoted' })
    const body = { content: 'A reply', parentId: there.comment }
    const { comment } = (await send(client, `POST /posts/${there.post}/comments`, { key, body })).body
    expect(comment).toMatchObject({ parent_id: there.comment, depth: 1 })
    const { comments } = (await send(client, `GET /posts/${there.post}/comments?sort=controversial`, { key })).body
    expect(comments[0].replies[0].id).toBe(comment.id)
    for (const [operation, action] of [
      [`POST /agents/${there.name}/follow`, 'followed'],
      [`DELETE /agents/${there.name}/follow`, 'unfollowed'],
      ['POST /submolts/general/subscribe', 'subscribed'],
      ['DELETE /submolts/general/subscribe', 'unsubscribed'],
    ] as const) {
      expect((await send(client, operation, { key, raw: '' })).body).toMatchObject({ success: true, action })
    }
    for (const path of [`/comments/${comment.id}`, `/posts/${post.id}`]) {
      expect(await send(client, `DELETE ${path}`, { key })).toMatchObject({ status: 200, body: { success: true } })
    }
    const junk = await send(client, 'GET /posts/not-an-id', { key })
    expect([junk.status, junk.body.error]).toEqual([404, 'Post not found'])
    expect((await send(client, 'POST /posts', { key, body: { submolt: 'general' } })).status).toBe(400)
  })

  test('reads agents in its own field spelling at the root', async () => {
    const { key } = await join(client)
    const { agent } = (await send(client, 'PATCH /agents/me', { key, body: { displayName: 'Shown So' } })).body
    expect(agent.displayName).toBe('Shown So')
    if (client.at === '')
      expect(agent).toMatchObject({ isClaimed: false, followerCount: 0, createdAt: agent.created_at })
  })
})

test('the Rust client finds every field that it requires, and none twice', async () => {
  const there = await host()
  const { key, name, registered } = await join(RUST)
  expect(registered.agent.name).toBe(name)
  const post = (await send(RUST, 'POST /posts', { key, body: { submolt_name: 'general', title: 'x', content: 'y' } }))
    .body.post
  for (const field of ['id', 'title', 'upvotes', 'downvotes', 'created_at']) expect(post[field]).toBeDefined()
  expect([post.author.name, post.submolt.name, post.submolt.display_name]).toEqual([name, 'general', 'General'])
  for (const [path, list] of [
    ['/posts?sort=hot&limit=25', 'posts'],
    ['/feed?sort=new', 'posts'],
    ['/submolts?sort=hot', 'submolts'],
    [`/posts/${there.post}/comments?sort=best`, 'comments'],
    ['/submolts/general/feed', 'posts'],
    [`/posts?author=${name}`, 'posts'],
  ] as const) {
    const { status, body } = await send(RUST, `GET ${path}`, { key })
    expect([path, status, body.success, Array.isArray(body[list])]).toEqual([path, 200, true, true])
    expect(body).toMatchObject({ has_more: expect.any(Boolean), limit: expect.any(Number) })
  }
  const { submolts } = (await send(RUST, 'GET /submolts', { key })).body
  for (const submolt of submolts) expect([typeof submolt.display_name, submolt.created_by]).toEqual(['string', null])
  const profile = (await send(RUST, `GET /agents/profile?name=${name}`, { key })).body
  expect(profile.agent).toMatchObject({ id: expect.any(String), name, owner: null, is_active: true })
  for (const twin of ['followerCount', 'followingCount', 'isClaimed', 'createdAt', 'lastActive', 'avatarUrl']) {
    expect(profile.agent).not.toHaveProperty(twin)
    expect(post.author).not.toHaveProperty(twin)
  }
  const status = (await send(RUST, 'GET /agents/status', { key })).body
  expect(status).toMatchObject({ status: 'pending_claim', agent: { id: expect.any(String), name } })
  const { results } = (await send(RUST, 'GET /search?q=host&limit=20', { key })).body
  for (const result of results) {
    expect(result).toMatchObject({
      upvotes: expect.any(Number),
      downvotes: expect.any(Number),
      author: { name: expect.any(String) },
      type: expect.any(String),
    })
    expect(result).not.toHaveProperty('relevance')
  }
  expect((await send(RUST, `POST /posts/${there.post}/upvote`, { key, body: {} })).body.action).toBe('upvoted')
  expect((await send(RUST, 'GET /submolts/general?requester_id=x', { key })).body.your_role).toBeNull()
})

test('the MCP server may send a content type without a body, and shows its model only the error', async () => {
  const there = await host()
  const { key } = await join(MCP)
  for (const operation of ['GET /agents/me', 'GET /posts?sort=rising&submolt=general', 'GET /search?q=x&type=posts']) {
    expect([operation, (await send(MCP, operation, { key })).status]).toEqual([operation, 200])
  }
  expect((await send(MCP, `DELETE /agents/${there.name}/follow`, { key })).status).toBe(200)
  expect((await send(MCP, `POST /comments/${there.comment}/upvote`, { key, body: {} })).status).toBe(200)
  const updated = await send(MCP, 'PATCH /agents/me', { key, body: { metadata: { mood: 'good' } } })
  expect(updated.body.agent.metadata).toEqual({ mood: 'good' })
  const { body } = await send(MCP, 'POST /submolts', { key, body: { name: '!', display_name: 'x' } })
  expect([typeof body.error, body.error.length > 10]).toEqual(['string', true])
  const lost = await send(MCP, 'GET /submolts/general/nothing', { key })
  expect([lost.status, lost.body.error, typeof lost.body.hint]).toEqual([404, 'Endpoint not found', 'string'])
})

test('the terminalcraft server retries without its key, which a network with public reads answers as well', async () => {
  const there = await host()
  const { key } = await join(RUST)
  const shown = (await send(RUST, `GET /posts/${there.post}`, { key })).body
  expect([shown.post.submolt.name, shown.comments[0].content]).toEqual(['general', 'First'])
  const without = await send(RUST, `GET /posts/${there.post}`)
  expect([without.status, without.body.post?.title]).toEqual([200, shown.post.title])
})

test('the Java client knows every field of a registration except the reminder, and sends empty bodies', async () => {
  const there = await host()
  const { key, registered } = await join(JAVA)
  const expectedKeys = ['success', 'message', 'agent', 'setup', 'skill_files', 'tweet_template', 'status']
  expect(Object.keys(registered).filter((name) => !expectedKeys.includes(name))).toEqual(['important'])
  const ofAgent = ['id', 'name', 'api_key', 'claim_url', 'verification_code', 'profile_url', 'created_at']
  expect(Object.keys(registered.agent).sort()).toEqual(ofAgent.sort())
  expect((await send(JAVA, `POST /posts/${there.post}/downvote`, { key, raw: '' })).body.action).toBe('downvoted')
  const page = (await send(JAVA, 'GET /posts?sort=top&t=week&limit=5', { key })).body
  expect([Array.isArray(page.posts), page.count]).toEqual([true, page.posts.length])
  const profile = (await send(JAVA, `GET /agents/profile?name=${there.name}`, { key })).body
  expect(profile).toMatchObject({ is_following: false, recentPosts: [{ id: there.post }] })
})
