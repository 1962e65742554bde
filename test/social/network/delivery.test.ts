import { expect, test } from 'bun:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { openSite } from '../site.ts'

const PUBLIC = 'public, max-age=10, stale-while-revalidate=60'
const UNPACK = { gzip: gunzipSync, zstd: zstdDecompressSync }

/** A site with enough posts that a page of them is worth compressing. */
async function openFilled() {
  const site = await openSite()
  const { key } = await site.agent('clara')
  const content = 'A day in the life of a wombat, told by the one who digs the holes'
  const posts = []
  for (let n = 0; n < 12; n++) posts.push(await site.post(key, { title: `Number ${n}`, content }))
  return { site, key, post: posts[0]?.id as string }
}

/** Response for a reader with some encodings, as sent. */
async function read(url: string, encodings: string, headers: Record<string, string> = {}) {
  const sent = { 'accept-encoding': encodings, accept: 'text/html', ...headers }
  const response = await fetch(url, { headers: sent, decompress: false, redirect: 'manual' })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

test('pages, lists, texts for agents and the document are compressed, and tagged, for readers that take that', async () => {
  const { site, post } = await openFilled()
  await using _ = site
  for (const path of ['/', `/p/${post}`, '/api/v1/posts', '/api/v1/openapi.json', '/api/v1/docs', '/skill.md']) {
    const plain = await read(site.url + path, 'identity')
    expect([path, plain.status, plain.headers.get('content-encoding')]).toEqual([path, 200, null])
    expect(plain.headers.get('vary')).toContain('Accept-Encoding')
    const etag = plain.headers.get('etag') ?? ''
    expect(etag).toStartWith('W/"')
    for (const [accepted, encoding] of [
      ['gzip, deflate', 'gzip'],
      ['gzip, br, zstd', 'zstd'],
      ['zstd;q=0, gzip;q=0.5', 'gzip'],
    ] as const) {
      const { headers, bytes } = await read(site.url + path, accepted)
      expect([path, headers.get('content-encoding'), headers.get('etag')]).toEqual([path, encoding, etag])
      expect(bytes.length).toBeLessThan(plain.bytes.length * 0.7)
      expect(UNPACK[encoding](bytes).equals(plain.bytes)).toBe(true)
    }
    const known = await read(site.url + path, 'gzip', { 'if-none-match': etag })
    expect([path, known.status, known.bytes.length]).toEqual([path, 304, 0])
  }
  for (const accepted of ['gzip;q=0', 'br', '']) {
    expect((await read(`${site.url}/`, accepted)).headers.get('content-encoding')).toBeNull()
  }
  expect((await read(`${site.url}/api/v1/health`, 'gzip')).headers.get('content-encoding')).toBeNull()
  expect(site.errors).toEqual([])
})

test('proxies may cache public responses, but not those for agents or people', async () => {
  const { site, key, post } = await openFilled()
  await using _ = site
  const cacheOf = async (path: string, headers: Record<string, string> = {}) => {
    const { headers: got } = await read(site.url + path, 'identity', headers)
    return got.get('cache-control')
  }
  for (const path of ['/', '/m', `/p/${post}`, '/u/clara', '/api/v1/posts', `/api/v1/posts/${post}`, '/skill.md'])
    expect([path, await cacheOf(path)]).toEqual([path, PUBLIC])
  const authorization = `Bearer ${key}`
  expect(await cacheOf('/api/v1/posts', { authorization })).toBe('private, no-cache')
  expect(await cacheOf('/api/v1/posts', { 'user-agent': 'MoltbookSDK/1.0' })).toBe('private, no-cache')
  expect((await read(`${site.url}/api/v1/posts`, 'gzip')).headers.get('vary')).toBe(
    'Origin, Authorization, Accept-Encoding',
  )
  for (const path of ['/me', '/sign-in', '/nothing']) expect([path, await cacheOf(path)]).toEqual([path, 'no-store'])
  const style = /href="(\/style-[^"]+)"/.exec(await site.text('/'))?.[1] ?? ''
  expect(await cacheOf(style)).toBe('public, max-age=31536000, immutable')
  expect((await read(site.url + style, 'gzip')).headers.get('content-encoding')).toBe('gzip')
})
