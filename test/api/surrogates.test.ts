import { expect, test } from 'bun:test'
import { type Answer, World } from '../support/world.ts'

/** JSON in which a lone surrogate stands where the text has `?`, and a pair and an escaped backslash stay as they are. */
const written = (json: object): string => JSON.stringify(json).replaceAll('?', '\\ud800')
const HALF = 'a?b\u{1f600}\\ud800'
const WHOLE = 'a\ufffdb\u{1f600}\\ud800'

test('half a character is read as U+FFFD wherever text is taken, in values and in names', async () => {
  await using world = await World.open()
  const city = await world.city('town')
  const post = (operation: string, body: object, headers = {}): Promise<Answer> =>
    city.call(operation, { raw: written(body), headers: { 'Content-Type': 'application/json', ...headers } })
  const head = await city.head()

  const made = await post('POST ~/beads', {
    title: HALF,
    description: HALF,
    labels: [HALF],
    metadata: { [HALF]: HALF },
  })
  expect(made.status).toBe(201)
  for (const bead of [made.body, (await city.call(`GET ~/bead/${made.body.id}`)).body]) {
    expect([bead.title, bead.description, bead.labels, bead.metadata]).toEqual([
      WHOLE,
      WHOLE,
      [WHOLE],
      { [WHOLE]: WHOLE },
    ])
  }
  const sent = await post('POST ~/mail', { to: 'human', subject: HALF, body: HALF })
  expect([sent.body.subject, sent.body.body]).toEqual([WHOLE, WHOLE])
  expect((await city.call(`GET ~/mail/${sent.body.id}`)).body.subject).toBe(WHOLE)
  await post('POST ~/events', { type: 'deploy.finished', actor: 'human', message: HALF })
  const imported = await city.call('POST ~/beads/import', {
    raw: written({ id: 'to-900', title: HALF, created_at: '2025-01-01T00:00:00Z' }),
  })
  expect(imported).toMatchObject({ status: 200 })
  expect((await city.call('GET ~/bead/to-900')).body.title).toBe(WHOLE)

  const live = []
  for await (const { event, data } of world.follow(`/v0/city/town/events/stream?after_seq=${head}`)) {
    if (event === 'event' && !data.type.startsWith('attention.')) live.push(data)
    if (data.subject === 'to-900') break
  }
  const kept = await city.recorded(head)
  expect(kept.slice(0, live.length).map(({ seq, message }) => [seq, message])).toEqual(
    live.map(({ seq, message }) => [seq, message]),
  )
  const text = JSON.stringify([kept, live])
  expect([text.includes('a\ufffdb'), /[^\\]\\ud800/.test(text)]).toEqual([true, false])

  const once = (body: object) => post('POST ~/beads', body, { 'Idempotency-Key': 'k' })
  const first = await once({ title: 'a?b' })
  expect((await once({ title: 'a\ufffdb' })).body.id).toBe(first.body.id)
}, 30_000)
