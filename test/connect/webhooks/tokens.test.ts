import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { hook, webhookWorld } from './world.ts'

const ISSUER = 'chat@system.example'
const AUDIENCE = '1234567890'

type Key = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']

/** A server of keys, as an issuer of tokens publishes them. */
let keys: { url: string; key: Key; other: Key; requests(): number; stop(): void; answerWith(body: unknown): void }
beforeAll(async () => {
  const [pair, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  let body: unknown = { keys: [jwk] }
  let requests = 0
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    fetch() {
      requests++
      return body === undefined ? new Response('down', { status: 500 }) : Response.json(body)
    },
  })
  keys = {
    ...{ url: `http://127.0.0.1:${server.port}/keys`, key: pair.privateKey, other: other.privateKey },
    requests: () => requests,
    stop: () => void server.stop(true),
    answerWith(given) {
      body = given
    },
  }
})
afterAll(() => keys.stop())

const jwtHook = () =>
  hook(`scheme = "jwt-jwks"\nissuer = "${ISSUER}"\naudience = "${AUDIENCE}"\njwks_url = "${keys.url}"`)

interface Claims {
  iss?: string
  aud?: string
  jti?: string
  lifetime?: number
  from?: number
  key?: Key
}

/** A message with the token that the sender puts into the Authorization header. */
async function signed(now: number, text: string, claims: Claims = {}) {
  const { iss = ISSUER, aud = AUDIENCE, jti, lifetime = 600, from = 0, key = keys.key } = claims
  const at = Math.floor(now / 1000) + from
  const jwt = new SignJWT(jti === undefined ? {} : { jti }).setProtectedHeader({ alg: 'RS256', kid: 'k1' })
  const token = await jwt
    .setIssuer(iss)
    .setAudience(aud)
    .setIssuedAt(at)
    .setExpirationTime(at + lifetime)
    .sign(key)
  return { body: JSON.stringify({ text }), headers: { authorization: `Bearer ${token}` } }
}

describe('a delivery with a token', () => {
  test('is followed once for each id of a token, and keys are fetched once', async () => {
    await using world = await webhookWorld(jwtHook())
    const now = world.clock.now()
    const before = keys.requests()
    const sent = await signed(now, 'one', { jti: 'a' })
    expect((await world.deliver(sent)).status).toBe(202)
    expect(await world.deliver(sent)).toMatchObject({ body: { deduped: true } })
    expect((await world.deliver(await signed(now, 'two', { jti: 'b' }))).status).toBe(202)
    expect(world.messages()).toEqual(['one', 'two'])
    expect(keys.requests() - before).toBe(1)
    expect(world.recorded()[0]).toMatchObject({ payload: { scheme: 'jwt-jwks', dedup_id: 'a' } })
  })

  test('is distinguished by its body where senders use one token for many', async () => {
    await using world = await webhookWorld(jwtHook())
    const { headers } = await signed(world.clock.now(), '')
    const send = (text: string) => world.deliver({ headers, body: JSON.stringify({ text }) })
    expect([(await send('one')).status, (await send('two')).status, (await send('one')).status]).toEqual([
      202, 202, 200,
    ])
  })

  test('is remembered until its token has ended', async () => {
    await using world = await webhookWorld(jwtHook())
    const sent = await signed(world.clock.now(), 'one', { jti: 'a', lifetime: 7200 })
    await world.deliver(sent)
    await world.clock.advance(7_000_000)
    expect(await world.deliver(sent)).toMatchObject({ body: { deduped: true } })
    await world.clock.advance(300_000)
    expect((await world.deliver(sent)).status).toBe(401)
  })

  test.each([
    ['for others', { aud: 'somebody else' }],
    ['of another issuer', { iss: 'mallory' }],
    ['that has ended', { from: -3600 }],
    ['that is good for days', { lifetime: 172_800 }],
  ])('%s is rejected', async (_, claims) => {
    await using world = await webhookWorld(jwtHook())
    expect((await world.deliver(await signed(world.clock.now(), 'one', claims))).status).toBe(401)
    expect(world.recorded()).toMatchObject([{ payload: { reason: 'verify_failed' } }])
  })

  test('signed with another key, unsigned or missing is rejected', async () => {
    await using world = await webhookWorld(jwtHook())
    const forged = await signed(world.clock.now(), 'one', { key: keys.other })
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = part({ iss: ISSUER, aud: AUDIENCE, exp: world.clock.now() / 1000 + 60 })
    const unsigned = { authorization: `Bearer ${part({ alg: 'none' })}.${claims}.` }
    for (const sent of [forged, { headers: unsigned }, {}, { headers: { authorization: 'Bearer x' } }]) {
      expect((await world.deliver(sent)).status).toBe(401)
    }
    expect(world.messages()).toEqual([])
  })

  test('is to come again while the keys cannot be fetched', async () => {
    keys.answerWith(undefined)
    await using world = await webhookWorld(jwtHook())
    expect((await world.deliver(await signed(world.clock.now(), 'one'))).status).toBe(503)
    expect(world.recorded()).toMatchObject([
      { message: expect.stringContaining(keys.url), payload: { reason: 'operator_fault', status: 503 } },
    ])
  })
})
