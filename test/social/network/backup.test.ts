import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { formatHeader } from '../../../src/core/tar/header.ts'
import { restoreNetwork } from '../../../src/supervisor/social-restore.ts'
import { tempFolder } from '../../support/folder.ts'
import { OPERATOR_TOKEN, openNetwork, type TestNetwork } from '../network.ts'

/** The smallest picture: a GIF of one pixel. */
const PIXEL = Buffer.from('47494638396101000100800000000000ffffff2c00000000010001000002024401003b', 'hex')

const never = new AbortController().signal

async function backup(network: TestNetwork): Promise<Uint8Array> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  const response = await fetch(`${network.url}/api/v1/operator/backup`, { headers })
  expect(response.status).toBe(200)
  return new Uint8Array(await response.arrayBuffer())
}

test('a network is copied while agents post, and restored with its keys and pictures', async () => {
  await using network = await openNetwork()
  using folder = tempFolder()
  const key = await network.agent('ada')
  const first = await network.post(key, 'Before')
  mkdirSync(network.folder.at('social-pictures'))
  writeFileSync(network.folder.at('social-pictures', 'a1.webp'), 'picture')
  symlinkSync('/etc/passwd', network.folder.at('social-pictures', 'b2.webp'))
  const token = (await network.api('POST', '/agents/me/identity-token', key)).body.token
  const [bytes] = await Promise.all([backup(network), network.post(key, 'Meanwhile'), network.post(key, 'And after')])
  expect(readdirSync(network.folder.path).filter((name) => name.startsWith('.social-backup'))).toEqual([])

  writeFileSync(folder.at('network.gz'), bytes)
  const home = folder.at('home')
  expect((await restoreNetwork(folder.at('network.gz'), home, never)).home).toBe(home)
  expect(readdirSync(home).sort()).toEqual(['social-identity.json', 'social-pictures', 'social.db', 'social.lock'])
  expect(readdirSync(folder.at('home', 'social-pictures'))).toEqual(['a1.webp'])
  expect(statSync(folder.at('home', 'social-identity.json')).mode & 0o777).toBe(0o600)
  expect(restoreNetwork(folder.at('network.gz'), home, never)).rejects.toThrow('exists; move it away')
  await using again = await openNetwork({ folder: { ...folder, path: home } })
  expect((await again.api('GET', `/posts/${first.id}`, key)).body).toMatchObject({ post: { title: 'Before' } })
  expect((await again.api('POST', '/agents/verify-identity', undefined, { token })).body).toMatchObject({ valid: true })
  expect(await again.recount()).toEqual([])
  expect(restoreNetwork(folder.at('network.gz'), network.folder.path, never)).rejects.toThrow('exists; move it away')
})

test('a restored network has the pictures of its agents and communities', async () => {
  await using network = await openNetwork()
  using folder = tempFolder()
  const key = await network.agent('ada')
  await network.api('POST', '/submolts', key, { name: 'pictured' })
  const names: string[] = []
  for (const path of ['/agents/me/avatar', '/submolts/pictured/avatar']) {
    const body = new FormData()
    body.set('file', new Blob([PIXEL]))
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${network.url}/api/v1${path}`, { method: 'POST', headers, body })
    const { avatar_url } = Object(await response.json())
    names.push(basename(avatar_url))
  }
  const read = ({ services }: TestNetwork) => Promise.all(names.map((name) => services.pictures.read(name)))
  const pictures = await read(network)

  writeFileSync(folder.at('network.gz'), await backup(network))
  await restoreNetwork(folder.at('network.gz'), folder.at('home'), never)
  writeFileSync(folder.at('home', 'social-pictures', `${'0'.repeat(40)}.webp`), 'of nobody')
  await using again = await openNetwork({ folder: { ...folder, path: folder.at('home') } })
  await again.services.pictures.removeUnused()
  expect(readdirSync(folder.at('home', 'social-pictures')).sort()).toEqual(names.toSorted())
  expect(await read(again)).toEqual(pictures)
  const { avatar_url } = Object((await again.api('GET', '/agents/me', key)).body.agent)
  expect(avatar_url).toEndWith(String(names[0]))
})

const file = (name: string, content: string | Uint8Array, type = '0') => {
  const bytes = Buffer.from(content)
  const padding = Buffer.alloc((512 - (bytes.length % 512)) % 512)
  return Buffer.concat([formatHeader({ name, size: bytes.length, mode: 0o600, type }, 0), bytes, padding])
}
const tar = (...files: Buffer[]) => gzipSync(Buffer.concat([...files, Buffer.alloc(1024)]))

test('an incomplete backup of a network is rejected and leaves nothing behind', async () => {
  using folder = tempFolder()
  const manifest = file('social-backup.json', '{"format":1,"at":"2030-01-01T00:00:00Z"}')
  const identity = file('social-identity.json', '{}')
  using newer = new Database(':memory:')
  newer.run('PRAGMA user_version = 9999')
  newer.run('CREATE TABLE t (x)')
  const attempts: Record<string, [Uint8Array, RegExp]> = {
    'no gzip': [Buffer.from('x'), /not a backup/],
    empty: [tar(), /has no social.db/],
    'no manifest': [tar(identity), /does not begin/],
    'newer format': [tar(file('social-backup.json', '{"format":2}')), /newer gc/],
    'no JSON': [tar(file('social-backup.json', '{')), /not a backup/],
    'large manifest': [tar(file('social-backup.json', Buffer.alloc(70_000))), /too large/],
    'no database': [tar(manifest, identity), /has no social.db/],
    'damaged database': [tar(manifest, file('social.db', 'x'.repeat(5_000)), identity), /damaged/],
    'newer database': [tar(manifest, file('social.db', newer.serialize()), identity), /newer gc/],
    outside: [tar(manifest, file('../evil', 'x')), /no network has/],
    'outside of pictures': [tar(manifest, file('social-pictures/../../evil', 'x')), /no network has/],
    absolute: [tar(manifest, file('/tmp/evil', 'x')), /no network has/],
    'a link': [tar(manifest, file('social.db', '', '2')), /is not a file/],
    'a folder': [tar(manifest, file('social-pictures/', '', '5')), /is not a file/],
    twice: [tar(manifest, identity, identity), /one twice/],
    cut: [tar(manifest, identity).subarray(0, 60), /not a backup/],
  }
  for (const [what, [bytes, error]] of Object.entries(attempts)) {
    writeFileSync(folder.at('hostile.gz'), bytes)
    const message = await restoreNetwork(folder.at('hostile.gz'), folder.at('home'), never).catch(String)
    expect({ what, message }).toEqual({ what, message: expect.stringMatching(error) })
    expect(readdirSync(folder.at('home'))).toEqual(['social.lock'])
  }
  expect(existsSync(folder.at('evil'))).toBe(false)
  expect(restoreNetwork(folder.at('absent'), folder.at('home'), never)).rejects.toThrow('there is no file')
  expect(readFileSync(folder.at('hostile.gz')).length).toBeGreaterThan(0)
})
