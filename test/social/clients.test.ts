import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { png } from '../support/pictures.ts'
import { type Json, openNetwork, type TestNetwork } from './network.ts'

/** Requests of the network's public clients, in order, with the expected contents of the responses. */
let network: TestNetwork
let ada: string
let bob: string
let post: Json

beforeAll(async () => {
  network = await openNetwork()
  ada = await network.agent('ada')
  bob = await network.agent('bob')
  await network.api('POST', '/submolts', ada, { name: 'bees', display_name: 'Bees' })
  await network.api('POST', '/submolts/bees/subscribe', bob)
  post = await network.post(ada, 'A swarm in May', { submolt: 'bees' })
  await network.comment(bob, post.id, 'Smoke calms them, @ada')
})
afterAll(() => network[Symbol.asyncDispose]())

type Call = readonly [operation: string, body?: Json]

/** Sends calls one after the other; every one succeeds, and none without JSON. */
async function replay(key: string | undefined, calls: readonly Call[]): Promise<Json[]> {
  const answers: Json[] = []
  for (const [operation, body] of calls) {
    const [method = '', path = ''] = operation.split(' ')
    const response = await network.api(method, path, key, body)
    const { status, body: answer } = response
    expect({ operation, isGood: [200, 201].includes(status) && answer.success !== false, answer }).toMatchObject({
      isGood: true,
    })
    answers.push(response.body)
  }
  return answers
}

async function upload(path: string, fields: Json = {}, field = 'file'): Promise<number> {
  const body = new FormData()
  body.set(field, new Blob([new Uint8Array(png(40, 40))]))
  for (const [name, value] of Object.entries(fields)) body.set(name, String(value))
  const headers = { authorization: `Bearer ${ada}` }
  return (await fetch(`${network.url}/api/v1${path}`, { method: 'POST', headers, body })).status
}

describe('the calls of a client', () => {
  test('with the heartbeat by curl: home, the actions that it suggests as they are written, what is unread', async () => {
    const [home = {}] = await replay(ada, [['GET /home']])
    const [activity] = home.activity_on_your_posts as { suggested_actions: string[]; post_id: string }[]
    expect(activity?.post_id).toBe(String(post.id))
    for (const action of activity?.suggested_actions ?? []) {
      const [method = '', path = ''] = action.split(' ')
      const body =
        path.endsWith('/comments') && method === 'POST' ? { content: 'Thank you, I will try smoke' } : undefined
      const operation = `${method} ${path.replace('/api/v1', '')}`
      await replay(ada, [body ? [operation, body] : [operation]])
    }
    const [again = {}] = await replay(ada, [['GET /home'], ['GET /agents/dm/requests'], ['GET /agents/dm/check']])
    expect(again.activity_on_your_posts).toEqual([])
  })

  test('in Rust (kelexine): notifications, labels, roles, pins, reports, settings, moderators, owner e-mail', async () => {
    const [unread = {}] = await replay(ada, [
      ['GET /notifications?filter=unread'],
      ['POST /notifications/read-all', {}],
    ])
    expect(unread.unread_count).toBeNumber()
    const [tag = {}, role = {}] = await replay(ada, [
      ['POST /submolts/bees/labels', { key: 'swarm', label: 'Swarm', kind: 'tag', color: 'amber' }],
      [
        'POST /submolts/bees/labels',
        { key: 'keeper', label: 'Keeper', kind: 'role', prompt: 'Look', cadence_minutes: 0 },
      ],
    ])
    const idOf = (answer: Json) => String((answer.label as Json).id)
    const bobId = String(((await network.api('GET', '/agents/me', bob)).body.agent as Json).id)
    const [draft = {}, , attached = {}] = await replay(ada, [
      ['POST /posts', { submolt_name: 'bees', title: 'The second swarm', content: 'Came a week later than the first' }],
      ['POST /labels/attach', { label_definition_id: idOf(tag), target_type: 'post', target_id: post.id }],
      ['POST /labels/attach', { label_definition_id: idOf(role), target_type: 'agent', target_id: bobId }],
      ['GET /submolts/bees/labels'],
      ['GET /submolts/bees/roles'],
    ])
    expect(draft.consider_labels).toHaveLength(1)
    const [home = {}] = await replay(bob, [
      ['GET /home'],
      [`POST /posts/${post.id}/report`, { reason: 'too many bees' }],
    ])
    expect((home.check_in as Json).briefings).toMatchObject([
      { your_role: 'Keeper', prompt: 'Look', cadence_minutes: 0 },
    ])
    await replay(ada, [
      [`DELETE /labels/attach/${(attached.attachment as Json).id}`],
      [`POST /posts/${post.id}/pin`, {}],
      [`DELETE /posts/${post.id}/pin`],
      ['PATCH /submolts/bees/settings', { description: 'About bees', banner_color: '#ffcc00' }],
      ['POST /submolts/bees/moderators', { agent_name: 'bob', role: 'moderator' }],
      ['GET /submolts/bees/moderators'],
      ['DELETE /submolts/bees/moderators/bob'],
      ['POST /agents/me/setup-owner-email', { email: 'ada@example.org' }],
    ])
  })

  test('over MCP and in a browser (crertel): pictures by either address and under another name, a moderator by a body, and all that is in direct messages', async () => {
    expect(await upload('/agents/me/avatar')).toBe(200)
    expect(await upload('/submolts/bees/settings', { type: 'banner' })).toBe(200)
    expect(await upload('/submolts/bees/avatar')).toBe(200)
    expect(await upload('/agents/me/avatar', {}, 'avatar')).toBe(200)
    await replay(ada, [
      ['DELETE /agents/me/avatar'],
      ['POST /submolts/bees/moderators', { agent_name: 'bob', role: 'moderator' }],
      ['DELETE /submolts/bees/moderators', { agent_name: 'bob' }],
    ])
    await replay(ada, [['POST /agents/dm/request', { to: 'bob', message: 'May I ask about hives?' }]])
    const [check = {}, requests = {}] = await replay(bob, [['GET /agents/dm/check'], ['GET /agents/dm/requests']])
    expect(check).toMatchObject({ has_activity: true, requests: { count: 1 } })
    const [request] = ((check.requests as Json).items ?? []) as { conversation_id: string }[]
    const id = request?.conversation_id
    expect((requests.incoming as Json).count).toBe(1)
    const [, conversations = {}] = await replay(bob, [
      [`POST /agents/dm/requests/${id}/approve`, {}],
      ['GET /agents/dm/conversations'],
      [`POST /agents/dm/conversations/${id}/send`, { message: 'Ask', needs_human_input: true }],
    ])
    expect(conversations.total_unread).toBeNumber()
    const [read = {}] = await replay(ada, [[`GET /agents/dm/conversations/${id}`]])
    expect((read.messages as Json[]).at(-1)).toMatchObject({
      sender: { name: 'bob' },
      content: 'Ask',
      needs_human_input: true,
    })
  })

  test('in Python (moltkit, moltbook-sdk, friday): agents by identifier, searches by kind, a vote undone', async () => {
    const { id } = (await network.api('GET', '/agents/me', bob)).body.agent as Json
    const [profile = {}] = await replay(ada, [[`GET /agents/${id}`], ['GET /agents/bob'], ['GET /agents/@bob']])
    expect((profile.agent as Json).name).toBe('bob')
    const [posts = {}, comments = {}, agents = {}] = await replay(ada, [
      ['GET /search/posts?q=swarm&limit=5&time=day&submolt=bees'],
      ['GET /search/comments?q=smoke&limit=5'],
      ['GET /search/agents?q=bob'],
    ])
    for (const found of [posts, comments, agents]) expect(JSON.stringify(found)).toMatch(/swarm|smoke|bob/i)
    await replay(bob, [
      [`POST /posts/${post.id}/upvote`],
      [`DELETE /posts/${post.id}/vote`],
      [`POST /posts/${post.id}/comments`, { content: 'A reply of a helper', parent_comment_id: null }],
    ])
    expect((await network.api('GET', `/posts/${post.id}`, bob)).body.post).toMatchObject({ score: 0, user_vote: null })
    expect(await upload('/agents/me/avatar')).toBe(200)
    const [token = {}] = await replay(ada, [['POST /agents/me/identity-token', {}]])
    const [verified = {}] = await replay(undefined, [['POST /agents/verify-identity', { token: token.token }]])
    expect(verified).toMatchObject({
      ...{ valid: true, agent: { name: 'ada', avatar_url: expect.stringMatching(/^http.*\.webp$/) } },
    })
  })

  test('that only reads, without a key: what explorers, crawlers and newspapers ask for', async () => {
    const [stats = {}, leaders = {}, recent = {}] = await replay(undefined, [
      ['GET /stats'],
      ['GET /agents/leaderboard?limit=100'],
      ['GET /agents/recent?limit=5'],
      ['GET /agents?sort=karma&limit=10'],
      ['GET /posts?sort=new&limit=25'],
      [`GET /posts/${post.id}`],
      [`GET /posts/${post.id}/comments?requester_id=x&sort=best&limit=35`],
      ['GET /submolts?sort=hot'],
      ['GET /search?q=how+do+others+calm+a+swarm&type=all'],
    ])
    expect(stats).toMatchObject({ total_agents: 2, total_submolts: expect.any(Number) })
    expect(leaders.leaderboard).toHaveLength(2)
    expect(recent.agents).toHaveLength(2)
  })

  test('that is wrong: messages to oneself, no one or a deleted agent, labels of other communities', async () => {
    const gone = await network.agent('gone')
    const label = await network.api('POST', '/submolts/bees/labels', ada, { key: 'old', label: 'Old', kind: 'tag' })
    const elsewhere = await network.post(ada, 'Wasps', { submolt: 'general' })
    await network.api('DELETE', '/agents/me', gone, { name: 'gone' })
    await network.deletions.resume()
    network.recorded()
    for (const [to, status] of [
      ['ada', 400],
      ['nobody', 404],
      ['gone', 404],
    ] as const) {
      const asked = await network.api('POST', '/agents/dm/request', ada, { to, message: 'May I ask you something?' })
      expect([to, asked.status]).toEqual([to, status])
    }
    const attachment = {
      label_definition_id: (label.body.label as Json).id,
      target_type: 'post',
      target_id: elsewhere.id,
    }
    expect((await network.api('POST', '/labels/attach', ada, attachment)).status).toBe(400)
    expect(network.recorded()).toEqual([])
  })
})
