import { expect, test } from 'bun:test'
import { command } from '../../../src/core/store/index.ts'
import { type Json, openNetwork, type TestNetwork } from '../network.ts'

const ids = (body: Json, list = 'posts') => (body[list] as Json[]).map(({ id }) => id)

/** Puts rows into the store as they are: many together. */
const fill = (network: TestNetwork, sql: string) => network.store.write((tx) => void tx.run(command(sql)))

const manyPosts = (network: TestNetwork, count: number) =>
  fill(
    network,
    `WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ${count})
     INSERT INTO posts (id, submolt, author, title, content, score, hot, rising, span, created_at, updated_at)
     SELECT 'post' || n, 1, 1 + n % 2, 'p' || n, 'x', n % 7, n % 11, n % 13, n % 6, n, n FROM i`,
  )

test('a list is read to its end by offset, page by page and by jumps', async () => {
  await using network = await openNetwork()
  await network.agent('ada')
  const bob = await network.agent('bob')
  await manyPosts(network, 2_600)
  await fill(
    network,
    `WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 1300)
     INSERT INTO comments (id, post, parent, author, content, depth, created_at, updated_at)
     SELECT 'comment' || n, 1, 0, 1, 'x', 0, n, n FROM i`,
  )
  await network.api('POST', '/submolts/general/subscribe', bob)
  const lists = [
    ['/posts?sort=new', 'posts', 2_600],
    ['/posts?sort=top', 'posts', 2_600],
    ['/posts?sort=hot&submolt=general', 'posts', 2_600],
    ['/posts?sort=controversial&author=bob', 'posts', 1_300],
    ['/posts?sort=rising&author=bob&submolt=general', 'posts', 1_300],
    ['/feed?sort=hot', 'posts', 2_600],
    ['/posts/post1/comments?sort=new', 'comments', 1_300],
  ] as const
  for (const [path, list, count] of lists) {
    const read = async (offset: number, limit: number) =>
      (await network.api('GET', `${path}&fields=id&limit=${limit}&offset=${offset}`, bob)).body
    const jumped = await read(count - 30, 100)
    expect([path, ids(jumped, list).length, jumped.has_more]).toEqual([path, 30, false])
    const found: unknown[] = []
    for (let offset = 0, more: unknown = true; more; offset += 100) {
      const page = await read(offset, 100)
      more = page.has_more
      found.push(...ids(page, list))
    }
    expect([path, found.length, new Set(found).size]).toEqual([path, count, count])
    expect(ids(jumped, list)).toEqual(found.slice(-30))
    const third = (await network.api('GET', `${path}&fields=id&limit=50&page=3&offset=7`, bob)).body
    expect([third.offset, ids(third, list)]).toEqual([100, found.slice(100, 150)])
    expect(await read(count, 100)).toMatchObject({ count: 0, has_more: false, pagination: { hasMore: false } })
    expect(await read(9e14, 100)).toMatchObject({ count: 0, has_more: false })
  }
}, 30_000)

test('a list read by offset continues where the last page ended, despite new posts', async () => {
  await using network = await openNetwork()
  const ada = await network.agent('ada')
  await network.agent('bob')
  await manyPosts(network, 2_000)
  const page = async (offset: number) => (await network.api('GET', `/posts?sort=new&limit=50&offset=${offset}`)).body
  const before = await page(1_050)
  await network.post(ada, 'new')
  const after = await page(1_100)
  expect(Number(String(ids(after)[0]).slice(4))).toBe(Number(String(ids(before).at(-1)).slice(4)) - 1)
  await network.clock.advance(11 * 60_000)
  expect(ids(await page(1_100))[0]).toBe(`post${2_000 - 1_100 + 1}`)
})

test('has_more is true only when another page has an item', async () => {
  await using network = await openNetwork()
  const ada = await network.agent('ada')
  await network.agent('bob')
  await network.api('POST', '/submolts', ada, { name: 'birds', display_name: 'Birds' })
  await manyPosts(network, 60)
  await network.post(ada, 'one', { submolt: 'birds' })
  const more = async (path: string) => (await network.api('GET', path)).body.has_more
  expect(await more('/posts?author=ada&submolt=birds&limit=1')).toBe(false)
  expect(await more('/posts?limit=61')).toBe(false)
  expect(await more('/posts?limit=60')).toBe(true)
  expect(await more('/submolts?limit=3')).toBe(false)
})

test('a list has the fields that its reader chooses, and an unknown one is rejected', async () => {
  await using network = await openNetwork()
  const ada = await network.agent('ada')
  const post = await network.post(ada)
  await network.comment(ada, post.id)
  const read = async (path: string) => (await network.api('GET', path, ada)).body
  expect((await read('/posts?fields=title,%20score')).posts).toEqual([{ id: post.id, title: 'A post', score: 0 }])
  expect((await read('/posts?fields=all')).posts).toEqual([{ ...post, comment_count: 1 }])
  expect((await read('/posts')).posts).toEqual([
    {
      ...{ id: post.id, title: 'A post', content: 'A post it is', submolt: post.submolt, submolt_name: 'general' },
      author: { id: post.author_id, name: 'ada' },
      ...{ score: 0, upvotes: 0, downvotes: 0, comment_count: 1, created_at: post.created_at },
    },
  ])
  expect((await read(`/posts/${post.id}/comments?fields=content`)).comments).toEqual([
    { id: expect.any(String), content: 'A comment', replies: [] },
  ])
  expect((await read('/submolts?fields=post_count&sort=new')).submolts).toContainEqual({
    ...{ id: expect.any(String), name: 'general', post_count: 1 },
  })
  expect((await read('/search?q=post&fields=title')).posts).toEqual([{ id: post.id, title: 'A post' }])
  for (const path of ['/posts', '/feed', '/submolts', '/submolts/general/feed', `/posts/${post.id}/comments`]) {
    const { status, body } = await network.api('GET', `${path}?fields=id,nothing`, ada)
    expect([path, status, body.error]).toEqual([path, 400, 'There is no field "nothing"'])
    expect(String(body.hint)).toContain('The fields are: id, ')
  }
})

/** Size of the same list in the shape of the service that the first clients were written for. */
const referenceSize = (posts: readonly Json[]): number => {
  const data = posts.map(({ id, title, content, submolt_name, author, score, comment_count }) => ({
    ...{ id, title, content, url: null, submolt: submolt_name, post_type: 'text', score, comment_count },
    created_at: '2026-01-05T09:00:00.000Z',
    ...{ author_name: (author as Json).name, author_display_name: (author as Json).name, userVote: null },
  }))
  return JSON.stringify({ success: true, data, pagination: { count: 25, limit: 25, offset: 0, hasMore: true } }).length
}

test('a list of 25 posts has at most 1.3 times the bytes that the first clients needed', async () => {
  await using network = await openNetwork()
  const ada = await network.agent('ada')
  for (let at = 0; at < 26; at++) await network.post(ada, `${'t'.repeat(28)}${at}`, { content: 'c'.repeat(100) })
  const { body } = await network.api('GET', '/posts')
  expect(JSON.stringify(body).length / referenceSize(body.posts as Json[])).toBeLessThan(1.3)
})

test('a large public read is sent again only when it has changed', async () => {
  await using network = await openNetwork()
  const ada = await network.agent('ada')
  for (let at = 0; at < 4; at++) await network.post(ada, 'long', { content: 'x'.repeat(39_000) })
  const read = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${network.url}/api/v1/posts`, { method, headers })
  const first = await read()
  const etag = first.headers.get('etag') ?? ''
  expect([(await first.text()).length > 100_000, etag.startsWith('W/"')]).toEqual([true, true])
  const again = await read({ 'if-none-match': etag })
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect((await read({}, 'HEAD')).headers.get('etag')).toBe(etag)
  await network.post(ada, 'one more')
  expect((await read({ 'if-none-match': etag })).status).toBe(200)
})

test('a list read again shows each reader their own votes, and every change at the next request', async () => {
  await using network = await openNetwork()
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  const [first, second] = [await network.post(ada, 'First'), await network.post(ada, 'Second')]
  const { url } = network
  const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })
  const read = async (key?: string, path = '/posts?sort=new') => {
    const response = await fetch(`${url}/api/v1${path}`, key === undefined ? {} : bearer(key))
    return (Object(await response.json()) as Json).posts as Json[]
  }
  const seen = async (key?: string) =>
    (await read(key)).map(({ id, title, score, user_vote }) => [id, title, score, user_vote])
  for (const key of [undefined, ada, bob, undefined, bob]) {
    expect(await seen(key)).toEqual([
      [second.id, 'Second', 0, undefined],
      [first.id, 'First', 0, undefined],
    ])
  }
  await network.api('POST', `/posts/${first.id}/downvote`, bob)
  const voted = (vote?: number) => [
    [second.id, 'Second', 0, undefined],
    [first.id, 'First', -1, vote],
  ]
  for (const [key, vote] of [[ada], [bob, -1], [undefined], [bob, -1]] as const) {
    expect(await seen(key)).toEqual(voted(vote))
  }
  await network.api('PATCH', `/posts/${second.id}`, ada, { title: 'Third' })
  expect((await read()).map(({ title }) => title)).toEqual(['Third', 'First'])
  expect((await read(bob, '/feed?sort=new')).map(({ title }) => title)).toEqual(['Third', 'First'])
  await network.api('DELETE', `/posts/${second.id}`, ada)
  for (const path of ['/posts?sort=new', '/feed?sort=new']) {
    expect((await read(bob, path)).map(({ title, user_vote }) => [title, user_vote])).toEqual([['First', -1]])
  }
})

test('a list has the same posts with chosen fields as without', async () => {
  await using network = await openNetwork()
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  await network.post(ada, 'A text', { content: 'quotes "x", é, 狐 and\nlines' })
  const draft = { submolt: 'general', title: 'A link', url: 'https://a.example/?a=1&b="2"' }
  const link = (await network.api('POST', '/posts', ada, draft)).body.post as Json
  await network.post(ada, 'A title')
  await network.api('PATCH', `/posts/${link.id}`, ada, { title: 'A link, edited' })
  await network.api('POST', `/posts/${link.id}/upvote`, bob)
  const listed = async (query: string) =>
    (await network.api('GET', `/posts?sort=new${query}`, bob)).body.posts as Json[]
  const [compact, whole] = [await listed(''), await listed('&fields=all')]
  for (const [at, post] of compact.entries()) expect(whole[at]).toMatchObject(post)
  expect(compact.map(({ url, user_vote, edited_at }) => [url, user_vote, edited_at !== undefined])).toEqual([
    [undefined, undefined, false],
    ['https://a.example/?a=1&b=%222%22', 1, true],
    [undefined, undefined, false],
  ])
})
