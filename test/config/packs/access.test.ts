import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { HostLookup } from '../../../src/config/git/remote.ts'
import { findRule, normalizeMatch } from '../../../src/config/packs/credentials.ts'
import { gitServer, packRepository, packToml } from '../../support/pack-repository.ts'
import { packMachine } from './machine.ts'

// Every test runs git some dozens of times.
setDefaultTimeout(30_000)

const TOKEN = 'a-token-of-this-test'

function release() {
  const repository = packRepository()
  repository.commit({ 'pack.toml': packToml('p') }, '1.0.0')
  return repository
}

const rule = (host: string, pointer: string) => `[[credential]]\nmatch = "${host}"\n${pointer}\n`

describe('a private repository', () => {
  test('asks for a credential and says how to give it; nothing is written', async () => {
    using repository = release()
    await using server = gitServer(repository, { token: TOKEN })
    using m = packMachine({ files: { 'pack.toml': packToml('town') } })
    const failure = await m.packs.add(server.url).catch((error: unknown) => error)
    const hint = `gc import credential add ${server.host}/packs --token-file <file>`
    expect(failure).toMatchObject({
      ...{ code: 'pack-credential-required', status: 409 },
      message: `${server.host}/packs asks for a credential; register one with \`${hint}\` and try again`,
      fieldErrors: [
        { location: 'body.host', value: server.host },
        { location: 'body.repo', value: 'packs' },
        { location: 'body.hint', value: hint },
      ],
    })
    expect(m.read('pack.toml')).toBe(packToml('town'))
    expect(m.cached()).toEqual([])
  })

  test.each([
    ['a file', (m: { home: string }) => `token_file = "${join(m.home, 'token')}"`],
    ['a variable', () => 'token_env = "PACK_TOKEN"'],
    ['a command', () => `helper = "printf '%s' \\"$PACK_TOKEN\\""`],
  ])('is fetched with the token from %s', async (_, pointer) => {
    using repository = release()
    await using server = gitServer(repository, { token: TOKEN })
    using m = packMachine({ files: { 'pack.toml': packToml('town') }, env: { PACK_TOKEN: TOKEN } })
    m.write('home/token', `${TOKEN}\n`, 0o600)
    m.write('home/credentials.toml', rule(server.host, pointer(m)), 0o600)
    expect(await m.packs.add(server.url)).toMatchObject({ name: 'packs', version: '^1.0' })
    for (const file of ['pack.toml', 'packs.lock', 'city.toml']) expect(m.read(file)).not.toContain(TOKEN)
  })

  test('that does not take the token asks again, without saying it', async () => {
    using repository = release()
    await using server = gitServer(repository, { token: TOKEN })
    using m = packMachine({ files: { 'pack.toml': packToml('town') } })
    m.write('home/token', 'another-token', 0o600)
    m.write('city/.gc/credentials.toml', rule(server.host, `token_file = "${join(m.home, 'token')}"`), 0o600)
    const failure = await m.packs.add(server.url).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'pack-credential-required' })
    expect(JSON.stringify(failure)).not.toContain('another-token')
  })

  test('is not asked for with a secret that others can read, or that is not there', async () => {
    using repository = release()
    await using server = gitServer(repository, { token: TOKEN })
    using m = packMachine({ files: { 'pack.toml': packToml('town') } })
    m.write('home/credentials.toml', rule(server.host, 'token_env = "NOT_SET"'), 0o600)
    await expect(m.packs.add(server.url)).rejects.toThrow(
      `the credential for ${server.host} (token_env) cannot be used: it is empty`,
    )
    m.write('home/credentials.toml', rule(server.host, 'helper = "echo secret; exit 3"'))
    await expect(m.packs.add(server.url)).rejects.toThrow('cannot be used: the helper exited with status 3')
    chmodSync(join(m.home, 'credentials.toml'), 0o644)
    await expect(m.packs.add(server.url)).rejects.toThrow(`run \`chmod 600 ${join(m.home, 'credentials.toml')}\``)
    m.write('home/other.toml', '', 0o600)
    expect(server.requests).toEqual([])
  })
})

test('a server of plain files, which hands out no single commits, is read whole', async () => {
  using repository = release()
  repository.git('update-server-info')
  await using server = gitServer(repository, {
    intercept: async (request) => {
      const file = Bun.file(join(repository.path, '.git', new URL(request.url).pathname.replace('/packs.git', '')))
      return (await file.exists()) ? new Response(file) : new Response('', { status: 404 })
    },
  })
  using m = packMachine({ files: { 'pack.toml': packToml('town') } })
  expect(await m.packs.add(server.url)).toMatchObject({ name: 'packs', version: '^1.0' })
})

describe('a source that comes over HTTP', () => {
  const anywhere = (addresses: readonly string[]): HostLookup => ({
    addressesOf: async (host) => (host === 'packs.example' ? [...addresses] : []),
    isPublic: (address) => !address.startsWith('10.'),
  })
  const open = (addresses: readonly string[] = ['127.0.0.1']) =>
    packMachine({ files: { 'pack.toml': packToml('town') }, policy: 'public', hosts: anywhere(addresses) })

  test('is fetched from the address that was checked, whatever the name means in between', async () => {
    using repository = release()
    await using server = gitServer(repository)
    using m = open()
    const source = server.url.replace('127.0.0.1', 'packs.example')
    expect(await m.packs.add(source)).toMatchObject({ name: 'packs', source, version: '^1.0' })
  })

  test('is not fetched from a host with an address that is not public', async () => {
    using m = open(['127.0.0.1', '10.0.0.8'])
    await expect(m.packs.add('https://packs.example/x.git')).rejects.toMatchObject({
      ...{ status: 400, message: expect.stringContaining('packs.example is an internal or non-public host') },
    })
  })

  test('is not a folder, no file:// address, and none of a host that no one knows', async () => {
    using m = open()
    await expect(m.packs.add('./packs/x', { version: '^1.0' })).rejects.toMatchObject({ status: 400 })
    await expect(m.packs.add('file:///srv/x')).rejects.toMatchObject({ status: 400 })
    await expect(m.packs.add('https://unknown.example/x.git')).rejects.toMatchObject({
      ...{ status: 502, message: 'there is no host unknown.example' },
    })
  })

  test('leads to no pack on a host that is not public', async () => {
    using repository = packRepository()
    repository.commit({ 'pack.toml': packToml('p', ['inner', 'http://10.0.0.8/x.git']) }, '1.0.0')
    await using server = gitServer(repository)
    using m = packMachine({
      ...{ files: { 'pack.toml': packToml('town') }, policy: 'public' as const },
      hosts: {
        addressesOf: async (host) => [host === 'packs.example' ? '127.0.0.1' : host],
        isPublic: (a) => !a.startsWith('10.'),
      },
    })
    await expect(m.packs.add(server.url.replace('127.0.0.1', 'packs.example'))).rejects.toThrow(
      '10.0.0.8 is an internal or non-public host',
    )
    expect(m.read('pack.toml')).toBe(packToml('town'))
  })
})

test('the longest rule that matches whole words of the address applies', () => {
  const pointer = { kind: 'token_env', value: 'T' } as const
  const rules = ['github.com', 'github.com/acme', 'github.com/acme/packs'].map((match) => ({ match, pointer }))
  expect(findRule(rules, 'github.com/acme/packs')?.match).toBe('github.com/acme/packs')
  expect(findRule(rules, 'github.com/acme/packs-2')?.match).toBe('github.com/acme')
  expect(findRule(rules, 'github.com/acmex/y')?.match).toBe('github.com')
  expect(findRule(rules, 'github.com.evil.example/acme')).toBeUndefined()
  expect(normalizeMatch('https://me@GitHub.com/acme/packs.git/')).toBe('github.com/acme/packs')
  for (const text of ['', '-x', 'a b', 'host/\u001b']) expect(() => normalizeMatch(text)).toThrow('names no host')
})
