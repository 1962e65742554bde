import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { PROGRAM, World } from '../support/world.ts'

const city = (confine: string) => `[workspace]
name = "mill"
[[rigs]]
name = "demo"
path = "../demo"
[[agent]]
name = "worker"
dir = "demo"
confine = "${confine}"
start_command = "sleep 600"
`

/** A supervisor without flags with a city whose agent is not confined, to be declared again. */
async function open(...flags: string[]) {
  const world = await World.open(...flags)
  const path = world.folder.at('mill')
  for (const folder of [path, world.folder.at('demo')]) mkdirSync(folder)
  const declare = (confine: string) => writeFileSync(join(path, 'city.toml'), city(confine))
  declare('off')
  const token = world.operatorToken
  await world.call('POST /v0/city/register', { token, body: { path } })
  const status = async () => (await world.call('GET /v0/cities')).status
  const operator = (line: string, body?: unknown) =>
    world.call(line.replace('~', '/v0/city/mill'), { token, ...(body !== undefined && { body }) })
  const runs = async () => (await operator('GET ~/health')).status === 200
  await eventually('the city runs', 20_000, runs, Boolean)
  return { world, declare, status, operator, runs }
}

test('an agent that should be confined makes every request need a token, also after a crash while its session runs', async () => {
  const { world, declare, status, operator, runs } = await open()
  await using _ = world
  expect(await status()).toBe(200)
  declare('default')
  await eventually('a token is asked for', 20_000, status, (code) => code === 401)
  const refused = await world.call('GET /v0/cities')
  expect(refused.body.detail).toBe(
    'this server requires a token: send Authorization: Bearer <token>, with the one in $GC_HOME/token, or that of a session in its GC_TOKEN',
  )
  expect(world.log).toContain(
    'every request needs a token from now on, because agent demo/worker of mill runs in a sandbox',
  )
  const env = { PATH: process.env.PATH, HOME: world.folder.at('user'), GC_HOME: world.home }
  expect(Bun.spawnSync([...PROGRAM, 'session', 'new', 'demo/worker'], { env }).exitCode).toBe(0)
  const sessions = async () => (await operator('GET ~/sessions')).body.items
  await eventually('it runs', 20_000, sessions, ([each]) => each?.running === true)

  await world.kill()
  declare('off')
  await world.start()
  expect(await status()).toBe(401)
  await eventually('the city runs', 20_000, runs, Boolean)
  expect(await status()).toBe(401)
  const [{ id }] = await sessions()
  expect((await operator(`POST ~/session/${id}/close`)).status).toBe(200)
  expect(await status()).toBe(401)

  await world.kill()
  await world.start()
  await eventually('the city runs', 20_000, runs, Boolean)
  expect(await status()).toBe(200)
  expect(existsSync(join(world.home, 'confined'))).toBe(false)
})

test('with --no-require-token no one is asked for a token, and no session is started confined', async () => {
  const { world, declare, status, operator } = await open('--no-require-token')
  await using _ = world
  declare('default')
  const agent = async () => (await operator('GET ~/agents')).body.items[0]
  const { unavailable_reason: reason } = await eventually('it is held', 20_000, agent, (each) => !each.available)
  expect(reason).toContain('start gc without --no-require-token, or set confine = "off"')
  expect(await status()).toBe(200)
})
