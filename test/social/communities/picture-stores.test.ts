import { expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { readSocialConfig } from '../../../src/social/network/config.ts'
import { tempFolder } from '../../support/folder.ts'
import { png } from '../../support/pictures.ts'
import { openSite, type Site } from '../site.ts'

const SECRET = 'a secret that nobody should see'

/** A store with the interface of Amazon S3, as far as pictures need it. */
function openBucket() {
  const objects = new Map<string, Uint8Array<ArrayBuffer>>()
  const server = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const key = decodeURIComponent(pathname.replace('/agents/', ''))
      if (!request.headers.get('authorization')?.startsWith('AWS4-HMAC-SHA256 Credential=ann/')) return denied()
      if (request.method === 'PUT') {
        objects.set(key, new Uint8Array(await request.arrayBuffer()))
        return new Response(null)
      }
      if (request.method === 'DELETE') {
        objects.delete(key)
        return new Response(null, { status: 204 })
      }
      if (searchParams.has('list-type')) return list(objects, searchParams)
      const bytes = objects.get(key)
      return bytes ? new Response(bytes) : new Response(problem('NoSuchKey'), { status: 404 })
    },
  })
  return { objects, server, endpoint: `http://127.0.0.1:${server.port}` }
}

const problem = (code: string): string => `<Error><Code>${code}</Code><Message>${code}</Message></Error>`
const denied = () => new Response(problem('AccessDenied'), { status: 403 })

/** Two objects a page. */
function list(objects: ReadonlyMap<string, unknown>, query: URLSearchParams): Response {
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort()
  const from = Number(query.get('continuation-token') ?? 0)
  const more = from + 2 < keys.length ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : ''
  const contents = keys.slice(from, from + 2).map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`)
  const isTruncated = `<IsTruncated>${more !== ''}</IsTruncated>`
  return new Response(`<ListBucketResult>${isTruncated}${contents.join('')}${more}</ListBucketResult>`)
}

async function setAvatar(site: Site, key: string) {
  const body = new FormData()
  body.set('file', new Blob([new Uint8Array(png(40, 20))]))
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${site.url}/api/v1/agents/me/avatar`, { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

const bucketOf = (endpoint: string) => ({
  ...{ name: 'agents', prefix: 'one/', endpoint, region: 'auto', accessKeyId: 'ann', secretAccessKey: SECRET },
})

test('pictures in a bucket are stored, served and removed there, and what another prefix holds stays', async () => {
  const { objects, server, endpoint } = openBucket()
  const stray = 'a'.repeat(40)
  for (const name of [`one/${stray}.webp`, `two/${stray}.webp`, 'one/notes.txt', `one/${'b'.repeat(40)}.webp`])
    objects.set(name, new Uint8Array(1))
  await using site = await openSite({ settings: { pictures: { bucket: bucketOf(endpoint) } } })
  const { key } = await site.agent('ada')
  const { status, text } = await setAvatar(site, key)
  expect(status).toBe(200)
  const address: string = JSON.parse(text).avatar_url
  const picture = await fetch(site.url + address)
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp'])
  const name = address.split('/').at(-1)
  expect([...objects.keys()].sort()).toEqual(['one/notes.txt', `one/${name}`, `two/${stray}.webp`].sort())
  await site.api('DELETE', '/agents/me/avatar', key)
  expect((await fetch(site.url + address)).status).toBe(404)
  await server.stop(true)
  const failed = await setAvatar(site, key)
  expect(failed.status).toBe(503)
  expect(failed.text).not.toContain(SECRET)
  expect((await fetch(site.url + address)).status).toBe(503)
  expect(JSON.stringify(site.errors.map(String))).not.toContain(SECRET)
  site.errors.length = 0
}, 20_000)

test('a folder of one’s own holds the pictures, and settings that name no place or two are rejected', async () => {
  using folder = tempFolder()
  await using site = await openSite({ settings: { pictures: { folder: folder.at('pictures') } } })
  const { key } = await site.agent('ada')
  expect((await setAvatar(site, key)).status).toBe(200)
  expect(readdirSync(folder.at('pictures'))).toHaveLength(1)
  const read = (table: string) => {
    writeFileSync(folder.at('social.toml'), `[pictures]\n${table}\n`)
    return readSocialConfig(folder.at('social.toml'), { S3_SECRET: SECRET }).settings.pictures
  }
  expect(read('folder = "pictures"')).toEqual({ folder: folder.at('pictures') })
  const keys = 'access_key_id = "ann"\nsecret_access_key_env = "S3_SECRET"\nprefix = "one/"'
  expect(read(`bucket = "agents"\n${keys}`)).toEqual({
    bucket: { name: 'agents', prefix: 'one/', accessKeyId: 'ann', secretAccessKey: SECRET },
  })
  for (const wrong of ['', 'folder = "x"\nbucket = "y"', 'bucket = "agents"', 'bucket = "agents"\nprefix = "../x"'])
    expect(() => read(wrong)).toThrow('pictures')
})
