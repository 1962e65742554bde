import { expect, test } from 'bun:test'
import { workTown } from '../../work/world.ts'
import { startAdapter, type TestAdapter } from './adapter.ts'
import { conversation, human, openTalk } from './world.ts'

type Talk = Awaited<ReturnType<typeof openTalk>>

const registration = (adapter: TestAdapter) => ({
  ...{ provider: 'chat', account_id: 'acct', callback_url: `${adapter.url}/cb/` },
})

/** A city whose session ada answers the conversation e1, with its adapter. */
async function openAnswering(adapter: TestAdapter, town?: Parameters<typeof openTalk>[0]) {
  const world = await openTalk(town)
  const ada = await world.session('ada')
  await world.bind('e1', ada.id)
  await world.talk.adapters.register(human, registration(adapter))
  world.recorded()
  return { ...world, ada, send: sender(world, ada.id) }
}

const sender =
  ({ talk }: Talk, session: string) =>
  (text: string, fields: { idempotency_key?: string; reply_to_message_id?: string } = {}) =>
    talk.outbound.send(human, { session_id: session, conversation: conversation('e1'), text, ...fields })

const asked = async ({ attention }: Talk) => {
  await attention.whenIdle()
  return attention.list().items.filter(({ kind }) => kind === 'adapter')
}

test('a message is handed to the adapter with the key of the caller, and written down when it is delivered', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  adapter.answer = () =>
    Response.json({ delivered: true, message_id: 'x1', conversation: conversation('e1'), metadata: { ts: '1' } })
  const result = await world.send('hello', { idempotency_key: 'i1', reply_to_message_id: 'm1' })
  expect(result).toMatchObject({
    Receipt: { MessageID: 'x1', Conversation: conversation('e1'), Delivered: true, FailureKind: '', RetryAfter: 0 },
    DeliveryContext: { SessionID: world.ada.id, BindingGeneration: 1, LastMessageID: 'x1' },
    TranscriptEntry: {
      ...{ Sequence: 1, Kind: 'outbound', Text: 'hello', ProviderMessageID: 'x1', ReplyToMessageID: 'm1' },
      SourceSessionID: world.ada.id,
    },
  })
  expect(result.Receipt.Metadata).toEqual({ ts: '1' })
  expect(adapter.asked).toMatchObject([
    {
      path: '/cb/publish',
      headers: { 'x-gc-request': 'true', 'content-type': 'application/json' },
      body: {
        ...{ session_id: world.ada.id, conversation: conversation('e1'), text: 'hello' },
        ...{ reply_to_message_id: 'm1', idempotency_key: 'i1' },
      },
    },
  ])
  expect(Object.keys(adapter.asked[0]?.headers ?? {})).not.toContain('authorization')
  expect(world.recorded()).toEqual([`extmsg.outbound ${world.ada.id}`])
})

test('the same key gets the first receipt, also while the first is under way and after a restart', async () => {
  await using adapter = startAdapter()
  await using town = workTown()
  const world = await openAnswering(adapter, { town })
  const once = () => world.send('hello', { idempotency_key: 'i1' })
  const [first, second] = await Promise.all([once(), once()])
  expect(second).toEqual(first)
  await expect(world.send('bye', { idempotency_key: 'i1' })).rejects.toMatchObject({ code: 'idempotency-mismatch' })
  expect(world.recorded()).toEqual([`extmsg.outbound ${world.ada.id}`])
  await world.close({ endSessions: false })
  await using again = await openTalk({ town })
  expect(await sender(again, world.ada.id)('hello', { idempotency_key: 'i1' })).toEqual(first)
  expect(adapter.asked).toHaveLength(1)
  expect(again.transcript('e1')).toEqual(['hello'])
})

test('an undelivered message returns a receipt with the reason, and nothing is stored', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  const kinds = new Map<number, string>([
    [401, 'auth'],
    [403, 'auth'],
    [404, 'not_found'],
    [429, 'rate_limited'],
    [418, 'permanent'],
    [302, 'permanent'],
    [500, 'transient'],
  ])
  for (const [status, kind] of kinds) {
    adapter.answer = () => new Response('', { status })
    expect(await world.send('x')).toMatchObject({
      Receipt: { Delivered: false, FailureKind: kind, Conversation: conversation('e1'), Metadata: null },
      ...{ DeliveryContext: null, TranscriptEntry: null },
    })
  }
  adapter.answer = () => Response.json({ delivered: false, failure_kind: 'rate_limited', retry_after: 5e9 })
  const { Receipt } = await world.send('x')
  expect(Receipt).toMatchObject({ Delivered: false, FailureKind: 'rate_limited', RetryAfter: 5e9 })
  expect(Receipt.Conversation).toMatchObject({ conversation_id: '', kind: '' })
  adapter.answer = () => new Response('no JSON')
  expect((await world.send('x')).Receipt.FailureKind).toBe('transient')
  expect(world.recorded()).toEqual([])
  expect(world.transcript('e1')).toEqual([])
})

test('a redirect is not followed', async () => {
  await using adapter = startAdapter()
  await using elsewhere = startAdapter()
  await using world = await openAnswering(adapter)
  for (const status of [301, 302, 307, 308]) {
    adapter.answer = () => new Response(null, { status, headers: { location: `${elsewhere.url}/publish` } })
    expect((await world.send('x')).Receipt).toMatchObject({ Delivered: false, FailureKind: 'permanent' })
  }
  expect(elsewhere.asked).toEqual([])
})

test('an answer of ten megabytes is not read to its end', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  let sent = 0
  const chunk = new Uint8Array(64 * 1024).fill(32)
  adapter.answer = () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          if (sent >= 10 * 2 ** 20) return controller.close()
          sent += chunk.length
          controller.enqueue(chunk)
          await Bun.sleep(0)
        },
      }),
    )
  expect((await world.send('x')).Receipt).toMatchObject({ Delivered: false, FailureKind: 'transient' })
  expect(sent).toBeLessThan(10 * 2 ** 20)
})

test('an adapter that hangs is waited for thirty seconds; what it was sent may have arrived and is not sent again', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  adapter.answer = () => new Promise(() => {})
  const sending = world.send('hello', { idempotency_key: 'i1' })
  await adapter.whenAsked(1)
  await world.clock.advance(29_999)
  expect(await Promise.race([sending, Bun.sleep(20).then(() => 'waiting')])).toBe('waiting')
  await world.clock.advance(1)
  const result = await sending
  expect(result.Receipt).toMatchObject({ Delivered: false, FailureKind: 'unknown' })
  expect(await world.send('hello', { idempotency_key: 'i1' })).toEqual(result)
  expect(adapter.asked).toHaveLength(1)
  expect(world.recorded()).toEqual([])
})

test('an adapter that breaks off after it was asked leaves the outcome unknown', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  adapter.answer = async () => {
    await adapter.server.stop(true)
    return new Response('')
  }
  expect((await world.send('x')).Receipt).toMatchObject({ Delivered: false, FailureKind: 'unknown' })
})

test('a message that was on its way when the city closed is known as that, and is not sent again', async () => {
  await using adapter = startAdapter()
  await using town = workTown()
  const world = await openAnswering(adapter, { town })
  adapter.answer = () => new Promise(() => {})
  const sending = world.send('hello', { idempotency_key: 'i1' })
  await adapter.whenAsked(1)
  await world.close({ endSessions: false })
  expect((await sending).Receipt.FailureKind).toBe('unknown')
  await using again = await openTalk({ town })
  await again.talk.adapters.register(human, registration(adapter))
  const result = await sender(again, world.ada.id)('hello', { idempotency_key: 'i1' })
  expect(result.Receipt).toMatchObject({ Delivered: false, FailureKind: 'unknown' })
  expect(adapter.asked).toHaveLength(1)
})

test('an adapter that is down for an hour: every sender is notified, a person is asked once, until it takes a message again', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  const callback_url = 'http://127.0.0.1:2/cb'
  await world.talk.adapters.register(human, { ...registration(adapter), callback_url })
  world.recorded()
  for (let minute = 0; minute < 60; minute++) {
    expect((await world.send(`at ${minute}`)).Receipt).toMatchObject({ Delivered: false, FailureKind: 'transient' })
    await world.clock.advance(60_000)
  }
  const [item, ...others] = await asked(world)
  expect(item).toMatchObject({ id: 'adapter:chat/acct', asks: expect.stringContaining('do not reach chat/acct') })
  expect(others).toEqual([])
  expect(world.recorded()).toEqual([])
  expect(world.transcript('e1')).toEqual([])
  await world.talk.adapters.register(human, registration(adapter))
  expect(await asked(world)).toEqual([])
  expect((await world.send('now')).Receipt.Delivered).toBe(true)
  expect(world.transcript('e1')).toEqual(['now'])
})

test('without an adapter, or with one that only receives, nothing is sent', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  const name = { provider: 'Chat', account_id: 'acct' }
  await world.talk.adapters.register(human, name)
  expect((await world.send('x')).Receipt.FailureKind).toBe('unsupported')
  await world.talk.adapters.unregister(human, name)
  world.recorded()
  await expect(world.send('x')).rejects.toMatchObject({
    code: 'validation-failed',
    message: expect.stringContaining('no adapter registered for chat/acct'),
  })
  expect(await asked(world)).toHaveLength(1)
  expect(adapter.asked).toEqual([])
  expect(world.recorded()).toEqual([])
})

test('only who answers a conversation sends to it; the attempt of another is recorded', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  const bob = await world.session('bob')
  world.recorded()
  await expect(sender(world, bob.id)('x')).rejects.toMatchObject({
    code: 'validation-failed',
    message: `session "${bob.id}" does not own binding for conversation chat/e1 (bound to ${world.ada.id})`,
  })
  expect(world.recorded()).toEqual([`extmsg.outbound_channel_mismatch ${bob.id}`])
  const { outbound, bindings, groups } = world.talk
  const send = (id: string) => outbound.send(human, { session_id: bob.id, conversation: conversation(id), text: 'x' })
  await expect(send('e2')).rejects.toMatchObject({ message: 'no active binding for conversation chat/e2' })
  const group = await groups.ensure(human, { root_conversation: conversation('e3') })
  await expect(send('e3')).rejects.toMatchObject({ message: 'no active binding for conversation chat/e3' })
  await groups.addParticipant(human, { group_id: group.ID, handle: 'bob', session_id: bob.id })
  expect(await send('e3')).toMatchObject({ Receipt: { Delivered: true }, DeliveryContext: null })
  await bindings.bind(human, { conversation: conversation('e4'), agent_name: 'mayor' })
  await expect(send('e4')).rejects.toMatchObject({ message: expect.stringContaining('(bound to agent mayor)') })
  const mayor = await world.namedSession('mayor')
  const own = { session_id: mayor.id, conversation: conversation('e4'), text: 'x' }
  expect(await outbound.send(human, own)).toMatchObject({ Receipt: { Delivered: true }, DeliveryContext: null })
})

test('a session sends in its own name only', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  const bob = await world.session('bob')
  const { outbound, transcripts } = world.talk
  const request = { session_id: world.ada.id, conversation: conversation('e1'), text: 'x' }
  await expect(outbound.send(world.caller(bob.id), request)).rejects.toMatchObject({ code: 'forbidden' })
  const ack = { session_id: world.ada.id, conversation: conversation('e1'), sequence: 0 }
  await expect(transcripts.acknowledge(world.caller(bob.id), ack)).rejects.toMatchObject({ code: 'forbidden' })
  const own = { ...request, session_id: 'ada' }
  expect((await outbound.send(world.caller(world.ada.id), own)).Receipt.Delivered).toBe(true)
})

test('no token of the city leaves it, whatever a session writes', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  const token = world.token(world.ada.id)
  expect(token).toStartWith('gcs_')
  await world.send(`my token is ${token}!`)
  expect(JSON.stringify(adapter.asked)).not.toContain(token)
  expect(world.transcript('e1')?.join()).not.toContain(token)
})

test('an echo of a session’s own message is not treated as inbound', async () => {
  await using adapter = startAdapter()
  await using world = await openAnswering(adapter)
  await world.send('hello')
  world.recorded()
  expect((await world.receive('ext-1', 'e1', { text: 'hello' })).TranscriptEntry?.Kind).toBe('outbound')
  expect(world.recorded()).toEqual([])
  expect(world.reminders()).toEqual([])
})
