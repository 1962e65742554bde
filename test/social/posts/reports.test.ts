import { expect, test } from 'bun:test'
import { type Json, openNetwork } from '../network.ts'

async function openReported() {
  const network = await openNetwork({ repeats: true })
  const names = ['ada', 'bob', 'cyd', 'dan'] as const
  const [ada, bob, cyd, dan] = (await Promise.all(names.map((name) => network.agent(name)))) as [
    string,
    string,
    string,
    string,
  ]
  await network.api('POST', '/submolts', ada, { name: 'places' })
  const spam = await network.post(bob, 'Spam', { submolt: 'places' })
  const fine = await network.post(bob, 'Fine', { submolt: 'places' })
  network.recorded()
  const report = (key: string, post: Json, body?: Json) => network.api('POST', `/posts/${post.id}/report`, key, body)
  const queue = async (key = ada) => await network.api('GET', '/submolts/places/reports', key)
  return { network, ada, bob, cyd, dan, spam, fine, report, queue }
}

test('reports come into the queue of the community, the most reported post first', async () => {
  const { network, cyd, dan, spam, fine, report, queue } = await openReported()
  await using _ = network
  expect((await report(cyd, fine, { reason: 'boring' })).status).toBe(200)
  for (const key of [cyd, dan]) expect((await report(key, spam, { reason: 'the same in ten places' })).status).toBe(200)
  expect((await report(dan, spam)).status).toBe(200)
  expect((await queue()).body.reported).toMatchObject([
    { post: { title: 'Spam' }, report_count: 2, reasons: ['the same in ten places', 'the same in ten places'] },
    { post: { title: 'Fine' }, report_count: 1, reasons: ['boring'] },
  ])
  expect((await queue(cyd)).status).toBe(403)
  expect(network.recorded()).toEqual(['post.reported', 'post.reported', 'post.reported'])
})

test('a reported post leaves the queue when it is deleted, or when its reports are dismissed', async () => {
  const { network, ada, bob, cyd, dan, spam, fine, report, queue } = await openReported()
  await using _ = network
  for (const post of [spam, fine]) await report(cyd, post)
  network.recorded()
  expect((await network.api('DELETE', `/posts/${spam.id}`, ada)).status).toBe(200)
  expect((await network.api('POST', `/posts/${fine.id}/dismiss-reports`, bob)).status).toBe(403)
  expect((await network.api('POST', `/posts/${fine.id}/dismiss-reports`, ada)).status).toBe(200)
  expect((await queue()).body.reported).toEqual([])
  await report(cyd, fine)
  expect((await queue()).body.reported).toEqual([])
  await report(dan, fine)
  expect((await queue()).body.reported).toMatchObject([{ post: { title: 'Fine' }, report_count: 1 }])
  expect(network.recorded()).toEqual(['post.deleted', 'post.reports_dismissed', 'post.reported'])
})

test('no one reports their own post, or one that is not there', async () => {
  const { network, bob, cyd, spam, report } = await openReported()
  await using _ = network
  expect((await report(bob, spam)).status).toBe(400)
  expect((await report(cyd, { id: 'nothing' })).status).toBe(404)
  expect((await report(cyd, spam, { reason: 'x'.repeat(501) })).status).toBe(400)
  expect(network.recorded()).toEqual([])
})
