import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Json, mapConcurrently, NetworkClient, type RegisteredAgent } from '../support/network.ts'

/** Defects of similar networks that this one must not have. */

let network: NetworkClient
let count = 0
beforeAll(async () => {
  network = await NetworkClient.open('[limits]\ngeneral = "5000/1m"\n')
}, 20_000)
afterAll(() => network[Symbol.asyncDispose]())

const agent = (): Promise<RegisteredAgent> => network.register(`agent-${++count}`)
const post = async ({ key }: RegisteredAgent, more: Json = {}): Promise<Json> => {
  const body = { submolt: 'general', title: 'A title', content: 'A text', ...more }
  return (await network.request('POST /posts', { key, body })).post
}
const comment = async ({ key }: RegisteredAgent, to: Json, more: Json = {}): Promise<Json> =>
  (await network.request(`POST /posts/${to.id}/comments`, { key, body: { content: 'A comment', ...more } })).comment
const karma = async ({ key }: RegisteredAgent): Promise<number> =>
  (await network.request('GET /agents/me', { key })).agent.karma
const many = <Result>(times: number, work: (at: number) => Promise<Result>): Promise<Result[]> =>
  mapConcurrently([...Array(times).keys()], work, times)

/** Texts that no response may contain: SQL, source locations, paths of this machine. */
const INTERNALS = /sqlite|constraint|select |insert |syntax error|\.ts:|\/\$bunfs|typeerror|\/tmp\//i

describe('the network', () => {
  test('sorts every list in every way', async () => {
    const one = await agent()
    const { id } = await post(one)
    const sorts = ['hot', 'new', 'top', 'rising', 'controversial', 'best', 'old', 'popular', 'alphabetical', '', 'x']
    const lists = ['/feed', '/posts', '/submolts', '/submolts/general/feed', `/posts/${id}/comments`]
    for (const list of lists) {
      for (const sort of sorts) {
        const { status, body } = await network.send(`GET ${list}?sort=${sort}`, { key: one.key })
        expect([list, sort, status, body.success]).toEqual([list, sort, 200, true])
      }
    }
  })

  test('counts many concurrent votes of one agent as one vote', async () => {
    const [author, voter] = [await agent(), await agent()]
    const { id } = await post(author)
    const upvote = () => network.send(`POST /posts/${id}/upvote`, { key: voter.key })
    expect((await many(12, upvote)).map(({ status }) => status)).toEqual(Array(12).fill(200))
    const shown = async () => (await network.request(`GET /posts/${id}`, { key: voter.key })).post
    expect(await shown()).toMatchObject({ score: 0, upvotes: 0, user_vote: null })
    await upvote()
    expect(await shown()).toMatchObject({ score: 1, upvotes: 1, user_vote: 1 })
    expect(await karma(author)).toBe(1)
  })

  test('follows once and registers one agent, however many requests come at the same time', async () => {
    const [one, other] = [await agent(), await agent()]
    const follows = await many(12, () => network.request(`POST /agents/${other.name}/follow`, { key: one.key }))
    expect(follows.filter(({ action }) => action === 'followed')).toHaveLength(1)
    const responses = await many(12, (at) => {
      return network.send('POST /agents/register', { body: { name: at % 2 ? 'Wanted-By-All' : 'wanted-by-all' } })
    })
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(11).fill(409)])
    for (const { status, body } of responses) if (status === 409) expect(body.error).toBe('Name already taken')
  })

  test('counts upvotes and downvotes separately, and never below 0', async () => {
    const [author, voter] = [await agent(), await agent()]
    const target = await post(author)
    for (const [kind, { id }] of [
      ['posts', target],
      ['comments', await comment(author, target)],
    ] as const) {
      const vote = async (way: string) => {
        const { upvotes, downvotes, score } = await network.request(`POST /${kind}/${id}/${way}`, { key: voter.key })
        return [upvotes, downvotes, score]
      }
      expect([await vote('upvote'), await vote('downvote'), await vote('downvote')]).toEqual([
        [1, 0, 1],
        [0, 1, -1],
        [0, 0, 0],
      ])
    }
  })

  test('does not count a rejected post against the limit', async () => {
    const { key } = await agent()
    for (const [body, status] of [
      [{ title: 'x', content: 'y' }, 400],
      [{ submolt: 'general', title: ' ', content: 'y' }, 400],
      [{ submolt: 'nowhere', title: 'x', content: 'y' }, 404],
      [{ submolt: 'general', title: 'x', content: 'y', url: 'https://a.b' }, 400],
      ['{', 400],
      [{ submolt: 'general', title: 'x', content: 'y' }, 201],
      [{ submolt: 'general', title: 'x', content: 'y' }, 429],
    ] as const) {
      expect([body, (await network.send('POST /posts', { key, body })).status]).toEqual([body, status])
    }
  })

  test('takes 64 levels of lists and objects in a body, and no more', async () => {
    const { key } = await agent()
    const update = (levels: number) => {
      const body = `{"metadata":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`
      return network.send('PATCH /agents/me', { key, body })
    }
    for (const levels of [63, 20_000]) {
      const { status, body } = await update(levels)
      expect([status, body.error]).toEqual([422, 'The body is nested more than 64 levels deep; send a flatter one'])
    }
    expect((await update(62)).status).toBe(200)
  })

  test('rejects malformed requests with helpful messages, without internal details', async () => {
    const { key } = await agent()
    const long = 'x'.repeat(5_000)
    for (const [operation, status, body] of [
      ['GET /posts/junk', 404],
      ['GET /posts/%00', 404],
      ['GET /comments/1%20OR%201=1', 404],
      ['POST /posts/junk/upvote', 404],
      ['GET /posts?limit=abc', 200],
      ['GET /posts?limit=-1', 200],
      ['GET /posts?limit=1e9&offset=-5', 200],
      ['GET /posts?offset=5000', 200],
      ['GET /posts?fields=nothing', 400],
      ['GET /posts?cursor=junk', 400],
      ['GET /submolts?cursor=v1:AAAA', 400],
      ['GET /agents/profile', 400],
      ['GET /agents/profile?name=%F0%9F%A6%9E', 404],
      ['POST /posts', 400, { title: 'x', content: 'y' }],
      ['POST /posts', 400, { submolt: 'general', title: long, content: 'y' }],
      ['POST /posts', 400, { submolt: 'general', title: 'x', url: 'javascript:alert(1)' }],
      ['PATCH /agents/me', 400, { display_name: long }],
      ['PATCH /agents/me', 400, { metadata: { long: long.repeat(4) } }],
      ['POST /submolts', 400, { name: 'Ж', display_name: 'x' }],
      ['POST /submolts', 400, { name: 'fine', display_name: long }],
    ] as const) {
      const answer = await network.send(operation, { key, body })
      expect({ operation, status: answer.status }).toEqual({ operation, status })
      expect(JSON.stringify(answer.body)).not.toMatch(INTERNALS)
      if (status >= 400) expect(answer.body).toMatchObject({ success: false, error: expect.any(String) })
    }
  })

  test('maintains its counters of subscribers, posts and comments, and when an agent was last active', async () => {
    const one = await agent()
    const name = `place-${++count}`
    const made = await network.request('POST /submolts', { key: one.key, body: { name, display_name: 'A place' } })
    expect(made.submolt.subscriber_count).toBe(1)
    const target = await post(one, { submolt: name })
    const reply = await comment(one, target)
    const shown = async () => (await network.request(`GET /posts/${target.id}`, { key: one.key })).post.comment_count
    expect(await shown()).toBe(1)
    await network.request(`DELETE /comments/${reply.id}`, { key: one.key })
    expect(await shown()).toBe(0)
    const { submolt } = await network.request(`GET /submolts/${name}`, { key: one.key })
    expect(submolt).toMatchObject({ post_count: 1, subscriber_count: 1 })
    expect(Date.parse(submolt.last_activity_at)).toBeGreaterThanOrEqual(Date.parse(target.created_at))
    const { agent: me } = await network.request('GET /agents/me', { key: one.key })
    expect(Date.parse(me.last_active)).toBeGreaterThanOrEqual(Date.parse(target.created_at))
  })

  test('treats search operators of the database as plain words', async () => {
    const one = await agent()
    await post(one, { title: 'A quincunx of trees' })
    const countMatches = async (q: string) =>
      (await network.request(`GET /search?q=${encodeURIComponent(q)}`, { key: one.key })).results.length
    for (const q of ['%%', '__', '%quincunx_', '*', '"', 'quin%'])
      expect([q, await countMatches(q)]).toEqual([q, q.includes('quin') ? 1 : 0])
    expect(await countMatches('quincunx')).toBe(1)
  })

  test('answers each DELETE with a body', async () => {
    const one = await agent()
    const target = await post(one)
    const reply = await comment(one, target)
    const paths = [
      `/comments/${reply.id}`,
      `/posts/${target.id}`,
      '/agents/agent-1/follow',
      '/submolts/general/subscribe',
    ]
    for (const path of [...paths, '/agents/me']) {
      const { status, body } = await network.send(`DELETE ${path}`, { key: one.key })
      expect([path, status, body.success, typeof body.message]).toEqual([path, 200, true, 'string'])
    }
  })

  test('returns agents, posts and comments in the same shape everywhere', async () => {
    const one = await agent()
    const made = await post(one)
    const reply = await comment(one, made)
    const { key } = one
    const agents = [
      await network.request('GET /agents/me', { key }),
      await network.request('PATCH /agents/me', { key, body: { description: 'Something else' } }),
      await network.request(`GET /agents/profile?name=${one.name}`, { key }),
    ].map(({ agent }) => Object.keys(agent).sort())
    expect(agents[1]).toEqual(agents[0] ?? [])
    expect(agents[2]).toEqual(agents[0] ?? [])
    const shown = await network.request(`GET /posts/${made.id}`, { key })
    expect(Object.keys(shown.post)).toEqual(Object.keys(made))
    expect(Object.keys(shown.comments[0])).toEqual(Object.keys(reply))
    for (const { author } of [made, reply]) expect(author).toMatchObject({ id: one.id, name: one.name })
  })

  test('accepts the parent of a reply in either spelling', async () => {
    const one = await agent()
    const target = await post(one)
    const parent = await comment(one, target)
    for (const name of ['parent_id', 'parentId']) {
      expect(await comment(one, target, { [name]: parent.id })).toMatchObject({ parent_id: parent.id, depth: 1 })
    }
  })

  test('has a claim page, reserved names, and enforced suspensions', async () => {
    const { agent: made } = await network.request('POST /agents/register', { body: { name: `agent-${++count}` } })
    expect((await fetch(made.claim_url)).status).toBe(200)
    for (const name of ['me', 'Status', 'profile', 'register', 'admin', 'r00t', 'supp0rt', 'moltb00k', 'Ad-m1n']) {
      expect([name, (await network.send('POST /agents/register', { body: { name } })).status]).toEqual([name, 400])
    }
    const { key, name } = await agent()
    await network.requestAsOperator(`POST /operator/agents/${name}/suspend`, { reason: 'flooding' })
    const response = await network.send('GET /posts', { key })
    expect([response.status, response.body.reason, response.body.suspended_until]).toEqual([403, 'flooding', null])
    expect((await network.request('GET /agents/me', { key })).agent).toMatchObject({
      status: 'suspended',
      is_active: false,
    })
  })

  test('counts requests for each agent, and trusts no header about addresses', async () => {
    const [one, other] = [await agent(), await agent()]
    const left = async (key?: string, from?: string) => {
      const headers: Record<string, string> = from === undefined ? {} : { 'x-forwarded-for': from }
      const answer = await network.send('GET /posts', { ...(key !== undefined && { key }), headers })
      return Number(answer.headers.get('x-ratelimit-remaining'))
    }
    expect([await left(one.key), await left(one.key), await left(other.key)]).toEqual([4_999, 4_998, 4_999])
    await left(undefined, '203.0.113.7')
    expect(await left(undefined, '203.0.113.8')).toBeLessThan(4_999)
  })

  test('accepts no votes on deleted content, hides its author, and deletes comments with their post', async () => {
    const [author, voter] = [await agent(), await agent()]
    const target = await post(author)
    const reply = await comment(author, target)
    await comment(voter, target, { parent_id: reply.id })
    await network.request(`POST /comments/${reply.id}/upvote`, { key: voter.key })
    await network.request(`POST /posts/${target.id}/upvote`, { key: voter.key })
    await network.request(`DELETE /comments/${reply.id}`, { key: author.key })
    expect((await network.send(`POST /comments/${reply.id}/upvote`, { key: voter.key })).status).toBe(404)
    const [gone] = (await network.request(`GET /posts/${target.id}/comments`, { key: voter.key })).comments
    expect(gone).toMatchObject({ is_deleted: true, content: '[deleted]', author: { name: '[deleted]' } })
    expect(JSON.stringify(gone)).not.toContain(author.id)
    await network.request(`DELETE /posts/${target.id}`, { key: author.key })
    expect((await network.send(`GET /comments/${reply.id}`, { key: voter.key })).status).toBe(404)
    expect((await network.send(`POST /posts/${target.id}/downvote`, { key: voter.key })).status).toBe(404)
    expect(await karma(author)).toBe(2)
    expect(await network.miscounts()).toEqual([])
  })

  test('limits the creation of communities', async () => {
    const { key } = await agent()
    const statuses: number[] = []
    for (let at = 0; at < 11; at++) {
      const body = { name: `place-${++count}`, display_name: 'A place' }
      statuses.push((await network.send('POST /submolts', { key, body })).status)
    }
    expect(statuses).toEqual([...Array(10).fill(201), 429])
  })
})
