import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf, writeFiles } from '../support/example-city.ts'
import { gitServer, packRepository, packToml } from '../support/pack-repository.ts'
import { runGc } from '../support/run-gc.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'

// Every test runs git some dozens of times.
setDefaultTimeout(30_000)

const agentsOf = async (world: World) => (await world.call('GET /v0/city/newsroom/config')).body.agents

describe('a city on packs with versions', () => {
  test('comes up with what its lock names, upgrades, and gets a private pack once it has a credential', async () => {
    using packs = packRepository()
    packs.commit(filesOf('versions/packs/1.0.0'), 'v1.0.0')
    using archive = packRepository()
    archive.commit(filesOf('versions/private'), 'v2.0.0')
    await using server = gitServer(archive, { token: 'key-of-the-archive' })
    await using world = await World.open()
    const path = world.folder.at('newsroom')
    writeFiles(path, filesOf('versions/city', { '<PACKS>': packs.url }))
    const gc = (...words: string[]) => runGc(world, ...words)
    const inCity = (...words: string[]) => gc('--city', path, ...words)

    const registered = await gc('register', path)
    expect([registered.status, registered.err]).toEqual([0, `fetching ${packs.url} 1.0.0\n`])
    expect(await agentsOf(world)).toEqual([expect.objectContaining({ name: 'crew.writer', is_pool: true })])

    packs.commit(filesOf('versions/packs/1.1.0'), 'v1.1.0')
    const fingerprint = async () => {
      const lock = createHash('sha256').update(readFileSync(join(path, 'packs.lock')))
      const { packs_lock_sha256 } = (await world.call('GET /health')).body
      return { of: packs_lock_sha256, isOfLock: packs_lock_sha256 === lock.digest('hex') }
    }
    const before = await fingerprint()
    expect(before.isOfLock).toBe(true)
    const upgraded = await inCity('import', 'upgrade')
    expect(upgraded.out).toBe(`Upgraded ${packs.url}//crew from 1.0.0 to 1.1.0\n`)
    expect(upgraded.err).toContain("order morning (crew), cron 0 7 * * *: gc mail send crew.writer 'Plan'")
    expect(upgraded.err).toContain('hook writer pre_start (crew), before a session starts: true')
    const after = await eventually('the new lock in health', 10_000, fingerprint, ({ isOfLock }) => isOfLock)
    expect(after.of).not.toBe(before.of)
    const explained = await inCity('config', 'explain', '--agent', 'crew.writer', '--json')
    expect(explained.out).toContain('Writes articles, and checks them.')

    const refused = await inCity('import', 'add', server.url, '--name', 'archive')
    expect([refused.status, refused.out]).toEqual([1, ''])
    expect(refused.err).toContain(`gc import credential add ${server.host}/packs --token-file <file>`)
    writeFileSync(world.folder.at('key'), 'key-of-the-archive\n', { mode: 0o600 })
    await inCity('import', 'credential', 'add', server.host, '--token-file', world.folder.at('key'))
    expect(await inCity('import', 'add', server.url, '--name', 'archive')).toMatchObject({ status: 0 })
    const hasKeeper = (agents: { name: string }[]) => agents.some(({ name }) => name === 'archive.keeper')
    await eventually('the agent of the private pack', 10_000, () => agentsOf(world), hasKeeper)
    expect(readFileSync(join(path, 'packs.lock'), 'utf8')).not.toContain('key-of-the-archive')
  })

  test('that lost its packs says so where people look, and continues once they are there again', async () => {
    using packs = packRepository()
    packs.commit(filesOf('versions/packs/1.0.0'), 'v1.0.0')
    await using world = await World.open()
    const path = world.folder.at('newsroom')
    writeFiles(path, filesOf('versions/city', { '<PACKS>': packs.url }))
    await runGc(world, 'register', path)
    packs.commit(filesOf('versions/packs/1.1.0'), 'v2.0.0')
    const text = readFileSync(join(path, 'pack.toml'), 'utf8')
    writeFileSync(join(path, 'pack.toml'), text.replace('^1.0', '^2.0'))
    const items = async () => (await world.call('GET /v0/city/newsroom/attention')).body.items
    const [item] = await eventually('an item for the pack', 10_000, items, ({ length }) => length > 0)
    expect(item).toMatchObject({ kind: 'pack', id: 'pack:pack:crew', to_do: 'gc import upgrade crew' })
    expect(await agentsOf(world)).toHaveLength(1)
    await runGc(world, '--city', path, 'import', 'upgrade', 'crew')
    await eventually('nothing that waits', 10_000, items, ({ length }) => length === 0)
  })
})

test('a city that stopped composing while gc was down runs on what it had, reports it, and continues once it is put right', async () => {
  await using world = await World.open()
  const path = world.folder.at('newsroom')
  const crew = packToml('crew')
  writeFiles(path, {
    'pack.toml': packToml('newsroom', ['crew', './crew']),
    'city.toml': '',
    'crew/pack.toml': crew,
    'crew/agents/writer/agent.toml': 'start_command = "sleep 600"\n',
  })
  await runGc(world, 'register', path)
  expect(await agentsOf(world)).toEqual([expect.objectContaining({ name: 'crew.writer' })])
  await world.kill()
  writeFiles(path, { 'crew/pack.toml': `${crew}nonsense = 1\n` })
  await world.start()
  const isThere = (agents?: unknown[]) => agents !== undefined
  const agents = await eventually('the city', 10_000, () => agentsOf(world), isThere)
  expect(agents).toEqual([expect.objectContaining({ name: 'crew.writer' })])
  const reload = await runGc(world, '--city', path, 'reload')
  expect([reload.status, reload.err]).toEqual([1, expect.stringContaining('keeps its last good configuration')])
  const created = await runGc(world, '--city', path, 'session', 'new', 'crew.writer')
  expect([created.status, created.err]).toEqual([1, expect.stringContaining('runs on its last good configuration')])
  writeFiles(path, { 'crew/pack.toml': crew })
  expect((await runGc(world, '--city', path, 'reload')).status).toBe(0)
  expect((await runGc(world, '--city', path, 'session', 'new', 'crew.writer')).status).toBe(0)
  await runGc(world, 'down')
})

test('a fetch that is killed leaves the city as it was, and the next start of the supervisor cleans up after it', async () => {
  using packs = packRepository()
  packs.commit({ 'pack.toml': packToml('p') }, 'v1.0.0')
  const stuck = Promise.withResolvers<void>()
  let posts = 0
  await using server = gitServer(packs, {
    // The first request of a fetch lists references; the second gets the pack.
    intercept: (request) =>
      request.method === 'POST' && ++posts >= 2 ? stuck.promise.then(() => new Response('')) : undefined,
  })
  await using world = await World.open()
  const path = world.folder.at('town')
  writeFiles(path, { 'city.toml': '', 'pack.toml': packToml('town') })
  const env = { PATH: process.env.PATH, HOME: world.folder.at('user'), GC_HOME: world.home, GC_URL: world.url }
  const child = Bun.spawn([...world.program, '--city', path, 'import', 'add', server.url], {
    env,
    stderr: 'pipe',
    stdout: 'ignore',
  })
  const cache = join(world.home, 'cache/repos')
  await eventually(
    'the fetch to begin',
    10_000,
    async () => posts,
    (seen) => seen >= 2,
  )
  expect(readdirSync(cache).filter((name) => name.startsWith('.fetching-'))).toHaveLength(1)
  const fetching = () => {
    const { stdout } = Bun.spawnSync(['ps', '-eo', 'args'])
    return stdout
      .toString()
      .split('\n')
      .filter((line) => line.includes(`${cache}/.fetching-`))
  }
  expect(fetching()).not.toEqual([])
  child.kill('SIGKILL')
  await child.exited
  const isEmpty = ({ length }: { length: number }) => length === 0
  await eventually('the end of its git, which nobody sees any more', 10_000, async () => fetching(), isEmpty)
  expect(readFileSync(join(path, 'pack.toml'), 'utf8')).toBe(packToml('town'))
  expect(readdirSync(path)).not.toContain('packs.lock')
  expect(readdirSync(cache).filter((name) => !name.startsWith('.fetching-'))).toEqual([])
  await world.kill()
  await world.start()
  await eventually('nothing of the killed fetch', 10_000, async () => readdirSync(cache), isEmpty)
  posts = Number.NEGATIVE_INFINITY
  stuck.resolve()
  expect((await runGc(world, '--city', path, 'import', 'add', server.url)).status).toBe(0)
  expect(readdirSync(cache).filter((name) => name.startsWith('.'))).toEqual([])
})
