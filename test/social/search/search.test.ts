import { describe, expect, test } from 'bun:test'
import { command } from '../../../src/core/store/index.ts'
import { type Json, openNetwork } from '../network.ts'

const titlesOf = (body: Json, name = 'results'): unknown[] =>
  (body[name] as Json[]).map((one) => one.title ?? one.content ?? one.name)

describe('a search', () => {
  test('finds posts and comments with some of the words, those with most of them first', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const both = await network.post(ada, 'Red wombats', { content: 'dig' })
    await network.post(ada, 'Digging', { content: 'red and blue wombats' })
    await network.post(ada, 'Red birds', { content: 'fly' })
    await network.api('POST', '/submolts', ada, { name: 'pits', display_name: 'Pits' })
    await network.post(ada, 'Wombats in red', { submolt: 'pits' })
    const comment = await network.comment(bob, both.id, 'I like red wombats')
    const search = async (query: string) => (await network.api('GET', `/search?${query}`, bob)).body
    const all = await search('q=red wombats')
    expect(titlesOf(all)).toEqual(['Red wombats', 'Wombats in red', 'I like red wombats', 'Digging', 'Red birds'])
    expect(all).toMatchObject({ success: true, query: 'red wombats', type: 'all', count: 5, has_more: false })
    const found = all.results as Json[]
    expect(found[2]).toMatchObject({
      ...{ id: comment.id, type: 'comment', title: null, upvotes: 0, downvotes: 0 },
      ...{ post: { id: both.id, title: 'Red wombats' }, author: { name: 'bob' } },
    })
    const similarities = found.map(({ similarity }) => Number(similarity))
    expect(similarities).toEqual([...similarities].sort((one, other) => other - one))
    for (const each of similarities) expect([each > 0, each <= 1]).toEqual([true, true])
    expect(titlesOf(all, 'posts')).toEqual(['Red wombats', 'Wombats in red', 'Digging', 'Red birds'])
    expect(titlesOf(await search('q=red+wombats&type=comments'))).toEqual(['I like red wombats'])
    expect(titlesOf(await search('q=wombats&submolt=pits'))).toEqual(['Wombats in red'])
    expect(titlesOf(await search('q=RED  Wömbat'))).toEqual(titlesOf(all))
    const pages: unknown[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const page = await search(`q=red wombats&limit=2&cursor=${cursor}`)
      pages.push(...titlesOf(page))
      cursor = page.next_cursor
    }
    expect(pages).toEqual(titlesOf(all))
  })

  test('shows votes, edits, new names and deletions as soon as they are made, and the votes of its reader', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const { id } = await network.post(ada, 'a wombat digs')
    const find = async (key: string) => (await network.api('GET', '/search?q=wombat', key)).body
    expect((await find(bob)).posts).toMatchObject([{ id, score: 0 }])
    await network.api('POST', `/posts/${id}/upvote`, bob)
    expect((await find(bob)).posts).toMatchObject([{ id, score: 1, user_vote: 1 }])
    const [other] = (await find(ada)).posts as Json[]
    expect([other?.score, other?.user_vote]).toEqual([1, undefined])
    await network.api('PATCH', `/posts/${id}`, ada, { title: 'a wombat sleeps' })
    await network.api('PATCH', '/agents/me', ada, { description: 'keeps marsupials' })
    expect((await find(bob)).results).toMatchObject([
      { title: 'a wombat sleeps', score: 1, author: { description: 'keeps marsupials' } },
    ])
    const { body } = await network.api('GET', '/search?q=wombat&fields=title,you_follow_author', bob)
    expect(body.posts).toEqual([{ id, title: 'a wombat sleeps', you_follow_author: false }])
    await network.api('DELETE', `/posts/${id}`, ada)
    expect(await find(bob)).toMatchObject({ results: [], posts: [] })
  })

  test('finds other forms of the words, beginnings of words, and sentences', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    await network.post(ada, 'Memory between sessions', {
      content: 'An agent that handled its memory well wrote a file.',
    })
    await network.post(ada, 'Deploying to kubernetes', { content: 'clusters and pods' })
    await network.post(ada, 'What do agents eat?', { content: 'Tokens.' })
    await network.post(ada, 'A small memory of a tin cup', { content: 'It was in a large memory of shelves.' })
    const first = async (q: string) =>
      titlesOf((await network.api('GET', `/search?q=${encodeURIComponent(q)}`, ada)).body)[0]
    expect(await first('how do agents handle memory')).toBe('Memory between sessions')
    expect(await first('kuber')).toBe('Deploying to kubernetes')
    expect(await first('deployed clusters')).toBe('Deploying to kubernetes')
    expect(await first('large memory of shelf')).toBe('A small memory of a tin cup')
  })

  test('finds what is of a time range only, and what everybody sees', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    const old = await network.post(ada, 'old wombat')
    await network.comment(ada, old.id, 'an old wombat')
    await network.clock.advance(3 * 86_400_000)
    await network.post(ada, 'young wombat')
    const hidden = await network.post(ada, 'hidden wombat')
    const hide = command<[string]>('UPDATE posts SET unlisted = 1 WHERE id = ?')
    await network.store.write((tx) => void tx.run(hide, String(hidden.id)))
    const titles = async (query: string, path = '') =>
      titlesOf((await network.api('GET', `/search${path}?q=wombat&${query}`, ada)).body)
    expect(await titles('time=all')).toEqual(['young wombat', 'old wombat', 'an old wombat'])
    expect(await titles('time=day')).toEqual(['young wombat'])
    expect(await titles('t=week')).toHaveLength(3)
    expect(await titles('time=day', '/comments')).toEqual([])
    expect(await titles('time=week', '/comments')).toEqual(['an old wombat'])
    expect(await titles('', '/posts')).toEqual(['young wombat', 'old wombat'])
  })

  test('finds agents and communities by words and beginnings of words, at most ten', async () => {
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

describe('a search', () => {
  test('finds what was meant where a word is misspelled, and what was written where it is known', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    const receive = await network.post(ada, 'We receive invoices by mail', { content: 'and sort them' })
    await network.post(ada, 'Garden notes', { content: 'The lettuce grows slowly' })
    const ids = async (q: string) =>
      ((await network.api('GET', `/search?q=${encodeURIComponent(q)}&type=posts`, ada)).body.results as Json[]).map(
        ({ id }) => id,
      )
    for (const q of ['recieve', 'recive', 'receivve', 'reseive', 'invoces', 'how do I recieve invoises'])
      expect([q, await ids(q)]).toEqual([q, [receive.id]])
    for (const q of ['receive', 'invoice']) expect(await ids(q)).toEqual([receive.id])
    for (const q of ['rexxive', 'inv0ice7', 'zzzzzzzz']) expect([q, await ids(q)]).toEqual([q, []])
  })

  test('finds only what an author wrote, and only of some days', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const first = await network.post(ada, 'A wombat digs')
    await network.clock.advance(2 * 86_400_000)
    const second = await network.post(bob, 'A wombat sleeps')
    const comment = await network.comment(ada, second.id, 'wombat, indeed')
    const ids = async (more: string) =>
      ((await network.api('GET', `/search?q=wombat&${more}`, ada)).body.results as Json[]).map(({ id }) => id).sort()
    expect(await ids('author=ada')).toEqual([first.id, comment.id].sort())
    expect(await ids('author=ada&type=posts')).toEqual([first.id])
    expect(await ids('author=bob')).toEqual([second.id])
    expect(await ids('since=2026-01-06')).toEqual([second.id, comment.id].sort())
    expect(await ids('until=2026-01-06T00:00:00Z')).toEqual([first.id])
    expect(await ids('since=2026-01-06&until=2026-01-07')).toEqual([])
    expect(await ids('author=ada&since=2026-01-06')).toEqual([comment.id])
    expect((await network.api('GET', '/search?q=wombat&author=nobody', ada)).status).toBe(404)
    const wrong = await network.api('GET', '/search?q=wombat&since=yesterday', ada)
    expect([wrong.status, wrong.body.error]).toEqual([400, 'Since must be a date or time'])
    await network.api('DELETE', `/posts/${first.id}`, ada)
    expect(await ids('author=ada')).toEqual([comment.id])
  })

  test('weighs rare words more than common ones, however often those are said', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await network.post(ada, `Agents and agents, part ${n}`, { content: 'An agent asks agents about agent matters.' })
    }
    await network.post(ada, 'Notes', { content: 'The wombat of an agent has dug a hole.' })
    await network.post(ada, 'The memory of agents', { content: 'Wombats are not in it.' })
    const first = async (q: string) =>
      titlesOf((await network.api('GET', `/search?q=${encodeURIComponent(q)}`, ada)).body).slice(0, 2)
    expect(await first('do agents keep wombats')).toEqual(['The memory of agents', 'Notes'])
    expect(await first('agents with a womabt')).toEqual(['The memory of agents', 'Notes'])
  })

  test('combines kind, author, community and days', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    await network.api('POST', '/submolts', ada, { name: 'pits', display_name: 'Pits' })
    const old = await network.post(ada, 'A wombat long ago', { submolt: 'pits' })
    await network.clock.advance(3 * 86_400_000)
    const post = await network.post(ada, 'A wombat in the pit', { submolt: 'pits' })
    await network.post(ada, 'A wombat elsewhere')
    await network.post(bob, 'A wombat of mine', { submolt: 'pits' })
    const comment = await network.comment(ada, post.id, 'another wombat')
    await network.comment(bob, post.id, 'which wombat')
    const ids = async (more: string) =>
      ((await network.api('GET', `/search?q=wombat&${more}`, bob)).body.results as Json[]).map(({ id }) => id).sort()
    const narrow = 'author=ada&submolt=pits'
    expect(await ids(narrow)).toEqual([old.id, post.id, comment.id].sort())
    expect(await ids(`${narrow}&since=2026-01-07`)).toEqual([post.id, comment.id].sort())
    expect(await ids(`${narrow}&time=day&type=posts`)).toEqual([post.id])
    expect(await ids(`${narrow}&type=comments`)).toEqual([comment.id])
    expect(await ids(`${narrow}&until=2026-01-07`)).toEqual([old.id])
  })
})
