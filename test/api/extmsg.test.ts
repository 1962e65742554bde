import { expect, test } from 'bun:test'
import { startAdapter } from '../connect/extmsg/adapter.ts'
import { conversation, message } from '../connect/extmsg/world.ts'
import { towns } from './town.ts'

const open = towns()
const query = (id: string, kind = 'dm') => new URLSearchParams({ ...conversation(id), kind })

test('every answer of the operations on messengers has the shape and the status that the document says', async () => {
  await using town = await open('[[agent]]\nname = "clerk"\nstart_command = "true"\nmax_active_sessions = 0\n')
  await using adapter = startAdapter()
  const { city } = town
  const statusOf = async (operation: string, body?: object) =>
    (await city.call(operation.replace(' ~', ' ~/extmsg'), body === undefined ? {} : { body })).status
  const account = { provider: 'chat', account_id: 'acct' }
  expect(await statusOf('POST ~/adapters', { ...account, callback_url: adapter.url })).toBe(201)
  expect(await statusOf('POST ~/adapters', { ...account, callback_url: 'ftp://x' })).toBe(422)
  expect(await statusOf('GET ~/adapters')).toBe(200)
  const bind = { conversation: conversation('e1'), session_id: 'zz-9' }
  expect(await statusOf('POST ~/bind', bind)).toBe(200)
  expect(await statusOf('POST ~/bind', { ...bind, session_id: 'zz-8' })).toBe(409)
  expect(await statusOf('POST ~/bind', { session_id: 'zz-9' })).toBe(400)
  expect(await statusOf('GET ~/bindings?session_id=zz-9')).toBe(200)
  expect(await statusOf('GET ~/bindings')).toBe(400)
  const attachments = [{ provider_id: 'f1', url: 'https://chat.example/f1', mime_type: 'text/plain' }]
  expect(await statusOf('POST ~/inbound', { message: message('m1', 'e1', { attachments }) })).toBe(200)
  expect(await statusOf('POST ~/inbound', { message: message('m2', 'nobody') })).toBe(200)
  expect(await statusOf('POST ~/inbound', {})).toBe(400)
  expect(await statusOf('POST ~/inbound', { ...account, payload: 'e30=' })).toBe(422)
  const outbound = { session_id: 'zz-9', conversation: conversation('e1'), text: 'hello' }
  expect(await statusOf('POST ~/outbound', outbound)).toBe(200)
  adapter.answer = () => new Response('', { status: 500 })
  expect(await statusOf('POST ~/outbound', outbound)).toBe(200)
  expect(await statusOf('POST ~/outbound', { ...outbound, session_id: 'zz-8' })).toBe(422)
  expect(await statusOf(`GET ~/transcript?${query('e1')}&order=desc`)).toBe(200)
  expect(await statusOf('GET ~/transcript')).toBe(422)
  const ack = { session_id: 'zz-9', conversation: conversation('e1'), sequence: 1 }
  expect(await statusOf('POST ~/transcript/ack', ack)).toBe(200)
  expect(await statusOf('POST ~/transcript/ack', { ...ack, sequence: 99 })).toBe(422)
  const room = conversation('r', { kind: 'room' })
  expect(await statusOf('POST ~/groups', { root_conversation: room, default_handle: 'clerk' })).toBe(201)
  expect(await statusOf('POST ~/groups', { root_conversation: room, mode: 'zzz' })).toBe(422)
  const group = await city.call(`GET ~/extmsg/groups?${query('r', 'room')}`)
  expect(group.status).toBe(200)
  expect(await statusOf(`GET ~/groups?${query('other')}`)).toBe(404)
  const participant = { group_id: group.body.ID, handle: 'clerk' }
  expect(await statusOf('POST ~/participants', { ...participant, session_id: 'zz-9' })).toBe(200)
  expect(await statusOf('POST ~/participants', { group_id: 'x', handle: 'x', session_id: 'x' })).toBe(422)
  expect(await statusOf('DELETE ~/participants', participant)).toBe(200)
  const page = await city.call('GET ~/extmsg/conversations?limit=1')
  expect(page.body).toMatchObject({ total: 3, items: [{ id: 'c3', group_id: group.body.ID }] })
  expect((await city.call(`GET ~/extmsg/conversations?cursor=${page.body.next_cursor}`)).body.items).toHaveLength(2)
  expect(await statusOf('GET ~/conversation/c1')).toBe(200)
  expect(await statusOf('GET ~/conversation/c99')).toBe(404)
  expect(await statusOf('POST ~/unbind', { session_id: 'zz-9' })).toBe(200)
  expect(await statusOf('POST ~/unbind', {})).toBe(400)
  expect(await statusOf('DELETE ~/adapters', account)).toBe(200)
})

test('registering again with the same key registers again, also after the adapter was forgotten', async () => {
  await using town = await open()
  const { city } = town
  const body = { provider: 'chat', account_id: 'acct' }
  const register = () => city.call('POST ~/extmsg/adapters', { body, headers: { 'Idempotency-Key': 'k' } })
  expect((await register()).status).toBe(201)
  await city.call('DELETE ~/extmsg/adapters', { body })
  expect((await register()).status).toBe(201)
  expect((await city.call('GET ~/extmsg/adapters')).body.total).toBe(1)
})
