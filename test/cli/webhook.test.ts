import { describe, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import type { WebhookTestResult } from '../../src/connect/webhooks/schema.ts'
import { shareTown, type Town } from './town.ts'

const HOOKS = `
[[webhook]]
name = "github"
[webhook.verify]
scheme = "github-hmac-sha256"
secret_env = "HOOK_SECRET"
[[webhook.rule]]
event = "pull_request"
order = "review"
args = { pr = "{{number}}" }
[[webhook]]
name = "form"
[webhook.verify]
scheme = "hmac-sha256"
secret_env = "HOOK_SECRET"
[[webhook.rule]]
order = "review"
args = { pr = "{{token}}" }
[[webhook]]
name = "slack"
[webhook.verify]
scheme = "slack-v0"
secret_env = "HOOK_SECRET"
[[webhook.rule]]
order = "review"
args = { pr = "{{command}}" }
[[webhook]]
name = "discord"
[webhook.verify]
scheme = "discord-ed25519"
secret_env = "DISCORD_KEY"
[[webhook.rule]]
order = "review"
`

let town: Town
shareTown(
  async (opened) => {
    town = opened
    expect((await town.gc(['webhook', 'list'])).out).toContain('The city has no webhooks')
    mkdirSync(`${town.city}/orders`)
    const order = '[order]\ntrigger = "webhook"\nexec = "true"\n[order.params.pr]\nrequired = true\n'
    writeFileSync(`${town.city}/orders/review.toml`, order)
    appendFileSync(`${town.city}/city.toml`, HOOKS)
    await town.gc(['reload'])
  },
  { env: { HOOK_SECRET: 'oil and lamps' } },
)

describe('gc webhook', () => {
  test('lists webhooks with what keeps one from working', async () => {
    const { out } = await town.gc(['webhook', 'list'])
    expect(out).toMatch(/NAME +SCHEME +VISIBILITY +PER MINUTE +STARTS +URL +PROBLEM/)
    expect(out).toMatch(
      /github +github-hmac-sha256 +private +300 +review +http:\/\/127\.0\.0\.1:\d+\/v0\/city\/town\/hook\/github/,
    )
    const { webhooks } = await town.json<{ webhooks: { name: string; problem?: string }[] }>(['webhook', 'list'])
    expect(webhooks.map(({ name, problem }) => [name, problem])).toEqual([
      ['github', undefined],
      ['form', undefined],
      ['slack', undefined],
      ['discord', 'the variable DISCORD_KEY is not set; set it and start `gc serve` again'],
    ])
  })

  test('delivers a sample and shows what the sender sees, never the secret', async () => {
    const { status, out } = await town.gc(['webhook', 'test', 'github'])
    expect(out).toBe(
      'It fits rule 1, which starts the order review.\n  pr = sample\nThe sender sees 202 {"status":"accepted"}\n',
    )
    expect(status).toBe(0)
    const result = await town.json<WebhookTestResult>(['webhook', 'test', 'github'])
    expect(result).toMatchObject({ delivered: true, status: 202, order: 'review' })
    expect(JSON.stringify(result) + out).not.toContain('oil and lamps')
  })

  test('delivers what a file holds, and ends with status 1 where it is rejected', async () => {
    const file = town.at('payload.json')
    writeFileSync(file, '{"number":""}')
    expect(await town.gc(['webhook', 'test', 'github', '--payload', file])).toMatchObject({
      status: 1,
      out: expect.stringMatching(/The sender sees 422 {"status":"rejected"}\nIt was rejected: .*needs the argument pr/),
    })
    expect(await town.gc(['webhook', 'test', 'github', '--payload', town.at('none.json')])).toMatchObject({
      status: 2,
      err: expect.stringContaining('none.json cannot be read'),
    })
    writeFileSync(file, '[1]')
    expect(await town.gc(['webhook', 'test', 'github', '--payload', file])).toMatchObject({
      status: 2,
      err: expect.stringContaining('must hold a JSON object'),
    })
  })

  test('delivers forms, and bodies as they are', async () => {
    const shell = { stdin: '{"payload":{"number":8},"token":"t"}' }
    const args = ['webhook', 'test', 'form', '--payload', '-', '--form', '--dry-run']
    expect(await town.json<WebhookTestResult>(args, shell)).toMatchObject({
      payload: { payload: '{"number":8}', token: 't' },
      args: { pr: 't' },
    })
    const button = { stdin: '{"payload":{"token":"b"}}' }
    expect(await town.json<WebhookTestResult>(args.slice(0, -1), button)).toMatchObject({
      ...{ delivered: true, payload: { token: 'b' }, args: { pr: 'b' }, status: 202 },
    })
    const file = town.at('body.txt')
    writeFileSync(file, 'token=raw&x=1&x=2')
    const raw = ['webhook', 'test', 'form', '--body', file, '--content-type', 'application/x-www-form-urlencoded']
    expect(await town.json<WebhookTestResult>(raw)).toMatchObject({
      ...{ payload: { token: 'raw', x: ['1', '2'] }, args: { pr: 'raw' }, status: 202 },
    })
    expect(await town.gc(raw.slice(0, 5))).toMatchObject({
      status: 1,
      out: expect.stringContaining('It was rejected: the body is not JSON'),
    })
    const command = await town.gc(['webhook', 'test', 'slack', '--form', '--payload', '-'], {
      stdin: '{"command":"/ship"}',
    })
    expect(command.out).toBe(
      'It fits rule 1, which starts the order review.\n  pr = /ship\nThe sender sees 200 and no body\n',
    )
    for (const wrong of [
      [...raw, '--form'],
      ['webhook', 'test', 'form', '--content-type', 'text/plain'],
    ]) {
      expect(await town.gc(wrong)).toMatchObject({ status: 2, err: expect.stringContaining('--body') })
    }
  })

  test('shows which rule a payload fits, without delivering it', async () => {
    const shell = { stdin: '{"number":7}' }
    const args = ['webhook', 'test', 'github', '--payload', '-', '--event', 'pull_request', '--dry-run']
    expect((await town.gc(args, shell)).out).toBe(
      'It fits rule 1, which starts the order review.\n  pr = 7\nNothing was delivered to github.\n',
    )
    expect((await town.gc([...args.slice(0, -2), 'push', '--dry-run'], shell)).out).toContain('It fits no rule.')
  })

  test('says why it cannot sign for a sender that keeps its key', async () => {
    expect(await town.gc(['webhook', 'test', 'discord'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('only the sender can sign a delivery by discord-ed25519'),
    })
    expect(await town.gc(['webhook', 'test', 'none'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('webhook none not found; `gc webhook list` shows them'),
    })
  })
})
