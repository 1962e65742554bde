import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runGc } from '../support/run-gc.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'

const city = (share: string) => `[workspace]
name = "mill"
[[rigs]]
name = "demo"
path = "../demo"
[[agent]]
name = "worker"
dir = "demo"
provider = "claude"
confine = { mode = "default"${share} }
start_command = '''cat "$CLAUDE_CONFIG_DIR/.claude.json" > seen
cat "$CLAUDE_CONFIG_DIR/.credentials.json" > login 2> none
echo more 2> kept >> "$CLAUDE_CONFIG_DIR/.credentials.json"
cat "$HOME/.claude/settings.json" > others 2>&1
touch done; sleep 600'''
`

test.each([
  ['is shared', ', share_login = true'],
  ['is not shared', ''],
])('a confined program has seen what a person has seen, and its login %s, which it cannot change', async (_, share) => {
  await using world = await World.open()
  const path = world.folder.at('mill')
  const rig = world.folder.at('demo')
  const home = world.folder.at('user')
  for (const folder of [path, rig, join(home, '.claude')]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(home, '.claude.json'), '{"hasCompletedOnboarding":true,"oauthAccount":{"id":"secret"}}')
  writeFileSync(join(home, '.claude', '.credentials.json'), 'the log-in')
  writeFileSync(join(home, '.claude', 'settings.json'), 'secret')
  writeFileSync(join(path, 'city.toml'), city(share))
  const token = world.operatorToken
  const call = (line: string, body?: unknown) =>
    world.call(line.replace('~', '/v0/city/mill'), { token, ...(body !== undefined && { body }) })
  await call('POST /v0/city/register', { path })
  const runs = async () => (await call('GET ~/health')).status
  await eventually('the city runs', 20_000, runs, (status) => status === 200)
  await call('POST ~/beads', { title: 'one', rig: 'demo', metadata: { 'gc.routed_to': 'demo/worker' } })
  await eventually('it has tried', 20_000, async () => existsSync(join(rig, 'done')), Boolean)
  const said = (name: string) => readFileSync(join(rig, name), 'utf8')
  expect(said('seen')).toBe('{"hasCompletedOnboarding":true}')
  expect(said('others')).toContain('denied')
  expect(said('login')).toBe(share ? 'the log-in' : '')
  if (share) expect(said('kept')).toContain('denied')
  expect(readFileSync(join(home, '.claude', '.credentials.json'), 'utf8')).toBe('the log-in')
})

test('gc agent add says that confined sessions do not see a login, and gc confine share-login lets them', async () => {
  await using world = await World.confined()
  const path = world.folder.at('mill')
  const file = join(world.folder.at('user'), '.claude', '.credentials.json')
  for (const folder of [path, join(world.folder.at('user'), '.claude')]) mkdirSync(folder, { recursive: true })
  writeFileSync(file, '{}')
  writeFileSync(join(path, 'city.toml'), '[workspace]\nname = "mill"\n')
  const gc = (...words: string[]) => runGc(world, '--city', 'mill', ...words)
  await gc('register', path)
  const add = (name: string) => gc('agent', 'add', name, '--provider', 'claude', '--suspended')
  const hint = `gc: its sessions are sandboxed and do not see your login, ${file}.
gc: \`gc confine share-login claude\` lets them read it; with an API key they do not need it.
`
  expect(await add('ann')).toMatchObject({ status: 0, err: expect.stringContaining(hint) })
  const shared = `Sandboxed sessions of claude read ${file} from their next start.\n`
  expect((await gc('agent', 'add', 'cid', '--provider', 'claude', '--yes')).out).not.toContain(shared)
  expect((await gc('agent', 'add', 'dan', '--provider', 'claude', '--share-login')).out).toContain(shared)
  expect(await gc('confine', 'share-login', 'claude', '--stop')).toMatchObject({ status: 0, err: '' })
  expect(await gc('confine', 'share-login', 'claude')).toMatchObject({ status: 0, err: '' })
  expect((await add('bob')).err).not.toContain('do not see your login')
  expect((await gc('confine', 'explain', 'bob')).out).toContain('the login of its program')
})
