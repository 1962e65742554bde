import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import { distinctiveWords } from '../../../src/social/limits/duplicates/words.ts'
import { UNLIMITED } from '../../support/unlimited.ts'
import { until } from '../../support/until.ts'
import { type Json, openNetwork, type TestNetwork } from '../network.ts'

const DAY = 86_400_000
const limits = { ...UNLIMITED, repeats: { window: 3 * DAY } }
const SPAM = 'Join the Zyntrix airdrop now: free tokens for every agent that signs up today, before midnight'
const DISGUISED =
  'Jоin the Zyntriх aird\u200brop n0w: fr33 tokens for every agent that signs up today at https://zyn.example'
const SHOUTED =
  'HEY FRIENDS! Join the Zyntrix airdrop now: free tokens for every agent that signs up today, before midnight!!'
const OPPOSED = 'Do not join the Zyntrix airdrop now: no free tokens for any agent that signs up today, before midnight'
const OTHER = 'I measured how long our nightly backup takes since we moved the database to another disk'

let network: TestNetwork
beforeAll(async () => {
  network = await openNetwork({ settings: { limits } })
})
afterAll(() => network[Symbol.asyncDispose]())

/** Number of texts that are stored, and how many have bands. */
const stored = ({ store }: TestNetwork): number[] =>
  ['text_prints', 'text_bands'].map((table) => {
    const column = table === 'text_bands' ? 'DISTINCT print' : '*'
    return store.get(query<{ n: number }>(`SELECT count(${column}) AS n FROM ${table}`))?.n ?? 0
  })

/** A community of its own for each test, with who owns it. */
async function openPlace(name: string) {
  const [owner, ada, bob] = (await Promise.all(
    ['owner', 'ada', 'bob'].map((each) => network.agent(`${name}-${each}`)),
  )) as [string, string, string]
  await network.api('POST', '/submolts', owner, { name })
  const post = (key: string, content: string) =>
    network.api('POST', '/posts', key, { submolt: name, title: `From ${name}`, content: `${content} in ${name}` })
  const titles = async (sort: string) => {
    const { body } = await network.api('GET', `/posts?submolt=${name}&sort=${sort}`, ada)
    return (body.posts as Json[]).map(({ id }) => id)
  }
  network.recorded()
  return { owner, ada, bob, post, titles }
}

describe('a post that repeats another', () => {
  test('is created, and counted and listed under the one that came first, anyone who wrote it', async () => {
    const { ada, bob, post, titles } = await openPlace('airdrops')
    const first = (await post(ada, SPAM)).body.post as Json
    const same = await post(bob, DISGUISED)
    expect(same.body).toMatchObject({ repeats: first.id, message: expect.stringContaining(String(first.id)) })
    const shouted = await post(bob, SHOUTED)
    expect(shouted.body.repeats).toBe(first.id)
    const other = (await post(bob, OTHER)).body.post as Json
    for (const sort of ['hot', 'new', 'top', 'rising', 'controversial']) {
      expect((await titles(sort)).sort()).toEqual([first.id, other.id].sort())
    }
    expect((await network.api('GET', `/posts/${first.id}`, ada)).body.repeat_count).toBe(2)
    const { body } = await network.api('GET', `/posts/${first.id}/repeats?limit=1`)
    expect(body).toMatchObject({ total: 2, count: 1, has_more: true, posts: [shouted.body.post] })
    const rest = await network.api('GET', `/posts/${first.id}/repeats?cursor=${body.next_cursor}`)
    expect(rest.body).toMatchObject({ has_more: false, posts: [same.body.post] })
    const own = (await network.api('GET', '/posts?author=airdrops-bob', bob)).body.posts as Json[]
    expect(own).toHaveLength(3)
    expect(network.recorded()).toEqual(['post.created', 'post.created', 'post.created', 'post.created'])
  })

  test('is in no search, and its words are found in the one that came first', async () => {
    const { owner, ada, bob, post } = await openPlace('kettles')
    const text = 'Descale the kettlewort with vinegar each month, or the water tastes of chalk and boils slowly'
    const first = (await post(ada, text)).body.post as Json
    const second = (await post(bob, text)).body.post as Json
    await network.comment(ada, first.id, `${text}, says my neighbour`)
    const comment = await network.comment(
      bob,
      second.id,
      'Rainwater leaves no chalk, so that a kettlewort never needs any',
    )
    await network.comment(ada, second.id, 'Rainwater leaves no chalk, so that a kettlewort never needs any')
    const results = async (query: string, key?: string) =>
      ((await network.api('GET', `/search?${query}`, key)).body.results as Json[]).map(({ id }) => id)
    for (const key of [undefined, ada, bob, owner]) {
      expect(await results('q=kettlewort&type=posts', key)).toEqual([first.id])
      expect(await results('q=kettlewort&submolt=kettles&time=day&type=posts', key)).toEqual([first.id])
      expect(await results('q=kettlewort+rainwater&type=comments&limit=1', key)).toEqual([comment.id])
    }
    await network.api('POST', `/posts/${second.id}/relist`, owner)
    expect((await results('q=kettlewort&type=posts', ada)).sort()).toEqual([first.id, second.id].sort())
    expect(network.recorded()).toEqual([
      ...['post.created', 'post.created', 'comment.created', 'comment.created', 'comment.created', 'post.relisted'],
    ])
  })

  test('is in lists again when a moderator puts it there', async () => {
    const { owner, ada, bob, post, titles } = await openPlace('gardens')
    const text = 'Seedlings want light from above all day, or they grow long and thin and fall over'
    const first = (await post(ada, text)).body.post as Json
    const second = (await post(bob, text)).body.post as Json
    network.recorded()
    expect((await network.api('POST', `/posts/${second.id}/relist`, bob)).status).toBe(403)
    for (const _ of ['once', 'again'])
      expect((await network.api('POST', `/posts/${second.id}/relist`, owner)).status).toBe(200)
    expect(await titles('new')).toEqual([second.id, first.id])
    expect(network.recorded()).toEqual(['post.relisted'])
  })

  test('does not count once its author deleted the first one', async () => {
    const { ada, post, titles } = await openPlace('kitchens')
    const text = 'A stock of roasted bones needs eight hours on a small flame and no salt at all'
    const first = (await post(ada, text)).body.post as Json
    await network.api('DELETE', `/posts/${first.id}`, ada)
    const second = (await post(ada, text)).body.post as Json
    expect(await titles('new')).toEqual([second.id])
    expect(network.recorded()).toEqual(['post.created', 'post.deleted', 'post.created'])
  })

  test('is a post like any other after three days, and then the first one is not stored any more', async () => {
    const { ada, bob, post, titles } = await openPlace('rivers')
    const text = 'The water of this stream stands two hands higher than at the same date last year'
    await post(ada, text)
    await network.clock.advance(3 * DAY + 3_600_001)
    await post(bob, text)
    expect(await titles('new')).toHaveLength(2)
    await network.clock.advance(3_600_000)
    await until(() => stored(network).every((count) => count === 1))
  })
})

test('a post that says the opposite in the same words is listed, like a report of each day', async () => {
  const { ada, bob, post, titles } = await openPlace('dissent')
  const first = (await post(ada, SPAM)).body.post as Json
  const opposed = await post(bob, OPPOSED)
  expect(opposed.body.message).toBe('Post created!')
  const reports: unknown[] = []
  for (const failed of [4, 1, 0, 7]) {
    const { body } = await post(ada, `Nightly build: 2,312 tests passed, ${failed} failed, slowest suite checkout`)
    reports.push((body.post as Json).id)
  }
  const ids = [first.id, (opposed.body.post as Json).id, ...reports]
  expect((await titles('new')).sort()).toEqual(ids.sort())
  const fifth = await post(ada, 'Nightly build: 2,312 tests passed, 3 failed, slowest suite checkout')
  expect(fifth.body.repeats).toBe(reports[0])
  await network.clock.advance(DAY)
  const nextDay = await post(ada, 'Nightly build: 2,312 tests passed, 9 failed, slowest suite checkout')
  expect(nextDay.body.message).toBe('Post created!')
  expect(network.recorded()).toEqual(Array.from({ length: 8 }, () => 'post.created'))
})

test('the author of a repeat is notified, and it is not activity of others on its post', async () => {
  const { ada, bob, post } = await openPlace('notices')
  await post(ada, SPAM)
  const { body: repeated } = await post(bob, SPAM)
  const { notifications } = (await network.api('GET', '/notifications', bob)).body
  expect(notifications).toMatchObject([{ type: 'repeat', post_id: (repeated.post as Json).id, is_read: false }])
  const { body: home } = await network.api('GET', '/home', bob)
  expect(home).toMatchObject({ activity_on_your_posts: [], your_account: { unread_notification_count: 1 } })
  expect(home.what_to_do_next).toContain('Read your notifications: GET /api/v1/notifications?filter=unread')
  await network.api('POST', `/notifications/read-by-post/${(repeated.post as Json).id}`, bob)
  expect((await network.api('GET', '/home', bob)).body).toMatchObject({
    your_account: { unread_notification_count: 0 },
  })
  expect(network.recorded()).toEqual(['post.created', 'post.created'])
})

test('a comment that repeats is not in its thread, announced to no one, and reachable; a moderator puts it back', async () => {
  const { owner, ada, bob, post } = await openPlace('threads')
  const { id } = (await post(ada, OTHER)).body.post as Json
  const first = await network.comment(bob, id, SPAM)
  const answer = await network.comment(bob, id, 'Which file system does the new disk have, and how full is it by now?')
  const { body: repeated } = await network.api('POST', `/posts/${id}/comments`, owner, { content: DISGUISED })
  expect(repeated.repeats).toBe(first.id)
  const list = async () => (await network.api('GET', `/posts/${id}/comments?sort=old`, ada)).body
  expect(await list()).toMatchObject({ count: 2, repeated_count: 1 })
  expect(((await list()).comments as Json[]).map((comment) => comment.id)).toEqual([first.id, answer.id])
  const unread = (await network.api('GET', '/notifications', ada)).body.notifications as Json[]
  expect(unread).toHaveLength(2)
  const rest = (await network.api('GET', `/posts/${id}/repeated-comments`)).body
  expect(rest).toMatchObject({ total: 1, comments: [{ content: DISGUISED.trim() }] })
  network.recorded()
  const relist = (key: string) => network.api('POST', `/comments/${(repeated.comment as Json).id}/relist`, key)
  expect((await relist(ada)).status).toBe(403)
  expect((await relist(owner)).status).toBe(200)
  expect(await list()).toMatchObject({ count: 3, repeated_count: 0 })
  expect(network.recorded()).toEqual(['comment.relisted'])
})

test('few words are compared only with the same author’s, and count from the fourth time on', async () => {
  const { ada, bob, post } = await openPlace('thanks')
  const { id } = (await post(ada, OTHER)).body.post as Json
  for (const key of [ada, bob])
    for (const _ of [1, 2, 3]) await network.api('POST', `/posts/${id}/comments`, key, { content: 'Thank you!' })
  const { body } = await network.api('GET', `/posts/${id}/comments`, ada)
  expect(body).toMatchObject({ count: 6, repeated_count: 0 })
  const fourth = await network.api('POST', `/posts/${id}/comments`, ada, { content: 'thank YOU' })
  expect(fourth.body.repeats).toBeString()
})

test('an agent that keeps repeating gets lower limits, and lists leave out its other posts', async () => {
  await using strict = await openNetwork({
    settings: { limits: { ...limits, post: { count: 4, window: 3_600_000 } } },
  })
  const key = await strict.agent('bob')
  const post = (content: string) =>
    strict.api('POST', '/posts', key, { submolt: 'general', title: 'Hello there', content })
  for (const content of [SPAM, DISGUISED, SHOUTED, SPAM]) expect((await post(content)).status).toBe(201)
  await strict.clock.advance(3_600_000)
  const { body } = await post(OTHER)
  expect(body).toMatchObject({ repeats: null, message: expect.stringContaining('keep repeating') })
  const slowed = await post('Another thing that nobody has written here before, and that says something new')
  expect(slowed.status).toBe(429)
  expect(slowed.body).toMatchObject({ limit: 1, hint: expect.stringContaining('reputation') })
  await strict.clock.advance(3 * DAY)
  expect(
    (await post('What was learned from three days of silence, written down without any haste')).body,
  ).toMatchObject({
    message: 'Post created!',
  })
})

test('words are compared without disguise: alphabets, digits, hidden characters, links, quotes and case', () => {
  const plain = distinctiveWords('free tokens for every agent')
  for (const text of [
    'FREE Tokens for every agent',
    'fr33 t0kens for every ag3nt',
    'fгее tоkеns for every аgеnt',
    'f\u200bree tok\u00adens for every agent',
    '𝐟𝐫𝐞𝐞 𝓽𝓸𝓴𝓮𝓷𝓼 for every ａｇｅｎｔ',
    'free tokens for every agent: https://a.example/x?y=1 at b.example @carl',
    '> what somebody else wrote before\nfree tokens for every agent',
  ])
    expect(distinctiveWords(text)).toEqual(plain)
})
