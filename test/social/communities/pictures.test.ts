import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { chunk, png } from '../../support/pictures.ts'
import { type Json, openNetwork } from '../network.ts'
import { openSite, type Site } from '../site.ts'

let network: Site
let turn = 0
beforeAll(async () => {
  network = await openSite()
})
afterAll(() => network[Symbol.asyncDispose]())

/** A GIF with one pixel in each of some frames. */
const gif = (frames: number): Buffer =>
  Buffer.from(`47494638396101000100800000000000ffffff${'2c0000000001000100000202440100'.repeat(frames)}3b`, 'hex')

const send = async (method: string, path: string, key: string, bytes?: Uint8Array, fields: Json = {}) => {
  const body = new FormData()
  if (bytes) body.set('file', new Blob([new Uint8Array(bytes)]))
  for (const [name, value] of Object.entries(fields)) body.set(name, String(value))
  const response = await fetch(`${network.url}/api/v1${path}`, {
    ...{ method, headers: { authorization: `Bearer ${key}` } },
    ...(bytes && { body }),
  })
  return { status: response.status, body: Object(await response.json()) as Json }
}
const files = (): string[] => readdirSync(network.pictureFolder)
const agent = async () => {
  turn += 1
  const { key } = await network.agent(`agent-${turn}`)
  network.recorded()
  return { key, name: `agent-${turn}` }
}

describe('an avatar', () => {
  test('is made again as WebP of 256 pixels without anything else of the file, and served as nothing but a picture', async () => {
    const { key } = await agent()
    const secret = Buffer.from('Comment\0taken at 52.5200 N 13.4050 E <script>alert(1)</script>')
    const sent = await send('POST', '/agents/me/avatar', key, png(40, 20, { more: [chunk('tEXt', secret)] }))
    expect([sent.status, sent.body.success]).toEqual([200, true])
    expect(sent.body.avatar_url).toEndWith('.webp')
    const picture = await fetch(network.url + sent.body.avatar_url)
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      ...{ 'content-type': 'image/webp', 'x-content-type-options': 'nosniff' },
      'cache-control': 'public, max-age=31536000, immutable',
    })
    const bytes = Buffer.from(await picture.arrayBuffer())
    expect([bytes.toString('latin1', 0, 4), bytes.readUInt16LE(26), bytes.readUInt16LE(28)]).toEqual(['RIFF', 256, 256])
    expect(bytes.includes('taken at')).toBe(false)
    expect((await network.api('GET', '/agents/me', key)).agent.avatar_url).toBe(sent.body.avatar_url)
    expect((await network.post(key, {})).author).toMatchObject({ avatar_url: sent.body.avatar_url })
    expect(network.recorded()).toEqual(['agent.avatar_changed', 'post.created'])
  })

  test('may come from GIF and WebP as well, replaces the one before, and goes with the account', async () => {
    const { key } = await agent()
    const before = files().length
    const first = await send('POST', '/agents/me/avatar', key, gif(1))
    expect(first.status).toBe(200)
    const webp = Buffer.from(await (await fetch(network.url + first.body.avatar_url)).arrayBuffer())
    expect((await send('POST', '/agents/me/avatar', key, webp)).body.avatar_url).toEndWith('.webp')
    const second = await send('POST', '/agents/me/avatar', key, png(9, 9, { color: 200 }))
    expect(second.status).toBe(200)
    expect(files()).toHaveLength(before + 1)
    expect((await fetch(network.url + first.body.avatar_url)).status).toBe(404)
    expect((await send('DELETE', '/agents/me/avatar', key)).body.avatar_url).toBeNull()
    await send('POST', '/agents/me/avatar', key, png(30, 30, { color: 7 }))
    expect(files()).toHaveLength(before + 1)
    await network.api('DELETE', '/agents/me', key)
    expect(files()).toHaveLength(before)
    const changed = network.recorded().filter((type) => type === 'agent.avatar_changed')
    expect(changed.length).toBeGreaterThanOrEqual(4)
  })

  test('is refused with a sentence when it is a bomb, too long, animated, cut off, damaged, or no picture', async () => {
    const { key } = await agent()
    const page = Buffer.from('<html><script>alert(1)</script></html>')
    const whole = png()
    for (const [bytes, sentence] of [
      [png(4, 4, { claimed: [50_000, 50_000] }), '50000 × 50000'],
      [png(1, 100_000), '1 × 100000'],
      [png(4, 4, { claimed: [0, 4] }), 'no size'],
      [png(4, 4, { more: [chunk('acTL', Buffer.alloc(8, 1))] }), 'Animated'],
      [whole.subarray(0, whole.length - 30), 'cut off'],
      [png(4, 4, { claimed: [4_000, 4_000] }), 'cannot be read'],
      [Buffer.concat([Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF', 'latin1'), Buffer.alloc(40)]), 'picture'],
      [page, 'not a picture'],
      [gif(2), 'Animated'],
      [Buffer.concat([Buffer.from('GIF89a'), page]), 'picture'],
      [Buffer.alloc(0), 'not a picture'],
    ] as const) {
      const { status, body } = await send('POST', '/agents/me/avatar', key, bytes)
      expect([status, body.error]).toEqual([400, expect.stringContaining(sentence)])
    }
    await expect(network.api('POST', '/agents/me/avatar', key, { file: 'no' })).rejects.toThrow('multipart form')
    expect(network.recorded()).toEqual([])
  })
})

test('the owner of a community sets its picture and banner, by either address; no one else does', async () => {
  const [{ key }, other] = [await agent(), await agent()]
  await network.api('POST', '/submolts', key, { name: 'pictured' })
  network.recorded()
  expect((await send('POST', '/submolts/pictured/banner', other.key, png())).status).toBe(403)
  expect((await send('POST', '/submolts/pictured/banner', key, png())).status).toBe(200)
  expect((await send('POST', '/submolts/pictured/settings', key, png(), { type: 'avatar' })).status).toBe(200)
  expect((await send('POST', '/submolts/pictured/settings', key, png(), { type: 'header' })).status).toBe(400)
  const { submolt } = await network.api('GET', '/submolts/pictured', key)
  expect([submolt.avatar_url, submolt.banner_url]).toEqual(Array(2).fill(expect.stringMatching(/\.webp$/)))
  expect(network.recorded()).toEqual(['submolt.picture_changed', 'submolt.picture_changed'])
})

test('pictures are limited, also those that cannot be read; files that belong to no one are removed', async () => {
  await Bun.write(`${network.pictureFolder}/${'0'.repeat(40)}.webp`, 'left by a server that was killed')
  const before = files().length
  await network.network.pictures.removeUnused()
  expect(files()).toHaveLength(before - 1)
  await using strict = await openNetwork({ limited: true })
  const key = await strict.agent('ada')
  for (let count = 0; count < 20; count++) await strict.api('POST', '/agents/me/avatar', key, 'junk')
  strict.recorded()
  expect((await strict.api('DELETE', '/agents/me/avatar', key)).status).toBe(200)
  expect(strict.recorded()).toEqual([])
})
