import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { fromGitHub, GITHUB, hook, sha256, webhookWorld } from './world.ts'

const received = (more: object) => ({
  type: 'webhook.received',
  actor: 'webhook:hook',
  subject: 'hook',
  message: undefined,
  payload: { webhook: 'hook', scheme: 'github-hmac-sha256', matched: true, deduped: false, rule_index: 0, ...more },
})

describe('a delivery', () => {
  test('that is signed is followed by what its rule says, once', async () => {
    await using world = await webhookWorld(hook(GITHUB))
    const sent = fromGitHub({ text: 'hello' }, { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'guid-1' })
    expect(await world.deliver(sent)).toMatchObject({ status: 202, body: { status: 'accepted' } })
    expect(world.messages()).toEqual(['hello'])
    const facts = { event_type: 'push', dedup_id: 'guid-1', body_size: sent.body.length }
    expect(world.recorded().filter(({ type }) => /^(webhook|extmsg)/.test(type))).toMatchObject([
      received({ ...facts, dispatched: true }),
      { type: 'extmsg.inbound', actor: 'webhook:hook' },
    ])

    expect(await world.deliver(sent)).toMatchObject({ status: 200, body: { status: 'ok', deduped: true } })
    expect(world.messages()).toEqual(['hello'])
    expect(world.recorded()).toEqual([received({ ...facts, deduped: true, dispatched: false })])
  })

  test('that comes twice at the same moment is followed once', async () => {
    await using world = await webhookWorld(hook(GITHUB))
    const sent = fromGitHub({ text: 'hello' })
    const answers = await Promise.all([1, 2, 3].map(() => world.deliver(sent)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 202])
    expect(world.messages()).toEqual(['hello'])
  })

  test('is remembered over a restart, and for half an hour', async () => {
    await using world = await webhookWorld(hook(GITHUB))
    const sent = fromGitHub({ text: 'hello' })
    await world.deliver(sent)
    await world.restart()
    await world.clock.advance(29 * 60_000)
    expect(await world.deliver(sent)).toMatchObject({ body: { deduped: true } })
    await world.clock.advance(2 * 60_000)
    expect(await world.deliver(sent)).toMatchObject({ status: 202 })
  })

  test('is remembered as long as its signature could be good', async () => {
    await using world = await webhookWorld(hook(`${GITHUB}\nreplay_window = "20h"`))
    const sent = fromGitHub({ text: 'hello' })
    await world.deliver(sent)
    await world.clock.advance(39 * 3_600_000)
    expect(await world.deliver(sent)).toMatchObject({ body: { deduped: true } })
  })

  test('that fits no rule is taken, and nothing follows', async () => {
    await using world = await webhookWorld(hook(GITHUB, { rule: 'event = "issues"' }))
    const sent = fromGitHub({ text: 'hello' }, { 'X-GitHub-Event': 'push' })
    expect(await world.deliver(sent)).toMatchObject({ status: 200, body: { status: 'ok', matched: false } })
    expect(world.recorded()).toMatchObject([
      received({ event_type: 'push', matched: false, dispatched: false, rule_index: -1 }),
    ])
  })

  test('that is rejected may come again', async () => {
    const other = hook(GITHUB).replace('"general"', '"{{room}}"')
    await using world = await webhookWorld(other)
    const sent = fromGitHub({ text: 'hello', room: 'elsewhere' })
    expect(await world.deliver(sent)).toMatchObject({ status: 422, body: { status: 'rejected' } })
    expect(world.recorded()).toMatchObject([
      {
        type: 'webhook.rejected',
        message: 'no session answers the conversation chat/elsewhere; bind one with `gc extmsg bind`',
        payload: { reason: 'dispatch_refused', status: 422, scheme: 'github-hmac-sha256' },
      },
    ])
    await world.bind('elsewhere')
    expect(await world.deliver(sent)).toMatchObject({ status: 202 })
  })
})

describe('a delivery that is not signed well', () => {
  test.each([
    ['changed on its way', { ...fromGitHub({ text: 'hello' }), body: '{"text":"hallo"}' }],
    ['signed with another secret', { body: '{}', headers: { 'x-hub-signature-256': `sha256=${sha256('{}', 'x')}` } }],
    ['without a signature', { body: '{"text":"hello"}' }],
  ])('%s is rejected, and nobody learns why but the operator', async (_, sent) => {
    await using world = await webhookWorld(hook(GITHUB))
    const { status, body } = await world.deliver(sent)
    expect({ status, detail: body.detail }).toEqual({
      status: 401,
      detail: 'the signature of this delivery is not valid',
    })
    expect(world.messages()).toEqual([])
    expect(world.recorded()).toMatchObject([
      {
        type: 'webhook.rejected',
        actor: 'webhook:hook',
        message: expect.stringMatching(/does not fit|is missing/),
        payload: { webhook: 'hook', reason: 'verify_failed', status: 401, body_size: sent.body.length },
      },
    ])
  })

  test('is rejected before its body is read as JSON', async () => {
    await using world = await webhookWorld(hook(GITHUB))
    expect((await world.deliver({ body: 'not JSON' })).status).toBe(401)
  })
})

describe('the order of admission', () => {
  const strict = `${GITHUB}\nallowed_cidrs = ["192.0.2.0/24", "2001:db8::/32"]\nbearer_env = "BEARER"`
  const limits = '[webhooks.rate_limit]\nper_minute = 1\nburst = 1\n'
  const big = 'x'.repeat(1024 * 1024 + 1)
  const bearer = { authorization: 'Bearer bearer-1' }
  const marked = { 'x-gc-request': 'true' }
  const inside = { peer: '192.0.2.7', headers: { ...bearer, ...marked } }

  test('is: who may reach it, read-only, method, network, bearer token, rate, size, signature, JSON', async () => {
    await using world = await webhookWorld(limits + hook(strict))
    const status = async (sent: Parameters<typeof world.deliver>[0]) => (await world.deliver(sent)).status
    const all = { isReadOnly: true, method: 'GET' }
    expect(await status({ ...all, peer: '198.51.100.1' })).toBe(404)
    expect(await status({ ...all, peer: '198.51.100.1', headers: marked })).toBe(403)
    expect(await status({ method: 'GET', peer: '198.51.100.1', headers: marked })).toBe(405)
    expect(await status({ peer: '198.51.100.1', headers: marked, body: big })).toBe(403)
    expect(await status({ peer: '192.0.2.7', headers: marked, body: big })).toBe(401)
    expect(await status({ ...inside, body: big })).toBe(413)
    expect(await status({ ...inside, body: big })).toBe(429)
    await world.clock.advance(60_000)
    expect(await status({ ...inside, body: 'not JSON' })).toBe(401)
    await world.clock.advance(60_000)
    const signed = { 'x-hub-signature-256': `sha256=${sha256('[1]')}` }
    expect(await status({ ...inside, body: '[1]', headers: { ...inside.headers, ...signed } })).toBe(400)
    expect(world.recorded().map(({ payload }) => (payload as { reason: string }).reason)).toEqual([
      ...['perimeter_denied', 'read_only', 'perimeter_denied', 'perimeter_denied', 'body_too_large', 'rate_limited'],
      ...['verify_failed', 'bad_payload'],
    ])
  })

  test('lets no one see a webhook that is not public from another machine', async () => {
    await using world = await webhookWorld(hook(GITHUB))
    const sent = fromGitHub({ text: 'hello' })
    const hidden = await world.deliver({ ...sent, peer: '198.51.100.1' })
    expect(hidden.body).toEqual((await world.deliver({ ...sent, webhook: 'none' })).body)
    expect(hidden.status).toBe(404)
    expect((await world.deliver({ ...sent, isPublic: true, headers: { ...sent.headers, ...marked } })).status).toBe(404)
    expect((await world.deliver(sent)).status).toBe(202)
  })

  test('lets everybody reach a public one', async () => {
    await using world = await webhookWorld(hook(GITHUB, { top: 'publication = { visibility = "public" }' }))
    const from = (peer: string, isPublic: boolean, text: string) =>
      world.deliver({ ...fromGitHub({ text }), peer, isPublic })
    expect([(await from('198.51.100.1', true, '1')).status, (await from('2001:db8::1', false, '2')).status]).toEqual([
      202, 202,
    ])
  })

  test('takes the sender from the proxy in front of the server, where there is one', async () => {
    const proxied = `[webhooks]\nbehind_proxy = true\n${hook(`${GITHUB}\nallowed_cidrs = ["2001:db8::/32"]`, {
      top: 'publication = { visibility = "public" }',
    })}`
    await using world = await webhookWorld(proxied)
    const from = (address: string, text: string) => world.deliver(fromGitHub({ text }, { 'x-forwarded-for': address }))
    expect((await from('2001:db8::1', '1')).status).toBe(202)
    expect((await from('2001:db8::1, 198.51.100.1', '2')).status).toBe(403)
  })

  test('asks for the bearer token, without revealing any of it', async () => {
    await using world = await webhookWorld(hook(`${GITHUB}\nbearer_env = "BEARER"`))
    const sent = fromGitHub({ text: 'hello' })
    const wrong = await world.deliver({ ...sent, headers: { ...sent.headers, authorization: 'Bearer no' } })
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect((await world.deliver({ ...sent, headers: { ...sent.headers, ...bearer } })).status).toBe(202)
    expect(JSON.stringify(world.recorded())).not.toContain('bearer-1')
  })
})

describe('a webhook whose secret is missing', () => {
  test('takes nothing, and its operator is shown which variable to set', async () => {
    await using world = await webhookWorld(hook('scheme = "hmac-sha256"\nsecret_env = "UNSET"'))
    const { status, body } = await world.deliver()
    expect({ status, detail: body.detail }).toEqual({
      status: 503,
      detail: 'this webhook is not set up; its operator finds the reason in its events',
    })
    const sentence = 'the variable UNSET is not set; set it and start `gc serve` again'
    expect(world.recorded()).toMatchObject([{ message: sentence, payload: { reason: 'operator_fault', status: 503 } }])
    expect(world.city.webhooks.list().items).toMatchObject([{ name: 'hook', problem: sentence }])
  })

  test('takes one of several that a variable holds', async () => {
    const signed = (secret: string) => ({
      body: '{"text":"a"}',
      headers: { 'x-signature-256': sha256('{"text":"a"}', secret) },
    })
    const toml = (key: string) => hook(`scheme = "hmac-sha256"\nsecret_env = "MANY"\nsecret_key = "${key}"`)
    await using world = await webhookWorld(toml('second'))
    expect((await world.deliver(signed('one'))).status).toBe(401)
    expect((await world.deliver(signed('two'))).status).toBe(202)
    await using other = await webhookWorld(toml('third'))
    expect((await other.deliver(signed('two'))).status).toBe(503)
  })
})

describe('a storm of deliveries', () => {
  test('is answered 429 with when to come again, and fills neither memory nor log', async () => {
    await using world = await webhookWorld(hook(GITHUB))
    const sent = fromGitHub({ text: 'hello' })
    const statuses = new Map<number, number>()
    for (let n = 0; n < 2_000; n++) {
      await world.clock.advance(6)
      const { status, headers } = await world.deliver(sent)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 429) expect(headers.get('retry-after')).toBe('1')
    }
    const allowed = 60 + 60
    expect(statuses.get(202)).toBe(1)
    expect((statuses.get(200) ?? 0) + 1).toBeWithin(allowed - 5, allowed + 5)
    const events = world.recorded()
    const rejections = events.filter(({ type }) => type === 'webhook.rejected')
    expect(rejections.length).toBeWithin(30, 40)
    expect(rejections.at(-1)?.message).toMatch(
      /^more than 300 deliveries a minute; \d+ rejected before this one are not recorded$/,
    )
  })
})

describe('a body', () => {
  test.each([
    ['that is not JSON', 'text=hello', 'the body is not JSON; choose application/json where the sender is set up'],
    ['that is a list', '[]', 'the body is not a JSON object'],
    ['that is nested too deep', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, 'the body is nested too deep'],
  ])('%s is rejected', async (_, body, detail) => {
    await using world = await webhookWorld(hook(GITHUB))
    const headers = { 'x-hub-signature-256': `sha256=${sha256(body)}` }
    const answer = await world.deliver({ body, headers })
    expect([answer.status, answer.body.detail]).toEqual([400, detail])
    expect(world.recorded()).toMatchObject([{ payload: { reason: 'bad_payload', status: 400 } }])
  })
})

describe('rules', () => {
  const rules = `${hook(GITHUB, { rule: 'event = "issues"\nmatch = { action = "labeled", "label.name" = "bug", "issue.number" = "7" }' })}
[[webhook.rule]]
target = "conversation"
event = "issues"
[webhook.rule.args]
provider = "chat"
conversation_id = "general"
text = "#{{ payload.issue.number }} by {{sender.login}}: {{issue.labels.0.name}} {{issue.labels}} {{toString}}{{none.at.all}}!"
`

  test('are tried in their order, and the first that fits is followed', async () => {
    await using world = await webhookWorld(rules)
    const of = (payload: object) => world.deliver(fromGitHub(payload, { 'x-github-event': 'issues' }))
    const labeled = { text: 'a bug', action: 'labeled', label: { name: 'bug' }, issue: { number: 7 } }
    await of(labeled)
    await of({
      ...labeled,
      label: { name: 'bugs' },
      issue: { number: 8, labels: [{ name: 'oil' }] },
      sender: { login: 'ann' },
    })
    expect(world.messages()).toEqual(['a bug', '#8 by ann: oil [{"name":"oil"}] !'])
  })

  test('fail where an argument is too long', async () => {
    await using world = await webhookWorld(hook(GITHUB))
    const { status } = await world.deliver(fromGitHub({ text: 'x'.repeat(70_000) }))
    expect(status).toBe(422)
    expect(world.recorded()).toMatchObject([
      { message: 'the argument "text" is longer than 64 KB', payload: { reason: 'match_error' } },
    ])
  })
})

describe('a service that asks whether anybody is here', () => {
  test('is answered as Slack expects it, when it is signed', async () => {
    await using world = await webhookWorld(hook('scheme = "slack-v0"\nsecret_env = "HOOK_SECRET"'))
    const at = String(Math.floor(world.clock.now() / 1000))
    const body = JSON.stringify({
      type: 'url_verification',
      challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    })
    const headers = { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${sha256(`v0:${at}:${body}`)}` }
    expect(await world.deliver({ body, headers })).toMatchObject({
      status: 200,
      body: { challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P' },
    })
    expect((await world.deliver({ body })).status).toBe(401)
  })

  test('is answered as Discord expects it, and what it sends then is followed', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const key = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
    const toml = hook('scheme = "discord-ed25519"\nsecret_env = "DISCORD_KEY"').replace('{{text}}', '{{data.name}}')
    await using world = await webhookWorld(toml, { env: { DISCORD_KEY: key } })
    const signed = (payload: object) => {
      const body = JSON.stringify(payload)
      const time = String(Math.floor(world.clock.now() / 1000))
      const signature = sign(null, Buffer.from(time + body), privateKey).toString('hex')
      return { body, headers: { 'x-signature-ed25519': signature, 'x-signature-timestamp': time } }
    }
    const ping = signed({ id: '1', type: 1 })
    expect(await world.deliver(ping)).toMatchObject({ status: 200, body: { type: 1 } })
    expect((await world.deliver({ ...ping, body: '{"id":"2","type":1}' })).status).toBe(401)
    expect((await world.deliver(signed({ id: '3', type: 2, data: { name: 'deploy' } }))).status).toBe(202)
    expect(world.messages()).toEqual(['deploy'])
    const late = signed({ id: '4', type: 2, data: { name: 'again' } })
    await world.clock.advance(301_000)
    expect((await world.deliver(late)).status).toBe(401)
  })
})
