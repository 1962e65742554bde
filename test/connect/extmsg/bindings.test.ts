import { expect, test } from 'bun:test'
import { conversation, human, openTalk } from './world.ts'

test('a conversation is bound to a session, and again only takes the metadata', async () => {
  await using world = await openTalk()
  const ada = await world.session('ada')
  world.recorded()
  const { bindings } = world.talk
  const request = { conversation: conversation('e1', { provider: ' Chat ' }), session_id: ada.id }
  const bound = await bindings.bind(human, { ...request, metadata: { k: 'v' } })
  expect(bound).toMatchObject({
    ...{ SessionID: ada.id, SessionName: ada.sessionName, AgentName: '', Status: 'active', BindingGeneration: 1 },
    ...{ Conversation: conversation('e1'), ExpiresAt: null, Metadata: { k: 'v' }, SchemaVersion: 1 },
  })
  expect(await bindings.bind(human, request)).toEqual(bound)
  expect(world.recorded()).toEqual([`extmsg.bound ${ada.id}`])
  expect(await bindings.bind(human, { ...request, metadata: { k: 'w' } })).toEqual({ ...bound, Metadata: { k: 'w' } })
  expect(world.recorded()).toEqual([`extmsg.bound ${ada.id}`])
  expect(bindings.list(ada.id)).toEqual({ items: [{ ...bound, Metadata: { k: 'w' } }], total: 1 })
})

test('a conversation of another session is taken over only when that is asked for', async () => {
  await using world = await openTalk()
  const [ada, bob] = [await world.session('ada'), await world.session('bob')]
  const first = await world.bind('e1', ada.id)
  world.recorded()
  const request = { conversation: conversation('e1'), session_id: bob.id }
  const { bindings } = world.talk
  await expect(bindings.bind(human, request)).rejects.toMatchObject({
    code: 'conflict-wrong-state',
    message: expect.stringContaining(`already bound to ${ada.id}`),
  })
  expect(world.recorded()).toEqual([])
  const second = await bindings.bind(human, { ...request, replace: true })
  expect(second).toMatchObject({ SessionID: bob.id, BindingGeneration: 2 })
  expect(second.ID).not.toBe(first.ID)
  expect(world.recorded()).toEqual([`extmsg.unbound ${ada.id}`, `extmsg.bound ${bob.id}`])
  expect(bindings.list('ada').items).toEqual([])
})

test('an agent is bound by its named session, which need not run', async () => {
  await using world = await openTalk()
  const { bindings } = world.talk
  const bound = await bindings.bind(human, { conversation: conversation('e1'), agent_name: 'warden' })
  expect(bound).toMatchObject({ SessionID: '', SessionName: '', AgentName: 'press/warden' })
  expect(world.recorded()).toEqual(['extmsg.bound press/warden'])
  expect(world.sessionRepository.live()).toEqual([])
})

test('invalid bindings are rejected, and nothing is recorded', async () => {
  await using world = await openTalk()
  const { bindings } = world.talk
  const rejected = async (request: Parameters<typeof bindings.bind>[1], reason: string) =>
    expect(bindings.bind(human, request)).rejects.toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining(reason),
    })
  const e1 = conversation('e1')
  await rejected({ conversation: e1 }, 'session_id or agent_name is required')
  await rejected({ conversation: e1, session_id: 'x', agent_name: 'mayor' }, 'mutually exclusive')
  await rejected({ conversation: e1, agent_name: 'press/hand' }, 'does not resolve to a configured named session')
  await rejected({ session_id: 'x' }, 'extmsg invalid conversation: scope_id required')
  await rejected({ conversation: conversation(' '), session_id: 'x' }, 'conversation_id required')
  await rejected({ conversation: conversation('e'.repeat(513)), session_id: 'x' }, 'conversation_id has more than 512')
  await rejected({ conversation: e1, session_id: 'x', metadata: { k: 'v'.repeat(70_000) } }, 'metadata has more than')
  expect(world.recorded()).toEqual([])
  expect(world.talk.conversations({}).total).toBe(0)
})

test('unbinding ends what is named, and nothing else', async () => {
  await using world = await openTalk()
  const ada = await world.session('ada')
  await world.bind('e1', ada.id)
  await world.bind('e2', ada.id)
  await world.bind('e3', 'zz-9')
  const { bindings } = world.talk
  await bindings.bind(human, { conversation: conversation('e4'), agent_name: 'mayor' })
  world.recorded()
  const unbind = async (request: Parameters<typeof bindings.unbind>[1]) => {
    const { unbound } = await bindings.unbind(human, request)
    return unbound?.map(({ Conversation }) => Conversation.conversation_id) ?? null
  }
  expect(await unbind({ conversation: conversation('e9') })).toBeNull()
  expect(await unbind({ conversation: conversation('e3'), session_id: ada.id })).toBeNull()
  expect(world.recorded()).toEqual([])
  const { unbound } = await bindings.unbind(human, { conversation: conversation('e1') })
  expect(unbound).toMatchObject([{ Status: 'ended', Metadata: { last_touched_at: expect.any(String) } }])
  expect(await unbind({ session_id: 'ada' })).toEqual(['e2'])
  expect(await unbind({ session_id: 'zz-9' })).toEqual(['e3'])
  expect(await unbind({ agent_name: 'mayor' })).toEqual(['e4'])
  expect(world.recorded()).toEqual([
    `extmsg.unbound ${ada.id}`,
    `extmsg.unbound ${ada.id}`,
    'extmsg.unbound zz-9',
    'extmsg.unbound mayor',
  ])
  await expect(bindings.unbind(human, {})).rejects.toMatchObject({ code: 'invalid-request' })
})
