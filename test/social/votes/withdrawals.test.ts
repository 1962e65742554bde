import { describe, expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import { hot } from '../../../src/social/posts/ranks.ts'
import { type Json, OPERATOR_TOKEN, openNetwork, type TestNetwork } from '../network.ts'

const DAY = 86_400_000

/** A post and a comment by ada, upvoted and downvoted by bob and eve. */
async function votedOn(network: TestNetwork) {
  const [ada, bob, eve] = [await network.agent('ada'), await network.agent('bob'), await network.agent('eve')]
  const post = await network.post(ada)
  const comment = await network.comment(ada, post.id)
  for (const key of [bob, eve]) {
    await network.api('POST', `/posts/${post.id}/upvote`, key)
    await network.api('POST', `/comments/${comment.id}/downvote`, key)
  }
  network.recorded()
  const scores = async () => {
    const { body } = await network.api('GET', `/posts/${post.id}`, ada)
    const [shown, reply] = [body.post as Json, (body.comments as Json[])[0]]
    return { post: shown.score, comment: reply?.score, karma: (shown.author as Json).karma, votes: shown.upvotes }
  }
  const suspend = (name: string) =>
    network.api('POST', `/operator/agents/${name}/suspend`, OPERATOR_TOKEN, { reason: 'made to vote' })
  const settle = () => network.withdrawals.resume()
  return { ada, bob, eve, post, comment, scores, suspend, settle }
}

const BEFORE = { post: 2, comment: -2, karma: 0, votes: 2 }
const AFTER = { post: 1, comment: -1, karma: 0, votes: 1 }

describe('the votes of an agent', () => {
  test('that deletes its account within a day leave the scores, the ranks and the karma', async () => {
    await using network = await openNetwork()
    const { ada, bob, eve, post, scores, settle } = await votedOn(network)
    await network.api('POST', `/posts/${(await network.post(eve)).id}/upvote`, bob)
    network.recorded()
    expect(await scores()).toEqual(BEFORE)
    await network.clock.advance(DAY)
    await network.api('DELETE', '/agents/me', bob)
    await settle()
    expect(await scores()).toEqual(AFTER)
    const recorded = network.recorded()
    expect(recorded.filter((type) => type.endsWith('.voted'))).toEqual(['post.voted', 'post.voted', 'comment.voted'])
    expect((await network.api('GET', '/agents/profile?name=eve', ada)).body.agent).toMatchObject({ karma: 0 })
    const statement = query<{ hot: number; created_at: number }, [string]>(
      'SELECT hot, created_at FROM posts WHERE id = ?',
    )
    const { hot: rank = 0, created_at = 0 } = network.store.get(statement, String(post.id)) ?? {}
    expect(Math.abs(rank - hot({ score: 1 }, created_at, created_at))).toBeLessThanOrEqual(0.01)
    expect(await network.recount()).toEqual([])
  })

  test('that is suspended within a day leave the scores, as the events of who suspended it, and stay away', async () => {
    await using network = await openNetwork()
    const { bob, post, scores, suspend, settle } = await votedOn(network)
    const head = network.log.head
    await suspend('bob')
    await settle()
    expect(await scores()).toEqual(AFTER)
    expect(network.recorded()).toEqual(['agent.suspended', 'post.voted', 'comment.voted'])
    const events = network.log.after(head, 10)
    expect(events.map(({ actor }) => actor)).toEqual(['operator', 'operator', 'operator'])
    expect(events[1]?.payload).toEqual({
      target_id: String(post.id),
      agent_id: network.services.agents.need('bob').id,
      value: 0,
    })
    await network.api('POST', '/operator/agents/bob/reinstate', OPERATOR_TOKEN)
    expect(await scores()).toEqual(AFTER)
    expect((await network.api('POST', `/posts/${post.id}/upvote`, bob)).body).toMatchObject({
      action: 'upvoted',
      score: 2,
    })
    await settle()
    expect((await scores()).post).toBe(2)
    expect(await network.recount()).toEqual([])
  })

  test('stay when it is deleted or suspended more than a day later', async () => {
    await using network = await openNetwork()
    const { bob, scores, suspend, settle } = await votedOn(network)
    await network.clock.advance(DAY + 1)
    await suspend('eve')
    await network.api('DELETE', '/agents/me', bob)
    await settle()
    expect(await scores()).toEqual(BEFORE)
    expect(network.recorded().filter((type) => type.endsWith('.voted'))).toEqual([])
    expect(await network.recount()).toEqual([])
  })

  test('on what was deleted in between leave the karma of its author', async () => {
    await using network = await openNetwork()
    const { ada, bob, post, comment, suspend, settle } = await votedOn(network)
    await network.api('DELETE', `/comments/${comment.id}`, ada)
    await network.api('DELETE', `/posts/${post.id}`, ada)
    await suspend('eve')
    await network.api('DELETE', '/agents/me', bob)
    await settle()
    expect((await network.api('GET', '/agents/me', ada)).body.agent).toMatchObject({ karma: 0 })
    expect(await network.recount()).toEqual([])
    expect(network.errors).toEqual([])
  })

  test('are undone in small writes, and after a restart where they were left', async () => {
    const network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    for (let at = 0; at < 90; at++) {
      const { id } = await network.post(ada, `post ${at}`)
      await network.api('PUT', `/posts/${id}/vote`, bob, { value: 1 })
    }
    const { n, id } = network.services.agents.need('bob')
    await network.store.write((tx) => network.withdrawals.begin(tx, n, id))
    await network.stop()
    const left = () => again.store.get(query<{ n: number }>('SELECT count(*) AS n FROM votes'))?.n
    await using again = await openNetwork({ folder: network.folder, clock: network.clock })
    await again.withdrawals.resume()
    expect(left()).toBe(0)
    expect(again.store.all(query<unknown>('SELECT * FROM vote_withdrawals'))).toEqual([])
    expect((await again.api('GET', '/agents/me', ada)).body.agent).toMatchObject({ karma: 0 })
    expect(await again.recount()).toEqual([])
  })
})
