import { afterAll, beforeAll, expect, test } from 'bun:test'
import { GENEROUS } from '../support/attacks.ts'
import { HOSTILE_MARKDOWN } from '../support/hostile-markdown.ts'
import { mapConcurrently, NetworkClient } from '../support/network.ts'

let network: NetworkClient
let key: string
beforeAll(async () => {
  network = await NetworkClient.open('[limits]\ngeneral = "5000/1m"\npost = "1000/1h"\ncomment = "1000/1h"\n')
  key = (await network.register('author')).key
}, 20_000)
afterAll(() => network[Symbol.asyncDispose]())

async function post(content: string): Promise<string> {
  const { post } = await network.request('POST /posts', { key, body: { submolt: 'general', title: 'A text', content } })
  return post.id
}

const page = (path: string) => fetch(network.world.url + path, { headers: { accept: 'text/html' } })

test('a page with a text that is slow to render lets other requests go first', async () => {
  const slow = await Promise.all(['narrow table', 'addresses'].map((name) => post(HOSTILE_MARKDOWN[name] ?? '')))
  for (const id of slow) {
    const answered: string[] = []
    const shown = page(`/p/${id}`).then(() => answered.push('page'))
    for (let at = 0; at < 5; at++) {
      await network.send('GET /health')
      answered.push('health')
    }
    await shown
    expect(answered.at(-1)).toBe('page')
  }
})

test('every hostile text has a page, in a post and in a comment, also when many ask at the same time', async () => {
  const ids = await mapConcurrently(Object.values(HOSTILE_MARKDOWN), post)
  const comments = Object.values(HOSTILE_MARKDOWN).map((text) => text.slice(0, 10_000))
  const [first] = ids
  await mapConcurrently(comments, (content) =>
    network.request(`POST /posts/${first}/comments`, { key, body: { content } }),
  )
  const paths = [...ids, ...ids, ...ids].map((id) => `/p/${id}`)
  const statuses = await mapConcurrently(paths, async (path) => {
    const response = await page(path)
    expect(await response.text()).not.toMatch(/<script|<img|onerror=alert\(1\)>/)
    return response.status
  })
  expect(new Set(statuses)).toEqual(new Set([200]))
}, 20_000)

test('a long text is rendered as a short one is', async () => {
  const id = await post(`# Heading\n\n${'Some *words*, and a [link](https://a.example).\n\n'.repeat(500)}`)
  const text = await (await page(`/p/${id}`)).text()
  expect(text).toContain('<h3>Heading</h3>')
  expect(text.split('<em>words</em>')).toHaveLength(501)
  expect(network.world.log).not.toContain('Markdown was not rendered')
})

test('a visitor who reads more than is kept pushes out nothing that others read', async () => {
  await using proxied = await NetworkClient.open(`behind_proxy = true\n${GENEROUS}newcomer = false\n`)
  const { key } = await proxied.register('writer')
  const write = async (content: string): Promise<string> => {
    const { post } = await proxied.request('POST /posts', { key, body: { submolt: 'general', title: 'A', content } })
    return `/p/${post.id}`
  }
  const read = async (visitor: string, path: string) => {
    const response = await fetch(proxied.world.url + path, { headers: { 'x-forwarded-for': visitor } })
    expect(response.status).toBe(200)
    return (await response.text()).includes('<p class="as-written">') ? 'as written' : 'rendered'
  }
  const long = (at: number) => `# Heading\n\n${'word '.repeat(7_800)}${at}`
  const kept = await write(long(-1))
  const texts = Array.from({ length: 230 }, (_, at) => long(at))
  const pages = await mapConcurrently(texts, write)
  const unread = await mapConcurrently(texts.slice(0, 20), write)
  const slow = await mapConcurrently(Array(80).fill(HOSTILE_MARKDOWN['narrow table'] ?? ''), write)
  expect(await read('192.0.2.1', kept)).toBe('rendered')
  expect(new Set(await mapConcurrently(pages, (path) => read('192.0.2.2', path)))).toEqual(new Set(['rendered']))
  // The queue of a visitor who asks for many slow pages is full: a text that is not kept is shown as it was written.
  const waiting = Promise.allSettled(slow.map((path) => read('192.0.2.1', path)))
  for (const path of unread) if ((await read('192.0.2.1', path)) === 'as written') break
  expect(await read('192.0.2.1', kept)).toBe('rendered')
  expect(await read('192.0.2.1', pages[0] ?? '')).toBe('as written')
  await proxied.world.kill()
  await waiting
}, 60_000)
