import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { PROGRAM, World } from '../support/world.ts'

const city = (port: number) => `[workspace]
name = "mill"
[[rigs]]
name = "demo"
path = "../demo"
[[agent]]
name = "worker"
dir = "demo"
confine = { mode = "default", unknown_hosts = "ask" }
start_command = '''for n in 1 2 3; do curl -sS --noproxy "" http://127.0.0.1:${port}/$n > $n; done; touch done; sleep 600'''
`

test('a person allows a confined session a host from the command line, once and then for its agent', async () => {
  const paths: string[] = []
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      paths.push(new URL(url).pathname)
      return new Response('let in')
    },
  })
  await using world = await World.open('--require-token')
  const path = world.folder.at('mill')
  const rig = world.folder.at('demo')
  for (const folder of [path, rig]) mkdirSync(folder)
  writeFileSync(join(path, 'city.toml'), city(server.port ?? 0))
  const token = world.operatorToken
  const call = (line: string, body?: unknown) =>
    world.call(line.replace('~', '/v0/city/mill'), { token, ...(body !== undefined && { body }) })
  await call('POST /v0/city/register', { path })
  const running = async () => (await call('GET ~/health')).status
  await eventually('the city runs', 20_000, running, (status) => status === 200)
  await call('POST ~/beads', { title: 'one', rig: 'demo', metadata: { 'gc.routed_to': 'demo/worker' } })

  type Item = { id: string; kind: string; to_do: string }
  const asked = async (): Promise<Item | null> =>
    (await call('GET ~/attention')).body.items.find(({ kind }: Item) => kind === 'host') ?? null
  const answer = async (word: string) => {
    const item = await eventually('a person is asked', 20_000, asked, (each) => each !== null)
    const words = [...PROGRAM, '--city', path, 'attention', 'answer', item?.id ?? '', word]
    const ran = Bun.spawnSync(words, { env: { PATH: process.env.PATH, GC_HOME: world.home } })
    expect([ran.exitCode, ran.stderr.toString()]).toEqual([0, ''])
    return ran.stdout.toString()
  }
  const host = `127.0.0.1:${server.port}`
  expect(await answer('once')).toMatch(
    new RegExp(`^Session \\S+ was answered with "yes, this time: what waits for ${host}`),
  )
  await eventually(
    'the first is let in',
    20_000,
    async () => paths.length,
    (count) => count === 1,
  )
  expect(await answer('agent')).toContain(`into its allow_hosts`)
  await eventually(
    'all are let in',
    20_000,
    async () => paths.length,
    (count) => count === 3,
  )
  expect(readFileSync(join(rig, '1'), 'utf8')).toBe('let in')
  expect(readFileSync(join(path, 'city.toml'), 'utf8')).toContain(`unknown_hosts = "ask", allow_hosts = ["${host}"] }`)
  const { items } = (await call('GET ~/events?type=session.answered')).body
  expect(items.map(({ actor }: { actor: string }) => actor)).toEqual(['operator', 'operator'])
})
