import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GitRunner } from '../../../src/config/git/git-runner.ts'
import { PackCheckouts } from '../../../src/config/packs/checkouts.ts'
import { PackRemotes } from '../../../src/config/packs/remotes.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { gitServer, packRepository, packToml } from '../../support/pack-repository.ts'
import { packMachine } from './machine.ts'

// Every test runs git some dozens of times.
setDefaultTimeout(30_000)

const PACK = packToml('p')

test('progress names each repository with the version that is fetched', async () => {
  using repository = packRepository()
  repository.commit({ 'pack.toml': PACK }, '1.0.0')
  await using server = gitServer(repository)
  using m = packMachine({ files: { 'pack.toml': packToml('town') } })
  await m.packs.add(server.url)
  expect(m.progress).toEqual([`fetching ${server.url} 1.0.0`])
})

test('a commit that vanished from its server is an error that says what to do, and the lock stays', async () => {
  using repository = packRepository()
  repository.commit({ 'pack.toml': PACK })
  await using server = gitServer(repository)
  const gone = '0123456789012345678901234567890123456789'
  using m = packMachine({ files: { 'pack.toml': packToml('town', ['p', server.url, `sha:${gone}`]) } })
  m.write('city/packs.lock', `schema = 1\n\n[packs."${server.url}"]\nversion = "sha:${gone}"\ncommit = "${gone}"\n`)
  const lock = m.read('packs.lock')
  await expect(m.packs.install()).rejects.toThrow(
    `${server.url} no longer has the commit ${gone}; run \`gc import upgrade\` to lock another`,
  )
  expect(m.read('packs.lock')).toBe(lock)
  expect(m.cached()).toEqual([])
})

test('a version that vanished from its server is an error, and the lock stays', async () => {
  using repository = packRepository()
  repository.commit({ 'pack.toml': PACK }, '1.0.0')
  await using server = gitServer(repository)
  using m = packMachine({ files: { 'pack.toml': packToml('town') } })
  await m.packs.add(server.url, { version: '1.0.0' })
  const lock = m.read('packs.lock')
  repository.git('tag', '-d', '1.0.0')
  await expect(m.packs.upgrade()).rejects.toThrow('1.0.0')
  expect(m.read('packs.lock')).toBe(lock)
  await m.packs.install()
})

test('a server that stalls indefinitely is left when its time is over, and nothing of it stays', async () => {
  using repository = packRepository()
  const commit = repository.commit({ 'pack.toml': PACK }, '1.0.0')
  const asked = Promise.withResolvers<void>()
  await using server = gitServer(repository, {
    intercept: () => {
      asked.resolve()
      return new Promise<Response>(() => {})
    },
  })
  using m = packMachine()
  let ring = () => {}
  const alarm = {
    set: (_: number, run: () => void) => {
      ring = run
      return () => {}
    },
  }
  const clock = { now: () => time, monotonic: () => time }
  let time = 0
  const deadlines = new Deadlines(clock, alarm)
  const git = new GitRunner({ deadlines, env: process.env })
  const { signal } = new AbortController()
  const remotes = new PackRemotes({ git, policy: 'any', signal, credential: async () => undefined })
  const checkouts = new PackCheckouts({ folder: m.folders.checkouts, clock, deadlines: m.parts.deadlines })
  const fetched = checkouts.fetch(server.url, commit, remotes)
  await asked.promise
  time = 5 * 60_000
  ring()
  await expect(fetched).rejects.toThrow(`${server.url} cannot be fetched: it took longer than five minutes`)
  expect(m.cached()).toEqual([])
})

test('a repository that is larger than the bound is left while it comes over the network', async () => {
  using repository = packRepository()
  repository.commit({ 'pack.toml': PACK }, '1.0.0')
  const bytes = new Uint8Array(3_000_000)
  for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  writeFileSync(join(repository.path, 'large.bin'), bytes)
  const commit = repository.commit({}, '1.1.0')
  await using server = gitServer(repository)
  using m = packMachine()
  const { remotes, clock, deadlines } = m.parts
  const limits = { files: 10, bytes: 1_000_000 }
  const checkouts = new PackCheckouts({ folder: m.folders.checkouts, clock, deadlines, limits })
  await expect(checkouts.fetch(server.url, commit, remotes)).rejects.toThrow(/larger than 977 KB/)
  expect(m.cached()).toEqual([])
})
