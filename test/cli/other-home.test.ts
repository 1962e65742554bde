import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { tempFolder } from '../support/folder.ts'
import { gc } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown(async (opened) => {
  town = opened
})

/** A home in which no supervisor runs, on a machine where that of another home has the usual port. */
const stranger = (home: string) => ({ GC_HOME: home, HOME: home, GC_PORT: new URL(town.url).port })

test('a supervisor of another home at the usual port is named, and used by no command', async () => {
  using folder = tempFolder()
  const env = stranger(folder.path)
  const { port } = new URL(town.url)
  for (const args of [['up'], ['status'], ['init', 'city'], ['rig', 'list'], ['down'], ['social', 'register', 'bob']]) {
    const { status, out, err } = await gc(args, { env, cwd: folder.path })
    expect([args, status, out]).toEqual([args, 1, ''])
    expect(err).toContain(
      `the supervisor at port ${port} belongs to another home or user, and none runs for ${folder.path}`,
    )
    expect(err).toContain(`GC_PORT=${Number(port) + 1} gc up`)
  }
  const { err } = await gc(['status', '--json'], { env, cwd: folder.path })
  expect(JSON.parse(err).error).toMatchObject({ type: 'connection', code: 'other-supervisor' })
  expect((await town.json<{ total: number }>(['cities'])).total).toBe(1)
})

test('neither a token nor a request goes to anyone who has the port of a supervisor that was killed', async () => {
  using folder = tempFolder()
  const seen: string[] = []
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ method, url, headers }) => {
      seen.push(`${method} ${new URL(url).pathname} ${headers.get('authorization')}`)
      return new Response('{}', { headers: { 'X-GC-Request-Id': '1' } })
    },
  })
  const ended = Bun.spawnSync(['true']).pid
  writeFileSync(folder.at('token'), 'gco_secret\n')
  writeFileSync(folder.at('supervisor.json'), JSON.stringify({ url: `http://127.0.0.1:${server.port}`, pid: ended }))
  const env = { GC_HOME: folder.path, HOME: folder.path, GC_NO_AUTOSTART: '1' }
  for (const args of [
    ['stop', 'town'],
    ['sling', 'worker', 'Sweep'],
    ['supervisor', 'stop'],
  ]) {
    const { status, err } = await gc(args, { env, cwd: folder.path })
    expect([args, status, err]).toEqual([args, 1, expect.stringContaining('belongs to another home or user')])
  }
  expect(new Set(seen)).toEqual(new Set(['GET /health null']))
})

test('the start of a supervisor names a port that another program uses', async () => {
  using folder = tempFolder()
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') })
  const env = { GC_HOME: folder.path, HOME: folder.path, GC_PORT: `${server.port}` }
  const { status, err } = await gc(['up'], { env, cwd: folder.path })
  expect([status, err]).toEqual([1, expect.stringContaining(`another program has port ${server.port}`)])
})

test('GC_URL uses the supervisor that a person names, of whatever home', async () => {
  using folder = tempFolder()
  const { out } = await gc(['cities'], { env: { ...stranger(folder.path), GC_URL: town.url }, cwd: folder.path })
  expect(out).toContain('town')
})

test('reports a server at GC_URL that does not speak HTTP', async () => {
  using server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: (socket) => void socket.end('220 mail.example.com ready\r\n'), data: () => {} },
  })
  for (const scheme of ['http', 'https']) {
    const url = `${scheme}://127.0.0.1:${server.port}`
    const { status, err } = await gc(['status'], { env: { GC_URL: url } })
    expect(status).toBe(1)
    expect(err).toMatch(
      / \((what it answers cannot be read|the connection was closed|it does not speak TLS; try http:\/\/)\); check GC_URL/,
    )
  }
})
