import { expect, test } from 'bun:test'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { PROGRAM, World } from '../support/world.ts'

/** Claims a bead, tries to read a key, to write beside its rig and to make a city, and closes the bead. */
const WORKER = `bead=$(gc hook --claim --json | sed -n "s/.*\\"bead_id\\":\\"\\([^\\"]*\\)\\".*/\\1/p")
[ -n "$bead" ] || { gc runtime drain-ack; sleep 600; }
cat @/.ssh/id > key
echo out > ../escaped
curl -s -o anonymous -X POST -H 'X-GC-Request: 1' -H 'Content-Type: application/json' -d '{"dir":"/tmp/x"}' "$GC_URL/v0/city"
gc bd close "$bead" --reason done > closed 2>&1
touch done; sleep 600`

const AGENTS = `[[rigs]]
name = "demo"
path = "../demo"
[[agent]]
name = "worker"
dir = "demo"
start_command = '''${WORKER}'''
[[agent]]
name = "free"
dir = "demo"
confine = "off"
start_command = "touch ../freed; sleep 600"
`

test('a new home confines every agent that does not say otherwise, and asks everybody for a token', async () => {
  await using world = await World.confined()
  const env = { PATH: process.env.PATH, HOME: world.folder.at('user'), GC_HOME: world.home }
  const gc = (...words: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...PROGRAM, ...words], { env, cwd: world.folder.path })
    return { exitCode, out: stdout.toString(), err: stderr.toString() }
  }
  expect((await world.call('GET /v0/cities')).status).toBe(401)

  const path = world.folder.at('mill')
  const rig = world.folder.at('demo')
  for (const folder of [rig, join(env.HOME, '.ssh')]) mkdirSync(folder)
  writeFileSync(join(env.HOME, '.ssh', 'id'), 'a key')
  expect(gc('init', path).out).toContain('Its agents run in a sandbox')
  appendFileSync(join(path, 'city.toml'), AGENTS.replaceAll('@', env.HOME))
  const token = world.operatorToken
  const call = (line: string, body?: unknown) =>
    world.call(line.replace('~', '/v0/city/mill'), { token, ...(body !== undefined && { body }) })
  const agents = async () => (await call('GET ~/agents')).body.items
  await eventually('its agents are read', 20_000, agents, ({ length }) => length === 2)
  for (const name of ['worker', 'free'])
    await call('POST ~/beads', { title: name, rig: 'demo', metadata: { 'gc.routed_to': `demo/${name}` } })

  const isDone = async () => existsSync(join(rig, 'done')) && existsSync(world.folder.at('freed'))
  await eventually('both have worked', 30_000, isDone, Boolean)
  expect([existsSync(world.folder.at('escaped')), readFileSync(join(rig, 'key'), 'utf8')]).toEqual([false, ''])
  const answer = (name: string) => JSON.parse(readFileSync(join(rig, name), 'utf8'))
  expect(answer('anonymous').detail).toStartWith('this server requires a token')
  const work = (await call('GET ~/beads?rig=demo&all=true')).body.items
  expect(work.map(({ title, status }: { title: string; status: string }) => [title, status])).toContainEqual([
    'worker',
    'closed',
  ])
  const { items } = (await call('GET ~/unconfined-sessions')).body
  expect(items.map(({ template }: { template: string }) => template)).toEqual(['demo/free'])
  expect(gc('status', '--city', path).out).toMatch(/unconfined +1 session/)
  expect(gc('confine', 'explain', 'worker', '--city', path).out).toContain('demo/worker is sandboxed')
})
