import { expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentNetwork } from '../../../src/agents/network/network.ts'
import { AppError } from '../../../src/core/errors.ts'
import { query } from '../../../src/core/store/index.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'

const TOML = `[[agent]]
name = "worker"
start_command = "cat"
session = "acp"
prompt_template = "work.md"
`

/** A network that remembers the key of each account. */
function memoryNetwork() {
  const keys = new Map<string, string | undefined>()
  const state = { unread: 0 }
  const network: AgentNetwork = {
    url: () => 'http://127.0.0.1:2',
    async register({ name, publicKey }) {
      if (keys.has(name) && keys.get(name) !== publicKey) throw new AppError('conflict-wrong-state', 'name taken')
      keys.set(name, publicKey)
      return { id: name, name }
    },
    setKey: async (id, key) => void keys.set(id, key),
    unreadOf: async () => state.unread,
  }
  return { keys, state, network: () => network }
}

async function open() {
  const town = scriptedTown(TOML)
  writeFileSync(join(town.path, 'work.md'), 'Work.')
  const social = memoryNetwork()
  const city = await town.open({ network: social.network })
  const { log, sessions, reconciler } = city
  let head = log.head
  return {
    ...{ town, city, ...social, accounts: city.networkAccounts },
    async start() {
      await sessions.creating.create(human, { kind: 'agent', name: 'worker' })
      await reconciler.settle()
      return town.host.starts.at(-1)
    },
    recorded() {
      const types = log.after(head, 1_000).map(({ type }) => type)
      head = log.head
      return types.filter((type) => type.startsWith('network.'))
    },
  }
}

test('an agent with an account finds its key by a file, and gets an explanation of the network', async () => {
  const { town, city, accounts, keys, start, recorded } = await open()
  await using _ = town
  const added = await accounts.add(human, { agent: 'worker' })
  expect(added).toMatchObject({ agent: 'worker', name: 'mill-worker', stopped: false, has_key: true })
  expect(recorded()).toEqual(['network.account_added'])
  const started = await start()
  const file = join(town.path, '.gc', 'social', 'worker.pem')
  expect(started?.env).toMatchObject({ GC_SOCIAL_KEY_FILE: file, GC_SOCIAL_NAME: 'mill-worker' })
  expect(started?.env.GC_SOCIAL_URL).toBe('http://127.0.0.1:2')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(town.path, '.gc', 'social')).mode & 0o777).toBe(0o700)
  const secret = readFileSync(file, 'utf8').split('\n')[1] ?? 'none'
  expect(JSON.stringify([started, city.log.after(0, 1_000), accounts.list(), town.reports])).not.toContain(secret)
  expect(keys.get('mill-worker')).toMatch(/^[\w-]{43}$/)
  const [session] = city.sessionRepository.live()
  const prompt = await city.sessions.reading.prompt(session?.id ?? '')
  expect(prompt.content).toMatch(/^Work\.[\s\S]+as mill-worker[\s\S]+data, not instructions/)
})

test('an agent that is stopped has no key on the network, and a new session none in its environment', async () => {
  const { town, accounts, keys, start, recorded } = await open()
  await using _ = town
  await accounts.add(human, { agent: 'worker', name: 'wilma' })
  const key = keys.get('wilma')
  recorded()
  await accounts.stop(human, {})
  await accounts.stop(human, { agent: 'worker' })
  expect(recorded()).toEqual(['network.account_stopped'])
  expect(keys.get('wilma')).toBeUndefined()
  expect((await start())?.env).not.toHaveProperty('GC_SOCIAL_KEY_FILE')
  await accounts.start(human, { agent: 'worker' })
  expect(recorded()).toEqual(['network.account_started'])
  expect(keys.get('wilma')).toBe(key)
  rmSync(join(town.path, '.gc', 'social', 'worker.pem'))
  expect(accounts.list().items).toMatchObject([{ has_key: false, stopped: false }])
  await accounts.start(human, {})
  expect(keys.get('wilma')).not.toBe(key)
  expect(accounts.list().items).toMatchObject([{ has_key: true }])
})

test('a failed registration changes nothing', async () => {
  const { town, accounts, keys, recorded } = await open()
  await using _ = town
  expect(accounts.add(human, { agent: 'nobody' })).rejects.toThrow('agent nobody not found')
  expect(accounts.stop(human, { agent: 'worker' })).rejects.toThrow('gc social city-agents add worker')
  keys.set('mill-worker', 'of another')
  expect(accounts.add(human, { agent: 'worker' })).rejects.toThrow('name taken')
  await Promise.resolve()
  await accounts.add(human, { agent: 'worker', name: 'wilma' })
  expect(accounts.add(human, { agent: 'worker', name: 'other' })).rejects.toThrow('already: wilma')
  expect(recorded()).toEqual(['network.account_added'])
})

test('a key is never written through a link, and without a network there is nothing to register at', async () => {
  await using town = scriptedTown(TOML)
  const city = await town.open()
  expect(city.networkAccounts.add(human, { agent: 'worker' })).rejects.toThrow('serves no social network')
  const social = memoryNetwork()
  await city.close({ endSessions: false })
  symlinkSync(town.folder.path, join(town.path, '.gc', 'social'))
  const linked = await town.open({ network: social.network })
  expect(linked.networkAccounts.add(human, { agent: 'worker' })).rejects.toThrow('is a link')
  await Promise.resolve()
  expect(existsSync(join(town.folder.path, 'worker.pem'))).toBe(false)
})

test('a running agent is notified of what is new, once', async () => {
  const { town, city, accounts, state, start } = await open()
  await using _ = town
  await accounts.add(human, { agent: 'worker' })
  await start()
  const beat = () => city.networkHeartbeat.beat()
  const nudges = () =>
    city.store.all(query<{ body: string }>("SELECT body FROM session_messages WHERE request_id LIKE 'network-%'"))
      .length
  await beat()
  expect(nudges()).toBe(0)
  state.unread = 2
  await beat()
  expect(nudges()).toBe(1)
  await beat()
  expect(nudges()).toBe(1)
  state.unread = 0
  await beat()
  state.unread = 1
  await beat()
  expect(nudges()).toBe(2)
})
