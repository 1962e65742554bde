import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'

const KEY = 'sk-true-key-of-the-provider'

/** Looks for keys wherever it can, asks its model once by each way, and tries hosts. */
const WORKER = `env | sort > env
tr '\\0' '\\n' < /proc/$$/environ > environ
grep -rl "${KEY}" "$TMPDIR/.." . > found 2> /dev/null
for each in /proc/[0-9]*/environ; do tr '\\0' '\\n' < $each; done 2> /dev/null | grep "${KEY}" > others
curl -sS -H "Authorization: Bearer $ANTHROPIC_AUTH_TOKEN" -d '{}' $ANTHROPIC_BASE_URL/v1/messages > answer
curl -sS -H "Authorization: Bearer $ANTHROPIC_AUTH_TOKEN" $ANTHROPIC_BASE_URL/../elsewhere --path-as-is > elsewhere
curl -sS http://nowhere.invalid/ > refused
curl -sS http://169.254.169.254/latest > metadata
touch done
sleep 600`

const city = `[workspace]
name = "mill"
[[rigs]]
name = "demo"
path = "../demo"
[[agent]]
name = "worker"
dir = "demo"
provider = "claude"
confine = "default"
env = { DECLARED_TOKEN = "on purpose" }
start_command = '''${WORKER}'''
`

test('a confined session uses the key of its provider without having it, and reaches no other host', async () => {
  const asked: { path: string; key: string | null; shown: string | null }[] = []
  using model = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { headers, url } = request
      asked.push({ path: new URL(url).pathname, key: headers.get('x-api-key'), shown: headers.get('authorization') })
      return Response.json({ answer: 42 })
    },
  })
  const keys = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}/gateway` }
  const others = {
    GITHUB_TOKEN: 'ghp-secret',
    AWS_PROFILE: 'prod',
    HTTPS_PROXY: 'http://me:secret@127.0.0.1:1',
    LANG: 'C',
  }
  await using world = await World.with({ ...keys, ...others }, '--require-token')
  const path = world.folder.at('mill')
  const rig = world.folder.at('demo')
  for (const folder of [path, rig]) mkdirSync(folder)
  writeFileSync(join(path, 'city.toml'), city)
  const token = world.operatorToken
  await world.call('POST /v0/city/register', { token, body: { path } })
  const running = async () => (await world.call('GET /v0/city/mill/health', { token })).status
  await eventually('the city runs', 20_000, running, (status) => status === 200)
  const work = { title: 'one', rig: 'demo', metadata: { 'gc.routed_to': 'demo/worker' } }
  await world.call('POST /v0/city/mill/beads', { token, body: work })
  await eventually('it has tried', 20_000, async () => existsSync(join(rig, 'done')), Boolean)
  const said = (name: string) => readFileSync(join(rig, name), 'utf8')

  for (const file of ['env', 'environ', 'found', 'others']) expect(said(file)).not.toContain(KEY)
  expect(said('found')).toBe('')
  expect(said('env')).not.toMatch(/secret|AWS_PROFILE/)
  expect(said('env')).toMatch(/^DECLARED_TOKEN=on purpose$[\s\S]*^LANG=C$/m)
  expect(JSON.parse(said('answer'))).toEqual({ answer: 42 })
  expect(asked).toEqual([{ path: '/gateway/v1/messages', key: KEY, shown: null }])
  expect(said('elsewhere')).toContain('no key for this address')
  expect(said('refused')).toBe(
    `gc: nowhere.invalid:80 is not allowed: allow_hosts = ["nowhere.invalid"] in the confine table of agent demo/worker (city.toml:6) allows it, and confine = "network" every host\n`,
  )
  expect(said('metadata')).toBe('gc: 169.254.169.254 is an address that no session reaches\n')
})
