import { describe, expect, test } from 'bun:test'
import { type Json, openNetwork } from '../network.ts'

/** A network with a community of ada's, which bob moderates, and cyd, who does neither. */
async function openCommunity() {
  const network = await openNetwork({ repeats: true })
  const [ada, bob, cyd] = [await network.agent('ada'), await network.agent('bob'), await network.agent('cyd')]
  await network.api('POST', '/submolts', ada, { name: 'places', display_name: 'Places' })
  const moderators = (method: string, key: string, body?: Json, path = '') =>
    network.api(method, `/submolts/places/moderators${path}`, key, body)
  expect((await moderators('POST', ada, { agent_name: 'bob', role: 'moderator' })).status).toBe(200)
  const listed = async () => ((await network.api('GET', '/submolts/places/moderators')).body.moderators ?? []) as Json[]
  return { network, ada, bob, cyd, moderators, listed }
}

describe('moderators', () => {
  test('are added by the owner, listed after it, and removed by the owner or themselves', async () => {
    const { network, ada, bob, cyd, moderators, listed } = await openCommunity()
    await using _ = network
    network.recorded()
    expect((await moderators('POST', ada, { agent_name: 'BOB' })).status).toBe(200)
    expect(await listed()).toMatchObject([
      { name: 'ada', agent_name: 'ada', role: 'owner' },
      { name: 'bob', agent_name: 'bob', role: 'moderator' },
    ])
    expect((await network.api('GET', '/submolts/places', bob)).body).toMatchObject({ your_role: 'moderator' })
    await moderators('POST', ada, { agent_name: 'cyd' })
    expect((await moderators('DELETE', bob, { agent_name: 'cyd' })).status).toBe(403)
    expect((await moderators('DELETE', bob, { agent_name: 'bob' })).status).toBe(200)
    expect((await moderators('DELETE', ada, undefined, '/cyd')).status).toBe(200)
    expect((await moderators('DELETE', ada, undefined, '/cyd')).status).toBe(200)
    expect((await moderators('DELETE', ada, { agent_name: 'ada' })).status).toBe(403)
    expect((await moderators('POST', cyd, { agent_name: 'cyd' })).status).toBe(403)
    expect((await moderators('POST', ada, { agent_name: 'ada' })).status).toBe(409)
    expect((await moderators('POST', ada, { agent_name: 'bob', role: 'owner' })).status).toBe(400)
    expect(await listed()).toHaveLength(1)
    expect(network.recorded()).toEqual(['moderator.added', 'moderator.removed', 'moderator.removed'])
  })

  test('lose their role with their account', async () => {
    const { network, bob, listed } = await openCommunity()
    await using _ = network
    await network.api('DELETE', '/agents/me', bob)
    await network.services.deletions.resume()
    expect(await listed()).toMatchObject([{ name: 'ada' }])
  })

  test('delete what others wrote in their community, under their own name, and nothing elsewhere', async () => {
    const { network, ada, bob, cyd } = await openCommunity()
    await using _ = network
    const [there, elsewhere] = [await network.post(cyd, 'Spam', { submolt: 'places' }), await network.post(cyd, 'Mine')]
    const comment = await network.comment(cyd, (await network.post(ada, 'A', { submolt: 'places' })).id)
    network.recorded()
    const { id } = (await network.api('GET', '/agents/me', bob)).body.agent as Json
    expect((await network.api('DELETE', `/comments/${comment.id}`, bob)).status).toBe(200)
    expect((await network.api('DELETE', `/posts/${there.id}`, bob)).status).toBe(200)
    expect((await network.api('DELETE', `/posts/${elsewhere.id}`, bob)).status).toBe(403)
    const events = network.log.after(0, 1_000).slice(-2)
    expect(events.map(({ type, actor }) => [type, actor])).toEqual([
      ['comment.deleted', String(id)],
      ['post.deleted', String(id)],
    ])
    expect(await network.recount()).toEqual([])
  })
})

describe('the settings of a community', () => {
  test('are changed by its owner and its moderators, with an event for what changed', async () => {
    const { network, ada, bob, cyd } = await openCommunity()
    await using _ = network
    network.recorded()
    const change = (key: string, body: Json) => network.api('PATCH', '/submolts/places/settings', key, body)
    const settings = { description: 'Where to go', rules: 'No spam', banner_color: '#1A2B3C', theme_color: '' }
    expect((await change(bob, settings)).body.submolt).toMatchObject({
      ...{ description: 'Where to go', rules: 'No spam', banner_color: '#1a2b3c', theme_color: null },
    })
    await change(ada, settings)
    await change(ada, { banner_color: null })
    const [first, second] = network.log.after(0, 1_000).slice(-2)
    expect([first?.payload, second?.payload]).toEqual([
      { submolt: 'places', changed: ['description', 'rules', 'banner_color'] },
      { submolt: 'places', changed: ['banner_color'] },
    ])
    for (const [key, body, status] of [
      [cyd, { rules: 'mine' }, 403],
      [ada, {}, 400],
      [ada, { theme_color: 'red' }, 400],
      [ada, { display_name: ' ' }, 400],
      [ada, { rules: 'x'.repeat(5_001) }, 400],
    ] as const) {
      expect((await change(key, body)).status).toBe(status)
    }
    expect(network.recorded()).toEqual(['submolt.changed', 'submolt.changed'])
  })
})

describe('pinned posts', () => {
  test('come first in their community, each once over all pages, three at most', async () => {
    const { network, ada, bob, cyd } = await openCommunity()
    await using _ = network
    const posts: Json[] = []
    for (const title of ['one', 'two', 'three', 'four'])
      posts.push(await network.post(ada, title, { submolt: 'places' }))
    network.recorded()
    const pin = async (n: number, key = bob, method = 'POST') =>
      (await network.api(method, `/posts/${posts[n]?.id}/pin`, key)).status
    expect([await pin(0), await pin(0), await pin(1), await pin(2), await pin(3)]).toEqual([200, 200, 200, 200, 409])
    expect(await pin(3, cyd)).toBe(403)
    expect(await pin(2, ada, 'DELETE')).toBe(200)
    const page = async (query: string) => {
      const { body } = await network.api('GET', `/submolts/places/feed?fields=title,is_pinned&${query}`)
      return [(body.posts as Json[]).map(({ title, is_pinned }) => [title, is_pinned]), body.next_cursor] as const
    }
    const all = [
      ['two', true],
      ['one', true],
      ['four', false],
      ['three', false],
    ]
    for (const limit of [1, 2, 3]) {
      const byCursor: unknown[] = []
      for (let cursor: unknown = ''; cursor !== null; ) {
        const [some, next] = await page(`limit=${limit}&cursor=${cursor}`)
        byCursor.push(...some)
        cursor = next
      }
      expect(byCursor).toEqual(all)
      for (let offset = 0; offset <= 4; offset++) {
        expect((await page(`limit=${limit}&offset=${offset}`))[0]).toEqual(all.slice(offset, offset + limit))
      }
    }
    expect((await page('sort=new&limit=1'))[0]).toEqual([['four', false]])
    expect(network.recorded()).toEqual(['post.pinned', 'post.pinned', 'post.pinned', 'post.unpinned'])
  })
})
