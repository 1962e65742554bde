import { describe, expect, test } from 'bun:test'
import { type Json, openNetwork } from './network.ts'

const titlesOf = (body: Json, name = 'results'): unknown[] =>
  (body[name] as Json[]).map((one) => one.title ?? one.content ?? one.name)

describe('a search', () => {
  test('finds posts and comments that contain all words, highest score first', async () => {
    await using network = await openNetwork()
    const [ada, bob, cyd] = [await network.agent('ada'), await network.agent('bob'), await network.agent('cyd')]
    const low = await network.post(ada, 'Red wombats', { content: 'dig' })
    const high = await network.post(ada, 'Digging', { content: 'red and blue wombats' })
    await network.post(ada, 'Red birds', { content: 'fly' })
    await network.api('POST', '/submolts', ada, { name: 'pits', display_name: 'Pits' })
    await network.post(ada, 'Wombats in red', { submolt: 'pits' })
    const comment = await network.comment(bob, low.id, 'I like red wombats')
    for (const key of [bob, cyd]) await network.api('POST', `/posts/${high.id}/upvote`, key)
    await network.api('POST', `/comments/${comment.id}/upvote`, cyd)
    const search = async (query: string) => (await network.api('GET', `/search?${query}`, bob)).body
    const all = await search('q=red wombats')
    expect(titlesOf(all)).toEqual(['Digging', 'I like red wombats', 'Wombats in red', 'Red wombats'])
    expect(all).toMatchObject({
      success: true,
      query: 'red wombats',
      type: 'all',
      count: 4,
      has_more: false,
      totalPosts: 3,
    })
    expect((all.results as Json[])[1]).toMatchObject({
      type: 'comment',
      title: null,
      post: { id: low.id, title: 'Red wombats' },
      author: { name: 'bob' },
      upvotes: 1,
      downvotes: 0,
    })
    expect(titlesOf(all, 'posts')).toEqual(['Digging', 'Wombats in red', 'Red wombats'])
    expect(titlesOf(await search('q=red+wombats&type=posts'))).toEqual(['Digging', 'Wombats in red', 'Red wombats'])
    expect(titlesOf(await search('q=red+wombats&type=comments'))).toEqual(['I like red wombats'])
    expect(titlesOf(await search('q=wombats&submolt=pits'))).toEqual(['Wombats in red'])
    expect(titlesOf(await search('q=RED  Wömbats'))).toHaveLength(4)
    expect(titlesOf(await search('q=wombat'))).toEqual([])
    const first = await search('q=wombats&limit=3')
    expect(first).toMatchObject({ count: 3, has_more: true })
    const rest = await search(`q=wombats&limit=3&cursor=${first.next_cursor}`)
    expect([...titlesOf(first), ...titlesOf(rest)]).toEqual(titlesOf(all))
    expect(rest).toMatchObject({ has_more: false, agents: [] })
  })

  test('finds agents and communities by prefixes of their names, at most ten', async () => {
    await using network = await openNetwork()
    const key = await network.agent('Alfonso_El-Buho')
    for (let at = 0; at < 12; at++) await network.agent(`heron-${at}`)
    await network.api('POST', '/submolts', key, { name: 'herons', display_name: 'Grey ones', description: 'Waders' })
    await network.api('PATCH', '/agents/me', key, { description: 'an owl' })
    const search = async (q: string) => (await network.api('GET', `/search?q=${q}`, key)).body
    expect(titlesOf(await search('alf'), 'agents')).toEqual(['Alfonso_El-Buho'])
    expect(titlesOf(await search('el-bu'), 'agents')).toEqual(['Alfonso_El-Buho'])
    expect(titlesOf(await search('owl'), 'agents')).toEqual(['Alfonso_El-Buho'])
    expect(titlesOf(await search('heron'), 'agents')).toHaveLength(10)
    expect(titlesOf(await search('hero'), 'submolts')).toEqual(['herons'])
    expect(titlesOf(await search('wader'), 'submolts')).toEqual(['herons'])
    const agents = await network.api('GET', '/search?q=heron&type=agents', key)
    expect([titlesOf(agents.body, 'agents').length, titlesOf(agents.body, 'submolts')]).toEqual([10, []])
  })

  test.each([
    '',
    ' ',
    'a',
    '%%',
    '"',
    '""',
    '*',
    '(',
    'a AND',
    'NEAR("x" "y")',
    'title:x',
    "'; DROP TABLE posts",
    '-x +y ^z',
    '\0\0',
    '🦞🦞',
    'x'.repeat(500),
    'w '.repeat(200),
    '{title} : x',
    '日本語',
  ])('for %j succeeds', async (q) => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    await network.post(key, 'Something else')
    const { status, body } = await network.api('GET', `/search?q=${encodeURIComponent(q)}`, key)
    expect(status).toBe(200)
    expect(body).toMatchObject({ results: [], posts: [], agents: [], submolts: [], count: 0 })
  })

  test('without words finds nothing, and a too long query is rejected', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    expect((await network.api('GET', '/search', key)).body).toMatchObject({ results: [], count: 0 })
    expect((await network.api('GET', `/search?q=${'x'.repeat(501)}`, key)).status).toBe(400)
    expect((await network.api('GET', '/search?q=xx&cursor=x', key)).status).toBe(400)
    expect((await network.api('GET', '/search?q=xx&submolt=nowhere', key)).status).toBe(404)
  })
})
