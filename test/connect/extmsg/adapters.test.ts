import { expect, test } from 'bun:test'
import { human, openTalk } from './world.ts'

test('an adapter is registered, replaced and unregistered; what changes nothing is not recorded', async () => {
  await using world = await openTalk()
  const { adapters } = world.talk
  const acct = { provider: 'Chat', account_id: ' acct ' }
  const registered = { status: 'registered', provider: 'chat', account_id: 'acct', name: 'chat/acct' }
  expect(await adapters.register(human, acct)).toEqual(registered)
  expect(await adapters.register(human, acct)).toEqual(registered)
  expect(world.recorded()).toEqual(['extmsg.adapter_added chat/acct'])
  const callback_url = 'http://127.0.0.1:9/cb'
  expect(await adapters.register(human, { ...acct, name: 'My chat', callback_url })).toMatchObject({ name: 'My chat' })
  await adapters.register(human, { provider: 'b', account_id: 'x' })
  expect(adapters.list().items).toEqual([
    { provider: 'b', account_id: 'x', name: 'b/x' },
    { provider: 'chat', account_id: 'acct', name: 'My chat' },
  ])
  expect(world.recorded()).toEqual(['extmsg.adapter_added My chat', 'extmsg.adapter_added b/x'])
  for (const _ of ['once', 'again']) await adapters.unregister(human, acct)
  expect(adapters.list().total).toBe(1)
  expect(world.recorded()).toEqual(['extmsg.adapter_removed My chat'])
})

test('an adapter is called at an address of its own: no other program of this machine is reached by a trick', async () => {
  await using world = await openTalk()
  const { adapters } = world.talk
  const register = (callback_url: string) => adapters.register(human, { provider: 'c', account_id: 'a', callback_url })
  const wrong = [
    'nowhere',
    'ftp://127.0.0.1/x',
    'file:///etc/passwd',
    'http://user:secret@127.0.0.1:9/',
    'http://127.0.0.1:9/x?y=',
    'http://127.0.0.1:9/x#',
    'http://169.254.169.254/latest',
    'http://[fe80::1]/',
    'http://127.0.0.1:1/v0/city/mill',
    'http://127.0.0.1:1/v0/city/other/svc/chat',
    'http://127.0.0.1:1/v0/city/mill/svc/chat/%2e%2e/%2e%2e/beads',
    'http://127.0.0.1:1/v0/city/mill/svc/',
    'http://localhost:1/',
    'http://[::1]:1/',
    'http://[::ffff:127.0.0.1]:1/',
    `http://127.0.0.1:9/${'x'.repeat(3000)}`,
  ]
  for (const url of wrong) {
    const error = await register(url).catch((thrown) => thrown)
    expect([url.slice(0, 40), error.code]).toEqual([url.slice(0, 40), 'validation-failed'])
  }
  await expect(adapters.register(human, { provider: ' ', account_id: 'a' })).rejects.toMatchObject({ status: 422 })
  expect(world.recorded()).toEqual([])
  for (const url of [
    'http://127.0.0.1:9/cb',
    'https://chat.example/gc/',
    'http://[::1]:9',
    'http://localhost:1/v0/city/mill/svc/chat/gc',
  ])
    await register(url)
})
