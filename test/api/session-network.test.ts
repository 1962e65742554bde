import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationCoverage } from '../support/coverage.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'

const coverage = new OperationCoverage(({ id }) => id === 'list-session-network')

const city = `[workspace]
name = "mill"
[[rigs]]
name = "demo"
path = "../demo"
[[rigs]]
name = "other"
path = "../demo"
[[agent]]
name = "worker"
dir = "demo"
provider = "claude"
confine = "default"
start_command = '''curl -s http://nowhere.invalid/
curl -s -H "x-api-key: $ANTHROPIC_AUTH_TOKEN" -d 12345 $ANTHROPIC_BASE_URL/v1/messages
touch asked; sleep 600'''
[[agent]]
name = "lead"
start_command = "sleep 600"
[[named_session]]
name = "lead"
dir = "demo"
template = "lead"
[[named_session]]
name = "lead"
dir = "other"
template = "lead"
`

test('the hosts that a confined session reached or was refused are listed while it runs and when it is closed', async () => {
  using model = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('a long answer') })
  const env = { ANTHROPIC_API_KEY: 'sk-key', ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}` }
  await using world = await World.with(env, '--require-token')
  world.coverage = coverage
  const path = world.folder.at('mill')
  for (const folder of [path, world.folder.at('demo')]) mkdirSync(folder)
  writeFileSync(join(path, 'city.toml'), city)
  const token = world.operatorToken
  const call = (line: string, body?: unknown) =>
    world.call(line.replace('~', '/v0/city/mill'), { token, ...(body !== undefined && { body }) })
  await call('POST /v0/city/register', { path })
  await eventually(
    'the city runs',
    20_000,
    async () => (await call('GET ~/health')).status,
    (status) => status === 200,
  )
  await call('POST ~/beads', { title: 'one', rig: 'demo', metadata: { 'gc.routed_to': 'demo/worker' } })

  const worker = async (): Promise<string> =>
    (await call('GET ~/sessions')).body.items.find(({ template }: { template: string }) => template === 'demo/worker')
      ?.id
  const id = await eventually('its session is there', 20_000, worker, Boolean)
  const listed = async () => (await call(`GET ~/session/${id}/network`)).body
  const hosts = await eventually('both are listed', 20_000, listed, ({ items }) => items[0]?.received_bytes > 0)
  const times = { first_at: expect.any(String), last_at: expect.any(String) }
  const reached = { host: `127.0.0.1:${model.port}`, connections: 1, denied: 0, ...times }
  const refused = { host: 'nowhere.invalid', connections: 0, denied: 1, sent_bytes: 0, received_bytes: 0, ...times }
  expect(hosts).toEqual({
    items: [{ ...reached, sent_bytes: expect.any(Number), received_bytes: expect.any(Number) }, refused],
    total: 2,
  })
  expect(hosts.items[0].sent_bytes).toBeGreaterThan(50)

  expect((await call(`POST ~/session/${id}/close`)).status).toBe(200)
  expect(await eventually('they are kept', 10_000, listed, ({ total }) => total === 2)).toEqual(hosts)
  expect((await call('GET ~/session/ghost/network')).body.code).toBe('session-not-found')
  expect((await call('GET ~/session/lead/network')).body.code).toBe('session-conflict')
})

test('each error and field of the operation occurred', () => {
  expect(coverage.uncovered()).toEqual([])
  expect(coverage.emptyFields()).toEqual(
    ['next_cursor', 'partial', 'partial_errors'].map((field) => `SessionTrafficList.${field}`),
  )
})
