import { describe, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { tempFolder } from '../../support/folder.ts'
import { type Json, openNetwork, type TestNetwork } from '../network.ts'
import { openSite } from '../site.ts'

const HOUR = 3_600_000

const issue = async (network: TestNetwork, key: string, body?: Json) =>
  String((await network.api('POST', '/agents/me/identity-token', key, body)).body.identity_token)
const check = async (network: TestNetwork, body: Json) =>
  (await network.api('POST', '/agents/verify-identity', undefined, body)).body

describe('an identity token', () => {
  test('proves who an agent is for an hour, and opens nothing of its account', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    network.recorded()
    const token = await issue(network, ada)
    expect(await check(network, { token })).toMatchObject({
      ...{ success: true, valid: true, error: null },
      agent: {
        name: 'ada',
        karma: 0,
        is_claimed: false,
        avatar_url: null,
        stats: { posts: 0, comments: 0 },
        owner: null,
      },
    })
    expect((await network.api('GET', '/agents/me', token)).status).toBe(401)
    await network.clock.advance(HOUR + 1_000)
    expect(await check(network, { token })).toMatchObject({ valid: false, error: 'The token has expired', agent: null })
    expect(network.recorded()).toEqual([])
  })

  test('for an audience is valid for that audience only', async () => {
    await using network = await openNetwork()
    const token = await issue(network, await network.agent('ada'), { audience: 'shop.example' })
    expect(await check(network, { token, audience: 'shop.example' })).toMatchObject({ valid: true })
    for (const audience of ['bank.example', undefined]) {
      const error = 'The token is for another audience'
      expect(await check(network, { token, ...(audience && { audience }) })).toMatchObject({ valid: false, error })
    }
  })

  test('of a suspended or deleted agent, a changed one and junk are not valid', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const [token, other] = [await issue(network, ada), await issue(network, bob)]
    await network.suspensions.suspend('ada', 'spam')
    await network.api('DELETE', '/agents/me', bob)
    const [head, payload, signature] = token.split('.')
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
    const tokens = [
      token,
      other,
      `${head}.${payload}x.${signature}`,
      `${unsigned}.${payload}.`,
      'x',
      '',
      'y'.repeat(5_000),
    ]
    const errors = []
    for (const each of tokens) errors.push((await check(network, { token: each })).error)
    expect(errors).toEqual([
      'The agent is suspended',
      'The agent no longer exists',
      ...Array(4).fill('The token is not one of this network'),
      'The token is too long',
    ])
  })

  test('can be checked by anybody with the keys at /.well-known/jwks.json', async () => {
    await using site = await openSite()
    const registered = await site.api('POST', '/agents/register', undefined, { name: 'ada' })
    const { token } = await site.api('POST', '/agents/me/identity-token', registered.agent.api_key, {})
    const served = await fetch(`${site.url}/.well-known/jwks.json`)
    const keys: JSONWebKeySet = JSON.parse(await served.text())
    expect(keys.keys).toMatchObject([{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' }])
    expect(JSON.stringify(keys)).not.toContain('"d"')
    const { payload } = await jwtVerify(String(token), createLocalJWKSet(keys), {
      currentDate: new Date(site.clock.now()),
    })
    expect(payload).toMatchObject({ name: 'ada', sub: registered.agent.id })
  })
})

describe('the key of a network', () => {
  test('lies in a file of its owner, not in the database, and stays the same', async () => {
    const folder = tempFolder()
    let token = ''
    {
      const network = await openNetwork({ folder })
      token = await issue(network, await network.agent('ada'))
      await network.stop()
    }
    const path = folder.at('social-identity.json')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { d } = JSON.parse(readFileSync(path, 'utf8'))
    expect(readFileSync(folder.at('social.db')).includes(d)).toBe(false)
    await using network = await openNetwork({ folder })
    expect(await check(network, { token })).toMatchObject({ valid: true })
  })

  test('that cannot be read is an error that names its file', async () => {
    using folder = tempFolder()
    writeFileSync(folder.at('social-identity.json'), '{"kty":"RSA"}')
    await expect(openNetwork({ folder })).rejects.toThrow('social-identity.json is not a private Ed25519 key')
  })
})
