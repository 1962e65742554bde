import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromGitHub, GITHUB, human, webhookWorld } from './world.ts'

const HOOK = `
[[webhook]]
name = "hook"
[webhook.verify]
${GITHUB}
[[webhook.rule]]
event = "pull_request"
order = "review"
args = { pr = "{{pull_request.number}}", by = "{{sender.login}}" }
[[webhook.rule]]
event = "push"
order = "nightly"
[[webhook.rule]]
event = "issues"
order = "missing"
`
const ORDERS = {
  review: '[order]\ntrigger = "webhook"\nexec = "true"\n[order.params.pr]\nrequired = true\n[order.params.by]\n',
  nightly: '[order]\ntrigger = "manual"\nexec = "true"\n',
}

function orderWorld() {
  return webhookWorld(HOOK, {
    prepare(path) {
      mkdirSync(join(path, 'orders'))
      for (const [name, text] of Object.entries(ORDERS)) writeFileSync(join(path, 'orders', `${name}.toml`), text)
    },
  })
}

const opened = (number: number | undefined) =>
  fromGitHub(
    { pull_request: { number }, sender: { login: "ann'; rm -rf $HOME\n" } },
    { 'x-github-event': 'pull_request' },
  )

describe('a delivery whose rule names an order', () => {
  test('starts it once with its arguments, in the name of the webhook', async () => {
    await using world = await orderWorld()
    const answers = [await world.deliver(opened(7)), await world.deliver(opened(7))]
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [202, { status: 'accepted' }],
      [200, { status: 'ok', deduped: true }],
    ])
    const [fired, received, repeated] = world.recorded().filter(({ type }) => !type.startsWith('bead.'))
    const run = world.city.orderDispatcher.runs.latest('review')
    expect(fired).toMatchObject({ type: 'order.fired', subject: 'review', actor: 'webhook:hook' })
    expect(received).toMatchObject({
      type: 'webhook.received',
      payload: {
        order: 'review',
        scoped_name: 'review',
        tracking_id: run?.trackingId,
        dispatched: true,
        rule_index: 0,
      },
    })
    expect(repeated).toMatchObject({ type: 'webhook.received', payload: { order: 'review', deduped: true } })
    expect(run).toMatchObject({ cause: 'webhook', vars: { pr: '7', by: "ann'; rm -rf $HOME\n" } })
  })

  test.each([
    ['lacks an argument', opened(undefined), /order review needs the argument pr/],
    [
      'names an order with another trigger',
      fromGitHub({}, { 'x-github-event': 'push' }),
      /the order nightly has trigger = "manual"; only one with trigger = "webhook" is started by a delivery/,
    ],
    ['names no order', fromGitHub({}, { 'x-github-event': 'issues' }), /there is no order "missing"/],
  ])('is rejected where it %s', async (_, sent, message) => {
    await using world = await orderWorld()
    expect(await world.deliver(sent)).toMatchObject({ status: 422, body: { status: 'rejected' } })
    expect(world.recorded()).toMatchObject([
      { type: 'webhook.rejected', message: expect.stringMatching(message), payload: { reason: 'dispatch_refused' } },
    ])
  })

  test('is to come again while the city is suspended', async () => {
    await using world = await orderWorld()
    await world.city.status.change(human, { suspended: true })
    expect((await world.deliver(opened(7))).status).toBe(503)
    expect(world.recorded()).toMatchObject([
      {
        message: 'the order review is not started now: the city is suspended',
        payload: { reason: 'dispatch_unavailable', status: 503 },
      },
    ])
    await world.city.status.change(human, { suspended: false })
    expect((await world.deliver(opened(7))).status).toBe(202)
  })
})

describe('gc webhook', () => {
  test('lists what keeps a webhook from working', async () => {
    await using world = await orderWorld()
    expect(world.city.webhooks.list()).toMatchObject({
      total: 1,
      items: [
        {
          ...{ name: 'hook', scheme: 'github-hmac-sha256', visibility: 'private', per_minute: 300, burst: 60 },
          url: 'http://127.0.0.1:1/v0/city/mill/hook/hook',
          file: 'city.toml:5',
          problem: expect.stringContaining('nightly has trigger = "manual"'),
        },
      ],
    })
  })

  test('delivers a sample that fits the first rule, without showing the secret', async () => {
    await using world = await orderWorld()
    const result = await world.city.webhooks.test('hook', {})
    expect(result).toMatchObject({
      ...{ delivered: true, status: 202, answer: { status: 'accepted' }, rule_index: 0, order: 'review' },
      args: { pr: 'sample', by: 'sample' },
    })
    expect(await world.city.webhooks.test('hook', {})).toMatchObject({ status: 202 })
    expect(JSON.stringify(result)).not.toContain('secret')
  })

  test('shows which rule a payload fits without delivering it', async () => {
    await using world = await orderWorld()
    const payload = { pull_request: { number: 3 } }
    expect(await world.city.webhooks.test('hook', { payload, event: 'pull_request', dry_run: true })).toEqual({
      ...{
        delivered: false,
        event: 'pull_request',
        payload,
        rule_index: 0,
        order: 'review',
        args: { pr: '3', by: '' },
      },
    })
    expect(world.recorded()).toEqual([])
  })

  test('shows why a delivery is rejected', async () => {
    await using world = await orderWorld()
    expect(await world.city.webhooks.test('hook', { event: 'issues', payload: {} })).toMatchObject({
      ...{ status: 422, reason: 'dispatch_refused', message: expect.stringContaining('there is no order "missing"') },
    })
    await expect(world.city.webhooks.test('none', {})).rejects.toThrow('webhook none not found')
  })
})
