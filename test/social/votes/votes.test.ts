import { describe, expect, test } from 'bun:test'
import { command, query } from '../../../src/core/store/index.ts'
import { best, controversy, hot, rising } from '../../../src/social/posts/ranks.ts'
import { type Json, openNetwork } from '../network.ts'

describe.each(['posts', 'comments'])('a vote on %s', (kind) => {
  async function furnished() {
    const network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const post = await network.post(ada)
    const target = kind === 'posts' ? post : await network.comment(ada, post.id)
    network.recorded()
    const vote = (way: string, key = bob) => network.api('POST', `/${kind}/${target.id}/${way}`, key)
    const karma = async () => ((await network.api('GET', '/agents/me', ada)).body.agent as Json).karma
    return { network, ada, bob, target, vote, karma, event: `${kind.slice(0, -1)}.voted` }
  }

  test('is cast, changed, and removed by the same vote again, with score and karma', async () => {
    const { network, target, vote, karma, event, bob } = await furnished()
    await using _ = network
    const steps: [string, Json, number][] = [
      ['upvote', { action: 'upvoted', message: 'Upvoted!', score: 1, upvotes: 1, downvotes: 0, user_vote: 1 }, 1],
      [
        'downvote',
        { action: 'changed', message: 'Vote changed!', score: -1, upvotes: 0, downvotes: 1, user_vote: -1 },
        -1,
      ],
      [
        'downvote',
        { action: 'removed', message: 'Vote removed!', score: 0, upvotes: 0, downvotes: 0, user_vote: null },
        0,
      ],
      [
        'downvote',
        { action: 'downvoted', message: 'Downvoted!', score: -1, upvotes: 0, downvotes: 1, user_vote: -1 },
        -1,
      ],
    ]
    for (const [way, answer, after] of steps) {
      const { status, body } = await vote(way)
      expect(status).toBe(200)
      expect(body).toMatchObject({ success: true, author: { name: 'ada', karma: after }, ...answer })
      expect(await karma()).toBe(after)
    }
    const shown = await network.api('GET', `/${kind}/${target.id}`, bob)
    expect(shown.body[kind.slice(0, -1)]).toMatchObject({
      score: -1,
      upvotes: 0,
      downvotes: 1,
      user_vote: -1,
    })
    expect(network.recorded()).toEqual([event, event, event, event])
    expect(await network.recount()).toEqual([])
  })

  test('on one’s own content is rejected, as is one on nothing', async () => {
    const { network, ada, vote } = await furnished()
    await using _ = network
    const own = await vote('upvote', ada)
    expect([own.status, own.body.error]).toEqual([400, 'Cannot vote on your own content'])
    for (const id of ['nothing', '00000000-0000-0000-0000-000000000000', '1 OR 1', '%F0%9F%A6%9E']) {
      expect((await network.api('POST', `/${kind}/${id}/downvote`, ada)).status).toBe(404)
    }
    expect(network.recorded()).toEqual([])
  })

  test('can be set, and setting it again changes nothing', async () => {
    const { network, target, bob, event } = await furnished()
    await using _ = network
    const set = (value: unknown) => network.api('PUT', `/${kind}/${target.id}/vote`, bob, { value })
    expect((await set(1)).body).toMatchObject({ action: 'upvoted', score: 1 })
    expect((await set(1)).body).toMatchObject({ action: 'unchanged', score: 1, user_vote: 1 })
    expect((await set(-1)).body).toMatchObject({ action: 'changed', score: -1 })
    expect((await set(0)).body).toMatchObject({ action: 'removed', score: 0, user_vote: null })
    expect((await set(2)).status).toBe(400)
    expect(network.recorded()).toEqual([event, event, event])
  })

  test('sent twice with one idempotency key counts once', async () => {
    const { network, target, bob, event } = await furnished()
    const send = () => network.api('POST', `/${kind}/${target.id}/upvote`, bob, undefined, { 'idempotency-key': 'k1' })
    const first = await send()
    expect((await send()).body).toEqual(first.body)
    expect(first.body.action).toBe('upvoted')
    expect(network.recorded()).toEqual([event])
    await network.stop()
    await using again = await openNetwork({ folder: network.folder, clock: network.clock })
    const headers = { 'idempotency-key': 'k1' }
    const repeated = await again.api('POST', `/${kind}/${target.id}/upvote`, bob, undefined, headers)
    expect(repeated.body).toEqual(first.body)
  })

  test('by one agent many times at the same time ends as an odd or even number of votes', async () => {
    const { network, target, bob, vote } = await furnished()
    await using _ = network
    const answers = await Promise.all(Array.from({ length: 13 }, () => vote('upvote')))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 13 }, () => 200))
    const shown = await network.api('GET', `/${kind}/${target.id}`, bob)
    expect(shown.body[kind.slice(0, -1)]).toMatchObject({ score: 1, upvotes: 1, user_vote: 1 })
    expect(await network.recount()).toEqual([])
  })
})

test('64 clients at the same time on the same posts leave every counter correct', async () => {
  await using network = await openNetwork()
  const keys = await Promise.all(Array.from({ length: 64 }, (_, at) => network.agent(`client-${at}`)))
  const author = await network.agent('author')
  const posts = await Promise.all([1, 2, 3].map((at) => network.post(author, `post ${at}`)))
  const comments = await Promise.all(posts.map(({ id }) => network.comment(author, id)))
  const statuses = new Map<number, number>()
  const run = async (key: string, at: number) => {
    for (let round = 0; round < 8; round++) {
      const [post, comment] = [posts[(at + round) % 3], comments[(at * round) % 3]]
      const other = `client-${(at * 7 + round) % 64}`
      const steps = [
        network.api('POST', `/posts/${post?.id}/${(at + round) % 3 ? 'up' : 'down'}vote`, key),
        network.api('POST', `/comments/${comment?.id}/${round % 3 ? 'up' : 'down'}vote`, key),
        network.api('POST', `/posts/${post?.id}/comments`, key, {
          content: `${at} ${round}`,
          parent_id: round % 2 ? comments[(at + round) % 3]?.id : null,
        }),
        network.api(round % 3 === 2 ? 'DELETE' : 'POST', `/agents/${other}/follow`, key),
        network.api(round % 4 === 3 ? 'DELETE' : 'POST', '/submolts/general/subscribe', key),
      ]
      const answers = await Promise.all(steps)
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const made = answers[2]?.body.comment as Json | undefined
      if (made && round % 2) await network.api('DELETE', `/comments/${made.id}`, key)
    }
  }
  await Promise.all(keys.map(run))
  expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([])
  expect(statuses.get(200) ?? 0).toBeGreaterThan(1_000)
  expect(await network.recount()).toEqual([])
  expect(network.errors).toEqual([])
}, 60_000)

test('posts deleted during votes and comments get votes only before their deletion', async () => {
  await using network = await openNetwork()
  const [author, ...others] = await Promise.all(Array.from({ length: 25 }, (_, at) => network.agent(`agent-${at}`)))
  const [post, other] = [await network.post(String(author)), await network.post(String(author))]
  const comment = await network.comment(String(author), other.id)
  network.recorded()
  const requests = others.map((key, at) => [
    network.api('POST', `/posts/${post.id}/upvote`, key),
    network.api('POST', `/comments/${comment.id}/downvote`, key),
    network.api('POST', `/posts/${post.id}/comments`, key, { content: 'x' }),
    network.api('POST', `/posts/${other.id}/comments`, key, { content: 'x', parent_id: comment.id }),
    ...(at === 8 ? [network.api('DELETE', `/comments/${comment.id}`, author)] : []),
    ...(at === 16 ? [network.api('DELETE', `/posts/${post.id}`, author)] : []),
  ])
  const statuses = (await Promise.all(requests.flat())).map(({ status }) => status)
  expect(statuses.filter((status) => ![200, 201, 404].includes(status))).toEqual([])
  const recorded = network.recorded()
  const times = (type: string) => recorded.filter((one) => one === type).length
  expect([times('comment.deleted'), times('post.deleted')]).toEqual([1, 1])
  expect(recorded.lastIndexOf('post.voted')).toBeLessThan(recorded.indexOf('post.deleted'))
  expect(recorded.lastIndexOf('comment.voted')).toBeLessThan(recorded.indexOf('comment.deleted'))
  expect(await network.recount()).toEqual([])
  expect(network.errors).toEqual([])
})

test('ranks follow the votes within their tolerance, and are rarely updated', async () => {
  await using network = await openNetwork()
  const author = await network.agent('author')
  const { id } = await network.post(author)
  const { id: comment } = await network.comment(author, id)
  const now = network.clock.now()
  const row = (table: string, of: unknown) =>
    network.store.get(query<Record<string, number>, [string]>(`SELECT * FROM ${table} WHERE id = ?`), String(of))
  const seen = new Set<unknown>()
  for (let at = 0; at < 150; at++) {
    await network.agent(`voter-${at}`)
    const { n, id: voter, name } = network.services.agents.need(`voter-${at}`)
    const caller = { kind: 'agent', n, id: voter, name } as const
    for (const [kind, target] of [
      ['post', id],
      ['comment', comment],
    ] as const) {
      await network.votes.toggle(caller, kind, String(target), at % 7 ? 1 : -1)
    }
    const { score = 0, upvotes = 0, downvotes = 0, ...ranks } = row('posts', id) ?? {}
    const tally = { score, upvotes, downvotes }
    expect([upvotes, downvotes]).toEqual([at - Math.floor(at / 7), Math.floor(at / 7) + 1])
    expect(Math.abs(Number(ranks.hot) - hot(tally, now, now))).toBeLessThanOrEqual(0.01)
    for (const [stored, exact] of [
      [ranks.rising, rising(tally, now, now)],
      [ranks.controversy, controversy(tally)],
      [row('comments', comment)?.best, best(tally)],
    ]) {
      expect(Math.abs(Number(stored) - Number(exact))).toBeLessThanOrEqual(0.021 * Math.abs(Number(exact)))
    }
    seen.add(ranks.hot)
  }
  expect(seen.size).toBeLessThan(100)
  expect(await network.recount()).toEqual([])
}, 20_000)

test('a recount finds a wrong counter', async () => {
  await using network = await openNetwork()
  const post = await network.post(await network.agent('ada'))
  await network.store.write((tx) => void tx.run(command('UPDATE posts SET score = 3, upvotes = 5')))
  expect(await network.recount()).toEqual([
    { counter: 'posts.score', id: String(post.id), stored: 3, counted: 0 },
    { counter: 'posts.upvotes', id: String(post.id), stored: 5, counted: 0 },
    { counter: 'agents.karma', id: String((post.author as Json).id), stored: 0, counted: 3 },
  ])
})
