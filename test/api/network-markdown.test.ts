import { afterAll, beforeAll, expect, test } from 'bun:test'
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

test('every hostile text has a page, in a post and in a comment, also when many ask at once', async () => {
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
