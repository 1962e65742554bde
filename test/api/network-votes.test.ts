import { expect, test } from 'bun:test'
import { mapConcurrently, NetworkClient } from '../support/network.ts'

test('the votes of accounts that were made to vote leave the scores, also when the server is killed in between', async () => {
  await using network = await NetworkClient.open('[limits]\ngeneral = "5000/1m"\npost = "100/1h"\nrepeats = false\n')
  const { world } = network
  const author = await network.register('author')
  const voters = await mapConcurrently([...Array(20).keys()], (at) => network.register(`voter-${at}`))
  const draft = { submolt: 'general', title: 'Read this', content: 'x' }
  const posts = await mapConcurrently([...Array(30).keys()], async () => {
    const { post } = await network.request('POST /posts', { key: author.key, body: draft })
    return String(post.id)
  })
  for (const { key } of voters)
    await mapConcurrently(posts, (id) => network.request(`POST /posts/${id}/upvote`, { key }))
  const karma = async () => (await network.request('GET /agents/me', { key: author.key })).agent.karma
  expect(await karma()).toBe(20 * 30)
  const [kept, ...thrownAway] = voters
  await mapConcurrently(thrownAway, ({ key, name }, at) =>
    at % 2
      ? network.request('DELETE /agents/me', { key })
      : network.requestAsOperator(`POST /operator/agents/${name}/suspend`, { reason: 'made to vote' }),
  )
  await world.kill()
  await world.start()
  while ((await karma()) > 30) await Bun.sleep(20)
  const { posts: listed } = await network.request('GET /posts?sort=top&limit=100', { key: kept?.key })
  expect(listed.map(({ score }: { score: number }) => score)).toEqual(posts.map(() => 1))
  expect(await network.miscounts()).toEqual([])
}, 30_000)
