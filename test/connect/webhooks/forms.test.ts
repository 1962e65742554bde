import { expect, test } from 'bun:test'
import { fromGitHub, GITHUB, hook, sha256, webhookWorld } from './world.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const SLACK = 'scheme = "slack-v0"\nsecret_env = "HOOK_SECRET"'

/** A form as Slack signs it. */
function fromSlack(now: number, fields: Record<string, string>) {
  const body = new URLSearchParams(fields).toString()
  const at = String(Math.floor(now / 1000))
  const signature = `v0=${sha256(`v0:${at}:${body}`)}`
  return { body, headers: { ...FORM, 'x-slack-request-timestamp': at, 'x-slack-signature': signature } }
}

/** A command as Slack documents it. */
const COMMAND = {
  ...{ token: 'gIkuvaNzQIHg97ATvDxqgjtO', team_id: 'T0001', team_domain: 'example', channel_id: 'C2147483705' },
  ...{ channel_name: 'test', user_id: 'U2147483697', user_name: 'Steve', command: '/weather', text: '94070 & +1 ü' },
  ...{ response_url: 'https://hooks.slack.com/commands/1234/5678', trigger_id: '13345224609.738474920' },
}

test('a command of Slack fits rules by its fields, is followed once, and is acknowledged with nothing', async () => {
  await using world = await webhookWorld(
    hook(SLACK, { rule: 'event = "/weather"\nmatch = { command = "/weather", channel_name = "test" }' }),
  )
  const sent = fromSlack(world.clock.now(), COMMAND)
  for (const deduped of [false, true]) {
    const { status, text, headers } = await world.deliver(sent)
    expect([status, text, headers.get('content-type')]).toEqual([200, '', null])
    expect(world.recorded().filter(({ type }) => type === 'webhook.received')).toMatchObject([
      { payload: { event_type: '/weather', matched: true, deduped, dispatched: !deduped } },
    ])
  }
  expect(world.messages()).toEqual(['94070 & +1 ü'])
  const other = fromSlack(world.clock.now(), { ...COMMAND, command: '/news' })
  expect(await world.deliver(other)).toMatchObject({ status: 200, text: '' })
  expect(world.recorded()).toMatchObject([{ payload: { event_type: '/news', matched: false } }])
})

test('a button of Slack is the JSON in its form', async () => {
  const rule = 'event = "block_actions"\nmatch = { "actions.0.action_id" = "approve" }'
  await using world = await webhookWorld(hook(SLACK, { rule }))
  const payload = JSON.stringify({ type: 'block_actions', text: 'yes', actions: [{ action_id: 'approve' }] })
  expect(await world.deliver(fromSlack(world.clock.now(), { payload }))).toMatchObject({ status: 200, text: '' })
  expect(world.messages()).toEqual(['yes'])
})

test('a form of Slack that was changed is rejected', async () => {
  await using world = await webhookWorld(hook(SLACK))
  const sent = fromSlack(world.clock.now(), COMMAND)
  expect((await world.deliver({ ...sent, body: `${sent.body}&text=more` })).status).toBe(401)
  expect(world.messages()).toEqual([])
})

test('a check of the certificate by Slack is answered, and nothing follows', async () => {
  await using world = await webhookWorld(hook(SLACK))
  const sent = fromSlack(world.clock.now(), { ssl_check: '1', token: 'x' })
  expect(await world.deliver(sent)).toMatchObject({ status: 200, text: '{}\n' })
  expect(world.recorded()).toEqual([])
})

/** A body as GitHub signs it, by the type that it says. */
const signed = (body: string, type = FORM['content-type']) => ({
  ...{ body, headers: { 'content-type': type, 'x-hub-signature-256': `sha256=${sha256(body)}` } },
})

test('a form of GitHub is the JSON in it', async () => {
  await using world = await webhookWorld(hook(GITHUB))
  const payload = fromGitHub({ text: 'pushed' }).body
  const body = new URLSearchParams({ payload }).toString()
  const sent = signed(body, 'application/x-www-form-urlencoded; charset=utf-8')
  expect(await world.deliver(sent)).toMatchObject({ status: 202, body: { status: 'accepted' } })
  expect(world.messages()).toEqual(['pushed'])
})

test('a field that comes more than once is a list', async () => {
  await using world = await webhookWorld(
    hook('scheme = "hmac-sha256"\nsecret_env = "HOOK_SECRET"').replace('{{text}}', '{{text.1}} of {{text}}'),
  )
  const body = 'text=one&text=two&__proto__=x'
  expect(await world.deliver({ body, headers: { ...FORM, 'x-signature-256': sha256(body) } })).toMatchObject({
    ...{ status: 202 },
  })
  expect(world.messages()).toEqual(['two of ["one","two"]'])
})

test.each([
  ['with something else as its payload', 'payload=yes', 'the field payload of the form is not a JSON object'],
  ['with a list as its payload', 'payload=%5B%5D', 'the field payload of the form is not a JSON object'],
  ['with too many fields', 'a=1&'.repeat(1000), 'the form has over 1000 fields'],
])('a form %s is rejected', async (_, body, detail) => {
  await using world = await webhookWorld(hook(GITHUB))
  const answer = await world.deliver(signed(body))
  expect([answer.status, answer.body.detail]).toEqual([400, detail])
  expect(world.recorded()).toMatchObject([{ payload: { reason: 'bad_payload', status: 400 } }])
})
