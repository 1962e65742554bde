import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { inWords, newChallenge, parseAnswer } from '../../../src/social/accounts/verification/challenges.ts'
import { UNLIMITED } from '../../support/unlimited.ts'
import { until } from '../../support/until.ts'
import { type Json, openNetwork, type TestNetwork } from '../network.ts'

const MINUTE = 60_000
const NUMBERS = new Map(Array.from({ length: 100 }, (_, n) => [inWords(n), n]))

/** Reads a challenge as an agent would: what is not a letter is left out, and the two numbers are worked on. */
function solve(challenge: string): string {
  const words = challenge
    .split(' ')
    .map((word) => word.replace(/[^a-z]/gi, '').toLowerCase())
    .filter((word) => word !== '')
  const numbers: number[] = []
  for (let at = 0; at < words.length; at++) {
    const pair = NUMBERS.get(`${words[at]} ${words[at + 1]}`)
    const single = NUMBERS.get(words[at] ?? '')
    if (pair !== undefined) at++
    const value = pair ?? single
    if (value !== undefined) numbers.push(value)
  }
  const [first = 0, second = 0] = numbers
  const operation = words.includes('subtract')
    ? first - second
    : words.includes('product')
      ? first * second
      : first + second
  return operation.toFixed(2)
}

const wrong = (challenge: string): string => (Number(solve(challenge)) + 1).toFixed(2)

let network: TestNetwork
beforeAll(async () => {
  network = await openNetwork({ settings: { verification: true, limits: UNLIMITED }, repeats: true })
})
afterAll(() => network[Symbol.asyncDispose]())

const verify = (key: string, code: unknown, answer: unknown) =>
  network.api('POST', '/verify', key, { verification_code: code, answer })

/** Sends a draft; the response and its challenge. */
async function send(key: string, path: string, body: Json) {
  const response = await network.api('POST', path, key, body)
  const what = (response.body.post ?? response.body.comment ?? response.body.submolt) as Json
  const { verification_code: code, challenge_text: challenge } = (what?.verification ?? {}) as Record<string, string>
  return { ...response, what, code: code ?? '', challenge: challenge ?? '' }
}

const countWaiting = (id: unknown): number | undefined =>
  network.store.get(query<{ n: number }, [string]>('SELECT count(*) AS n FROM pending_texts WHERE id = ?'), String(id))
    ?.n

const draft = (title: string): Json => ({ submolt: 'general', title, content: `${title}, at length` })

describe('verification on a network that requires it', () => {
  test('a post is seen by no one but its author until the challenge is answered, and then published once', async () => {
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    network.recorded()
    const sent = await send(ada, '/posts', draft('Lanterns, @bob'))
    expect(sent.status).toBe(201)
    expect(sent.body).toMatchObject({
      ...{ success: true, verification_required: true, verification_code: sent.code, challenge: sent.challenge },
      post: { title: 'Lanterns, @bob', verification_status: 'pending', author: { name: 'ada' } },
    })
    expect(sent.code).toMatch(/^moltbook_verify_[0-9a-f]{32}$/)
    const { id } = sent.what
    expect((await network.api('GET', `/posts/${id}`, bob)).status).toBe(404)
    expect((await network.api('GET', `/posts/${id}`, ada)).body).toMatchObject({
      post: { id, verification: { verification_code: sent.code, challenge_text: sent.challenge } },
    })
    expect((await network.api('GET', '/posts', bob)).body.posts).toEqual([])
    expect((await network.api('GET', '/search?q=lanterns', ada)).body.results).toEqual([])
    expect((await network.api('GET', '/notifications', bob)).body.notifications).toEqual([])
    expect((await network.api('POST', `/posts/${id}/upvote`, bob)).status).toBe(404)
    expect((await verify(bob, sent.code, solve(sent.challenge))).status).toBe(404)

    expect(await network.api('POST', '/verify', ada, { answer: '1' })).toMatchObject({
      ...{ status: 400, body: { error: 'Verification_code is required' } },
    })
    const right = await network.api('POST', '/verify', ada, { id: sent.code, answer: solve(sent.challenge) })
    expect(right).toMatchObject({ status: 200, body: { success: true, content_type: 'post', content_id: id } })
    const published = (await network.api('GET', `/posts/${id}`, bob)).body.post as Json
    expect(published).toMatchObject({ id, title: 'Lanterns, @bob' })
    expect(published).not.toContainKeys(['verification', 'verification_status'])
    expect((await network.api('GET', '/notifications', bob)).body.notifications).toHaveLength(1)
    const again = await verify(ada, sent.code, solve(sent.challenge))
    expect(again).toMatchObject({ status: 409, body: { error: 'Already answered', content_id: id } })
    expect(network.recorded()).toEqual(['verification.requested', 'post.created'])
  })

  test('a comment and a community are published the same way', async () => {
    const eve = await network.agent('eve')
    const club = await send(eve, '/submolts', { name: 'kites', display_name: 'Kites' })
    expect(club.body.submolt).toMatchObject({ name: 'kites', verification_status: 'pending' })
    expect((await network.api('GET', '/submolts/kites', eve)).status).toBe(404)
    expect((await verify(eve, club.code, solve(club.challenge))).body.content_type).toBe('submolt')
    expect((await network.api('GET', '/submolts/kites', eve)).body).toMatchObject({
      submolt: { id: club.what.id, subscriber_count: 1 },
      your_role: 'owner',
    })
    const post = await send(eve, '/posts', { ...draft('Strings'), submolt: 'kites' })
    await verify(eve, post.code, Number(solve(post.challenge)))
    network.recorded()
    const comment = await send(eve, `/posts/${post.what.id}/comments`, { content: 'Use hemp' })
    expect(comment.body.comment).toMatchObject({ content: 'Use hemp', depth: 0, verification_status: 'pending' })
    const count = async () => (await network.api('GET', `/posts/${post.what.id}/comments`, eve)).body.count
    expect(await count()).toBe(0)
    await verify(eve, comment.code, solve(comment.challenge))
    expect(await count()).toBe(1)
    expect(network.recorded()).toEqual(['verification.requested', 'comment.created'])
  })

  test('of two communities of one name the first that is verified gets it', async () => {
    const [one, other] = [await network.agent('one'), await network.agent('other')]
    const first = await send(one, '/submolts', { name: 'owls' })
    const second = await send(other, '/submolts', { name: 'owls' })
    expect((await verify(other, second.code, solve(second.challenge))).status).toBe(200)
    network.recorded()
    expect((await verify(one, first.code, solve(first.challenge))).status).toBe(409)
    expect((await network.api('POST', '/submolts', one, { name: 'owls' })).status).toBe(409)
    expect(network.recorded()).toEqual([])
  })

  test('a wrong answer is rejected, names what it was for, and can be tried again', async () => {
    const key = await network.agent('gus')
    const sent = await send(key, '/posts', draft('Boats'))
    network.recorded()
    const tried = await verify(key, sent.code, wrong(sent.challenge))
    expect(tried).toMatchObject({
      status: 400,
      body: { success: false, error: 'Incorrect answer', content_type: 'post', content_id: sent.what.id },
    })
    expect((await verify(key, sent.code, 'fifteen')).body.error).toContain('must be a number')
    expect((await verify(key, 'moltbook_verify_0', '1')).status).toBe(404)
    expect((await verify(key, sent.code, solve(sent.challenge))).status).toBe(200)
    expect(network.recorded()).toEqual(['verification.failed', 'post.created'])
  })

  test('after ten wrong answers in a row only that agent waits for an hour, and then begins again', async () => {
    const [key, other] = [await network.agent('hal'), await network.agent('ida')]
    const sent = await send(key, '/posts', draft('Doors'))
    const others = await send(other, '/posts', draft('Windows'))
    network.recorded()
    for (let turn = 0; turn < 10; turn++) {
      expect((await verify(key, others.code, '1')).status).toBe(404)
      expect((await verify(key, sent.code, wrong(sent.challenge))).status).toBe(400)
    }
    const paused = await verify(key, sent.code, solve(sent.challenge))
    expect(paused).toMatchObject({ status: 403, body: { suspended_until: expect.stringMatching(/Z$/) } })
    expect((await network.api('POST', '/posts', key, draft('More doors'))).status).toBe(403)
    expect((await network.api('GET', '/posts', key)).status).toBe(200)
    expect((await verify(other, others.code, solve(others.challenge))).status).toBe(200)
    expect(network.recorded()).toEqual([...Array.from({ length: 10 }, () => 'verification.failed'), 'post.created'])
    await network.clock.advance(60 * MINUTE)
    const late = await verify(key, sent.code, solve(sent.challenge))
    expect(late.status).toBe(410)
    const { verification_code: code, challenge_text: challenge } = late.body.verification as Record<string, string>
    expect((await verify(key, code, solve(challenge ?? ''))).status).toBe(200)
  })

  test('a challenge whose time is over is replaced by a new one, and after a day nothing is stored', async () => {
    const key = await network.agent('jan')
    const sent = await send(key, '/posts', draft('Clocks'))
    const forgotten = await send(key, '/posts', draft('Bells'))
    await network.clock.advance(5 * MINUTE)
    expect((await network.api('GET', `/posts/${sent.what.id}`, key)).body.post).toMatchObject({
      verification_status: 'failed',
    })
    const expired = await verify(key, sent.code, solve(sent.challenge))
    expect(expired).toMatchObject({ status: 410, body: { content_type: 'post', content_id: sent.what.id } })
    const { verification_code: code, challenge_text: challenge } = expired.body.verification as Record<string, string>
    expect((await verify(key, code, solve(challenge ?? ''))).status).toBe(200)
    await network.clock.advance(25 * 60 * MINUTE)
    await until(() => countWaiting(forgotten.what.id) === 0)
    expect((await verify(key, forgotten.code, solve(forgotten.challenge))).status).toBe(404)
  })

  test('deleted drafts cannot be answered, and a deleted account takes its drafts along', async () => {
    const [kim, leo] = [await network.agent('kim'), await network.agent('leo')]
    const post = await send(kim, '/posts', draft('Rivers'))
    await verify(kim, post.code, solve(post.challenge))
    const comment = await send(leo, `/posts/${post.what.id}/comments`, { content: 'Deep' })
    await network.api('DELETE', `/posts/${post.what.id}`, kim)
    network.recorded()
    expect((await verify(leo, comment.code, solve(comment.challenge))).status).toBe(404)
    expect(network.recorded()).toEqual([])
    expect((await network.api('DELETE', '/agents/me', leo, { name: 'leo' })).status).toBe(200)
    await network.deletions.resume()
    expect(countWaiting(comment.what.id)).toBe(0)
  })

  test('a repeated request gets the same challenge', async () => {
    const key = await network.agent('mia')
    const headers = { 'idempotency-key': 'one' }
    const [first, second] = [
      await network.api('POST', '/posts', key, draft('Ropes'), headers),
      await network.api('POST', '/posts', key, draft('Ropes'), headers),
    ]
    expect(second.body).toEqual(first.body)
  })
})

test('without the option no one is asked', async () => {
  await using plain = await openNetwork({ repeats: true })
  const key = await plain.agent('ned')
  const { body } = await plain.api('POST', '/posts', key, draft('Trees'))
  expect(body).not.toContainKeys(['verification_required'])
  expect(body.post).not.toContainKeys(['verification'])
})

test('agents with vouches get no challenges', async () => {
  const key = await network.agent('old')
  const n = network.store.get(query<{ n: number }>("SELECT n FROM agents WHERE handle = 'old'"))?.n ?? 0
  await network.store.write((tx) =>
    tx.run(
      command<[number]>(
        'UPDATE agents SET karma = 50, claimed_at = created_at, created_at = created_at - 864000000 WHERE n = ?',
      ),
      n,
    ),
  )
  expect((await network.api('POST', '/posts', key, draft('Stones'))).body.verification_required).toBeUndefined()
})

/** The numbers of a text as plain programs find them: by word, anywhere in the letters, or with doubled letters removed. */
const lettersOf = (text: string): string => text.replace(/[^a-z\s]/gi, '').toLowerCase()
const squeezed = (word: string): string => word.replace(/(.)\1+/g, '$1')
const LONGEST_FIRST = [...NUMBERS].sort(([one], [other]) => other.length - one.length)
const READERS: Readonly<Record<string, (text: string) => number[]>> = {
  'word by word': (text) => {
    const found = lettersOf(text).matchAll(
      new RegExp(`\\b(?:${LONGEST_FIRST.map(([word]) => word).join('|')})\\b`, 'g'),
    )
    return [...found].map(([word]) => NUMBERS.get(word) ?? 0)
  },
  'anywhere in the letters': (text) => {
    const all = LONGEST_FIRST.map(([word]) => word.replace(' ', '')).join('|')
    const found = lettersOf(text).replace(/\s/g, '').matchAll(new RegExp(all, 'g'))
    const values = new Map([...NUMBERS].map(([word, value]) => [word.replace(' ', ''), value]))
    return [...found].map(([word]) => values.get(word) ?? 0)
  },
  'without doubled letters': (text) => {
    const values = new Map([...NUMBERS].map(([word, value]) => [squeezed(word), value]))
    const all = [...values.keys()].sort((one, other) => other.length - one.length).join('|')
    return [...squeezed(lettersOf(text)).matchAll(new RegExp(`\\b(?:${all})\\b`, 'g'))].map(
      ([word]) => values.get(word) ?? 0,
    )
  },
}
const ADDS = /total|sum|add|plus|more|gain|increase|together|combined|and\b|up\b|fast/
const SUBTRACTS = /lose|less|left|subtract|minus|slow|remain|decrease|drop|away|differ/
const MULTIPLIES = /multipl|product|times|each|per\b/
type Operation = '+' | '-' | '*'
/** Operations by which a program recognizes a text: what it checks first, and what it assumes. */
const CHOICES: Readonly<Record<string, (text: string) => Operation>> = {
  'addition first': (text) => (ADDS.test(text) ? '+' : SUBTRACTS.test(text) ? '-' : '*'),
  'subtraction first': (text) => (SUBTRACTS.test(text) ? '-' : MULTIPLIES.test(text) ? '*' : '+'),
  'multiplication first': (text) => (MULTIPLIES.test(text) ? '*' : SUBTRACTS.test(text) ? '-' : '+'),
  'addition unless it is told': (text) => (/subtract|lose/.test(text) ? '-' : /multipl/.test(text) ? '*' : '+'),
  'the most frequent words': (text) => {
    const count = (pattern: RegExp) => text.match(new RegExp(pattern, 'g'))?.length ?? 0
    const counts = { '+': count(ADDS), '-': count(SUBTRACTS), '*': count(MULTIPLIES) }
    return counts['-'] > counts['+'] ? '-' : counts['*'] > counts['+'] ? '*' : '+'
  },
}
const OPERATIONS: Readonly<Record<Operation, (one: number, other: number) => number>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
}

test('every challenge is read and solved in the same way by programs of fifteen kinds', () => {
  let state = 7
  const draw = (bound: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
  for (let turn = 0; turn < 300; turn++) {
    const { text, answer } = newChallenge(draw)
    expect(parseAnswer(solve(text))).toBe(answer)
    for (const [reader, read] of Object.entries(READERS)) {
      for (const [choice, choose] of Object.entries(CHOICES)) {
        const [one = 0, other = 0, ...rest] = read(text)
        const solved = OPERATIONS[choose(lettersOf(text))](one, other)
        expect({ text, reader, choice, solved, rest }).toEqual({ text, reader, choice, solved: answer, rest: [] })
      }
    }
  }
})

test('an answer is a number to two decimals', () => {
  expect(['15', '15.00', ' -3.5 ', '+2', 7].map(parseAnswer)).toEqual([15, 15, -3.5, 2, 7])
  for (const text of ['', 'ten', '1e3', '0x10', 'NaN', '1,5', '9'.repeat(40)]) expect(parseAnswer(text)).toBeUndefined()
})
