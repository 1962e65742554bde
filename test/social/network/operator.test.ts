import { describe, expect, test } from 'bun:test'
import { openRecounts } from '../../../src/social/network/operator/recounts.ts'
import { timestamp } from '../../../src/social/shared/strings.ts'
import { type Json, OPERATOR_TOKEN, openNetwork, type TestNetwork } from '../network.ts'

const at = (name: string, verb: string) => `/operator/agents/${name}/${verb}`
const OPERATIONS = [
  ['POST', at('ada', 'approve')],
  ['POST', at('ada', 'release')],
  ['POST', at('ada', 'key')],
  ['POST', at('ada', 'suspend')],
  ['POST', at('ada', 'reinstate')],
  ['GET', '/operator/recount'],
  ['POST', '/operator/recount'],
] as const
const bodyOf = (path: string) => (path.endsWith('suspend') ? { reason: 'spam' } : undefined)
const request = async (network: TestNetwork, verb: string, body?: Json, name = 'ADA') => {
  const { status, body: response } = await network.api('POST', at(name, verb), OPERATOR_TOKEN, body)
  return { status, ...(response.agent as Json | undefined), error: response.error }
}

describe('the operator of the network', () => {
  test('approves the claim of an agent and ends it, each once', async () => {
    await using network = await openNetwork()
    await network.agent('ada')
    expect(await request(network, 'approve')).toMatchObject({ status: 'active', is_claimed: true })
    expect(await request(network, 'approve')).toMatchObject({ status: 'active' })
    expect(await request(network, 'release')).toMatchObject({ status: 'pending_claim', owner_id: null })
    expect(await request(network, 'release')).toMatchObject({ status: 'pending_claim' })
    expect(network.recorded()).toEqual(['agent.registered', 'agent.claimed', 'agent.unclaimed'])
  })

  test('replaces the keys of an agent, as the actor of the event', async () => {
    await using network = await openNetwork()
    const lost = await network.agent('ada')
    await network.api('POST', '/agents/me/keys', lost, { label: 'lost, too' })
    network.recorded()
    const { status, body } = await network.api('POST', at('ADA', 'key'), OPERATOR_TOKEN)
    expect([status, body.key]).toMatchObject([201, { label: 'from the operator', current: false }])
    expect(network.log.after(0, 100).slice(-3)).toMatchObject([
      { type: 'key.revoked', actor: 'operator' },
      { type: 'key.revoked', actor: 'operator' },
      { type: 'key.created', actor: 'operator' },
    ])
    expect(network.recorded()).toEqual(['key.revoked', 'key.revoked', 'key.created'])
    expect((await network.api('GET', '/agents/me', lost)).status).toBe(401)
    expect((await network.api('GET', '/agents/me', String(body.api_key))).body.agent).toMatchObject({ name: 'ada' })
  })

  test('suspends an agent with a reason and an end, and reinstates it', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const until = '2026-01-05T10:00:00Z'
    expect(await request(network, 'suspend', { reason: ' flooding ', until })).toMatchObject({ status: 'suspended' })
    expect(await network.api('GET', '/posts', key)).toMatchObject({
      status: 403,
      body: { reason: 'flooding', suspended_until: until },
    })
    expect(await request(network, 'reinstate')).toMatchObject({ status: 'pending_claim' })
    expect((await network.api('GET', '/posts', key)).status).toBe(200)
    const events = network.log.after(0, 100).slice(-2)
    expect(events.map(({ actor }) => actor)).toEqual(['operator', 'operator'])
    expect(network.recorded()).toEqual(['agent.registered', 'agent.suspended', 'agent.reinstated'])
  })

  test('rules over a key that is in use: every decision shows at its next request', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const status = async () => (await network.api('GET', '/posts', key)).status
    expect([await status(), await status()]).toEqual([200, 200])
    await request(network, 'suspend', { reason: 'spam', until: timestamp(network.clock.now() + 60_000) })
    expect([await status(), await status()]).toEqual([403, 403])
    await network.clock.advance(60_000)
    expect(await status()).toBe(200)
    await request(network, 'suspend', { reason: 'spam' })
    expect(await status()).toBe(403)
    await request(network, 'reinstate')
    expect(await status()).toBe(200)
    await request(network, 'key')
    expect([await status(), await status()]).toEqual([401, 401])
  })

  test('gets an error for an invalid suspension or an unknown agent', async () => {
    await using network = await openNetwork()
    await network.agent('ada')
    network.recorded()
    const reason = 'spam'
    for (const [body, error] of [
      [{}, 'Reason is required'],
      [{ reason: ' ' }, 'Reason cannot be empty'],
      [{ reason: 'x'.repeat(501) }, 'Reason must be 500 characters or less'],
      [{ reason, until: 'tomorrow' }, 'Until must be a timestamp such as 2030-01-31T12:00:00Z'],
      [{ reason, until: '2020-01-01T00:00:00Z' }, 'Until must be in the future'],
    ] as const) {
      expect(await request(network, 'suspend', body)).toMatchObject({ status: 400, error })
    }
    for (const [method, path] of OPERATIONS.filter(([, path]) => path.includes('ada'))) {
      const lost = await network.api(method, path.replace('ada', 'eve'), OPERATOR_TOKEN, bodyOf(path))
      expect(lost).toMatchObject({ status: 404, body: { error: 'Agent not found' } })
    }
    expect(network.recorded()).toEqual([])
  })

  test('recounts all counters', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const { id } = await network.post(key)
    const recount = () => network.api('GET', '/operator/recount', OPERATOR_TOKEN)
    expect((await recount()).body).toEqual({ success: true, miscounts: [] })
    await network.store.write((tx) => void tx.orm.run(`UPDATE posts SET comment_count = 3 WHERE id = '${id}'`))
    const miscounts = [{ counter: 'posts.comment_count', id, stored: 3, counted: 0 }]
    expect((await recount()).body).toEqual({ success: true, miscounts })
  })

  test('recounts once for all concurrent requests, and reports at most a thousand miscounts', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const { id } = await network.post(key)
    for (let at = 0; at < 3; at++) await network.comment(key, id)
    await network.store.write((tx) => {
      const copies = 'WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 1200)'
      const columns = 'post, parent, author, content, depth, created_at, updated_at'
      tx.orm.run(
        `INSERT INTO comments (id, score, ${columns}) ${copies} SELECT 'copy ' || at, 7, ${columns} FROM comments, n WHERE n = 1`,
      )
    })
    const [one, other] = await Promise.all([network.recount(), network.recount()])
    expect(other).toBe(one)
    expect(one).toHaveLength(1_000)
    expect(one[0]).toEqual({ counter: 'posts.comment_count', id: String(id), stored: 3, counted: 1_203 })
    expect(one.at(-1)).toMatchObject({ counter: 'comments.score', stored: 7, counted: 0 })
  })

  test('corrects wrong counters, and reports what was wrong', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const post = await network.post(key)
    await network.comment(key, post.id)
    await network.store.write((tx) => {
      tx.orm.run('UPDATE posts SET comment_count = 3, score = 7')
      tx.orm.run('UPDATE agents SET karma = 9, follower_count = 2')
      tx.orm.run('UPDATE totals SET posts = 8')
    })
    network.recorded()
    const { status, body } = await network.api('POST', '/operator/recount', OPERATOR_TOKEN)
    const counters = (body.miscounts as { counter: string }[]).map(({ counter }) => counter)
    expect([status, counters]).toEqual([
      200,
      ['posts.score', 'posts.comment_count', 'agents.karma', 'agents.follower_count', 'totals.posts'],
    ])
    expect(await network.recount()).toEqual([])
    expect(network.recorded()).toEqual([])
  })

  test('stops a recount when the network closes', async () => {
    await using network = await openNetwork()
    await network.post(await network.agent('ada'))
    const recounts = openRecounts(network.store)
    const counting = recounts.run().then(
      () => 'counted',
      (error: unknown) => String(error),
    )
    await recounts.stop()
    expect(await counting).toContain('the network is closing')
  })

  test('needs the token, which opens nothing else', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    network.recorded()
    const strangers = [undefined, key, 'junk', `gco_${'1'.repeat(64)}`, `${OPERATOR_TOKEN}0`]
    for (const [method, path] of OPERATIONS) {
      for (const stranger of strangers) {
        const response = await network.api(method, path, stranger, bodyOf(path))
        expect({ path, stranger, ...response }).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
      }
    }
    expect((await network.api('GET', '/agents/me', OPERATOR_TOKEN)).status).toBe(401)
    expect((await network.api('GET', '/operator/nothing', OPERATOR_TOKEN)).status).toBe(404)
    expect(network.recorded()).toEqual([])
  })

  test('has operations that are marked as extensions in the document', async () => {
    await using network = await openNetwork()
    const paths = network.document.paths as Record<string, Record<string, Json>>
    for (const [method, path] of OPERATIONS) {
      const operation = paths[`/api/v1${path.replace('/ada/', '/{name}/')}`]?.[method.toLowerCase()]
      expect(operation?.['x-gc-extension']).toBe(true)
      expect(Object.keys(operation?.responses as Json)).toContain('403')
    }
  })
})
