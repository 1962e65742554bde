import { describe, expect, test } from 'bun:test'
import { command } from '../../../src/core/store/index.ts'
import { Store } from '../../../src/core/store/store.ts'
import { socialMigrations } from '../../../src/social/network/migrations.ts'
import { tempFolder } from '../../support/folder.ts'
import { type Json, openNetwork, type TestNetwork } from '../network.ts'

/** The migrations of the last network that no one read without a key. */
const KEYED = 23

const status = async (network: TestNetwork, path: string, key?: string) => (await network.api('GET', path, key)).status

describe('without a key', () => {
  test('everybody reads what is public on a new network, and nothing of one agent', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    const post = await network.post(ada, 'Open to all')
    const comment = await network.comment(ada, post.id)
    const reads = ['/posts', `/posts/${post.id}`, `/posts/${post.id}/comments`, `/comments/${comment.id}`, '/submolts']
    const more = ['/submolts/general', '/submolts/general/feed', '/search?q=open', '/agents/profile?name=ada', '/stats']
    for (const path of [...reads, ...more]) expect([path, await status(network, path)]).toEqual([path, 200])
    for (const path of ['/feed', '/home', '/notifications', '/agents/me', '/agents/me/keys']) {
      expect([path, await status(network, path)]).toEqual([path, 401])
    }
    const shown = (await network.api('GET', `/posts/${post.id}`)).body.post
    expect(shown).toMatchObject({ title: 'Open to all', user_vote: null, you_follow_author: false })
    expect(await status(network, '/posts', 'wrong')).toBe(401)
    expect((await network.api('POST', '/posts', undefined, { title: 'x' })).status).toBe(401)
  })

  test('no one reads a network whose settings say so', async () => {
    await using network = await openNetwork({ settings: { publicReads: false } })
    for (const path of ['/posts', '/stats', '/agents', '/submolts/general', '/search?q=open']) {
      expect([path, await status(network, path)]).toEqual([path, 401])
    }
  })

  test.each([
    ['nobody reads a network that had agents before', undefined, 401],
    ['everybody reads it once its settings say so', true, 200],
  ])('%s', async (_, publicReads, expected) => {
    const folder = tempFolder()
    const store = Store.open(folder.at('social.db'), socialMigrations.slice(0, KEYED))
    await store.write((tx) => {
      tx.run(
        command(`INSERT INTO agents (id, name, handle, likeness, display_name, description, metadata, created_at, updated_at,
             last_active_at) VALUES ('1', 'ada', 'ada', 'ada', 'ada', '', '{}', 0, 0, 0)`),
      )
    })
    await store.close()
    await using network = await openNetwork({ folder, settings: { publicReads } })
    expect(await status(network, '/posts')).toBe(expected)
    expect(await network.recount()).toEqual([])
  })
})

test('a public read is sent again only when it has changed', async () => {
  await using network = await openNetwork()
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  const post = await network.post(ada)
  const read = (key?: string, tag?: string) => {
    const headers = { ...(key && { authorization: `Bearer ${key}` }), ...(tag && { 'if-none-match': tag }) }
    return fetch(`${network.url}/api/v1/posts/${post.id}`, { headers })
  }
  const first = await read()
  const tag = first.headers.get('etag') ?? ''
  expect([first.status, (await read(undefined, tag)).status, await (await read(undefined, tag)).text()]).toEqual([
    200,
    304,
    '',
  ])
  await network.api('POST', `/posts/${post.id}/upvote`, bob)
  expect((await read(undefined, tag)).status).toBe(200)
  const own = (await read(bob)).headers.get('etag') ?? ''
  expect(own).not.toBe((await read()).headers.get('etag'))
  expect((await read(bob, own)).status).toBe(304)
  expect(
    (await fetch(`${network.url}/api/v1/feed`, { headers: { authorization: `Bearer ${ada}` } })).headers.has('etag'),
  ).toBe(false)
})

describe('the directory', () => {
  const names = (agents: unknown) => (agents as Json[]).map(({ name }) => name)

  test('lists agents by karma and by age, page by page', async () => {
    await using network = await openNetwork()
    const keys = new Map<string, string>()
    for (const name of ['ada', 'bob', 'cyd', 'dan']) keys.set(name, await network.agent(name))
    const key = (name: string) => keys.get(name) ?? ''
    for (const [name, voters] of [
      ['cyd', ['ada', 'bob']],
      ['ada', ['bob']],
      ['dan', ['ada']],
    ] as const) {
      const { id } = await network.post(key(name))
      for (const voter of voters) await network.api('POST', `/posts/${id}/upvote`, key(voter))
    }
    const read = async (path: string) => (await network.api('GET', path)).body
    const expected = { karma: ['cyd', 'ada', 'dan', 'bob'], new: ['dan', 'cyd', 'bob', 'ada'] }
    for (const [sort, order] of Object.entries(expected)) {
      const first = await read(`/agents?sort=${sort}&limit=3`)
      const second = await read(`/agents?sort=${sort}&limit=3&cursor=${first.next_cursor}`)
      expect([...names(first.agents), ...names(second.agents)]).toEqual(order)
      expect([first.has_more, second.has_more]).toEqual([true, false])
    }
    expect(names((await read('/agents/leaderboard?limit=2')).leaderboard)).toEqual(['cyd', 'ada'])
    expect(names((await read('/agents/recent?limit=2')).agents)).toEqual(['dan', 'cyd'])
    await network.api('DELETE', '/agents/me', key('cyd'))
    expect(names((await read('/agents')).agents)).not.toContain('cyd')
  })

  test('shows an agent by its name or identifier, with its newest comments', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    const post = await network.post(ada)
    for (const text of ['first', 'second']) await network.comment(ada, post.id, text)
    const byName = (await network.api('GET', '/agents/ADA')).body
    const { id } = byName.agent as Json
    expect(byName).toMatchObject({ recentComments: [{ content: 'second' }, { content: 'first' }] })
    expect((await network.api('GET', `/agents/${id}`)).body).toEqual(byName)
  })
})

test('the stats count what there is, and not what was deleted', async () => {
  await using network = await openNetwork()
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  await network.claims.approve('ada')
  const [post, other] = [await network.post(ada), await network.post(bob)]
  const comment = await network.comment(bob, post.id)
  await network.comment(bob, post.id)
  await network.api('POST', '/submolts', ada, { name: 'places' })
  const stats = async () => (await network.api('GET', '/stats')).body
  expect(await stats()).toMatchObject({
    ...{ total_agents: 2, verified_agents: 1, total_submolts: 3, total_posts: 2, total_comments: 2 },
    ...{ totalAgents: 2, verifiedAgents: 1, totalSubmolts: 3, totalPosts: 2, totalComments: 2 },
  })
  await network.api('DELETE', `/comments/${comment.id}`, bob)
  await network.api('DELETE', `/posts/${other.id}`, bob)
  await network.claims.release('ada')
  await network.api('DELETE', '/agents/me', bob)
  await network.services.deletions.resume()
  expect(await stats()).toMatchObject({ total_agents: 1, verified_agents: 0, total_posts: 1, total_comments: 0 })
  expect(await network.recount()).toEqual([])
})

test('a comment replies by every name that clients give to the parent', async () => {
  await using network = await openNetwork()
  const ada = await network.agent('ada')
  const post = await network.post(ada)
  const parent = await network.comment(ada, post.id)
  network.recorded()
  for (const name of ['parent_id', 'parentId', 'parent_comment_id']) {
    const draft = { content: name, [name]: parent.id }
    const { body } = await network.api('POST', `/posts/${post.id}/comments`, ada, draft)
    expect(body.comment).toMatchObject({ parent_id: parent.id, depth: 1 })
  }
  expect(network.recorded()).toEqual(['comment.created', 'comment.created', 'comment.created'])
})

test('a vote is undone by deleting it, once', async () => {
  await using network = await openNetwork()
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  const post = await network.post(ada)
  const comment = await network.comment(ada, post.id)
  for (const path of [`/posts/${post.id}`, `/comments/${comment.id}`]) {
    await network.api('POST', `${path}/upvote`, bob)
    network.recorded()
    const remove = async () => (await network.api('DELETE', `${path}/vote`, bob)).body
    expect(await remove()).toMatchObject({ action: 'removed', score: 0, user_vote: null })
    expect(await remove()).toMatchObject({ action: 'unchanged', score: 0 })
    expect(network.recorded()).toHaveLength(1)
  }
})
