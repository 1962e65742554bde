import { expect, test } from 'bun:test'
import { conversationPage, conversationsPage } from '../../client/views/conversations.ts'
import { Client } from '../../src/client/client.ts'
import { errorMessage } from '../../src/core/errors.ts'
import { conversation, message } from '../connect/extmsg/world.ts'
import { reachTo } from '../tui/reach.ts'
import { declare, startSession, towns } from './town.ts'

const open = towns()

test('the dashboard shows conversations outside, who answers them, and what was said; and binds and unbinds them', async () => {
  await using town = await open('[[agent]]\nname = "clerk"\nstart_command = "true"\nmax_active_sessions = 0\n')
  const { city, world } = town
  const post = (operation: string, body: object) => city.call(`POST ~/extmsg/${operation}`, { body })
  await post('adapters', { provider: 'chat', account_id: 'acct' })
  await post('bind', { conversation: conversation('e1'), session_id: 'zz-9' })
  await post('inbound', { message: message('m1', 'e1') })
  const room = conversation('r', { kind: 'room' })
  await post('groups', { root_conversation: room, default_handle: 'clerk' })
  const client = new Client({ url: world.url, token: world.operatorToken })
  const reach = (subject: string) => ({ ...reachTo(world.url), client, city: client.city(city.name), subject })
  const list = await conversationsPage.load(reach(''), { cursor: undefined, filter: '', sort: undefined })
  const opened = list.items.map(({ opens }) => opens)
  expect(opened).toContainEqual({ page: 'conversation', city: city.name, subject: 'c1' })
  const told = await conversationPage.load(reach('c1'))
  const words = [...(told.head ?? []), ...(told.lines ?? [])].map(({ text }) => text)
  expect(words).toContain('answered by zz-9 (enter opens it)')
  expect(words).toContain('   this is m1')
  expect(words.some((line) => /^1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}Ann$/.test(line))).toBe(true)
  const act = async (name: string, values = {}): Promise<unknown> =>
    told.actions?.find((action) => action.name === name)?.run(reach('c1'), values)
  expect(await act('unbind')).toEqual({ text: 'e1 is unbound' })
  const after = await conversationPage.load(reach('c1'))
  expect(after.head?.map(({ text }) => text)).toContain('no session replies: b binds it to one')
  expect(await act('bind', { who: 'zz-7' }).catch(errorMessage)).toContain('zz-7')
  await post('inbound', { message: message('m2', 'e1') })
  const waiting = await conversationPage.load(reach('c1'))
  expect(waiting.head?.map(({ text }) => text)).toContain(
    'its messages are not delivered: no session replies to it. The last: Ann: this is m2',
  )
  await declare(city, 'mayor', {}, { max_active_sessions: 1 })
  const { id } = await startSession(city, 'mayor')
  expect(await act('bind', { who: id })).toEqual({ text: `${id} answers e1` })
  const bound = await conversationPage.load(reach('c1'))
  expect(bound.opens).toEqual({ page: 'session', city: city.name, subject: id })
  expect(bound.head?.some(({ text }) => text.includes('nobody'))).toBe(false)
  const grouped = await conversationPage.load(reach('c2'))
  expect(grouped.head?.map(({ text }) => text)).toContain('messages without a name go to clerk; the default is clerk')
})
