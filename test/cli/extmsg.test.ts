import { describe, expect, test } from 'bun:test'
import type { ConversationViewList, TranscriptList } from '../../src/connect/extmsg/message-schema.ts'
import type { SessionBindingRecord } from '../../src/connect/extmsg/schema.ts'
import { startAdapter } from '../connect/extmsg/adapter.ts'
import { message } from '../connect/extmsg/world.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
let session: string
shareTown(async (opened) => {
  town = opened
  await town.json(['agent', 'add', 'clerk', '--command', 'exec sleep 600'])
  await town.gc(['session', 'new', 'clerk', '--alias', 'ann'])
  session = (await town.json<{ items: { id: string }[] }>(['session', 'list', '--json'])).items[0]?.id ?? ''
})

const post = async (path: string, body: object) => {
  const headers = { 'content-type': 'application/json', 'x-gc-request': '1' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${town.url}/v0/city/town/extmsg/${path}`, init)
  expect(response.ok).toBe(true)
}

const arrives = (id: string, conversation_id: string, text = `this is ${id}`) => {
  const ref = { scope_id: 'town', provider: 'chat', account_id: 'default', conversation_id, kind: 'dm' as const }
  return post('inbound', { message: message(id, ref, { text }) })
}

const named = (id: string) => ['--provider', 'chat', '--conversation-id', id]
const list = () => town.json<ConversationViewList>(['extmsg', 'list'])
const idOf = async (name: string) =>
  (await list()).items.find(({ conversation }) => conversation.conversation_id === name)?.id ?? ''

describe('gc extmsg', () => {
  test('binds, lists, hands off and unbinds a conversation', async () => {
    expect((await town.gc(['extmsg', 'adapters'])).out).toContain('No adapter is registered')
    const bound = await town.json<SessionBindingRecord>(['extmsg', 'bind', ...named('e1'), '--session', session])
    expect(bound).toMatchObject({ SessionID: session, Conversation: { scope_id: 'town', account_id: 'default' } })
    const table = (await town.gc(['extmsg', 'list'])).out
    expect(table).toMatch(/ID +MESSENGER +ACCOUNT +CONVERSATION +KIND +ANSWERED BY/)
    const id = await idOf('e1')
    expect((await town.gc(['extmsg', 'list', '--session', session])).out).toContain('chat/default/e1')
    const other = await town.gc(['extmsg', 'bind', id, '--session', 'nobody'])
    expect(other).toMatchObject({ status: 1, err: expect.stringContaining('not found') })
    const again = await town.gc(['extmsg', 'handoff', id, '--to', 'nobody'])
    expect(again).toMatchObject({ status: 1, err: expect.stringContaining('not found') })
    const moved = await town.json<SessionBindingRecord>(['extmsg', 'handoff', id, '--to', session])
    expect(moved).toMatchObject({ SessionID: session, BindingGeneration: 1 })
    expect((await town.gc(['extmsg', 'unbind', id])).out).toContain('does not answer chat/default/e1 now')
    expect((await town.gc(['extmsg', 'unbind', id])).out).toBe('Nothing was bound.\n')
    expect(await town.gc(['extmsg', 'send', id, 'x'])).toMatchObject({
      status: 1,
      err: expect.stringContaining(`no session answers ${id}; `),
    })
  })

  test('shows what people write, and sends an answer once', async () => {
    await using adapter = startAdapter()
    await post('adapters', { provider: 'chat', account_id: 'default', callback_url: adapter.url })
    expect((await town.gc(['extmsg', 'adapters'])).out).toContain('chat/default')
    await town.gc(['extmsg', 'bind', ...named('e2'), '--session', session])
    const id = await idOf('e2')
    await arrives('m1', 'e2', 'Hi\u001b[2J there')
    const shown = (await town.gc(['extmsg', 'transcript', id])).out
    expect(shown).toMatch(/^1 {2}2026-11-22T08:00:00.000Z {2}Ann\n {3}Hi/)
    expect(shown).not.toContain('\u001b')
    expect((await town.gc(['extmsg', 'send', id, 'Hello Ann', '--key', 'k'])).out).toBe(`Sent to ${id} as message 2.\n`)
    expect((await town.gc(['extmsg', 'send', id, 'Hello Ann', '--key', 'k'])).out).toBe(`Sent to ${id} as message 2.\n`)
    expect(adapter.asked).toHaveLength(1)
    const { items } = await town.json<TranscriptList>(['extmsg', 'transcript', id, '--after', '1'])
    expect(items).toMatchObject([{ Sequence: 2, Text: 'Hello Ann', SourceSessionID: session }])
    expect((await town.gc(['extmsg', 'ack', id, '1'])).out).toContain('is read up to message 1')
    adapter.answer = () => new Response('', { status: 429 })
    expect(await town.gc(['extmsg', 'send', id, 'again'])).toMatchObject({
      status: 1,
      err: expect.stringContaining('was not delivered: the messenger takes no more for now'),
    })
  })

  test('makes a group, with sessions that answer by their handles', async () => {
    const created = await town.json<{ ID: string }>(['extmsg', 'group', 'create', ...named('r1'), '--default', 'ann'])
    expect((await town.gc(['extmsg', 'group', 'add', created.ID, 'Ann', '--session', session])).out).toContain(
      `answers in ${created.ID} as ann.`,
    )
    expect((await town.gc(['extmsg', 'group', 'show', ...named('r1')])).out).toContain('default ann')
    await arrives('m1', 'r1')
    const id = await idOf('r1')
    expect((await town.gc(['extmsg', 'send', id, 'x'])).err).toContain('choose one with --session')
    expect((await town.gc(['extmsg', 'group', 'remove', created.ID, 'ann'])).status).toBe(0)
  })

  test('says what is missing in a wrong command', async () => {
    const rejected = async (args: string[], sentence: string) =>
      expect(await town.gc(['extmsg', ...args])).toMatchObject({ status: 2, err: expect.stringContaining(sentence) })
    await rejected(['bind', '--session', 'x'], 'give --provider and --conversation-id')
    await rejected(['bind', ...named('e')], 'give --session or --agent')
    await rejected(['bind', ...named('e'), '--session', session, '--kind', 'party'], '--kind may be dm, room, thread')
    await rejected(['unbind'], 'name the conversation, or give --session or --agent')
    await rejected(['send', 'c1', ' '], 'the message has no text')
    const unknown = await town.gc(['extmsg', 'transcript', 'c999'])
    expect(unknown).toMatchObject({ status: 1, err: expect.stringContaining('`gc extmsg list` lists valid names') })
  })
})
