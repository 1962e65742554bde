import { describe, expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import { type Json, openNetwork, type TestNetwork } from '../network.ts'

const SORTS = ['hot', 'new', 'top', 'rising', 'controversial']
const titles = (body: Json): string[] => (body.posts as Json[]).map(({ title }) => String(title))

/** Every page of a list, by cursor. */
async function pages(network: TestNetwork, path: string, key: string): Promise<string[]> {
  const listed: string[] = []
  for (let cursor: unknown = ''; cursor !== null; ) {
    const { status, body } = await network.api('GET', `${path}${cursor ? `&cursor=${cursor}` : ''}`, key)
    expect(status).toBe(200)
    listed.push(...titles(body))
    expect(body.has_more).toBe(body.next_cursor !== null)
    cursor = body.next_cursor
  }
  return listed
}

describe('a post', () => {
  test('is returned in full when it is created, and the same from then on', async () => {
    await using network = await openNetwork()
    const key = await network.agent('Ada')
    const post = await network.post(key, 'Hello', { content: 'TestNetwork' })
    expect(post).toMatchObject({
      title: 'Hello',
      content: 'TestNetwork',
      url: null,
      type: 'text',
      submolt: { name: 'general', display_name: 'General' },
      submolt_name: 'general',
      author: { name: 'Ada' },
      author_name: 'Ada',
      score: 0,
      user_vote: null,
      created_at: '2026-01-05T09:00:00Z',
    })
    expect((await network.api('GET', `/posts/${post.id}`, key)).body.post).toEqual(post)
    expect((await network.api('GET', '/posts?fields=all', key)).body.posts).toEqual([post])
    expect((await network.api('GET', '/submolts/general', key)).body.submolt).toMatchObject({ post_count: 1 })
    expect(network.recorded()).toEqual(['agent.registered', 'post.created'])
  })

  test('may be a link, and accepts the spellings and empty fields that clients send', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const { status, body } = await network.api('POST', '/posts', key, {
      submolt_name: 'General',
      title: 'A link',
      url: 'https://example.org/a b',
      content: '',
      postType: 'link',
    })
    expect(status).toBe(201)
    expect(body.post).toMatchObject({ type: 'link', url: 'https://example.org/a%20b', content: null })
  })

  test.each([
    [{ title: 'x', content: 'y' }, 400, 'Submolt is required'],
    [{ submolt: 'nowhere', title: 'x', content: 'y' }, 404, 'Submolt not found'],
    [{ submolt: 'general', content: 'y' }, 400, 'Title is required'],
    [{ submolt: 'general', title: ' \n', content: 'y' }, 400, 'Title is required'],
    [{ submolt: 'general', title: 'x'.repeat(301), content: 'y' }, 400, 'Title must be 300 characters or less'],
    [{ submolt: 'general', title: '\u200b\u2800 \u3164', content: 'x' }, 400, 'Title is required'],
    [
      { submolt: 'general', title: 'x', content: 'y', url: 'https://a.b' },
      400,
      'Post cannot have both content and url',
    ],
    [{ submolt: 'general', title: 'x', content: 'y'.repeat(40_001) }, 400, 'Content must be 40000 characters or less'],
    [{ submolt: 'general', title: 'x', url: 'javascript:alert(1)' }, 400, 'URL must begin with http'],
    [{ submolt: 'general', title: 'x', url: 'https://me:pw@a.b' }, 400, 'URL must not contain'],
    [{ submolt: 'general', title: 'x', url: `https://a.b/${'x'.repeat(2_100)}` }, 400, 'URL must be 2048'],
    [{ submolt: ['general'], title: 'x', content: 'y' }, 400, 'Submolt must be a string'],
  ])('%#: is rejected with a reason, and does not count', async (draft, status, error) => {
    await using network = await openNetwork({ limited: true })
    const key = await network.agent('ada')
    const response = await network.api('POST', '/posts', key, draft)
    expect([response.status, String(response.body.error).slice(0, error.length)]).toEqual([status, error])
    await network.post(key)
    expect(network.recorded()).toEqual(['agent.registered', 'post.created'])
  })

  test('keeps the longest text and any character, but nothing invisible', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const post = await network.post(key, 'x'.repeat(300), { content: 'y'.repeat(40_000) })
    expect([String(post.title).length, String(post.content).length]).toEqual([300, 40_000])
    const special = `<script>\u202e"'%_\\ 🦞 \u0000`
    const stored = await network.post(key, 'x', { content: special })
    expect(stored.content).toBe(`<script>"'%_\\ 🦞`)
    const raw = '{"submolt":"general","title":"a\\ud800b","content":"c"}'
    expect((await network.api('POST', '/posts', key, raw)).body.post).toMatchObject({ title: 'a\ufffdb' })
  })

  test('is deleted by its author only, with its text and its search entries; its comments cannot be reached', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const post = await network.post(ada, 'quokka')
    const comment = await network.comment(bob, post.id)
    await network.api('POST', `/posts/${post.id}/upvote`, bob)
    network.recorded()
    const other = await network.api('DELETE', `/posts/${post.id}`, bob)
    expect([other.status, other.body.error]).toEqual([403, 'You can only delete your own posts'])
    const done = await network.api('DELETE', `/posts/${post.id}`, ada)
    expect([done.status, done.body.success]).toEqual([200, true])
    for (const [method, path] of [
      ['GET', `/posts/${post.id}`],
      ['DELETE', `/posts/${post.id}`],
      ['GET', `/posts/${post.id}/comments`],
      ['POST', `/posts/${post.id}/upvote`],
      ['GET', `/comments/${comment.id}`],
      ['POST', `/comments/${comment.id}/upvote`],
    ] as const) {
      expect([path, (await network.api(method, path, ada)).status]).toEqual([path, 404])
    }
    expect((await network.api('POST', `/posts/${post.id}/comments`, bob, { content: 'x' })).status).toBe(404)
    for (const sort of SORTS) expect((await network.api('GET', `/posts?sort=${sort}`, bob)).body.posts).toEqual([])
    expect((await network.api('GET', '/search?q=quokka', bob)).body.results).toEqual([])
    expect((await network.api('GET', '/submolts/general', bob)).body.submolt).toMatchObject({ post_count: 0 })
    expect(JSON.stringify(network.store.all(query<unknown>('SELECT * FROM posts')))).not.toContain('quokka')
    expect(network.recorded()).toEqual(['post.deleted'])
    expect(await network.recount()).toEqual([])
  })
})

/** Lets time pass, five minutes at a time, until posts show their age; they are looked at every five minutes. */
async function untilAged({ clock, store }: TestNetwork, holds: () => boolean): Promise<void> {
  for (let times = 0; times < 50 && !holds(); times++) {
    await clock.advance(300_000)
    await settled(store)
  }
  expect(holds()).toBe(true)
}

/** A look at posts that age takes a few writes, one after another: they are all done after as many of ours. */
async function settled(store: TestNetwork['store']): Promise<void> {
  for (let writes = 0; writes < 10; writes++) await store.write(() => undefined)
}

/** Twelve posts, an hour apart, each with votes of its own, in two submolts by two authors. */
async function furnished(network: TestNetwork) {
  const authors = [await network.agent('ada'), await network.agent('bob')]
  const voters = await Promise.all(['v1', 'v2', 'v3', 'v4', 'v5', 'v6'].map((name) => network.agent(name)))
  await network.api('POST', '/submolts', authors[0], { name: 'birds', display_name: 'Birds' })
  for (let at = 0; at < 12; at++) {
    const post = await network.post(String(authors[at % 2]), `p${at}`, { submolt: at % 3 === 0 ? 'birds' : 'general' })
    const [ups, downs] = [(at * 5) % 7, at % 4]
    for (const key of voters.slice(0, Math.min(ups, 6))) await network.api('POST', `/posts/${post.id}/upvote`, key)
    for (const key of voters.slice(0, downs)) await network.api('POST', `/posts/${post.id}/downvote`, key)
    await network.clock.advance(3_600_000)
    await settled(network.store)
  }
  return { key: String(authors[0]), other: String(authors[1]) }
}

describe('a list', () => {
  test('is the same page by page as in one list, in each sort, without duplicates', async () => {
    await using network = await openNetwork()
    const { key } = await furnished(network)
    const scopes: [string, (post: Json) => boolean][] = [
      ['', () => true],
      ['&submolt=BIRDS', (post) => post.submolt_name === 'birds'],
      ['&author=Bob', (post) => post.author_name === 'bob'],
    ]
    for (const sort of SORTS) {
      const all = (await network.api('GET', `/posts?sort=${sort}&fields=all`, key)).body.posts as Json[]
      expect(all).toHaveLength(12)
      for (const [scope, belongs] of scopes) {
        const expected = all.filter(belongs).map(({ title }) => String(title))
        expect([sort, scope, await pages(network, `/posts?sort=${sort}${scope}&limit=2`, key)]).toEqual([
          sort,
          scope,
          expected,
        ])
        const second = await network.api('GET', `/posts?sort=${sort}${scope}&limit=2&offset=2`, key)
        expect(titles(second.body)).toEqual(expected.slice(2, 4))
      }
    }
  })

  test('is sorted by the numbers it shows', async () => {
    await using network = await openNetwork()
    const { key } = await furnished(network)
    const by = async (sort: string) => (await network.api('GET', `/posts?sort=${sort}`, key)).body.posts as Json[]
    const numbers = (posts: Json[], of: (post: Json) => number) => posts.map(of)
    const falls = (all: number[]) => all.every((one, at) => at === 0 || one <= Number(all[at - 1]))
    expect(falls(numbers(await by('new'), (post) => Date.parse(String(post.created_at))))).toBe(true)
    expect(falls(numbers(await by('top'), (post) => Number(post.score)))).toBe(true)
    const divided = (post: Json) => {
      const [up, down] = [Number(post.upvotes), Number(post.downvotes)]
      return (up + down) * (1 - Math.abs(up - down) / Math.max(up + down, 1))
    }
    expect(falls(numbers(await by('controversial'), divided))).toBe(true)
    const heat = (post: Json) => {
      const score = Number(post.score)
      const at = Date.parse(String(post.created_at)) / 1000
      return Math.log10(Math.max(Math.abs(score), 1)) * Math.sign(score) + at / 45_000
    }
    expect(falls(numbers(await by('hot'), heat))).toBe(true)
    expect(await network.recount()).toEqual([])
  })

  test('of a time range contains exactly that range', async () => {
    await using network = await openNetwork()
    const { key } = await furnished(network)
    const within = async (t: string) => (await network.api('GET', `/posts?sort=top&t=${t}`, key)).body.count
    expect([await within('hour'), await within('day'), await within('all')]).toEqual([0, 12, 12])
    await network.clock.advance(20 * 3_600_000)
    expect([await within('hour'), await within('day'), await within('week')]).toEqual([0, 3, 12])
    await network.clock.advance(40 * 86_400_000)
    expect([await within('month'), await within('year'), await within('all')]).toEqual([0, 12, 12])
    for (const t of ['month', 'year']) {
      const { body } = await network.api('GET', `/posts?sort=controversial&t=${t}`, key)
      expect(body.count).toBe(t === 'year' ? 12 : 0)
    }
    const stored = () => JSON.stringify(network.store.all(query<unknown>('SELECT DISTINCT span, rising FROM posts')))
    await untilAged(network, () => stored() === '[{"span":4,"rising":0}]')
  })

  test('of an agent in one community contains its posts there, over as many pages as needed', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    await network.api('POST', '/submolts', ada, { name: 'birds', display_name: 'Birds' })
    const expected: unknown[] = []
    for (let at = 0; at < 6; at++) {
      const submolt = at % 3 === 0 ? 'birds' : 'general'
      const { id } = await network.post(ada, `ada ${at}`, { submolt })
      if (submolt === 'birds') expected.unshift(id)
      await network.post(bob, `bob ${at}`, { submolt })
      await network.clock.advance(1_000)
    }
    const listed: unknown[] = []
    const path = '/posts?sort=new&limit=2&author=ADA&submolt=birds'
    for (let cursor: unknown = ''; cursor !== null; ) {
      const { body } = await network.api('GET', `${path}${cursor && `&cursor=${cursor}`}`, bob)
      listed.push(...(body.posts as Json[]).map(({ id }) => id))
      cursor = body.next_cursor
    }
    expect(listed).toEqual(expected)
    expect((await network.api('GET', '/posts?author=ada&submolt=nowhere', bob)).status).toBe(404)
  })

  test('accepts what clients send for limit, offset, sort and time', async () => {
    await using network = await openNetwork()
    const { key } = await furnished(network)
    const limit = async (text: string) => (await network.api('GET', `/posts?limit=${text}`, key)).body.limit
    expect([await limit('abc'), await limit('-1'), await limit('0'), await limit('1e9'), await limit('999')]).toEqual([
      25, 1, 1, 25, 100,
    ])
    for (const query of ['sort=best', 'sort=', 't=aeon', 'offset=-3', 'offset=x', 'nonsense=1', 'sort=hot&sort=new']) {
      expect([query, (await network.api('GET', `/posts?${query}`, key)).body.count]).toEqual([query, 12])
    }
    expect((await network.api('GET', '/posts?offset=100000', key)).body).toMatchObject({ count: 0, has_more: false })
    expect((await network.api('GET', '/posts?submolt=nowhere', key)).status).toBe(404)
    expect((await network.api('GET', '/posts?author=nobody', key)).status).toBe(404)
  })

  test('rejects a cursor of another list, and any other string', async () => {
    await using network = await openNetwork()
    const { key } = await furnished(network)
    const { next_cursor } = (await network.api('GET', '/posts?sort=hot&limit=1', key)).body
    for (const path of [
      `/posts?sort=new&cursor=${next_cursor}`,
      `/posts?submolt=birds&cursor=${next_cursor}`,
      `/feed?cursor=${next_cursor}`,
      '/posts?cursor=junk',
      '/posts?cursor=v1:e30',
      "/posts?cursor=' OR 1=1 --",
    ]) {
      expect([path, (await network.api('GET', path, key)).status]).toEqual([path, 400])
    }
  })
})

describe('the feed', () => {
  test('contains posts of subscriptions and follows without duplicates, in every sort and on every page', async () => {
    await using network = await openNetwork()
    const { other } = await furnished(network)
    const reader = await network.agent('reader')
    expect((await network.api('GET', '/feed?filter=following', reader)).body.posts).toEqual([])
    for (const sort of SORTS) {
      const everybody = (await network.api('GET', `/posts?sort=${sort}&fields=all`, reader)).body as Json
      const { body } = await network.api('GET', `/feed?sort=${sort}&fields=all`, reader)
      expect(body).toMatchObject({ posts: everybody.posts, personalized: false, feed_type: 'all' })
    }
    const newcomer = (await network.api('GET', '/feed?sort=new&limit=2', reader)).body
    await network.api('POST', '/submolts/birds/subscribe', reader)
    await network.api('POST', '/agents/bob/follow', reader)
    for (const sort of SORTS) {
      const all = (await network.api('GET', `/posts?sort=${sort}&fields=all`, other)).body.posts as Json[]
      const expectedPosts = all.filter((post) => post.submolt_name === 'birds' || post.author_name === 'bob')
      const expected = expectedPosts.map(({ title }) => String(title))
      expect([sort, await pages(network, `/feed?sort=${sort}&limit=3`, reader)]).toEqual([sort, expected])
      const following = await pages(network, `/feed?sort=${sort}&filter=following&limit=4`, reader)
      expect(following).toEqual(all.filter((post) => post.author_name === 'bob').map(({ title }) => String(title)))
      const offset = await network.api('GET', `/feed?sort=${sort}&limit=3&offset=3`, reader)
      expect(titles(offset.body)).toEqual(expected.slice(3, 6))
    }
    const { body } = await network.api('GET', '/feed', reader)
    expect(body).toMatchObject({ success: true, feed_type: 'personalized', personalized: true, sort: 'hot' })
    const rest = await network.api('GET', `/feed?sort=new&cursor=${newcomer.next_cursor}`, reader)
    expect([rest.status, rest.body.personalized]).toEqual([200, true])
  })
})

describe('rising', () => {
  test('decays as time passes, without any request', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const old = await network.post(ada, 'old')
    await network.api('POST', `/posts/${old.id}/upvote`, bob)
    const rising = () => network.store.get(query<{ rising: number }>('SELECT rising FROM posts'))?.rising ?? 0
    const first = rising()
    await network.clock.advance(2 * 3_600_000 + 300_000)
    await untilAged(network, () => rising() < first / 2)
    expect(rising()).toBeGreaterThan(0)
    const fresh = await network.post(ada, 'fresh')
    await network.api('POST', `/posts/${fresh.id}/upvote`, bob)
    expect(titles((await network.api('GET', '/posts?sort=rising', bob)).body)).toEqual(['fresh', 'old'])
    await network.clock.advance(8 * 86_400_000)
    const stored = () => JSON.stringify(network.store.all(query<unknown>('SELECT DISTINCT rising, span FROM posts')))
    await untilAged(network, () => stored() === '[{"rising":0,"span":3}]')
    expect(titles((await network.api('GET', '/posts?sort=rising', bob)).body)).toEqual(['fresh', 'old'])
    expect(network.errors).toEqual([])
  })
})
