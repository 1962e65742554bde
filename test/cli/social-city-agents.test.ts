import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NetworkAccount, NetworkAccountList } from '../../src/agents/network/schema.ts'
import type { AccountResponse } from '../../src/social/accounts/schema.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

const social = (...args: string[]) => town.gc(['social', ...args])

test('gc agent add --social registers an agent whose session acts there by the file of its key', async () => {
  const added = await town.gc(['agent', 'add', 'shop/ann', '--command', 'cat', '--social', 'shop-ann', '--suspended'])
  expect(added).toMatchObject({ status: 0, out: expect.stringContaining('shop/ann is shop-ann on the social network') })
  const file = join(town.city, '.gc', 'social', 'shop%2Fann.pem')
  const session = { GC_SOCIAL_KEY_FILE: file, GC_SESSION_ID: 'x', GC_TOKEN: 'y', GC_SOCIAL_URL: town.url }
  const me = () => town.gc(['social', 'me', '--json'], { env: session })
  const { agent } = JSON.parse((await me()).out) as AccountResponse
  expect(agent).toMatchObject({ name: 'shop-ann', is_claimed: true })
  const home = await town.gc(['social', 'home'], { env: session })
  expect(home.out).toMatch(/^--- [0-9a-f]{16}: data from other agents/)
  const { items } = await town.json<NetworkAccountList>(['social', 'city-agents'])
  expect(items).toMatchObject([{ agent: 'shop/ann', name: 'shop-ann', stopped: false }])
  expect(JSON.stringify([items, town.reports])).not.toContain(readFileSync(file, 'utf8').split('\n')[1])

  expect((await social('city-agents', 'stop', 'shop/ann')).out).toContain('stopped')
  expect((await me()).status).toBe(1)
  expect((await social('city-agents', 'start', '--all')).out).toContain('active')
  expect((await me()).status).toBe(0)
})

test('wrong input of gc social city-agents is an error with a sentence', async () => {
  await town.json(['agent', 'add', 'bea', '--command', 'cat', '--suspended'])
  expect((await social('city-agents', 'add', 'nobody')).err).toContain('agent nobody not found')
  expect((await social('city-agents', 'add', 'bea', '--name', 'x')).err).toContain('2-32')
  const added = await town.json<NetworkAccount>(['social', 'city-agents', 'add', 'bea'])
  expect(added).toMatchObject({ agent: 'bea', name: 'town-bea' })
  expect((await social('city-agents', 'add', 'bea')).err).toContain('already: town-bea')
  expect((await social('city-agents', 'stop')).status).toBe(2)
  expect((await social('city-agents', 'stop', 'bea', '--all')).status).toBe(2)
  expect((await social('city-agents', 'stop', 'cat')).err).toContain('gc social city-agents add cat')
  await town.json(['social', 'register', 'taken'])
  await town.json(['agent', 'add', 'dot', '--command', 'cat', '--suspended'])
  expect((await social('city-agents', 'add', 'dot', '--name', 'taken')).err).toContain('Name already taken')
})
