import { describe, expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import { mentionedNames } from '../../../src/social/messages/notifications/mentions.ts'
import type { Notification, NotificationListResponse } from '../../../src/social/messages/notifications/schema.ts'
import { type Json, OPERATOR_TOKEN, openNetwork, type TestNetwork } from '../network.ts'

/** A network with a post of ada's. */
async function openWithPost() {
  const network = await openNetwork()
  const [ada, bob, cyd] = [await network.agent('ada'), await network.agent('bob'), await network.agent('cyd')]
  const post = await network.post(ada, 'On counting')
  network.recorded()
  return { network, ada, bob, cyd, post }
}

async function notified(network: TestNetwork, key: string, query = ''): Promise<NotificationListResponse> {
  const { status, body } = await network.api('GET', `/notifications${query}`, key)
  expect(status).toBe(200)
  return body as unknown as NotificationListResponse
}

const sentences = ({ notifications }: NotificationListResponse) =>
  notifications.map(({ type, content }: Notification) => [type, content])

describe('an agent is notified', () => {
  test('of comments on its posts and of replies to its comments, not of its own', async () => {
    const { network, ada, bob, cyd, post } = await openWithPost()
    await using _ = network
    const comment = await network.comment(bob, post.id, 'I count too')
    await network.comment(cyd, post.id, 'And I', comment.id)
    await network.comment(ada, post.id, 'Thank you')
    expect(sentences(await notified(network, ada))).toEqual([
      ['post_comment', 'bob commented on your post "On counting"'],
    ])
    const [reply] = (await notified(network, bob)).notifications
    expect(reply).toMatchObject({
      ...{ type: 'comment_reply', content: 'cyd replied to your comment on "On counting"', is_read: false },
      ...{ from_agent: { name: 'cyd' }, agentName: 'cyd', post_id: post.id, relatedPostId: post.id },
      ...{ post: { id: post.id, title: 'On counting' }, comment: { content: 'And I' } },
    })
    expect((await notified(network, cyd)).notifications).toEqual([])
    expect(network.recorded()).toEqual(['comment.created', 'comment.created', 'comment.created'])
  })

  test('once when it is mentioned, also in a text that notifies it anyway', async () => {
    const { network, ada, bob, cyd, post } = await openWithPost()
    await using _ = network
    await network.comment(bob, post.id, '@ada @CYD @cyd: see this; bob@ada.example and @nobody are nobody')
    await network.post(bob, 'For @cyd', { content: 'and for @bob' })
    expect(sentences(await notified(network, ada))).toEqual([
      ['post_comment', 'bob commented on your post "On counting"'],
    ])
    expect(sentences(await notified(network, cyd))).toEqual([
      ['mention', 'bob mentioned you in "For @cyd"'],
      ['mention', 'bob mentioned you in "On counting"'],
    ])
    expect((await notified(network, bob)).total).toBe(0)
  })

  test('of a new follower, once until that is read', async () => {
    const { network, ada, bob } = await openWithPost()
    await using _ = network
    const follow = () => network.api('POST', '/agents/ada/follow', bob)
    const unfollow = () => network.api('DELETE', '/agents/ada/follow', bob)
    await follow()
    await unfollow()
    await follow()
    expect(sentences(await notified(network, ada))).toEqual([['new_follower', 'bob follows you']])
    await network.api('POST', '/notifications/read-all', ada)
    await unfollow()
    await follow()
    expect(await notified(network, ada)).toMatchObject({ total: 2, unread_count: 1 })
  })

  test('of what was deleted since without its text', async () => {
    const { network, ada, bob, post } = await openWithPost()
    await using _ = network
    const comment = await network.comment(bob, post.id, 'a secret')
    await network.api('DELETE', `/comments/${comment.id}`, bob)
    const [notification] = (await notified(network, ada)).notifications
    expect(notification).toMatchObject({ comment: null, comment_id: null, post: { title: 'On counting' } })
    await network.api('DELETE', `/posts/${post.id}`, ada)
    expect((await notified(network, ada)).notifications[0]).toMatchObject({
      ...{ content: 'bob commented on a post that was deleted', post: null, post_id: null },
    })
  })
})

describe('notifications', () => {
  test('are marked as read by post or all together, which records no event', async () => {
    const { network, ada, bob, post } = await openWithPost()
    await using _ = network
    const other = await network.post(ada, 'Another')
    for (const each of [post, other, other]) await network.comment(bob, each.id)
    network.recorded()
    const read = async (path: string) => (await network.api('POST', `/notifications/${path}`, ada)).body
    expect(await read(`read-by-post/${other.id}`)).toMatchObject({ marked_count: 2, unread_count: 1 })
    expect(await read(`read-by-post/${other.id}`)).toMatchObject({ success: true, marked_count: 0 })
    const unread = await notified(network, ada, '?filter=unread')
    expect([unread.total, unread.unread_count, unread.notifications.map(({ post_id }) => post_id)]).toEqual([
      3,
      1,
      [String(post.id)],
    ])
    expect(await read('read-all')).toMatchObject({ marked_count: 1, unread_count: 0 })
    expect((await notified(network, ada)).notifications.every(({ is_read }) => is_read)).toBe(true)
    expect((await network.api('POST', '/notifications/read-by-post/none', ada)).status).toBe(404)
    expect((await network.api('POST', '/notifications/read-all')).status).toBe(401)
    expect(network.recorded()).toEqual([])
  })

  test('are listed by pages, and a cursor of another list is an error', async () => {
    const { network, ada, bob, post } = await openWithPost()
    await using _ = network
    for (let n = 0; n < 5; n++) await network.comment(bob, post.id, `comment ${n}`)
    const first = await notified(network, ada, '?limit=3')
    const second = await notified(network, ada, `?limit=3&cursor=${first.next_cursor}`)
    const texts = [...first.notifications, ...second.notifications].map(({ comment }) => comment?.content)
    expect(texts).toEqual(['comment 4', 'comment 3', 'comment 2', 'comment 1', 'comment 0'])
    expect([first.has_more, second.has_more, second.next_cursor]).toEqual([true, false, null])
    const wrong = await network.api('GET', `/notifications?filter=unread&cursor=${first.next_cursor}`, ada)
    expect(wrong.status).toBe(400)
  })

  test('of one agent are at most the newest 2,000', async () => {
    const { network, ada, bob, post } = await openWithPost()
    await using _ = network
    const comments = Array.from({ length: 2_010 }, (_, n) => network.comment(bob, post.id, `comment ${n}`))
    await Promise.all(comments)
    expect(await notified(network, ada, '?limit=1')).toMatchObject({ total: 2_000, unread_count: 2_000 })
  })

  test('go with the account', async () => {
    const { network, ada, bob, post } = await openWithPost()
    await using _ = network
    await network.comment(bob, post.id)
    await network.api('DELETE', '/agents/me', ada)
    await network.services.deletions.resume()
    expect(network.store.all(query<unknown>('SELECT * FROM notifications'))).toEqual([])
  })
})

describe('/home', () => {
  const home = async (network: TestNetwork, key: string) => (await network.api('GET', '/home', key)).body
  const threads = ({ activity_on_your_posts }: Json) => activity_on_your_posts as Json[]

  test('leads back to the threads in which something is new, the newest first', async () => {
    const { network, ada, bob, cyd, post } = await openWithPost()
    await using _ = network
    const other = await network.post(bob, 'Another')
    const mine = await network.comment(ada, other.id, 'I wonder')
    await network.comment(bob, other.id, 'So do I', mine.id)
    for (const key of [bob, cyd, bob]) await network.comment(key, post.id, 'I count')
    const shown = await home(network, ada)
    expect(shown.your_account).toEqual({ name: 'ada', karma: 0, unread_notification_count: 4 })
    expect(threads(shown)).toMatchObject([
      { post_title: 'On counting', new_notification_count: 3, latest_commenters: ['bob', 'cyd'], preview: 'I count' },
      { post_title: 'Another', submolt_name: 'general', new_notification_count: 1, latest_commenters: ['bob'] },
    ])
    expect((shown.what_to_do_next as string[])[0]).toBe('Answer in the 2 threads above: someone wrote to you.')
  })

  test('suggests requests that work as they are written', async () => {
    const { network, ada, bob, post } = await openWithPost()
    await using _ = network
    await network.comment(bob, post.id)
    const actions = threads(await home(network, ada)).flatMap((thread) => thread.suggested_actions as string[])
    const statuses: number[] = []
    for (const action of actions) {
      const [method = '', path = ''] = action.split(/\s+/)
      const body = path.endsWith('/comments') ? { content: 'Here is my answer' } : undefined
      statuses.push((await network.ask(method, path, ada, body)).status)
    }
    expect(statuses).toEqual([200, 201, 200])
    expect(threads(await home(network, ada))).toEqual([])
    for (const link of Object.values((await home(network, ada)).quick_links as Json)) {
      expect((await network.ask('GET', String(link).split(' ')[1] ?? '', ada)).status).toBe(200)
    }
  })

  test('shows posts of followed agents, and says how to follow some', async () => {
    const { network, ada, bob } = await openWithPost()
    await using _ = network
    const before = (await home(network, bob)).posts_from_accounts_you_follow as Json
    expect(before).toMatchObject({ posts: [], total_following: 0, hint: expect.stringContaining('Follow agents') })
    await network.api('POST', '/agents/ada/follow', bob)
    expect((await home(network, bob)).posts_from_accounts_you_follow).toMatchObject({
      ...{ posts: [{ title: 'On counting', author_name: 'ada' }], total_following: 1, hint: null },
    })
    expect(threads(await home(network, ada))).toEqual([])
  })

  test('shows the newest announcement, which only the owner of that community writes', async () => {
    const { network, ada, bob } = await openWithPost()
    await using _ = network
    const create = { name: 'announcements', description: 'mine' }
    expect((await network.api('POST', '/submolts', bob, create)).status).toBe(400)
    expect((await home(network, bob)).latest_moltbook_announcement).toBeNull()
    const setOwner = (agent: string) =>
      network.api('PUT', '/operator/submolts/announcements/owner', OPERATOR_TOKEN, { agent })
    expect((await setOwner('ada')).body).toMatchObject({ submolt: { creator_name: 'ada' } })
    expect((await setOwner('ada')).status).toBe(200)
    await network.post(ada, 'Maintenance', { submolt: 'announcements', content: 'On Sunday.' })
    const others = { submolt: 'announcements', title: 'Buy', content: 'this' }
    expect(await network.api('POST', '/posts', bob, others)).toMatchObject({ status: 403 })
    expect((await home(network, bob)).latest_moltbook_announcement).toMatchObject({
      ...{ title: 'Maintenance', preview: 'On Sunday.' },
    })
    expect((await setOwner('bob')).status).toBe(200)
    expect((await setOwner('nobody')).status).toBe(404)
    expect((await home(network, bob)).latest_moltbook_announcement).toBeNull()
    expect(network.recorded()).toEqual(['submolt.owned', 'post.created', 'submolt.owned'])
  })
})

test('mentions are names after an @ that stand alone, the first ten', () => {
  expect(mentionedNames('@a-b, (@c_d) and @E.')).toEqual(['a-b', 'c_d'])
  expect(mentionedNames('x@ada @@bob /@cyd https://medium.example/@dan @é')).toEqual([])
  expect(mentionedNames('@ada @Ada @ADA')).toEqual(['ada'])
  const many = Array.from({ length: 20 }, (_, n) => `@agent${n}`)
  expect(mentionedNames(many.join(' '))).toHaveLength(10)
})
