import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PackCheckouts } from '../../../src/config/packs/checkouts.ts'
import { checkoutName } from '../../../src/config/packs/locate.ts'
import { judgeTree } from '../../../src/config/packs/tree-listing.ts'
import { gitServer, packRepository, packToml, type RepositoryFile } from '../../support/pack-repository.ts'
import { packMachine } from './machine.ts'

// Every test runs git some dozens of times.
setDefaultTimeout(30_000)

const PACK = packToml('p')

/** Result of adding a repository with these files. */
async function adding(files: Readonly<Record<string, RepositoryFile>>) {
  using repository = packRepository()
  repository.commit({ 'pack.toml': PACK, ...files }, '1.0.0')
  using m = packMachine({ files: { 'pack.toml': packToml('town') } })
  await m.packs.add(repository.url, { name: 'p' })
}

describe('a repository is not taken', () => {
  test.each([
    ['an absolute link', { a: { link: '/etc/passwd' } }],
    ['a link out of it', { 'x/a': { link: '../../outside' } }],
    ['a link through another one', { 's/t/u/f': '', d: { link: 's/t/u' }, a: { link: 'd/../../../../x' } }],
    ['a dangling link that climbs back', { a: { link: 'none/../../x' } }],
  ] satisfies [string, Record<string, RepositoryFile>][])('with %s', async (_, files) => {
    await expect(adding(files)).rejects.toThrow(/is not taken: its link (x\/)?a leads out of it/)
  })

  test('with a name that holds control characters', async () => {
    await expect(adding({ 'a\u001b[2Jb': '' })).rejects.toThrow(
      'is not taken: the name "a\\u001b[2Jb" holds control characters',
    )
  })

  test('that is larger than the bounds, before a file of it is written', () => {
    const entry = (name: string, size: number, mode = '100644') => `${mode} blob ${'a'.repeat(40)} ${size}\t${name}\0`
    const submodule = `160000 commit ${'a'.repeat(40)}       -\tmodule\0`
    const listing = [entry('a', 600), entry('b', 600), submodule].join('')
    expect(judgeTree(listing + entry('c', 3, '120000'), { files: 3, bytes: 2000 })).toEqual({ links: ['c'] })
    expect(judgeTree(listing, { files: 1, bytes: 2000 })).toEqual({ reason: 'it holds more than 1 files' })
    expect(judgeTree(listing, { files: 3, bytes: 1024 })).toEqual({ reason: 'its files are larger than 1 KB' })
    expect(judgeTree('what is this', { files: 3, bytes: 1024 })).toMatchObject({
      reason: expect.stringContaining('does not read'),
    })
  })
})

test('links that stay in the repository are kept, and its submodules are empty folders', async () => {
  using module = packRepository()
  module.commit({ 'secret.txt': 'x' })
  using repository = packRepository()
  repository.git('submodule', 'add', '-q', module.url, 'module')
  const commit = repository.commit(
    { 'pack.toml': PACK, 'shared/a.md': 'a', 'roles/a.md': { link: '../shared/a.md' } },
    '1.0.0',
  )
  using m = packMachine({ files: { 'pack.toml': packToml('town') } })
  await m.packs.add(repository.url, { name: 'p' })
  const checkout = join(m.folders.checkouts, checkoutName(repository.url, commit))
  expect(readFileSync(join(checkout, 'roles/a.md'), 'utf8')).toBe('a')
  expect(existsSync(join(checkout, 'module/secret.txt'))).toBe(false)
})

test('no program runs that a repository or the user’s own configuration names', async () => {
  using repository = packRepository()
  const commit = repository.commit(
    { 'pack.toml': PACK, '.gitattributes': '* filter=evil\n*.bin filter=lfs\n', 'a.bin': 'pointer' },
    '1.0.0',
  )
  using m = packMachine({ files: { 'pack.toml': packToml('town') } })
  const mark = join(m.home, 'ran')
  const run = `sh -c 'touch ${mark}; cat'`
  m.write(
    '.gitconfig',
    [
      `[filter "evil"]\nsmudge = "${run}"\nclean = "${run}"\nrequired = true`,
      `[core]\nhooksPath = ${m.home}/hooks\nsshCommand = touch ${mark}`,
      `[url "file:///nowhere/"]\ninsteadOf = ${repository.url}`,
      `[init]\ntemplateDir = ${m.home}/template`,
    ].join('\n'),
  )
  mkdirSync(join(m.home, 'hooks'), { recursive: true })
  for (const hook of ['post-checkout', 'reference-transaction'])
    m.write(`home/hooks/${hook}`, `#!/bin/sh\ntouch ${mark}\n`, 0o755)
  await m.packs.add(repository.url, { name: 'p' })
  expect(existsSync(mark)).toBe(false)
  expect(readFileSync(join(m.folders.checkouts, checkoutName(repository.url, commit), 'a.bin'), 'utf8')).toBe('pointer')
})

test('a repository that grows over the bound while it is fetched is left, and nothing of it stays', async () => {
  using repository = packRepository()
  const bytes = new Uint8Array(3_000_000)
  for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536))
  repository.commit({ 'pack.toml': PACK }, '1.0.0')
  writeFileSync(join(repository.path, 'large.bin'), bytes)
  const commit = repository.commit({}, '1.1.0')
  using m = packMachine()
  const folder = join(m.home, 'small')
  const { remotes, clock, deadlines } = m.parts
  const checkouts = new PackCheckouts({ folder, clock, deadlines, limits: { files: 10, bytes: 1_000_000 } })
  await expect(checkouts.fetch(repository.url, commit, remotes)).rejects.toThrow(/larger than (1 MB|977 KB)/)
  expect(lstatSync(folder).isDirectory()).toBe(true)
  expect([...new Bun.Glob('**').scanSync({ cwd: folder, dot: true })]).toEqual([])
})

test('a repository of many files that are over the bound together is left, and nothing of it stays', async () => {
  using repository = packRepository()
  for (const name of ['a', 'b', 'c']) {
    writeFileSync(join(repository.path, name), crypto.getRandomValues(new Uint8Array(60_000)))
  }
  const commit = repository.commit({ 'pack.toml': PACK }, '1.0.0')
  repository.git('update-server-info')
  // A server without git of its own: each object is a file.
  await using server = gitServer(repository, {
    intercept: (request) => {
      const file = Bun.file(join(repository.path, '.git', new URL(request.url).pathname.replace('/packs.git', '')))
      return file.size > 0 ? new Response(file) : new Response('', { status: 404 })
    },
  })
  using m = packMachine()
  const { remotes, clock, deadlines } = m.parts
  const fetching = (folder: string, bytes: number) =>
    new PackCheckouts({ folder, clock, deadlines, limits: { files: 10, bytes } }).fetch(server.url, commit, remotes)
  const [small, large] = [join(m.home, 'small'), join(m.home, 'large')]
  await expect(fetching(small, 150_000)).rejects.toThrow('is larger than 146 KB, and was not fetched')
  expect([...new Bun.Glob('**').scanSync({ cwd: small, dot: true })]).toEqual([])
  expect(await fetching(large, 300_000)).toBe(true)
})

test('git itself stops at the bound of a file, anyone who watches it', async () => {
  using repository = packRepository()
  const large = Buffer.from(crypto.getRandomValues(new Uint8Array(65_000))).toString('base64')
  const commit = repository.commit({ 'pack.toml': PACK, large }, '1.0.0')
  using m = packMachine()
  const clone = join(m.home, 'clone')
  await m.parts.remotes.runLocally(['init', '--quiet', clone])
  const words = ['-c', 'fetch.unpackLimit=1', '-C', clone, 'fetch', '--quiet', '--', repository.url, commit]
  expect(await m.parts.remotes.run(repository.url, words, { maxFileSize: 20_000 })).toMatchObject({
    exitCode: 128,
    stderr: expect.stringContaining('File too large'),
  })
  expect(await m.parts.remotes.run(repository.url, words, { maxFileSize: 200_000 })).toMatchObject({ exitCode: 0 })
})

test('a pack from the network cannot name folders of this machine', async () => {
  using repository = packRepository()
  using own = packRepository()
  own.commit({ 'pack.toml': packToml('own') }, '1.0.0')
  repository.commit({ 'pack.toml': packToml('p', ['x', own.url]) }, '1.0.0')
  await using server = gitServer(repository)
  using m = packMachine({ files: { 'pack.toml': packToml('town') } })
  await expect(m.packs.add(server.url)).rejects.toThrow(
    `import "x" of a fetched pack names ${own.url}, a folder of this machine`,
  )
})

test('redirects are not followed', async () => {
  using repository = packRepository()
  repository.commit({ 'pack.toml': PACK }, '1.0.0')
  await using server = gitServer(repository)
  await using away = gitServer(repository, {
    intercept: () => Response.redirect(`${server.url}/info/refs?service=git-upload-pack`),
  })
  using m = packMachine({ files: { 'pack.toml': packToml('town') } })
  await expect(m.packs.add(away.url)).rejects.toThrow('it leads to another address, which gc does not follow')
  expect(server.requests).toEqual([])
})

test('a fetch that is ended half-way leaves nothing, and what a killed one left goes with the next', async () => {
  using repository = packRepository()
  repository.commit({ 'pack.toml': PACK }, '1.0.0')
  const started = Promise.withResolvers<void>()
  const stuck = Promise.withResolvers<Response>()
  await using server = gitServer(repository, {
    intercept: (request) => {
      if (request.method !== 'POST' || request.headers.get('git-protocol') === null) return undefined
      if (!m.progress.some((line) => line.startsWith('fetching'))) return undefined
      started.resolve()
      return stuck.promise
    },
  })
  using m = packMachine({ files: { 'pack.toml': packToml('town') } })
  const adding = m.packs.add(server.url)
  await started.promise
  m.abort()
  await expect(adding).rejects.toThrow('the command was ended')
  stuck.resolve(new Response(''))
  expect(m.cached()).toEqual([])
  expect(m.read('pack.toml')).toBe(packToml('town'))
  m.write(`home/cache/repos/.fetching-999999999-abc/half`, 'x')
  using again = packMachine({ files: { 'pack.toml': packToml('town') } })
  again.write(`home/cache/repos/.fetching-999999999-abc/half`, 'x')
  await again.packs.add(repository.url, { name: 'p' })
  expect(again.cached().filter((name) => name.startsWith('.'))).toEqual([])
})
