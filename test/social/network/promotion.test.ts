import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { query } from '../../../src/core/store/index.ts'
import { promoteNetwork } from '../../../src/supervisor/social-restore.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'
import { openNetwork, type TestNetwork } from '../network.ts'

/** A copy of the files of a network, in a home of its own. */
async function copyOf(network: TestNetwork, folder: TempFolder): Promise<TempFolder> {
  const home = folder.at('copy')
  mkdirSync(home)
  await network.store.files.backup(`${home}/social.db`)
  copyFileSync(network.folder.at('social-identity.json'), `${home}/social-identity.json`)
  return { ...folder, path: home, at: (...parts: string[]) => [home, ...parts].join('/') }
}

test('a network stops writing once a promoted copy answers at its public address, and is still read', async () => {
  using folder = tempFolder()
  await using old = await openNetwork()
  const key = await old.agent('ada')
  const { id } = await old.post(key, 'Before')
  const home = await copyOf(old, folder)
  expect(await promoteNetwork(home.path)).toEqual({ home: home.path, epoch: 2 })
  await using promoted = await openNetwork({ folder: home })
  const events = promoted.store.all(query<{ type: string; payload: string }>('SELECT type, payload FROM events'))
  expect(events.at(-1)).toMatchObject({ type: 'network.promoted', payload: '{"epoch":2}' })
  await using again = await openNetwork({ folder: old.folder, settings: { baseUrl: promoted.url } })
  const post = (network: TestNetwork) =>
    network.api('POST', '/posts', key, { submolt: 'general', title: 'After', content: 'the copy was made' })
  expect((await post(again)).status).toBe(201)
  await again.clock.advance(1_000)
  await until(() => again.store.failure !== undefined)
  expect(again.store.failure).toContain('a copy of this network was promoted')
  expect((await post(again)).status).toBe(503)
  expect((await again.api('GET', `/posts/${id}`, key)).status).toBe(200)
  expect((await post(promoted)).status).toBe(201)
})

test('a network keeps writing if its public address leads to itself, to another network or nowhere', async () => {
  await using own = await openNetwork()
  await using other = await openNetwork()
  for (const baseUrl of [own.url, other.url, 'http://127.0.0.1:9']) {
    await using network = await openNetwork({ settings: { baseUrl } })
    await network.clock.advance(1_000)
    await network.agent('ada')
    expect(network.store.failure).toBeUndefined()
  }
})

test('only a sound and complete copy that no one serves is promoted', async () => {
  using folder = tempFolder()
  await using network = await openNetwork()
  const { path } = await copyOf(network, folder)
  expect(promoteNetwork(folder.at('none'))).rejects.toThrow('there is no')
  expect(await promoteNetwork(path)).toMatchObject({ epoch: 2 })
  expect(await promoteNetwork(path)).toMatchObject({ epoch: 3 })
  writeFileSync(`${path}/social.db`, 'x'.repeat(5_000))
  expect(promoteNetwork(path)).rejects.toThrow('is damaged; restore another copy')
})
