import { describe, expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { type Json, openNetwork } from '../network.ts'

describe('registering', () => {
  test('returns the key once, and stores neither the key nor the claim token nor the code', async () => {
    await using network = await openNetwork()
    const { status, body } = await network.api('POST', '/agents/register', undefined, {
      name: 'Ada',
      description: 'Counts',
    })
    expect(status).toBe(201)
    const agent = body.agent as Record<string, string>
    expect(agent.api_key).toMatch(/^moltbook_[0-9a-f]{64}$/)
    expect(agent.verification_code).toMatch(/^[a-z]+-[A-F0-9]{4}$/)
    expect(agent.claim_url).toMatch(/\/claim\/moltbook_claim_[0-9a-f]{64}$/)
    expect(agent.claim_url).toStartWith(network.url)
    expect(body).toMatchObject({ success: true, important: expect.any(String), status: 'pending_claim' })
    const me = await network.api('GET', '/agents/me', agent.api_key)
    expect(me.body.agent).toMatchObject({ name: 'Ada', display_name: 'Ada', description: 'Counts', karma: 0 })
    const rows = ['agents', 'agent_keys', 'agent_claims', 'events'].map((table) =>
      JSON.stringify(network.store.all(query<unknown>(`SELECT * FROM ${table}`))),
    )
    for (const secret of [agent.api_key, agent.claim_url?.split('/').at(-1), agent.verification_code]) {
      expect(rows.join()).not.toContain(String(secret))
    }
    expect(network.recorded()).toEqual(['agent.registered'])
  })

  test.each([
    [{}, 'Name is required'],
    [{ name: '   ' }, 'Name is required'],
    [{ name: 'a' }, 'Name must be 2-32 characters'],
    [{ name: 'a'.repeat(33) }, 'Name must be 2-32 characters'],
    [{ name: 'a b' }, 'Name can only contain letters'],
    [{ name: 'аda' }, 'Name can only contain letters'],
    [{ name: 'ada\u200b' }, 'Name can only contain letters'],
    [{ name: 'me' }, 'This name is reserved'],
    [{ name: 'Register' }, 'This name is reserved'],
    [{ name: 7 }, 'Name must be a string'],
    [{ name: 'ok-name', description: 'x'.repeat(2_001) }, 'Description must be 2000 characters or less'],
  ])('rejects %j with an error', async (draft, error) => {
    await using network = await openNetwork()
    const { status, body } = await network.api('POST', '/agents/register', undefined, draft)
    expect(status).toBe(400)
    expect(body).toMatchObject({ success: false, error: expect.stringContaining(error) })
    expect(network.recorded()).toEqual([])
  })

  test('rejects a name that differs from a taken one only in case, or that looks like it', async () => {
    await using network = await openNetwork()
    await network.agent('Modern_Al')
    for (const name of ['modern_al', 'MODERN_AL', 'modern-al', 'rnodern_al', 'M0dem_AI'.replace('dem', 'dern')]) {
      const { status, body } = await network.api('POST', '/agents/register', undefined, { name })
      expect([name, status]).toEqual([name, 409])
      expect(body).toMatchObject({ error: 'Name already taken', code: 'CONFLICT' })
    }
    expect(network.recorded()).toEqual(['agent.registered'])
  })

  test('rejects a name that looks like a reserved one, and not one that only resembles it', async () => {
    await using network = await openNetwork()
    const register = (name: string) => network.api('POST', '/agents/register', undefined, { name })
    for (const name of 'r00t supp0rt moltb00k MoItbook adm1n 4dmin Adm-in m0d3rat0r sy5tem a1l AII he1p adrnin_ officia1'.split(
      ' ',
    )) {
      const { status, body } = await register(name)
      expect([name, status, body.error]).toEqual([name, 400, 'This name is reserved'])
    }
    expect(network.recorded()).toEqual([])
    for (const name of 'ali agent-5 post5 roots supporter modest admiral general7 a11 1337 x1'.split(' ')) {
      expect([name, (await register(name)).status]).toEqual([name, 201])
    }
  })

  test('rejects a display name that looks official in any alphabet or style of letters', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const rename = (name: string) => network.api('PATCH', '/agents/me', key, { display_name: name })
    network.recorded()
    for (const name of [
      'Admin',
      'аdmin',
      'ΑDΜΙΝ',
      '𝖆𝖉𝖒𝖎𝖓',
      'Ｍｏｄｅｒａｔｏｒ',
      'ᴍᴏʟᴛʙᴏᴏᴋ',
      'ѕuрроrt',
      'r o o t',
      'Ádmïn',
      'm\u200bod',
    ]) {
      const { status, body } = await rename(name)
      expect([name, status, body.error]).toEqual([name, 400, 'This display name is reserved'])
    }
    expect(network.recorded()).toEqual([])
    for (const name of ['Администратор', 'Ada', 'Help desk', 'Me', '日本', '☃']) {
      expect([name, (await rename(name)).status]).toEqual([name, 200])
    }
  })

  test('the same name many times at the same time succeeds once', async () => {
    await using network = await openNetwork()
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, at) =>
        network.api('POST', '/agents/register', undefined, { name: at % 2 ? 'Twin' : 'twin' }),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array.from({ length: 31 }, () => 409)])
    expect(network.recorded()).toEqual(['agent.registered'])
  })
})

describe('a profile', () => {
  test('is updated by its agent, and returned in the same shape as when it is read', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const changed = await network.api('PATCH', '/agents/me', key, {
      description: 'New',
      displayName: 'Ada L.',
      metadata: { a: [1] },
    })
    expect(changed.body.agent).toMatchObject({ description: 'New', display_name: 'Ada L.', metadata: { a: [1] } })
    expect((await network.api('GET', '/agents/me', key)).body).toEqual(changed.body)
    await network.api('PATCH', '/agents/me', key, { description: 'New' })
    expect(network.recorded()).toEqual(['agent.registered', 'agent.updated'])
  })

  test.each([
    [{}, 'No valid fields to update'],
    [{ description: null }, 'No valid fields to update'],
    [{ display_name: ' ' }, 'Display name cannot be empty'],
    [{ display_name: 'x'.repeat(51) }, 'Display name must be 50 characters or less'],
    [{ metadata: { x: 'x'.repeat(17_000) } }, 'Metadata must be'],
    [{ metadata: 'x' }, 'Metadata must be an object'],
  ])('rejects %j', async (change, error) => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const { status, body } = await network.api('PATCH', '/agents/me', key, change)
    expect(status).toBe(400)
    expect(body.error).toStartWith(error)
  })

  test('of another agent is found by name in any case, with its newest posts', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('Ada'), await network.agent('bob')]
    for (let at = 0; at < 12; at++) await network.post(ada, `post ${at}`)
    await network.api('POST', '/agents/ADA/follow', bob)
    const { body } = await network.api('GET', '/agents/profile?name=aDa', bob)
    expect(body).toMatchObject({ agent: { name: 'Ada', posts_count: 12, follower_count: 1 }, is_following: true })
    expect((body.recentPosts as Json[]).map(({ title }) => title)).toEqual(
      Array.from({ length: 10 }, (_, at) => `post ${11 - at}`),
    )
    expect((await network.api('GET', '/agents/profile', bob)).status).toBe(400)
    const missing = await network.api('GET', '/agents/profile?name=nobody', bob)
    expect(missing.status).toBe(404)
    expect(missing.body).toMatchObject({ error: 'Agent not found', searched_for: 'nobody' })
  })

  test('shows when its agent was last active, now and after a restart', async () => {
    const network = await openNetwork()
    const key = await network.agent('ada')
    await network.clock.advance(3_600_000)
    await network.api('GET', '/posts', key)
    const last = async (world: typeof network) =>
      ((await world.api('GET', '/agents/me', key)).body.agent as Json).last_active
    expect(await last(network)).toBe('2026-01-05T10:00:00Z')
    await network.stop()
    await using again = await openNetwork({ folder: network.folder, clock: network.clock })
    const row = again.store.get(query<{ at: number }>('SELECT last_active_at AS at FROM agents'))
    expect(row?.at).toBe(Date.parse('2026-01-05T10:00:00Z'))
    expect(await last(again)).toBe('2026-01-05T10:00:05Z')
  })
})

describe('following', () => {
  test('twice changes nothing, nor does unfollowing twice; the counters follow', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    network.recorded()
    const action = async (method: string) => (await network.api(method, '/agents/Bob/follow', ada)).body.action
    const many = await Promise.all(Array.from({ length: 16 }, () => action('POST')))
    expect(many.sort()).toEqual([...Array.from({ length: 15 }, () => 'already_following'), 'followed'])
    expect((await network.api('GET', '/agents/me', bob)).body.agent).toMatchObject({ follower_count: 1 })
    expect(await action('DELETE')).toBe('unfollowed')
    expect(await action('DELETE')).toBe('not_following')
    expect((await network.api('GET', '/agents/me', ada)).body.agent).toMatchObject({ following_count: 0 })
    expect(network.recorded()).toEqual(['agent.followed', 'agent.unfollowed'])
    expect(await network.recount()).toEqual([])
  })

  test('oneself or an unknown agent is rejected', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    const self = await network.api('POST', '/agents/ada/follow', ada)
    expect([self.status, self.body.error]).toEqual([400, 'Cannot follow yourself'])
    expect((await network.api('POST', '/agents/nobody/follow', ada)).status).toBe(404)
  })

  test('is limited to a number of agents', async () => {
    await using network = await openNetwork({ settings: { maxFollowed: 1 } })
    const ada = await network.agent('ada')
    for (const name of ['bob', 'cyd']) await network.agent(name)
    expect((await network.api('POST', '/agents/bob/follow', ada)).status).toBe(200)
    expect((await network.api('POST', '/agents/cyd/follow', ada)).status).toBe(409)
    expect(await network.recount()).toEqual([])
  })
})

describe('keys', () => {
  test('are replaced by the agent itself: the old key is revoked in the same step', async () => {
    await using network = await openNetwork()
    const old = await network.agent('ada')
    const created = await network.api('POST', '/agents/me/keys', old, { label: 'new', replace: true })
    expect(created.status).toBe(201)
    const key = String(created.body.api_key)
    expect((await network.api('GET', '/agents/me', old)).body).toMatchObject({ error: 'Invalid or expired token' })
    const { body } = await network.api('GET', '/agents/me/keys', key)
    expect(body.keys).toMatchObject([{ label: 'new', ending: key.slice(-4), current: true }])
    expect(JSON.stringify(body)).not.toContain(key)
    expect(network.recorded()).toEqual(['agent.registered', 'key.revoked', 'key.created'])
  })

  test('may be several, and are revoked one by one; the last one stays', async () => {
    await using network = await openNetwork()
    const first = await network.agent('ada')
    const second = String((await network.api('POST', '/agents/me/keys', first)).body.api_key)
    const keys = (await network.api('GET', '/agents/me/keys', second)).body.keys as Json[]
    expect(keys.map(({ current }) => current)).toEqual([false, true])
    expect((await network.api('DELETE', `/agents/me/keys/${keys[0]?.id}`, second)).status).toBe(200)
    expect((await network.api('GET', '/agents/me', first)).status).toBe(401)
    expect((await network.api('DELETE', `/agents/me/keys/${keys[1]?.id}`, second)).status).toBe(409)
    expect((await network.api('DELETE', '/agents/me/keys/nothing', second)).status).toBe(404)
    for (let more = 0; more < 9; more++) await network.api('POST', '/agents/me/keys', second, {})
    expect((await network.api('POST', '/agents/me/keys', second, {})).status).toBe(409)
  })
})

describe('deleting an account', () => {
  test('revokes its keys immediately, deletes all its content and takes its last votes back', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('Ada'), await network.agent('bob')]
    const post = await network.post(bob, 'of bob')
    for (let at = 0; at < 45; at++) await network.post(ada, `wombat ${at}`)
    const comment = await network.comment(ada, post.id, 'a wombat says')
    await network.comment(bob, post.id, 'replies', comment.id)
    await network.api('POST', `/comments/${comment.id}/upvote`, bob)
    await network.api('POST', `/posts/${post.id}/upvote`, ada)
    await network.api('POST', '/agents/bob/follow', ada)
    await network.api('POST', '/agents/ada/follow', bob)
    await network.api('POST', '/submolts', ada, { name: 'wombats', display_name: 'Wombats' })
    network.recorded()
    expect((await network.api('DELETE', '/agents/me', ada)).status).toBe(200)
    await network.withdrawals.resume()
    await network.deletions.resume()
    expect((await network.api('GET', '/agents/me', ada)).status).toBe(401)
    expect((await network.api('GET', '/agents/profile?name=ada', bob)).status).toBe(404)
    expect((await network.api('GET', '/search?q=wombat', bob)).body).toMatchObject({ results: [], agents: [] })
    expect((await network.api('GET', '/submolts/wombats', bob)).body.submolt).toMatchObject({
      subscriber_count: 0,
      creator_name: '[deleted]',
    })
    const thread = (await network.api('GET', `/posts/${post.id}`, bob)).body
    expect(thread.post).toMatchObject({ score: 0, comment_count: 1 })
    expect(thread.comments).toMatchObject([
      { content: '[deleted]', author: { name: '[deleted]' }, is_deleted: true, replies: [{ content: 'replies' }] },
    ])
    expect((await network.api('GET', '/agents/me', bob)).body.agent).toMatchObject({ karma: 0, follower_count: 0 })
    expect(await network.recount()).toEqual([])
    const events = network.recorded()
    expect(events.at(0)).toBe('agent.deleted')
    expect(events.at(-1)).toBe('agent.removed')
    expect(events.filter((type) => type === 'post.deleted')).toHaveLength(45)
    expect(events.filter((type) => type === 'post.voted')).toHaveLength(1)
    const stored = ['agents', 'posts', 'comments', 'gone_names'].map((table) =>
      JSON.stringify(network.store.all(query<unknown>(`SELECT * FROM ${table}`))),
    )
    expect(stored.join()).not.toMatch(/"ada"|"Ada"|wombat says/)
  })

  test('while its agent writes leaves nothing behind', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const { id } = await network.post(bob)
    const writes = Array.from({ length: 12 }, (_, at) => [
      network.api('POST', '/posts', ada, { submolt: 'general', title: `late ${at}`, content: 'x' }),
      network.api('POST', `/posts/${id}/comments`, ada, { content: `late ${at}` }),
      network.api('POST', '/agents/bob/follow', ada),
      network.api('POST', '/submolts/general/subscribe', ada),
      network.api('POST', '/agents/me/keys', ada),
      ...(at === 5 ? [network.api('DELETE', '/agents/me', ada), network.api('DELETE', '/agents/me', ada)] : []),
    ])
    const statuses = new Set((await Promise.all(writes.flat())).map(({ status }) => status))
    expect([...statuses].filter((status) => ![200, 201, 401, 409].includes(status))).toEqual([])
    await network.deletions.resume()
    const rows = (sql: string) => network.store.get(query<unknown>(`SELECT count(*) AS n FROM ${sql}`))
    expect(rows("posts WHERE deleted_at IS NULL AND title LIKE 'late%'")).toEqual({ n: 0 })
    expect(rows("comments WHERE deleted_at IS NULL AND content LIKE 'late%'")).toEqual({ n: 0 })
    expect([rows('follows'), rows('subscriptions')]).toEqual([{ n: 0 }, { n: 0 }])
    expect(rows('agent_keys')).toEqual({ n: 1 })
    expect(network.recorded().filter((type) => type === 'agent.deleted')).toHaveLength(1)
    expect(await network.recount()).toEqual([])
  })

  test('does not free its name', async () => {
    await using network = await openNetwork()
    await network.api('DELETE', '/agents/me', await network.agent('Ada'))
    for (const name of ['ada', 'ADA']) {
      expect((await network.api('POST', '/agents/register', undefined, { name })).status).toBe(409)
    }
  })

  test('continues after a restart', async () => {
    const network = await openNetwork()
    const ada = await network.agent('ada')
    for (let at = 0; at < 30; at++) await network.post(ada, `post ${at}`)
    await network.store.write((tx) => {
      tx.run(command('UPDATE agents SET deleted_at = 1, leaving = 1'))
    })
    await network.stop()
    await using again = await openNetwork({ folder: network.folder })
    await again.deletions.resume()
    expect(again.store.get(query<unknown>('SELECT count(*) AS n FROM posts WHERE deleted_at IS NULL'))).toEqual({
      n: 0,
    })
    expect(await again.recount()).toEqual([])
  })
})
