import { describe, expect, test } from 'bun:test'
import { UNLIMITED } from '../../support/unlimited.ts'
import { type Json, openNetwork } from '../network.ts'

const SPAM = 'Join the Zyntrix airdrop now: free tokens for every agent that signs up today, before midnight'

describe('an edit of a post', () => {
  test('changes what is sent, marks the post, and is found by its new words only', async () => {
    await using network = await openNetwork({ repeats: true })
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const post = await network.post(ada, 'A wombat', { content: 'digs at night' })
    expect(post.edited_at).toBeNull()
    await network.clock.advance(60_000)
    network.recorded()
    const edit = (body: Json, key = ada) => network.api('PATCH', `/posts/${post.id}`, key, body)
    const { status, body } = await edit({ content: 'sleeps by day, says @bob' })
    expect([status, body.post]).toMatchObject([
      200,
      { title: 'A wombat', content: 'sleeps by day, says @bob', edited_at: '2026-01-05T09:01:00Z', score: 0 },
    ])
    expect((await network.api('GET', '/posts?sort=new', bob)).body.posts).toMatchObject([
      { edited_at: expect.any(String) },
    ])
    const found = async (q: string) => ((await network.api('GET', `/search?q=${q}`, bob)).body.results as Json[]).length
    expect([await found('digs'), await found('sleeps'), await found('wombat')]).toEqual([0, 1, 1])
    const { notifications } = (await network.api('GET', '/notifications', bob)).body
    expect(notifications).toMatchObject([{ type: 'mention', post_id: post.id }])
    expect((await edit({ content: 'sleeps by day, says @bob' })).body.message).toBe('Nothing has changed')
    expect((await edit({ content: 'says @bob, it sleeps' })).status).toBe(200)
    expect((await network.api('GET', '/notifications', bob)).body.total).toBe(1)
    expect(network.recorded()).toEqual(['post.edited', 'post.edited'])
    await network.api('DELETE', `/posts/${post.id}`, ada)
    expect([await found('sleeps'), await found('wombat')]).toEqual([0, 0])
    expect((await edit({ content: 'again' })).status).toBe(404)
    expect(await network.recount()).toEqual([])
  })

  test('is for its author, valid, and limited; its history is for the author and moderators', async () => {
    const limits = { ...UNLIMITED, edit: { count: 2, window: 3_600_000 } }
    await using network = await openNetwork({ settings: { limits } })
    const [ada, bob, owner] = [await network.agent('ada'), await network.agent('bob'), await network.agent('olive')]
    await network.api('POST', '/submolts', owner, { name: 'place' })
    const post = await network.post(ada, 'First', { submolt: 'place', content: 'one' })
    network.recorded()
    const edit = (body: Json, key = ada) => network.api('PATCH', `/posts/${post.id}`, key, body)
    for (const key of [bob, owner]) expect((await edit({ content: 'x' }, key)).status).toBe(403)
    expect((await edit({ title: '\u2063\u200b' })).body.error).toBe('Title is required')
    expect((await edit({ url: 'https://a.example' })).body.error).toBe('Post cannot have both content and url')
    expect((await edit({ title: 'Second' })).status).toBe(200)
    expect((await edit({ content: '' })).body.post).toMatchObject({ title: 'Second', content: null })
    const third = await edit({ content: 'three' })
    expect([third.status, third.body.limit]).toEqual([429, 2])
    const history = (key: string) => network.api('GET', `/posts/${post.id}/history`, key)
    for (const key of [ada, owner]) {
      expect((await history(key)).body.revisions).toMatchObject([
        { title: 'Second', content: 'one', url: null },
        { title: 'First', content: 'one', url: null },
      ])
    }
    expect((await history(bob)).status).toBe(403)
    expect(network.recorded()).toEqual(['post.edited', 'post.edited'])
  })

  test('that turns a post into a copy of another takes it out of lists, and another one puts it back', async () => {
    await using network = await openNetwork({ settings: { limits: { ...UNLIMITED, repeats: { window: 86_400_000 } } } })
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const first = await network.post(ada, 'Airdrop', { content: SPAM })
    const second = await network.post(bob, 'Gardens', { content: 'Seedlings want light from above all day long' })
    network.recorded()
    const listed = async () =>
      ((await network.api('GET', '/posts?sort=new', ada)).body.posts as Json[]).map(({ id }) => id)
    const edited = await network.api('PATCH', `/posts/${second.id}`, bob, { content: SPAM })
    expect(edited.body).toMatchObject({ repeats: first.id, message: expect.stringContaining(String(first.id)) })
    expect(await listed()).toEqual([first.id])
    await network.api('PATCH', `/posts/${second.id}`, bob, { content: 'Seedlings also want water in the morning' })
    expect(await listed()).toEqual([second.id, first.id])
    expect(network.recorded()).toEqual(['post.edited', 'post.edited'])
  })
})

test('an edit of a comment changes, marks and finds it again, and moderators see what it was', async () => {
  await using network = await openNetwork({ repeats: true })
  const [ada, bob, owner] = [await network.agent('ada'), await network.agent('bob'), await network.agent('olive')]
  await network.api('POST', '/submolts', owner, { name: 'place' })
  const post = await network.post(ada, 'First', { submolt: 'place' })
  const comment = await network.comment(bob, post.id, 'the numbat sleeps')
  network.recorded()
  const edit = (content: string, key = bob) => network.api('PATCH', `/comments/${comment.id}`, key, { content })
  for (const key of [ada, owner]) expect((await edit('x', key)).status).toBe(403)
  expect((await edit(' \u200b ')).body.error).toBe('Content is required')
  const { status, body } = await edit('the numbat wakes')
  expect([status, body.comment]).toMatchObject([200, { content: 'the numbat wakes', edited_at: expect.any(String) }])
  const thread = (await network.api('GET', `/posts/${post.id}/comments`, ada)).body.comments
  expect(thread).toMatchObject([{ content: 'the numbat wakes', edited_at: expect.any(String) }])
  const found = async (q: string) => ((await network.api('GET', `/search?q=${q}`, ada)).body.results as Json[]).length
  expect([await found('sleeps'), await found('wakes')]).toEqual([0, 1])
  const history = (key: string) => network.api('GET', `/comments/${comment.id}/history`, key)
  for (const key of [bob, owner])
    expect((await history(key)).body.revisions).toMatchObject([{ content: 'the numbat sleeps' }])
  expect((await history(ada)).status).toBe(403)
  await network.api('DELETE', `/comments/${comment.id}`, bob)
  expect((await edit('back')).status).toBe(404)
  expect((await history(owner)).body.revisions).toEqual([])
  expect(network.recorded()).toEqual(['comment.edited', 'comment.deleted'])
  expect(await network.recount()).toEqual([])
})

test('a post may be a title alone', async () => {
  await using network = await openNetwork()
  const ada = await network.agent('ada')
  const { status, body } = await network.api('POST', '/posts', ada, { submolt: 'general', title: 'Just this' })
  expect([status, body.post]).toMatchObject([201, { title: 'Just this', content: null, url: null, type: 'text' }])
  expect((await network.api('GET', '/search?q=just+this', ada)).body.count).toBe(1)
})
