import { expect, test } from 'bun:test'
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { type InnerList, parseDictionary } from 'structured-headers'
import { RequestSigner } from '../../../src/client/request-signer.ts'
import { query } from '../../../src/core/store/index.ts'
import { checkContentDigest } from '../../../src/social/accounts/signatures/content-digest.ts'
import { isSignedWith } from '../../../src/social/accounts/signatures/public-key.ts'
import { signatureBase } from '../../../src/social/accounts/signatures/signature-base.ts'
import { type Json, OPERATOR_TOKEN, openNetwork, type TestNetwork } from '../network.ts'

/** The request and the key of RFC 9421, Appendix B. */
const RFC_DIGEST = 'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:'
const RFC_REQUEST = {
  method: 'POST',
  url: new URL('https://example.com/foo?param=Value&Pet=dog'),
  headers: new Headers({
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    'content-type': 'application/json',
    'content-digest': RFC_DIGEST,
    'content-length': '18',
  }),
}
const RFC_KEY = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----`
const RFC_SECRET = Buffer.from(
  'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==',
  'base64',
)

const covered = (text: string) => parseDictionary(`sig=${text}`).get('sig') as InnerList
const rfcBase = (text: string) => signatureBase(covered(text), RFC_REQUEST)

test('the Ed25519 signature of RFC 9421 B.2.6 is accepted, and none of a changed request', () => {
  const parameters =
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"'
  const base = rfcBase(parameters)
  expect(base).toBe(`"date": Tue, 20 Apr 2021 02:07:55 GMT
"@method": POST
"@path": /foo
"@authority": example.com
"content-type": application/json
"content-length": 18
"@signature-params": ${parameters}`)
  const { x = '' } = createPublicKey(createPrivateKey(RFC_KEY)).export({ format: 'jwk' })
  expect(x).toBe('JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs')
  const signature = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=='
  const bytes = Buffer.from(signature, 'base64')
  expect(isSignedWith(x, base, bytes)).toBe(true)
  expect(sign(null, Buffer.from(base), createPrivateKey(RFC_KEY)).toString('base64')).toBe(signature)
  expect(isSignedWith(x, base.replace('POST', 'PUT'), bytes)).toBe(false)
  expect(isSignedWith(x, base, bytes.subarray(1))).toBe(false)
})

test('signature bases are those of RFC 9421 B.2.1, B.2.2 and B.2.5', () => {
  const minimal = '();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"'
  expect(rfcBase(minimal)).toBe(`"@signature-params": ${minimal}`)
  const selective =
    '("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example"'
  expect(rfcBase(selective)).toBe(`"@authority": example.com
"content-digest": ${RFC_DIGEST}
"@query-param";name="Pet": dog
"@signature-params": ${selective}`)
  const shared = '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"'
  expect(createHmac('sha256', RFC_SECRET).update(rfcBase(shared)).digest('base64')).toBe(
    'pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=',
  )
  expect(rfcBase('("@query" "@request-target" "@scheme" "@target-uri")')).toBe(`"@query": ?param=Value&Pet=dog
"@request-target": /foo?param=Value&Pet=dog
"@scheme": https
"@target-uri": https://example.com/foo?param=Value&Pet=dog
"@signature-params": ("@query" "@request-target" "@scheme" "@target-uri")`)
})

test('a content digest fits its body, and no other', () => {
  const body = Buffer.from('{"hello": "world"}')
  checkContentDigest(RFC_DIGEST, body)
  for (const [header, bytes] of [
    [RFC_DIGEST, Buffer.from('{"hello": "World"}')],
    ['md5=:AAAA:', body],
    ['sha-256="text"', body],
    ['sha-256', body],
    [`${RFC_DIGEST}, sha-256=:AAAA:`, body],
    ['', body],
    [':', body],
    [null, body],
  ] as const) {
    expect(() => checkContentDigest(header, bytes)).toThrow('Invalid signature')
  }
})

const newSigner = () =>
  new RequestSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())

/** Registers an agent with a key of its own; what sends a request signed with it. */
async function signingAgent(network: TestNetwork, name: string) {
  const key = await network.agent(name)
  const signer = newSigner()
  const { id } = (await network.api('GET', '/agents/me', key)).body.agent as Json
  const draft = { public_key: signer.publicKey, proof: signer.signText(`signing-key ${id} ${signer.keyId}`) }
  expect((await network.api('POST', '/agents/me/signing-keys', key, draft)).status).toBe(201)
  const headersFor = (method: string, path: string, body?: unknown) => {
    const request = { method, url: `${network.url}/api/v1${path}`, body: body && JSON.stringify(body) }
    return signer.headersFor(request as { method: string; url: string; body?: string }, network.clock.now())
  }
  const ask = (method: string, path: string, body?: unknown) =>
    network.api(method, path, undefined, body, headersFor(method, path, body))
  return { key, signer, id: String(id), draft, headersFor, ask }
}

test('an agent acts by signed requests alone once it has turned API keys off', async () => {
  await using network = await openNetwork()
  const { key, signer, ask } = await signingAgent(network, 'ada')
  network.recorded()
  expect((await network.api('PUT', '/agents/me/bearer-keys', key, { enabled: false })).status).toBe(403)
  expect((await ask('PUT', '/agents/me/bearer-keys', { enabled: false })).body).toMatchObject({ enabled: false })
  expect(network.recorded()).toEqual(['key.revoked', 'bearer_keys.changed'])
  expect((await network.api('GET', '/agents/me', key)).status).toBe(401)
  const draft = { submolt: 'general', title: 'Signed', content: 'by me' }
  expect((await ask('POST', '/posts', draft)).status).toBe(201)
  expect((await ask('GET', '/posts?sort=new&limit=1')).status).toBe(200)
  expect((await ask('POST', '/agents/me/keys')).body).toMatchObject({ error: 'You turned API keys off' })
  expect((await ask('DELETE', `/agents/me/signing-keys/${signer.keyId}`)).status).toBe(409)
  const { keys, bearer_keys_enabled } = (await ask('GET', '/agents/me/signing-keys')).body
  expect(keys).toMatchObject([{ id: signer.keyId, current: true }])
  expect(bearer_keys_enabled).toBe(false)
  network.recorded()
  expect((await ask('PUT', '/agents/me/bearer-keys', { enabled: true })).status).toBe(200)
  expect((await ask('POST', '/agents/me/keys')).status).toBe(201)
  expect(network.recorded()).toEqual(['bearer_keys.changed', 'key.created'])
  expect(network.errors).toEqual([])
})

test('nothing that the database holds can be sent instead of a signature', async () => {
  await using network = await openNetwork()
  const { id, ask } = await signingAgent(network, 'ada')
  await ask('PUT', '/agents/me/bearer-keys', { enabled: false })
  const rows = ['agents', 'agent_keys', 'signing_keys', 'agent_claims', 'used_signatures'].flatMap((table) =>
    network.store.all(query<Json>(`SELECT * FROM ${table}`)),
  )
  const values = rows.flatMap((row) => Object.values(row)).filter((value) => typeof value === 'string')
  expect(values).toContain(id)
  for (const value of values) {
    for (const token of [value, `moltbook_${value}`]) {
      if (/^[\x20-\x7e]+$/.test(token)) expect((await network.api('GET', '/agents/me', token)).status).toBe(401)
    }
  }
})

const OWN = { baseUrl: 'https://agents.test' }

test('a signature is accepted once, also after a restart and behind a proxy, and only while it is young', async () => {
  const network = await openNetwork({ settings: OWN })
  const { signer } = await signingAgent(network, 'ada')
  const { clock, folder } = network
  const sign = (at = 0) =>
    signer.headersFor({ method: 'GET', url: 'https://agents.test/api/v1/agents/me' }, clock.now() + at)
  const send = async (on: TestNetwork, headers: Json) => {
    const { status, body } = await on.api('GET', '/agents/me', undefined, undefined, {
      host: 'agents.test',
      ...headers,
    })
    return status === 200 ? status : String(body.error)
  }
  const first = sign()
  expect(await send(network, first)).toBe(200)
  expect(await send(network, first)).toMatch(/used before/)
  expect(await send(network, sign(-300_000))).toBe(200)
  expect(await send(network, sign(-302_000))).toMatch(/more than 300 seconds ago/)
  expect(await send(network, sign(29_000))).toBe(200)
  expect(await send(network, sign(32_000))).toMatch(/in the future/)
  await network.stop()
  await using again = await openNetwork({ folder, clock, settings: OWN })
  expect(await send(again, first)).toMatch(/used before/)
  expect(await send(again, sign())).toBe(200)
  const used = query<{ n: number }>('SELECT count(*) AS n FROM used_signatures')
  expect(again.store.get(used)?.n).toBe(4)
  await clock.advance(340_000)
  await again.store.write(() => {})
  await clock.advance(340_000)
  await again.store.write(() => {})
  expect(again.store.get(used)?.n).toBe(0)
})

test('requests that a signature does not match or cover are rejected and change nothing', async () => {
  await using network = await openNetwork()
  const { url, clock } = network
  const ada = await signingAgent(network, 'ada')
  const bob = await signingAgent(network, 'bob')
  const draft = { submolt: 'general', title: 'Signed', content: 'by me' }
  const good = () => ada.headersFor('POST', '/posts', draft)
  network.recorded()
  const send = async (headers: Json, { method = 'POST', path = '/posts', body = draft as unknown } = {}) => {
    const { status, body: answer } = await network.api(method, path, undefined, body, headers)
    return { status, error: String(answer.error) }
  }
  const header = (name: string, change: (value: string) => string) => {
    const headers: Record<string, string> = good()
    return { ...headers, [name]: change(headers[name] ?? '') }
  }
  const input = (change: (value: string) => string) => header('Signature-Input', change)
  /** Signed over what `parameters` say, so that only the coverage or a parameter is wrong. */
  const signed = (parameters: string, headers: Json = {}) => {
    const request = {
      method: 'POST',
      url: new URL(`${url}/api/v1/posts`),
      headers: new Headers(headers as Record<string, string>),
    }
    return {
      ...headers,
      'Signature-Input': `gc=${parameters}`,
      Signature: `gc=:${ada.signer.signText(signatureBase(covered(parameters), request))}:`,
    }
  }
  const digest = { 'content-digest': good()['Content-Digest'] }
  const created = `created=${Math.floor(clock.now() / 1_000)}`
  const keyid = `keyid="${ada.signer.keyId}"`
  const all = '("@method" "@target-uri" "content-digest")'
  const attempts: Record<string, { headers: Json; request?: { method?: string; path?: string; body?: unknown } }> = {
    'another body': { headers: good(), request: { body: { ...draft, title: 'Changed' } } },
    'another path': { headers: good(), request: { path: '/submolts', body: draft } },
    'another query': { headers: good(), request: { path: '/posts?x=1' } },
    'no digest': { headers: header('Content-Digest', () => '') },
    'another digest': { headers: header('Content-Digest', (value) => value.replace(/:./, ':A')) },
    'key of another agent': { headers: input((value) => value.replace(ada.signer.keyId, bob.signer.keyId)) },
    'unknown key': { headers: input((value) => value.replace(ada.signer.keyId, 'nobody')) },
    'another algorithm': { headers: input((value) => value.replace('ed25519', 'hmac-sha256')) },
    'another time': {
      headers: input((value) => value.replace(/created=\d+/, `created=${Math.floor(clock.now() / 1_000) + 1}`)),
    },
    'another nonce': { headers: input((value) => value.replace(/nonce="[^"]+"/, 'nonce="x"')) },
    'no created': { headers: signed(`${all};${keyid}`, digest) },
    'created as a string': { headers: signed(`${all};created="now";${keyid}`, digest) },
    'created as a decimal': { headers: signed(`${all};created=${Math.floor(clock.now() / 1_000)}.5;${keyid}`, digest) },
    expired: { headers: signed(`${all};${created};expires=1;${keyid}`, digest) },
    'no keyid': { headers: signed(`${all};${created}`, digest) },
    'body not covered': { headers: signed(`("@method" "@target-uri");${created};${keyid}`) },
    'method not covered': { headers: signed(`("@target-uri" "content-digest");${created};${keyid}`, digest) },
    'authority not covered': { headers: signed(`("@method" "@path" "content-digest");${created};${keyid}`, digest) },
    'nothing covered': { headers: signed(`();${created};${keyid}`) },
    'a long nonce': { headers: signed(`${all};${created};${keyid};nonce="${'x'.repeat(300)}"`, digest) },
    'covered twice': { headers: input((value) => value.replace('"@method"', '"@method" "@method"')) },
    'unknown component': { headers: input((value) => value.replace('"@method"', '"@method" "@status"')) },
    'absent field': { headers: input((value) => value.replace('"@method"', '"@method" "x-absent"')) },
    prototype: { headers: input((value) => value.replace('"@method"', '"@method" "__proto__"')) },
    'component parameter': { headers: input((value) => value.replace('"@method"', '"@method";req')) },
    'no list': { headers: input(() => 'gc=1') },
    'no fields': { headers: input(() => ';;') },
    'no input': { headers: input(() => '') },
    'no bytes': { headers: header('Signature', () => 'gc="text"') },
    'other label': { headers: header('Signature', (value) => value.replace('gc', 'other')) },
    'short bytes': { headers: header('Signature', () => 'gc=:AAAA:') },
    'many signatures': {
      headers: input((value) => ['a', 'b', 'c', 'd', 'e'].map((label) => value.replace('gc', label)).join(', ')),
    },
    'an API key, too': { headers: { ...good(), authorization: `Bearer ${ada.key}` } },
  }
  for (const [what, { headers, request }] of Object.entries(attempts)) {
    expect({ what, ...(await send(headers, request)) }).toMatchObject({
      what,
      status: 401,
      error: expect.stringMatching(/^Invalid signature: /),
    })
  }
  expect(network.recorded()).toEqual([])
  expect((await send(signed(`${all};${created};${keyid}`, digest))).status).toBe(201)
  const other = {
    ...good(),
    'Signature-Input': `proxy=("@method");created=1;keyid="proxy", ${good()['Signature-Input']}`,
  }
  expect((await send(other)).error).toMatch(/no bytes in Signature/)
  expect(network.errors).toEqual([])
})

test('a signed request that needs no signature is counted by the address', async () => {
  await using network = await openNetwork({ limited: true })
  const ada = await signingAgent(network, 'ada')
  const left = ({ headers }: { headers: Headers }) => Number(headers.get('x-ratelimit-remaining'))
  await network.api('GET', '/openapi.json')
  const first = left(await network.api('GET', '/openapi.json'))
  expect(left(await ada.ask('GET', '/openapi.json'))).toBe(first - 1)
})

test('a signature stands for an agent as its API key does: suspended, deleted, at older paths, or without the right', async () => {
  await using network = await openNetwork({ settings: { publicReads: true } })
  const ada = await signingAgent(network, 'ada')
  const old = ada.signer.headersFor({ method: 'GET', url: `${network.url}/posts?sort=new` }, network.clock.now())
  expect((await network.ask('GET', '/posts?sort=new', undefined, undefined, old)).status).toBe(200)
  expect((await network.api('GET', '/posts', undefined, undefined, { 'signature-input': 'x' })).status).toBe(401)
  expect((await ada.ask('GET', '/operator/recount')).status).toBe(403)
  await network.suspensions.suspend('ada', 'spam')
  expect((await ada.ask('POST', '/posts', {})).body).toMatchObject({ status: 'suspended' })
  expect((await ada.ask('GET', '/agents/me')).status).toBe(200)
  await network.suspensions.reinstate('ada')
  expect((await ada.ask('DELETE', '/agents/me')).status).toBe(200)
  expect((await ada.ask('GET', '/agents/me')).status).toBe(401)
})

test('a key is added only by who holds it, once, and not one that everybody could use', async () => {
  await using network = await openNetwork()
  const { key, draft, signer } = await signingAgent(network, 'ada')
  const eve = await network.agent('eve')
  network.recorded()
  const add = async (more: Json, by = key) => {
    const { status, body } = await network.api('POST', '/agents/me/signing-keys', by, { ...draft, ...more })
    return `${status} ${body.error}`
  }
  expect(await add({})).toBe('409 This key is registered already')
  expect(await add({}, eve)).toBe('400 The proof is not a signature by this key')
  expect(await add({ proof: '' })).toMatch(/^400 The proof/)
  for (const x of ['', 'AAAA', `${signer.publicKey.x}=`, 'é'.repeat(43)])
    expect(await add({ public_key: { ...signer.publicKey, x } })).toMatch(/^400 Public_key.x must be/i)
  expect(await add({ public_key: { ...signer.publicKey, x: 'A'.repeat(43) } })).toMatch(/^400 This key is weak/)
  expect(await add({ public_key: { kty: 'RSA', n: 'x', e: 'AQAB' } })).toMatch(/^400/)
  expect(network.recorded()).toEqual([])
})

test('the directory names the public keys of agents, and their owners and the operator take keys away', async () => {
  await using network = await openNetwork()
  const { signer, ask } = await signingAgent(network, 'ada')
  expect(network.signingKeys.directory({})).toEqual({
    keys: [
      { ...signer.publicKey, kid: signer.keyId, alg: 'ed25519', use: 'sig', nbf: expect.any(Number), agent: 'ada' },
    ],
    next: null,
  })
  expect(network.signingKeys.directory({ after: signer.keyId })).toEqual({ keys: [], next: null })
  expect(() => network.signingKeys.directory({ agent: 'nobody' })).toThrow('Agent not found')
  await ask('PUT', '/agents/me/bearer-keys', { enabled: false })
  network.recorded()
  const reissued = await network.api('POST', '/operator/agents/ada/key', OPERATOR_TOKEN)
  expect(network.recorded()).toEqual(['signing_key.revoked', 'key.created'])
  expect((await ask('GET', '/agents/me')).status).toBe(401)
  expect((await network.api('GET', '/agents/me', String(reissued.body.api_key))).status).toBe(200)
  expect(network.signingKeys.directory({})).toEqual({ keys: [], next: null })
})
