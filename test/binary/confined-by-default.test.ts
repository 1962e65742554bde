import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { PROGRAM, World } from '../support/world.ts'

/** Claims a bead, tries to write beside its rig and to make a city, and closes the bead. */
const WORKER = `bead=$(gc hook --claim --json | sed -n "s/.*\\"bead_id\\":\\"\\([^\\"]*\\)\\".*/\\1/p")
[ -n "$bead" ] || { gc runtime drain-ack; sleep 600; }
echo out > ../escaped
curl -s -o anonymous -X POST -H 'X-GC-Request: 1' -H 'Content-Type: application/json' -d '{"dir":"/tmp/x"}' "$GC_URL/v0/city"
gc bd close "$bead" --reason done > closed 2>&1
touch done; sleep 600`

const CITY = `[workspace]
name = "mill"
[[rigs]]
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

test('a supervisor that confines by default confines every agent that does not say otherwise, and asks everybody for a token', async () => {
  await using world = await World.open()
  const env = { PATH: process.env.PATH, HOME: world.folder.at('user'), GC_HOME: world.home }
  const gc = (...words: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...PROGRAM, ...words], { env, cwd: world.folder.path })
    return { exitCode, out: stdout.toString(), err: stderr.toString() }
  }
  expect((await world.call('GET /v0/cities')).status).toBe(200)
  const on = gc('confine', 'on')
  expect([on.exitCode, on.out]).toEqual([0, expect.stringContaining('That holds from the next start')])
  await world.kill()
  await world.start()
  expect((await world.call('GET /v0/cities')).status).toBe(401)

  const path = world.folder.at('mill')
  const rig = world.folder.at('demo')
  for (const folder of [path, rig]) mkdirSync(folder)
  writeFileSync(join(path, 'city.toml'), CITY)
  expect(gc('register', path).exitCode).toBe(0)
  const token = world.operatorToken
  const call = (line: string, body?: unknown) =>
    world.call(line.replace('~', '/v0/city/mill'), { token, ...(body !== undefined && { body }) })
  const runs = async () => (await call('GET ~/health')).status
  await eventually('the city runs', 20_000, runs, (status) => status === 200)
  for (const name of ['worker', 'free'])
    await call('POST ~/beads', { title: name, rig: 'demo', metadata: { 'gc.routed_to': `demo/${name}` } })

  const isDone = async () => existsSync(join(rig, 'done')) && existsSync(world.folder.at('freed'))
  await eventually('both have worked', 30_000, isDone, Boolean)
  expect(existsSync(world.folder.at('escaped'))).toBe(false)
  const answer = (name: string) => JSON.parse(readFileSync(join(rig, name), 'utf8'))
  expect(answer('anonymous').detail).toStartWith('this server requires a token')
  const { items } = (await call('GET ~/unconfined-sessions')).body
  expect(items.map(({ template }: { template: string }) => template)).toEqual(['demo/free'])
  expect(gc('status', '--city', path).out).toMatch(/unconfined +1 session/)
  expect(gc('confine', 'explain', 'worker', '--city', path).out).toContain('demo/worker is confined')
})
