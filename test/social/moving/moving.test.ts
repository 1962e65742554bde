import { expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { RequestSigner } from '../../../src/client/request-signer.ts'
import { command, query } from '../../../src/core/store/index.ts'
import { thumbprintOf } from '../../../src/social/accounts/signatures/public-key.ts'
import { verifyExport } from '../../../src/supervisor/social-export.ts'
import { type Json, OPERATOR_TOKEN, openNetwork, type TestNetwork } from '../network.ts'

const newSigner = () =>
  new RequestSigner(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())

/** An agent with an API key and with this key to sign with. */
async function agentWith(network: TestNetwork, name: string, signer: RequestSigner): Promise<string> {
  const key = await network.agent(name)
  const { id } = (await network.api('GET', '/agents/me', key)).body.agent as Json
  const draft = { public_key: signer.publicKey, proof: signer.signText(`signing-key ${id} ${signer.keyId}`) }
  expect((await network.api('POST', '/agents/me/signing-keys', key, draft)).status).toBe(201)
  return key
}

interface Exported {
  manifest: string
  signature: string
  chunks: string[]
}

const ownSignature = (signer: RequestSigner, manifest: string) => ({
  key_id: signer.keyId,
  signature: signer.signText(`gc-agent-export by the agent\n${manifest}`),
})

async function exported(network: TestNetwork, key: string, signer: RequestSigner) {
  const { status, body } = await network.api('GET', '/agents/me/export', key)
  expect(status).toBe(200)
  const { manifest, signature, chunks } = body as unknown as Exported
  return { manifest, signature, chunks, agent_signature: ownSignature(signer, manifest) }
}

type ExportFile = Awaited<ReturnType<typeof exported>>

const send = async (network: TestNetwork, name: string, { chunks, ...signed }: ExportFile, more: Json = {}) => {
  const body = { ...signed, chunk: 0, text: chunks[0], ...more }
  const answer = await network.api('POST', `/operator/agents/${name}/import`, OPERATOR_TOKEN, body)
  return { ...answer.body, status: answer.status }
}

test('an agent takes its posts, comments and follows to an account with the same key', async () => {
  await using old = await openNetwork({ repeats: true })
  await using next = await openNetwork({ repeats: true })
  const [mover, friend] = [newSigner(), newSigner()]
  const key = await agentWith(old, 'ada', mover)
  const friendKey = await agentWith(old, 'bob', friend)
  const post = await old.post(key, 'Moving house')
  const others = await old.post(friendKey, 'Of another')
  const mine = await old.comment(key, post.id, 'More on this')
  await old.comment(key, post.id, 'And more', mine.id)
  await old.comment(key, others.id, 'Where I go, this cannot')
  await old.api('POST', '/agents/bob/follow', key)
  await old.api('POST', '/agents/ada/follow', friendKey)
  await old.api('POST', `/posts/${post.id}/upvote`, friendKey)
  const file = await exported(old, key, mover)
  expect(verifyExport(file)).toMatchObject({
    manifest: { network: old.url, agent: { name: 'ada' }, keys: [{ id: mover.keyId }] },
    counts: { post: 1, comment: 3, follower: 1, followed: 1 },
  })

  await agentWith(next, 'ada-moved', mover)
  await agentWith(next, 'robert', friend)
  next.recorded()
  expect(await send(next, 'ada-moved', file)).toMatchObject({
    status: 200,
    posts: 1,
    comments: 2,
    follows: 1,
    skipped: [],
  })
  expect(next.recorded()).toEqual(['agent.imported'])
  const moved = await next.api('GET', `/posts/${post.id}`, await next.agent('reader'))
  expect(moved.body.post).toMatchObject({ title: 'Moving house', author_name: 'ada-moved', score: 0, comment_count: 2 })
  expect((moved.body.post as Json).created_at).toBe(String(post.created_at))
  expect(await send(next, 'ada-moved', file)).toMatchObject({ posts: 0, comments: 0, follows: 0 })
  expect((await next.api('GET', '/agents/profile?name=robert', await next.agent('asker'))).body.agent).toMatchObject({
    follower_count: 1,
    following_count: 0,
  })
  expect(await next.recount()).toEqual([])
})

const countsOf = async (network: TestNetwork, name: string) => {
  const { agent } = (await network.api('GET', `/agents/profile?name=${name}`)).body
  const { follower_count, following_count } = Object(agent)
  return { follower_count, following_count }
}

test('followers come back as soon as both are here, anyone who moves first, each at its own word', async () => {
  await using old = await openNetwork({ repeats: true })
  await using next = await openNetwork({ repeats: true })
  const [mover, friend, stranger] = [newSigner(), newSigner(), newSigner()]
  const key = await agentWith(old, 'ada', mover)
  const friendKey = await agentWith(old, 'bob', friend)
  await agentWith(old, 'cyd', stranger)
  await old.api('POST', '/agents/bob/follow', key)
  await old.api('POST', '/agents/ada/follow', friendKey)
  await old.api('POST', '/agents/cyd/follow', friendKey)
  const [file, friendFile] = [await exported(old, key, mover), await exported(old, friendKey, friend)]

  await agentWith(next, 'robert', friend)
  const first = await send(next, 'robert', friendFile)
  expect(first).toMatchObject({ status: 200, follows: 0, waiting_follows: 2, skipped: [] })
  expect(await send(next, 'robert', friendFile)).toMatchObject({ follows: 0, waiting_follows: 0 })
  next.recorded()
  await agentWith(next, 'ada-moved', mover)
  await next.movedFollows.resume()
  expect(next.recorded()).toEqual(['agent.registered', 'signing_key.created'])
  expect(await countsOf(next, 'ada-moved')).toEqual({ follower_count: 1, following_count: 0 })
  expect(await countsOf(next, 'robert')).toEqual({ follower_count: 0, following_count: 1 })
  expect(await send(next, 'ada-moved', file)).toMatchObject({ follows: 1, waiting_follows: 0 })
  expect(await countsOf(next, 'ada-moved')).toEqual({ follower_count: 1, following_count: 1 })
  expect(await next.recount()).toEqual([])
  expect(next.store.all(query<unknown>('SELECT follower FROM moved_follows'))).toHaveLength(1)
  expect(next.store.all(query<unknown>('SELECT key FROM arrived_keys'))).toEqual([])
})

test('all who wait for an agent follow it in slices, but for those that were deleted in between', async () => {
  await using next = await openNetwork()
  const signer = newSigner()
  const keys = await Promise.all(Array.from({ length: 45 }, (_, n) => next.agent(`f${n}`)))
  const wait = command<[string]>('INSERT INTO moved_follows (key, follower) SELECT ?, n FROM agents')
  await next.store.write((tx) => tx.run(wait, signer.keyId))
  expect((await next.api('DELETE', '/agents/me', keys[7])).status).toBe(200)
  await next.deletions.resume()
  await agentWith(next, 'ada', signer)
  await next.movedFollows.resume()
  expect(await countsOf(next, 'ada')).toEqual({ follower_count: 44, following_count: 0 })
  expect(await next.recount()).toEqual([])
  expect(next.store.all(query<unknown>('SELECT key FROM moved_follows'))).toEqual([])
})

test('an export that was changed, or that is not the account’s, is refused and adds nothing', async () => {
  await using network = await openNetwork({ repeats: true })
  await using next = await openNetwork({ repeats: true })
  const signer = newSigner()
  const key = await agentWith(network, 'ada', signer)
  await network.post(key, 'One')
  const file = await exported(network, key, signer)
  await agentWith(next, 'ada', signer)
  await agentWith(next, 'eve', newSigner())
  await next.agent('taken')
  next.recorded()
  const changed = file.manifest.replace('"ada"', '"eve"')
  const [text = ''] = file.chunks
  const stranger = newSigner()
  for (const [name, more, error] of [
    ['ada', { text: text.replace('One', 'Two') }, /Part 1 of the export was changed/],
    ['ada', { chunk: 1 }, /Part 2/],
    ['ada', { chunk: -1 }, /Part 0/],
    ['ada', { manifest: changed, agent_signature: ownSignature(signer, changed) }, /network did not sign/],
    ['ada', { signature: 'AAAA' }, /network did not sign/],
    ['ada', { agent_signature: ownSignature(stranger, file.manifest) }, /none of its agent/],
    [
      'ada',
      { agent_signature: { ...ownSignature(stranger, file.manifest), key_id: signer.keyId } },
      /agent did not sign/,
    ],
    ['ada', { manifest: '{' }, /not JSON/],
    ['ada', { manifest: '{}' }, /not an export/],
    ['eve', {}, /does not have the key/],
    ['taken', {}, /does not have the key/],
    ['nobody', {}, /Agent not found/],
  ] as const) {
    const answer = await send(next, name, file, more)
    expect({ name, error: String(Object(answer).error) }).toEqual({ name, error: expect.stringMatching(error) })
  }
  expect((await next.api('POST', '/operator/agents/ada/import', key, {})).status).toBe(403)
  await next.suspensions.suspend('ada', 'spam')
  expect((await send(next, 'ada', file)).status).toBe(403)
  next.recorded()
  await network.suspensions.suspend('ada', 'spam')
  expect((await network.api('GET', '/agents/me/export', key)).body).toMatchObject({ status: 'suspended' })
  expect(next.recorded()).toEqual([])
  expect(next.errors).toEqual([])
})

test('imported data is checked again: sizes, secrets, identifiers, dates', async () => {
  await using next = await openNetwork({ repeats: true })
  const signer = newSigner()
  const key = await agentWith(next, 'ada', signer)
  const others = await next.post(await next.agent('bob'), 'Of another')
  const post = (id: string, more: Json) => ({
    ...{ kind: 'post', id: `00000000-0000-7000-8000-00000000000${id}`, submolt: 'nowhere', title: 'A title' },
    ...{ content: 'text', url: null, created_at: 0, ...more },
  })
  const lines = [
    post('1', { title: 'x'.repeat(301) }),
    post('2', { content: `my key is sk-ant-${'a1b2c3d4e5'.repeat(4)}` }),
    post('3', { content: null, url: 'javascript:alert(1)' }),
    post('4', { id: '../../etc' }),
    post('5', { id: others.id, title: 'Taken over' }),
    post('6', { created_at: 9e15 }),
    post('7', { submolt: "general'; DROP TABLE posts" }),
    { kind: 'followed', name: 'bob', key: 'none' },
    { kind: 'badge', of: 'a later version' },
    { kind: 'badge', of: 'a later version' },
  ]
  const { privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = privateKey.export({ format: 'jwk' })
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const manifest = JSON.stringify({
    ...{ format: 1, network: 'http://evil.test', network_key: { kty: 'OKP', crv: 'Ed25519', x }, exported_at: 'now' },
    agent: { id: 'x', name: 'ada', display_name: 'ada', description: '', created_at: '' },
    keys: [{ id: thumbprintOf(signer.publicKey.x), public_key: signer.publicKey }],
    chunks: [{ sha256: new Bun.CryptoHasher('sha256').update(text).digest('hex'), lines: lines.length }],
  })
  const signature = sign(null, Buffer.from(`gc-agent-export by the network\n${manifest}`), privateKey).toString(
    'base64',
  )
  const file = { manifest, signature, chunks: [text], agent_signature: ownSignature(signer, manifest) }
  const answer = await send(next, 'ada', file)
  expect(answer).toMatchObject({ status: 200, posts: 2, comments: 0, follows: 0 })
  expect(Object(answer).skipped).toHaveLength(6)
  expect(Object(answer).skipped).toContain('badge: 2, not known here')
  const { posts } = (await next.api('GET', '/posts?author=ada&limit=10', key)).body
  expect((posts as Json[]).map(({ submolt_name }) => submolt_name)).toEqual(['general', 'general'])
  expect(((await next.api('GET', `/posts/${others.id}`, key)).body.post as Json).title).toBe('Of another')
  expect(await next.recount()).toEqual([])
})
