import { expect, test } from 'bun:test'
import { dice } from '../slow/town.ts'
import { type Json, mapConcurrently, NetworkClient, type RegisteredAgent } from '../support/network.ts'
import { eventually } from '../support/until.ts'

const AGENTS = 200
const COMMUNITIES = ['telescopes', 'gardens', 'kitchens', 'engines', 'harbours']
/** One address sends the registrations of all agents; all other limits are the defaults. */
const TOML = '[limits]\ngeneral = "800/1m"\n'

/** A post in its expected state at the end of the day. */
interface ExpectedPost {
  readonly id: string
  readonly author: RegisteredAgent
  readonly place: string
  readonly votes: Map<RegisteredAgent, number>
  comments: number
}

/** The actions of all agents, as the network must return them. */
class ExpectedDay {
  readonly posts: ExpectedPost[] = []
  readonly comments: {
    id: string
    post: ExpectedPost
    author: RegisteredAgent
    votes: Map<RegisteredAgent, number>
  }[] = []
  readonly follows = new Map<RegisteredAgent, Set<RegisteredAgent>>()
  readonly places = new Map<RegisteredAgent, Set<string>>()

  karma(agent: RegisteredAgent): number {
    const own = [...this.posts, ...this.comments].filter(({ author }) => author === agent)
    return own.flatMap(({ votes }) => [...votes.values()]).reduce((sum, vote) => sum + vote, 0)
  }

  expectedAgent(agent: RegisteredAgent): Json {
    return {
      karma: this.karma(agent),
      posts_count: this.posts.filter(({ author }) => author === agent).length,
      comments_count: this.comments.filter(({ author }) => author === agent).length,
      following_count: this.follows.get(agent)?.size ?? 0,
      follower_count: [...this.follows.values()].filter((followed) => followed.has(agent)).length,
      stats: { posts: 1, comments: 3, subscriptions: this.places.get(agent)?.size ?? 0 },
    }
  }

  feedOf(agent: RegisteredAgent): string[] {
    const [followed, places] = [this.follows.get(agent), this.places.get(agent)]
    return this.posts.filter(({ author, place }) => followed?.has(author) || places?.has(place)).map(({ id }) => id)
  }
}

const tally = (votes: Map<RegisteredAgent, number>): Json => {
  const all = [...votes.values()]
  const [upvotes, downvotes] = [1, -1].map((value) => all.filter((one) => one === value).length)
  return { upvotes, downvotes, score: Number(upvotes) - Number(downvotes) }
}

test('two hundred agents use the network for a day, and every counter is correct, also after a crash', async () => {
  const random = dice(7)
  const one = <Of>(from: readonly Of[]): Of => from[Math.floor(random() * from.length)] as Of
  const some = <Of>(from: readonly Of[], count: number): Of[] => {
    const picked = new Set<Of>()
    while (picked.size < count) picked.add(one(from))
    return [...picked]
  }
  await using network = await NetworkClient.open(TOML)
  const day = new ExpectedDay()
  const names = Array.from({ length: AGENTS }, (_, at) => `agent-${at}`)

  const agents = await mapConcurrently(names, (name) => network.register(name))
  await mapConcurrently(agents.slice(0, 60), ({ name }) =>
    network.requestAsOperator(`POST /operator/agents/${name}/approve`),
  )
  const status = async ({ key }: RegisteredAgent) => (await network.request('GET /agents/status', { key })).status
  expect(await mapConcurrently(agents.slice(58, 62), status)).toEqual([
    'claimed',
    'claimed',
    'pending_claim',
    'pending_claim',
  ])

  await mapConcurrently(COMMUNITIES, (name, at) =>
    network.request('POST /submolts', { key: agents[at]?.key, body: { name, display_name: name.toUpperCase() } }),
  )
  for (const [at, agent] of agents.entries()) {
    const founded = COMMUNITIES.slice(at, at + 1)
    day.places.set(agent, new Set([...founded, ...some(COMMUNITIES, 2)]))
    const others = agents.filter((other) => other !== agent)
    day.follows.set(agent, new Set(some(others, 3)))
  }
  await mapConcurrently(agents, async (agent) => {
    const { key } = agent
    for (const place of day.places.get(agent) ?? []) await network.request(`POST /submolts/${place}/subscribe`, { key })
    for (const { name } of day.follows.get(agent) ?? []) await network.request(`POST /agents/${name}/follow`, { key })
  })

  const subjects = agents.map((_, at) => ({ place: one(COMMUNITIES), title: `On subject${at} and others` }))
  const posts = await mapConcurrently(agents, async (author, at) => {
    const { place, title } = subjects[at] ?? { place: 'general', title: '' }
    const draft = at % 2 ? { content: `What I know of subject${at}` } : { url: `https://example.org/${at}` }
    const { post } = await network.request('POST /posts', {
      key: author.key,
      body: { submolt: place, title, ...draft },
    })
    return { id: post.id, author, place, votes: new Map<RegisteredAgent, number>(), comments: 0 }
  })
  day.posts.push(...posts)

  const created = await mapConcurrently(
    agents.flatMap((author) => some(posts, 2).map((post) => ({ author, post }))),
    async (one) => {
      const { key } = one.author
      const { comment } = await network.request(`POST /posts/${one.post.id}/comments`, {
        key,
        body: { content: 'I agree' },
      })
      return { ...one, id: String(comment.id), votes: new Map<RegisteredAgent, number>() }
    },
  )
  const answers = agents.map((author) => ({ author, to: one(created) }))
  const replies = await mapConcurrently(answers, async ({ author, to }) => {
    const body = { content: 'So do I', parent_id: to.id }
    const { comment } = await network.request(`POST /posts/${to.post.id}/comments`, { key: author.key, body })
    expect(comment).toMatchObject({ depth: 1, parent_id: to.id })
    return { id: String(comment.id), author, post: to.post, votes: new Map<RegisteredAgent, number>() }
  })
  day.comments.push(...created, ...replies)
  for (const { post } of day.comments) post.comments += 1

  await mapConcurrently(agents, async (agent) => {
    const { key } = agent
    const others = <Of extends { author: RegisteredAgent }>(all: readonly Of[]) =>
      all.filter(({ author }) => author !== agent)
    for (const [at, target] of some(others(day.posts), 6).entries()) {
      const way = random() < 0.7 ? 1 : -1
      const vote = (value: number) =>
        network.request(`POST /posts/${target.id}/${value > 0 ? 'up' : 'down'}vote`, { key })
      await vote(way)
      target.votes.set(agent, way)
      if (at === 0) await vote(-way).then(() => target.votes.set(agent, -way))
      if (at === 1) await vote(way).then(() => target.votes.delete(agent))
    }
    for (const target of some(others(day.comments), 2)) {
      await network.request(`PUT /comments/${target.id}/vote`, { key, body: { value: 1 } })
      target.votes.set(agent, 1)
    }
  })

  await mapConcurrently(agents, async (agent, at) => {
    const again = { submolt: 'general', title: 'Once more', content: 'So soon' }
    const limited = await network.send('POST /posts', { key: agent.key, body: again })
    expect([limited.status, limited.headers.get('x-ratelimit-limit'), limited.body.limit]).toEqual([429, '1', 1])
    expect(Number(limited.headers.get('retry-after'))).toBe(limited.body.retry_after_seconds)
    const own = await network.send(`POST /posts/${posts[at]?.id}/upvote`, { key: agent.key })
    expect([own.status, own.body.error]).toEqual([400, 'Cannot vote on your own content'])
    const { agent: shown } = await network.request('GET /agents/me', { key: agent.key })
    expect(shown).toMatchObject(day.expectedAgent(agent))
    const { post } = await network.request(`GET /posts/${posts[at]?.id}`, { key: agent.key })
    const { votes, comments = 0 } = posts[at] ?? { votes: new Map() }
    expect(post).toMatchObject({ ...tally(votes), comment_count: comments })
    const { results } = await network.request(`GET /search?q=subject${at}`, { key: agent.key })
    expect(results.map(({ id }: Json) => id)).toEqual([posts[at]?.id])
  })
  await mapConcurrently(agents.slice(0, 20), async (agent, at) => {
    const sort = ['hot', 'new', 'top', 'rising', 'controversial'][at % 5]
    const feed = await network.listAll(`/feed?sort=${sort}`, agent.key)
    expect(feed.map(({ id }) => id).sort()).toEqual(day.feedOf(agent).sort())
  })
  await mapConcurrently(day.comments.slice(0, 100), async ({ id, votes, author }) => {
    const { comment } = await network.request(`GET /comments/${id}`, { key: author.key })
    expect(comment).toMatchObject(tally(votes))
  })
  const shown = await network.listAll('/submolts?sort=new', agents[0]?.key ?? '')
  for (const place of COMMUNITIES) {
    expect(shown.find(({ name }) => name === place)).toMatchObject({
      subscriber_count: [...day.places.values()].filter((places) => places.has(place)).length,
      post_count: posts.filter((post) => post.place === place).length,
    })
  }
  expect(await network.miscounts()).toEqual([])

  const keys = new Map(agents.map(({ name, key }) => [name, key]))
  await mapConcurrently(agents.slice(20, 50), async ({ name, key }) => {
    const { api_key } = await network.request('POST /agents/me/keys', { key, body: { replace: true } })
    keys.set(name, api_key)
    expect((await network.send('GET /agents/me', { key })).status).toBe(401)
    expect((await network.request('GET /agents/me', { key: api_key })).agent.name).toBe(name)
  })

  const [staying, leaving] = [agents.slice(0, 160), agents.slice(160)]
  const busy = mapConcurrently(staying, async ({ name }, at) => {
    const key = keys.get(name)
    const target = posts[(at * 7) % AGENTS]?.id
    const statuses = [
      await network.send(`POST /posts/${target}/upvote`, { key }),
      await network.send(`POST /posts/${target}/comments`, { key, body: { content: 'While they leave' } }),
      await network.send(`POST /agents/${agents[(at * 11) % AGENTS]?.name}/follow`, { key }),
    ].map(({ status }) => status)
    expect(statuses.filter((status) => ![200, 201, 400, 404].includes(status))).toEqual([])
  })
  const left = mapConcurrently(leaving, ({ key }) => network.request('DELETE /agents/me', { key }), 4)
  const cut = mapConcurrently(staying.slice(60, 100), async ({ key }, at) => {
    await network.request(`DELETE /posts/${posts[at + 60]?.id}`, { key })
    const taken = await network.send(`DELETE /comments/${created[(at + 60) * 2]?.id}`, { key })
    expect([200, 404]).toContain(taken.status)
  })
  await Promise.all([busy, left, cut])
  await mapConcurrently(leaving, async ({ name, key }) => {
    expect((await network.send('GET /agents/me', { key })).status).toBe(401)
    const gone = await network.send(`GET /agents/profile?name=${name}`, { key: keys.get('agent-0') })
    expect(gone.status).toBe(404)
    expect((await network.send('POST /agents/register', { body: { name } })).status).toBe(409)
  })
  expect(await network.miscounts()).toEqual([])

  const subscribed = staying.reduce((sum, agent) => sum + (day.places.get(agent)?.size ?? 0), 0)
  let requests = 0
  const count = async () => {
    const { submolts } = await network.request('GET /submolts', {
      key: keys.get(staying[requests++ % 160]?.name ?? ''),
    })
    return submolts.reduce((sum: number, { name, subscriber_count }: Json) => {
      return COMMUNITIES.includes(name) ? sum + subscriber_count : sum
    }, 0)
  }
  await eventually('what those who left had subscribed to', 60_000, count, (seen) => seen === subscribed)
  const facts = ({ name }: RegisteredAgent) =>
    network
      .request('GET /agents/me', { key: keys.get(name) })
      .then(({ agent }) => ({ ...agent, last_active: undefined }))
  const before = await mapConcurrently(staying.slice(100), facts)
  await network.world.kill()
  await network.world.start()
  expect(await network.miscounts()).toEqual([])
  expect(await mapConcurrently(staying.slice(100), facts)).toEqual(before)
}, 120_000)
