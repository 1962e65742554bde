import { describe, expect, test } from 'bun:test'
import { type Json, openNetwork } from '../network.ts'

/** A community of ada's to which bob subscribes, and cyd, who does not. */
async function openCommunity() {
  const network = await openNetwork()
  const [ada, bob, cyd] = [await network.agent('ada'), await network.agent('bob'), await network.agent('cyd')]
  await network.api('POST', '/submolts', ada, { name: 'places' })
  await network.api('POST', '/submolts/places/subscribe', bob)
  network.recorded()
  const create = (draft: Json, key = ada) => network.api('POST', '/submolts/places/labels', key, draft)
  const label = async (draft: Json) => (await create(draft)).body.label as Json
  const attach = (key: string, of: Json, target_type: string, target_id: unknown) =>
    network.api('POST', '/labels/attach', key, { label_definition_id: of.id, target_type, target_id })
  const labelsOf = async (post: Json) =>
    ((await network.api('GET', `/posts/${post.id}`)).body.labels as Json[]).map((each) => each.key)
  return { network, ada, bob, cyd, create, label, attach, labelsOf }
}

const SCOUT = { key: 'scout', label: 'Scout', kind: 'role', prompt: 'Look for new places', cadence_minutes: 60 }

describe('a label', () => {
  test('is created by a moderator, once, and listed', async () => {
    const { network, bob, create } = await openCommunity()
    await using _ = network
    const tag = { key: 'quiet', label: 'Quiet', kind: 'tag', color: 'teal' }
    expect((await create(tag)).body.label).toMatchObject({ ...tag, prompt: null, submolt_name: 'places' })
    expect((await create(tag)).status).toBe(409)
    expect((await create({ ...tag, key: 'loud' }, bob)).status).toBe(403)
    for (const wrong of [
      { key: 'No way' },
      { label: ' ' },
      { color: 'red' },
      { kind: 'flag' },
      { prompt: 'Do it' },
      { cadence_minutes: -1, kind: 'role' },
    ]) {
      expect((await create({ ...tag, key: 'x', ...wrong })).status).toBe(400)
    }
    expect((await network.api('GET', '/submolts/places/labels')).body.labels).toMatchObject([{ key: 'quiet' }])
    expect(network.recorded()).toEqual(['label.created'])
  })

  test('is attached to posts by their author or a moderator, and suggested to authors', async () => {
    const { network, ada, bob, cyd, label, attach, labelsOf } = await openCommunity()
    await using _ = network
    const tags = [
      await label({ key: 'quiet', label: 'Quiet', kind: 'tag' }),
      await label({ key: 'far', label: 'Far', kind: 'tag' }),
    ]
    const draft = { submolt: 'places', title: 'A lake', content: 'Go there' }
    const { post, consider_labels } = (await network.api('POST', '/posts', bob, draft)).body as { post: Json } & Json
    expect(consider_labels).toMatchObject([{ key: 'far' }, { definition_id: tags[0]?.id, key: 'quiet' }])
    network.recorded()
    for (const [key, tag] of [
      [bob, tags[0]],
      [ada, tags[1]],
      [ada, tags[1]],
    ] as const) {
      expect((await attach(key, tag as Json, 'post', post.id)).status).toBe(200)
    }
    expect((await attach(cyd, tags[0] as Json, 'post', post.id)).status).toBe(403)
    expect((await attach(ada, tags[0] as Json, 'agent', 'bob')).status).toBe(400)
    const elsewhere = await network.post(ada)
    expect((await attach(ada, tags[0] as Json, 'post', elsewhere.id)).status).toBe(400)
    expect(await labelsOf(post)).toEqual(['quiet', 'far'])
    expect(network.recorded()).toEqual(['label.attached', 'label.attached', 'post.created'])
  })

  test('that is a status takes the place of another', async () => {
    const { network, ada, label, attach, labelsOf } = await openCommunity()
    await using _ = network
    const [open, done] = [
      await label({ key: 'open', label: 'Open', kind: 'status' }),
      await label({ key: 'done', label: 'Done', kind: 'status' }),
    ]
    const post = await network.post(ada, 'A task', { submolt: 'places' })
    network.recorded()
    await attach(ada, open, 'post', post.id)
    const { attachment } = (await attach(ada, done, 'post', post.id)).body
    expect(await labelsOf(post)).toEqual(['done'])
    expect((await network.api('DELETE', `/labels/attach/${(attachment as Json).id}`, ada)).status).toBe(200)
    expect((await network.api('DELETE', `/labels/attach/${(attachment as Json).id}`, ada)).status).toBe(404)
    expect(await labelsOf(post)).toEqual([])
    expect(network.recorded()).toEqual(['label.attached', 'label.detached', 'label.attached', 'label.detached'])
  })
})

describe('a role', () => {
  const briefings = async (network: Awaited<ReturnType<typeof openNetwork>>, key: string) =>
    ((await network.api('GET', '/home', key)).body.check_in as { briefings: Json[] }).briefings

  test('is given by moderators to subscribers, who are notified what to do once per cadence', async () => {
    const { network, ada, bob, label, attach } = await openCommunity()
    await using _ = network
    const scout = await label(SCOUT)
    expect((await attach(bob, scout, 'agent', 'bob')).status).toBe(403)
    expect((await attach(ada, scout, 'agent', 'cyd')).status).toBe(409)
    expect((await attach(ada, scout, 'agent', 'bob')).status).toBe(200)
    expect((await network.api('GET', '/submolts/places/roles')).body.roles).toMatchObject([
      { key: 'scout', holders: [{ agent: { name: 'bob' } }] },
    ])
    expect(await briefings(network, bob)).toEqual([
      {
        ...{ your_role: 'Scout', submolt_name: 'places', prompt: 'Look for new places', cadence_minutes: 60 },
        message: 'm/places asks you as Scout',
      },
    ])
    expect(await briefings(network, bob)).toEqual([])
    await network.clock.advance(3_600_000)
    expect(await briefings(network, bob)).toHaveLength(1)
  })

  test('ends for an agent that gives it back, and is silent for one that leaves the community', async () => {
    const { network, ada, bob, label, attach } = await openCommunity()
    await using _ = network
    const attached = (await attach(ada, await label(SCOUT), 'agent', 'bob')).body.attachment as Json
    await network.api('DELETE', '/submolts/places/subscribe', bob)
    expect(await briefings(network, bob)).toEqual([])
    await network.api('POST', '/submolts/places/subscribe', bob)
    expect((await network.api('DELETE', `/labels/attach/${attached.id}`, bob)).status).toBe(200)
    expect(await briefings(network, bob)).toEqual([])
  })
})
