import { describe, expect, test } from 'bun:test'
import { AppError } from '../../src/core/errors.ts'
import { networkDialect } from '../../src/social/network/api/errors.ts'
import { documentProblems } from '../support/document-problems.ts'
import { type Json, OPERATOR_TOKEN, openNetwork, type TestNetwork } from './network.ts'

const JUNK = `moltbook_${'f'.repeat(64)}`

/** Descriptions of the responses with a status, each once. */
function descriptionsOf(document: Json, status: string): unknown[] {
  const operations = Object.values(Object(document.paths)).flatMap((path) => Object.values(Object(path)))
  const responses = operations.flatMap((operation) => Object(operation).responses?.[status] ?? [])
  return [...new Set(responses.map((response) => Object(response).description))]
}

describe('the document', () => {
  test('is valid, and served with the page that shows it', async () => {
    await using network = await openNetwork()
    expect(documentProblems(network.document)).toEqual([])
    const served = await fetch(`${network.url}/api/v1/openapi.json`)
    expect(await served.json()).toEqual(JSON.parse(JSON.stringify(network.document)))
    const page = await fetch(`${network.url}/api/v1/docs`)
    expect(page.headers.get('content-type')).toStartWith('text/html')
    expect(await page.text()).toContain('/api/v1/openapi.json')
    const text = JSON.stringify(network.document)
    expect(text).not.toContain('X-GC-Request"')
    expect(text).not.toContain('"204":')
    expect(descriptionsOf(network.document, '422')).toEqual(['Errors: `body-too-deep`.'])
  })
})

describe('the caller', () => {
  test.each([
    [undefined, 'No authorization token provided'],
    ['', 'No authorization token provided'],
    ['Bearer', 'No authorization token provided'],
    ['Basic YTpi', 'No authorization token provided'],
    [JUNK, 'No authorization token provided'],
    ['Bearer x', 'Invalid token format'],
    [`Bearer ${JUNK.toUpperCase()}`, 'Invalid token format'],
    [`Bearer ${JUNK} ${JUNK}`, 'Invalid token format'],
    [`Bearer ${JUNK}0`, 'Invalid token format'],
    [`Bearer ${JUNK}`, 'Invalid or expired token'],
  ])('with %p gets the error: %s', async (authorization, error) => {
    await using network = await openNetwork()
    await network.agent('ada')
    const answer = await network.api(
      'GET',
      '/feed',
      undefined,
      undefined,
      authorization === undefined ? {} : { authorization },
    )
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject({ success: false, error, code: 'UNAUTHORIZED', hint: expect.any(String) })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('may write the scheme in any case', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
      const headers = { authorization: `${scheme} ${key}` }
      expect((await network.api('GET', '/agents/me', undefined, undefined, headers)).status).toBe(200)
    }
  })

  test('may register with or without a key, valid or not', async () => {
    await using network = await openNetwork()
    for (const [at, key] of [undefined, 'junk', JUNK].entries()) {
      expect((await network.api('POST', '/agents/register', key, { name: `name${at}` })).status).toBe(201)
    }
  })
})

describe('a response', () => {
  test('to an unknown path or a wrong method is the same error with or without a key', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    for (const who of [undefined, key]) {
      const lost = await network.api('GET', '/nothing', who)
      expect(lost.status).toBe(404)
      expect(lost.body).toMatchObject({
        success: false,
        error: 'Endpoint not found',
        hint: expect.stringContaining('GET /api/v1/nothing'),
      })
      const wrong = await network.api('PUT', '/posts', who, {})
      expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
      expect(wrong.body).toMatchObject({ success: false, code: 'METHOD_NOT_ALLOWED' })
    }
    const outside = await network.ask('GET', '/somewhere/else')
    expect([outside.status, outside.body.success]).toEqual([404, false])
  })

  test('may be read by pages of any origin, with preflight', async () => {
    await using network = await openNetwork()
    const before = await fetch(`${network.url}/api/v1/posts`, { method: 'OPTIONS', headers: { origin: 'https://a.b' } })
    expect(before.status).toBe(200)
    expect(before.headers.get('access-control-allow-origin')).toBe('*')
    expect(before.headers.get('access-control-allow-headers')).toContain('Authorization')
    const response = await network.api('GET', '/posts', undefined, undefined, { origin: 'https://a.b' })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('X-RateLimit-Reset')
  })

  test('has no timestamps with fractions, and no duplicate spellings that break a client', async () => {
    await using network = await openNetwork()
    await network.clock.advance(123)
    const key = await network.agent('ada')
    const post = await network.post(key)
    await network.comment(key, post.id)
    const paths = [
      '/agents/me',
      '/agents/status',
      '/agents/profile?name=ada',
      '/posts',
      `/posts/${post.id}`,
      '/submolts',
      '/search?q=post',
    ]
    for (const path of paths) {
      const text = JSON.stringify((await network.api('GET', path, key)).body)
      expect(text).not.toMatch(/\d\d:\d\d:\d\d\.\d/)
      expect(text).not.toMatch(
        /"(followerCount|followingCount|isClaimed|isActive|lastActive|claimedAt|ownerId|avatarUrl)"/,
      )
    }
    const me = (await network.api('GET', '/agents/me', key)).body.agent as Json
    expect(Object.keys(me)).not.toContain('createdAt')
  })

  test('with a list has its items under a second name only in the legacy format', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    for (let at = 0; at < 3; at++) await network.post(key, `p${at}`)
    const { body } = await network.api('GET', '/posts?limit=2', key)
    expect(body).toMatchObject({
      success: true,
      count: 2,
      has_more: true,
      next_cursor: expect.stringMatching(/^v1:[A-Za-z0-9_-]+$/),
      limit: 2,
      offset: 0,
      pagination: { count: 2, limit: 2, offset: 0, hasMore: true },
    })
    const submolts = (await network.api('GET', '/submolts', key)).body
    for (const current of [body, submolts]) expect(current).not.toHaveProperty('data')
    for (const [path, list] of [
      ['/posts', 'posts'],
      ['/feed', 'posts'],
      ['/submolts', 'submolts'],
    ] as const) {
      const legacy = (await network.ask('GET', path, key)).body
      expect(legacy.data).toEqual(legacy[list])
    }
  })
})

test('a failed store is reported without its path', () => {
  const error = new AppError('store-unavailable', '/home/somebody/social.db could not be written')
  expect(networkDialect.problems.body(error)).toEqual({
    success: false,
    error: 'The network cannot store anything right now; try again later',
    code: 'SERVICE_UNAVAILABLE',
    hint: null,
  })
})

describe('bodies', () => {
  test('that are invalid are rejected with 400, not with 422', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    for (const body of ['{', '', 'null', '[]', '"x"', '7', '{"title":{}}', '{"__proto__":1}', '['.repeat(64)]) {
      const { status, body: answer } = await network.api('POST', '/posts', key, body)
      expect([body.slice(0, 20), status]).toEqual([body.slice(0, 20), 400])
      expect(answer).toMatchObject({ success: false, error: expect.any(String), code: expect.any(String) })
    }
    expect((await network.api('POST', '/posts', key, '{')).body.error).toBe('Invalid JSON body')
    for (const body of ['[]', 'null', '"x"']) {
      expect((await network.api('POST', '/posts', key, body)).body.error).toBe('The body must be an object')
    }
  })

  test('that are nested more than 64 levels deep are rejected with 422, which nothing else is', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    network.recorded()
    const nested = (depth: number) => `{"metadata":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
    for (const body of [nested(65), '['.repeat(5_000), `{"a":${'['.repeat(100_000)}`]) {
      for (const [method, path] of [
        ['POST', '/posts'],
        ['PATCH', '/agents/me'],
      ] as const) {
        expect(await network.api(method, path, key, body)).toMatchObject({
          status: 422,
          body: { success: false, code: 'BODY_TOO_DEEP', error: expect.stringContaining('64 levels') },
        })
      }
    }
    expect((await network.api('PATCH', '/agents/me', key, nested(64))).status).toBe(400)
    expect(network.recorded()).toEqual([])
  })

  test('are read up to their maximum size', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const draft = (length: number) => {
      const start = '{"submolt":"general","title":"t","content":"c","filler":"'
      return `${start}${'x'.repeat(length - start.length - 2)}"}`
    }
    expect((await network.api('POST', '/posts', key, draft(1024 * 1024))).status).toBe(201)
    const response = await network.api('POST', '/posts', key, draft(1024 * 1024 + 1))
    expect([response.status, response.body.code]).toEqual([413, 'BODY_TOO_LARGE'])
  })

  test('are ignored where none is needed, as long as they are JSON by their type', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const { id } = await network.post(ada)
    const json = { 'content-type': 'application/json' }
    const path = `/posts/${id}/upvote`
    for (const [body, headers] of [
      ['', json],
      ['{}', json],
      ['{', json],
    ] as const) {
      expect((await network.api('POST', path, bob, body, headers)).status).toBe(200)
    }
    const xml = await network.api('POST', path, bob, '<x>', { 'content-type': 'text/xml' })
    expect([xml.status, xml.body.code]).toEqual([415, 'VALIDATION_ERROR'])
    expect((await network.api('GET', '/posts', bob, undefined, json)).status).toBe(200)
    expect((await network.api('DELETE', '/agents/ada/follow', bob, '{}', json)).status).toBe(200)
  })
})

describe('the legacy format', () => {
  test('is served at the root, with names for submolts and camel-case agents', async () => {
    await using network = await openNetwork()
    const registered = await network.ask('POST', '/agents/register', undefined, { name: 'ada' })
    expect(registered.status).toBe(201)
    const key = String((registered.body.agent as Json).api_key)
    const made = await network.ask('POST', '/posts', key, { submolt: 'general', title: 'xenon', content: 'y' })
    expect([made.status, made.headers.get('x-ratelimit-limit')]).toEqual([201, '1000000'])
    const post = made.body.post as Json
    expect(post).toMatchObject({ submolt: 'general', author_name: 'ada', author: { followerCount: 0 } })
    expect((await network.ask('GET', '/posts?sort=new', key)).body).toMatchObject({
      data: [{ submolt: 'general' }],
      pagination: { hasMore: false },
    })
    expect((await network.ask('GET', '/feed', key)).status).toBe(200)
    expect((await network.ask('GET', '/agents/me', key)).body.agent).toMatchObject({
      isClaimed: false,
      followerCount: 0,
      createdAt: '2026-01-05T09:00:00Z',
    })
    const submolts = (await network.ask('GET', '/submolts', key)).body.data as Json[]
    expect(submolts).toMatchObject([{ name: 'announcements' }, { name: 'general', postCount: 1 }])
    const toText = await network.ask('POST', `/posts/${post.id}/comments`, key, { content: 'x' })
    const { id } = toText.body.comment as Json
    expect((await network.ask('DELETE', `/comments/${id}`, key)).body).toMatchObject({ success: true })
    expect((await network.ask('GET', '/search?q=xenon', key)).body.posts).toMatchObject([{ submolt: 'general' }])
    const lost = await network.ask('GET', '/posts/nothing', key)
    expect([lost.status, lost.body.error]).toEqual([404, 'Post not found'])
    expect((await network.ask('GET', '/feed')).status).toBe(401)
    expect((await network.ask('HEAD', '/posts', key)).status).toBe(200)
  })

  test('is served to its own clients at every path', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    await network.post(key)
    const response = await fetch(`${network.url}/api/v1/posts`, {
      headers: { authorization: `Bearer ${key}`, 'user-agent': 'MoltbookSDK/1.0 Kotlin' },
    })
    expect(((await response.json()) as { posts: Json[] }).posts[0]?.submolt).toBe('general')
    expect(((await network.api('GET', '/posts', key)).body.posts as Json[])[0]?.submolt).toMatchObject({
      name: 'general',
    })
  })
})

/** Numbers that look random and are the same in every run. */
function dice(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % below
  }
}

const ODD_VALUES: unknown[] = [
  ...[
    '',
    ' ',
    'general',
    'x',
    '../..',
    '%00',
    "'; DROP TABLE posts; --",
    '"',
    '*',
    'NEAR(',
    'a AND',
    '🦞',
    '\ud800',
    'x'.repeat(5_000),
  ],
  ...[
    null,
    0,
    -1,
    1.5,
    1e308,
    true,
    [],
    ['x'],
    {},
    { toString: 'x' },
    '2026-01-05',
    'https://a.b',
    'javascript:x',
    '0x10',
    'NaN',
  ],
]

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

async function generated(
  network: TestNetwork,
  keys: readonly string[],
  ids: readonly string[],
  rolls: (below: number) => number,
) {
  const pick = <Of>(from: readonly Of[]): Of => from[rolls(from.length)] as Of
  const paths = Object.entries(network.document.paths as Record<string, Json>)
  const [path, item] = pick(paths)
  const method = rolls(10) === 0 ? pick(['get', 'post', 'put', 'patch', 'delete']) : pick(Object.keys(item))
  const at = path.replace(/\{[^}]+\}/, () =>
    rolls(2) ? pick(ids) : encodeURIComponent(toText(pick(ODD_VALUES)).toWellFormed().slice(0, 300)) || 'x',
  )
  const words = [
    'q',
    'sort',
    'limit',
    'offset',
    'cursor',
    't',
    'name',
    'submolt',
    'author',
    'parent_id',
    'filter',
    'type',
  ]
  const query = new URLSearchParams()
  for (let more = rolls(4); more > 0; more--)
    query.set(pick(words), toText(pick(ODD_VALUES)).toWellFormed().slice(0, 600))
  const fields = [
    'name',
    'title',
    'content',
    'url',
    'submolt',
    'parent_id',
    'description',
    'display_name',
    'metadata',
    'value',
    'label',
    'replace',
    'allow_crypto',
  ]
  const body: Json = {}
  for (let more = rolls(6); more > 0; more--) body[pick(fields)] = pick(ODD_VALUES)
  const text = rolls(12) === 0 ? toText(pick(ODD_VALUES)) : JSON.stringify(body)
  const isDone = path.endsWith('/agents/me') && method === 'delete'
  if (isDone) return 200
  const { status } = await network.ask(
    method.toUpperCase(),
    `${at}?${query}`,
    pick(keys),
    method === 'get' ? undefined : text,
  )
  return status
}

test('thousands of generated requests are answered without an internal error', async () => {
  await using network = await openNetwork()
  const keys = [await network.agent('ada'), await network.agent('bob'), 'junk']
  const post = await network.post(String(keys[0]))
  const comment = await network.comment(String(keys[1]), post.id)
  const ids = [String(post.id), String(comment.id), 'general', 'ada', 'bob']
  const rolls = dice(7)
  const statuses = new Map<number, number>()
  for (let round = 0; round < 150; round++) {
    const some = await Promise.all(Array.from({ length: 20 }, () => generated(network, keys, ids, rolls)))
    for (const status of some) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  expect(network.errors).toEqual([])
  expect([...statuses.keys()].filter((status) => ![200, 201, 400, 401, 403, 404, 405, 409].includes(status))).toEqual(
    [],
  )
  expect(statuses.get(200) ?? 0).toBeGreaterThan(300)
  expect(await network.recount()).toEqual([])
}, 60_000)

test('a rejected request, however strange, records nothing and changes no counter', async () => {
  await using network = await openNetwork()
  const keys = [await network.agent('ada'), await network.agent('bob'), 'junk', OPERATOR_TOKEN]
  const post = await network.post(String(keys[0]))
  const comment = await network.comment(String(keys[1]), post.id)
  const ids = [String(post.id), String(comment.id), 'general', 'ada', 'bob']
  const rolls = dice(11)
  let rejected = 0
  for (let at = 0; at < 1_500; at++) {
    network.recorded()
    const status = await generated(network, keys, ids, rolls)
    if (status < 400) continue
    rejected++
    expect({ at, status, recorded: network.recorded() }).toEqual({ at, status, recorded: [] })
  }
  expect(rejected).toBeGreaterThan(500)
  expect(network.errors).toEqual([])
  expect(await network.recount()).toEqual([])
}, 60_000)
