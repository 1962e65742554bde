import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseRemote } from '../../../src/config/git/remote.ts'
import { rigClones } from '../../../src/config/rig-api/table.ts'
import type { RecordedEvent } from '../../../src/core/events/event.ts'
import { isPublicAddress } from '../../../src/core/public-addresses.ts'
import { human } from '../../../src/http/guard.ts'
import { agentsWorld } from '../../agents/agents/world.ts'
import { tempFolder } from '../../support/folder.ts'

const TOWN = { 'city.toml': '[[rigs]]\nname = "shop"\npath = "$"\n' }

/** A public address that nothing is sent to: git reads from a server of the test in its place. */
const PUBLIC = 'http://8.8.8.8'

/** A git repository behind HTTP, for real: what a server of plain files is to git. */
function repository() {
  const folder = tempFolder()
  const run = (...words: string[]) => {
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=trunk']
    const { exitCode, stderr } = Bun.spawnSync(['git', ...who, ...words], { cwd: folder.path })
    if (exitCode !== 0) throw new Error(stderr.toString())
  }
  run('init', '-q', 'work')
  writeFileSync(folder.at('work', 'hello.txt'), 'hello')
  run('-C', 'work', 'add', '.')
  run('-C', 'work', 'commit', '-q', '-m', 'one')
  run('clone', '-q', '--bare', 'work', 'hello.git')
  run('-C', 'hello.git', 'update-server-info')
  const gate = Promise.withResolvers<void>()
  let fetches = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, port } = new URL(request.url)
      if (pathname.startsWith('/secret') && !request.headers.get('authorization')) {
        return new Response('who?', { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } })
      }
      if (pathname.startsWith('/away')) return Response.redirect(`http://127.0.0.1:${port}/hello.git/info/refs`)
      if (pathname.startsWith('/slow')) await gate.promise
      if (pathname.endsWith('info/refs')) fetches++
      const file = folder.at(pathname.replace(/^\/(secret|slow)/, ''))
      return existsSync(file) && statSync(file).isFile()
        ? new Response(Bun.file(file))
        : new Response('', { status: 404 })
    },
  })
  writeFileSync(folder.at('.gitconfig'), `[url "http://127.0.0.1:${server.port}/"]\n\tinsteadOf = ${PUBLIC}/\n`)
  return {
    /** Environment of a city whose git reads from here. */
    env: { HOME: folder.path },
    url: (path: string, who = '') => PUBLIC.replace('//', `//${who}`) + path,
    open: () => gate.resolve(),
    fetches: () => fetches,
    async [Symbol.asyncDispose]() {
      gate.resolve()
      await server.stop(true)
      folder[Symbol.dispose]()
    },
  }
}

type Town = Awaited<ReturnType<typeof agentsWorld>>

/** The event that ends a request. */
function endOf(town: Town, id: unknown): Promise<RecordedEvent> {
  const { promise, resolve } = Promise.withResolvers<RecordedEvent>()
  const late = setTimeout(() => expect.unreachable(`request ${id} did not end`), 10_000)
  const onEvent = (recorded: RecordedEvent) => {
    const { request_id } = recorded.payload as { request_id?: string }
    if (request_id === id && recorded.type.startsWith('request.')) resolve(recorded)
  }
  town.log.subscribe(onEvent)
  town.log.after(0, 1000).forEach(onEvent)
  return promise.finally(() => clearTimeout(late))
}

const stepsOf = (town: Town) =>
  town.recorded().map(({ type, payload }) => [type, (payload as { step?: string }).step].filter(Boolean).join(' '))

describe('a rig from a repository', () => {
  test('is cloned into the city after the response, with an event for each step', async () => {
    await using origin = repository()
    await using town = await agentsWorld(TOWN, origin.env)
    const response = await town.send('POST', 'rigs', {
      name: 'hello',
      git_url: origin.url('/hello.git'),
      request_id: 'hello-0001',
    })
    expect(response).toEqual({ status: 202, body: { status: 'accepted', request_id: 'hello-0001', event_cursor: '1' } })
    expect((await endOf(town, 'hello-0001')).payload).toEqual({
      ...{ request_id: 'hello-0001', rig: 'hello', prefix: 'he', default_branch: 'trunk' },
    })
    expect(readFileSync(join(town.path, 'rigs/hello/hello.txt'), 'utf8')).toBe('hello')
    expect(town.text('.gc/site.toml')).toBe('[[rig]]\nname = "hello"\npath = "rigs/hello"\n')
    expect(await town.get('rig/hello')).toMatchObject({ path: join(town.path, 'rigs/hello'), default_branch: 'trunk' })
    expect(stepsOf(town)).toEqual([
      'rig.provision.progress clone',
      'rig.provision.progress git-detected',
      'config.changed',
      'rig.provision.progress prefix',
      'rig.provision.progress default-branch',
      'rig.provision.progress done',
      'request.result.rig.create',
    ])
    expect(town.reports).toEqual([])
  })

  test('that cannot be cloned waits for a person, until it is asked for again', async () => {
    await using origin = repository()
    await using town = await agentsWorld(TOWN, origin.env)
    const body = { name: 'hello', git_url: origin.url('/nothing.git'), request_id: 'hello-0001' }
    await town.send('POST', 'rigs', body)
    await endOf(town, 'hello-0001')
    await town.attention.whenIdle()
    expect(town.attention.list().items).toMatchObject([
      {
        ...{ id: 'clone:hello', kind: 'clone', rig: 'hello' },
        asks: expect.stringContaining('rig hello was not cloned into rigs/hello: git could not clone it'),
        to_do: expect.stringContaining('gc rig add rigs/hello --name hello --git-url'),
      },
    ])
    await town.send('POST', 'rigs', { ...body, git_url: origin.url('/hello.git'), request_id: 'hello-0002' })
    await endOf(town, 'hello-0002')
    await town.attention.whenIdle()
    expect(town.attention.list().items).toEqual([])
    const types = town.log.after(0, 1000).map(({ type }) => type)
    expect(types.filter((type) => /failed|attention|result/.test(type))).toEqual([
      ...['request.failed', 'attention.raised', 'attention.cleared', 'request.result.rig.create'],
    ])
  })

  test('is cloned once, however often the request is sent under one id', async () => {
    await using origin = repository()
    await using town = await agentsWorld(TOWN, origin.env)
    const body = { name: 'hello', git_url: origin.url('/slow/hello.git'), request_id: 'hello-0001' }
    const first = await town.send('POST', 'rigs', body)
    expect(await town.send('POST', 'rigs', body)).toEqual(first)
    const other = await town.send('POST', 'rigs', { ...body, prefix: 'xx' })
    expect(other).toMatchObject({
      status: 409,
      body: { errors: [{ value: 'request_id_conflict' }, { value: 'hello-0001' }] },
    })
    const rival = await town.send('POST', 'rigs', { ...body, request_id: 'hello-0002' })
    expect(rival).toMatchObject({
      ...{ status: 409 },
      body: { errors: [{ value: 'rig_name_conflict' }, { value: 'hello' }, { value: 'hello-0001' }, { value: '1' }] },
    })
    origin.open()
    await endOf(town, 'hello-0001')
    expect(await town.send('POST', 'rigs', body)).toEqual({
      ...{
        status: 200,
        body: { status: 'exists', rig: 'hello', request_id: 'hello-0001', prefix: 'he', default_branch: 'trunk' },
      },
    })
    expect(origin.fetches()).toBe(1)
    await town.send('DELETE', 'rig/hello')
    expect(await town.send('POST', 'rigs', body)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('already exists') },
    })
  })

  test('may need credentials, which are written nowhere', async () => {
    await using origin = repository()
    await using town = await agentsWorld(TOWN, origin.env)
    const git_url = origin.url('/secret/hello.git', 'me:s3cr3t%40@')
    const { body } = await town.send('POST', 'rigs', { name: 'hello', git_url })
    expect((await endOf(town, body.request_id)).type).toBe('request.result.rig.create')
    expect(readFileSync(join(town.path, 'rigs/hello/.git/config'), 'utf8')).not.toContain('s3cr3t')
    expect(JSON.stringify(town.log.after(0, 100))).not.toContain('s3cr3t')
    expect(JSON.stringify(town.store.read((orm) => orm.select().from(rigClones).all()))).not.toContain('s3cr3t')
  })

  test.each([
    ['that is not there', '/nothing.git', 'clone_failed'],
    ['that sends elsewhere', '/away/hello.git', 'clone_failed'],
  ])('%s fails with one event and leaves nothing behind', async (_, path, code) => {
    await using origin = repository()
    await using town = await agentsWorld(TOWN, origin.env)
    const before = town.declared()
    const { body } = await town.send('POST', 'rigs', { name: 'hello', git_url: origin.url(path) })
    expect((await endOf(town, body.request_id)).payload).toMatchObject({ operation: 'rig.create', error_code: code })
    expect(town.declared()).toEqual(before)
    expect(existsSync(join(town.path, 'rigs/hello'))).toBe(false)
    expect(stepsOf(town)).toEqual(['rig.provision.progress clone', 'request.failed'])
  })

  test('is not cloned from a private host', async () => {
    await using town = await agentsWorld(TOWN)
    const { body } = await town.send('POST', 'rigs', { name: 'hello', git_url: 'http://127.0.0.1:9/x.git' })
    expect((await endOf(town, body.request_id)).payload).toMatchObject({ error_code: 'blocked_host' })
  })

  test('does not touch a folder that appeared in between', async () => {
    await using origin = repository()
    await using town = await agentsWorld(TOWN, origin.env)
    const { body } = await town.send('POST', 'rigs', { name: 'hello', git_url: origin.url('/slow/hello.git') })
    mkdirSync(join(town.path, 'rigs/hello'), { recursive: true })
    writeFileSync(join(town.path, 'rigs/hello/mine'), 'mine')
    origin.open()
    expect((await endOf(town, body.request_id)).payload).toMatchObject({ error_code: 'already_exists' })
    expect(readFileSync(join(town.path, 'rigs/hello/mine'), 'utf8')).toBe('mine')
  })

  test('that gc did not finish fails at the next start, or is done if it was', async () => {
    await using town = await agentsWorld(TOWN)
    const row = { digest: '', state: 'in_flight' as const, cursor: 0, acceptedAt: 0 }
    mkdirSync(join(town.path, 'done'))
    await town.rigs.create(human, { name: 'done', path: 'done' }, {})
    await town.store.write((tx) => {
      const rows = [
        { ...row, requestId: 'r-half', rig: 'half', path: 'rigs/half' },
        { ...row, requestId: 'r-done', rig: 'done', path: 'done' },
      ]
      tx.orm.insert(rigClones).values(rows).run()
    })
    await town.clones.start()
    await town.clones.start()
    expect((await endOf(town, 'r-half')).payload).toMatchObject({ error_code: 'clone_failed' })
    expect((await endOf(town, 'r-done')).payload).toMatchObject({ rig: 'done', prefix: 'do' })
    expect(stepsOf(town)).toEqual([
      'config.changed',
      'rig.provision.progress done',
      'request.result.rig.create',
      'request.failed',
    ])
  })

  test.each([
    ['an absolute path', { path: '/tmp/x' }],
    ['a path out of the city', { path: '../x' }],
    ['a path into .gc', { path: '.gc/x' }],
    ['an address that runs a program', { git_url: 'ext::sh -c touch' }],
    ['a file', { git_url: 'file:///etc' }],
    ['a path of this machine', { git_url: '/etc' }],
    ['an option for a host', { git_url: 'ssh://-oProxyCommand=x/y' }],
    ['a number for a name', { name: '12' }],
    ['a short request_id', { request_id: 'short' }],
    ['a number for a request_id', { request_id: '12345678' }],
  ])('with %s is refused immediately', async (_, more) => {
    await using town = await agentsWorld(TOWN)
    const response = await town.send('POST', 'rigs', { name: 'hello', git_url: 'https://example.com/x.git', ...more })
    expect(response).toMatchObject({ status: 400, body: { code: 'invalid-request' } })
    expect(town.recorded()).toEqual([])
  })
})

test('the address of a repository is distinguished from everything else', () => {
  expect(parseRemote('git@github.com:me/x.git')).toEqual({ url: 'git@github.com:me/x.git', host: 'github.com' })
  expect(parseRemote('https://a:b%20c@github.com/me/x')).toEqual({
    ...{ url: 'https://github.com/me/x', host: 'github.com', username: 'a', password: 'b c' },
  })
  expect(parseRemote('ssh://git@[2001:db8::1]:22/x')).toMatchObject({ host: '2001:db8::1' })
  for (const text of ['', 'x', '-x', 'C:\\x', 'https://', 'git@-x:y', 'git@h:-x', 'https://h']) {
    expect(`${text} ${parseRemote(text)?.url}`).toBe(`${text} undefined`)
  }
})

test('addresses of this machine, its network and its cloud are not public', () => {
  for (const address of ['8.8.8.8', '140.82.121.4', '2606:4700::1111', '::ffff:8.8.8.8']) {
    expect(`${address} ${isPublicAddress(address)}`).toBe(`${address} true`)
  }
  const others = ['127.0.0.1', '10.1.2.3', '172.20.0.1', '192.168.1.1', '169.254.169.254', '0.0.0.0', '100.64.0.1']
  for (const address of [
    ...others,
    '::1',
    '::',
    'fd00::1',
    'fe80::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '224.0.0.1',
    'x',
  ]) {
    expect(`${address} ${isPublicAddress(address)}`).toBe(`${address} false`)
  }
})
