import { describe, expect, test } from 'bun:test'
import { type Json, openNetwork } from '../network.ts'

const PERSON = { provider: 'test', subject: 'p1', name: 'Pat' }

async function registered(network: Awaited<ReturnType<typeof openNetwork>>, name = 'ada') {
  const { body } = await network.api('POST', '/agents/register', undefined, { name })
  const agent = body.agent as Record<string, string>
  return {
    key: String(agent.api_key),
    code: String(agent.verification_code),
    token: String(agent.claim_url).split('/').at(-1) ?? '',
  }
}

describe('a claim', () => {
  test('is completed with its code, however it is typed, and only once', async () => {
    await using network = await openNetwork()
    const { key, code, token } = await registered(network)
    expect((await network.api('GET', '/agents/status', key)).body).toMatchObject({
      status: 'pending_claim',
      claimed: false,
      next_step: expect.any(String),
    })
    expect(network.claims.find(token)).toMatchObject({ state: 'open', agent: { name: 'ada' } })
    await network.claims.complete(token, ` ${code.toUpperCase().replace('-', ' ')} `, PERSON)
    const { body } = await network.api('GET', '/agents/status', key)
    expect(body).toMatchObject({ status: 'claimed', claimed: true, agent: { claimed_at: expect.any(String) } })
    expect((await network.api('GET', '/agents/me', key)).body.agent).toMatchObject({
      status: 'active',
      is_claimed: true,
    })
    await expect(network.claims.complete(token, code, PERSON)).rejects.toThrow('not valid')
    expect(network.claims.find(token)).toMatchObject({ state: 'taken', agent: { name: 'ada' } })
    await network.claims.release('ada')
    await expect(network.claims.complete(token, code, PERSON)).rejects.toThrow('not valid')
    expect(network.recorded()).toEqual(['agent.registered', 'agent.claimed', 'agent.unclaimed'])
  })

  test('is locked after too many wrong codes, until its agent renews it', async () => {
    await using network = await openNetwork()
    const { key, code, token } = await registered(network)
    for (let at = 0; at < 10; at++) {
      await expect(network.claims.complete(token, 'reef-ZZZZ', PERSON)).rejects.toThrow('The code is wrong')
    }
    await expect(network.claims.complete(token, code, PERSON)).rejects.toThrow('too many wrong codes')
    expect(network.claims.find(token)).toMatchObject({ state: 'locked' })
    const { body } = await network.api('POST', '/agents/me/claim', key)
    const renewed = String(body.claim_url).split('/').at(-1) ?? ''
    expect(network.claims.find(token)).toBeUndefined()
    await network.claims.complete(renewed, String(body.verification_code), PERSON)
    expect((await network.api('POST', '/agents/me/claim', key)).status).toBe(409)
    expect(network.recorded()).toEqual(['agent.registered', 'claim.renewed', 'agent.claimed'])
  })

  test('is approved and released by the operator', async () => {
    await using network = await openNetwork()
    const { key } = await registered(network)
    expect(await network.claims.approve('ADA')).toMatchObject({ status: 'active' })
    await network.claims.approve('ada')
    expect(await network.claims.release('ada')).toMatchObject({ status: 'pending_claim', owner_id: null })
    expect((await network.api('GET', '/agents/status', key)).body.status).toBe('pending_claim')
    expect(network.recorded()).toEqual(['agent.registered', 'agent.claimed', 'agent.unclaimed'])
  })

  test('is limited to a number of agents for each person', async () => {
    await using network = await openNetwork({ settings: { maxAgentsPerOwner: 1 } })
    const [one, two] = [await registered(network, 'one-agent'), await registered(network, 'two-agent')]
    await network.claims.complete(one.token, one.code, PERSON)
    await expect(network.claims.complete(two.token, two.code, PERSON)).rejects.toThrow('the maximum')
    await network.claims.complete(two.token, two.code, { ...PERSON, subject: 'p2' })
  })
})

test('an unclaimed agent may read and manage its account, but not write, if claims are required', async () => {
  await using network = await openNetwork({ settings: { requireClaim: true } })
  const { key } = await registered(network)
  expect((await network.api('GET', '/posts', key)).status).toBe(200)
  expect((await network.api('PATCH', '/agents/me', key, { description: 'x' })).status).toBe(200)
  expect((await network.api('POST', '/agents/me/claim', key)).status).toBe(200)
  const response = await network.api('POST', '/posts', key, { submolt: 'general', title: 'x', content: 'y' })
  expect(response.status).toBe(403)
  expect(response.body).toMatchObject({ code: 'FORBIDDEN', status: 'pending_claim' })
  await network.claims.approve('ada')
  await network.post(key)
})

describe('a suspended agent', () => {
  test('gets an error with reason and end, and may read its status', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const until = network.clock.now() + 3_600_000
    await network.suspensions.suspend('ada', 'flooding', until)
    for (const [method, path] of [
      ['GET', '/posts'],
      ['POST', '/posts'],
      ['DELETE', '/agents/me'],
    ] as const) {
      const { status, body } = await network.api(method, path, key, method === 'POST' ? {} : undefined)
      expect(status).toBe(403)
      expect(body).toMatchObject({
        code: 'FORBIDDEN',
        error: 'Your account is suspended until 2026-01-05T10:00:00Z: flooding',
        reason: 'flooding',
        suspended_until: '2026-01-05T10:00:00Z',
      })
    }
    expect((await network.api('GET', '/agents/me', key)).body.agent).toMatchObject({
      status: 'suspended',
      is_active: false,
    })
    expect((await network.api('GET', '/agents/status', key)).body).toMatchObject({
      status: 'pending_claim',
      suspended: true,
      message: expect.stringContaining('Your account is suspended until 2026-01-05T10:00:00Z: flooding'),
      suspended_until: '2026-01-05T10:00:00Z',
      reason: 'flooding',
      next_step: null,
    })
    await network.clock.advance(3_600_000)
    expect((await network.api('GET', '/posts', key)).status).toBe(200)
    expect((await network.api('GET', '/agents/me', key)).body.agent as Json).toMatchObject({ status: 'pending_claim' })
  })

  test('stays suspended until the operator reinstates it', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    await network.suspensions.suspend('ada', 'spam')
    expect((await network.api('GET', '/feed', key)).body).toMatchObject({ suspended_until: null, reason: 'spam' })
    await network.suspensions.reinstate('ada')
    await network.suspensions.reinstate('ada')
    expect((await network.api('GET', '/feed', key)).status).toBe(200)
    expect(network.recorded()).toEqual(['agent.registered', 'agent.suspended', 'agent.reinstated'])
  })
})
