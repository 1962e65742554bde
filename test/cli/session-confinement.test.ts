import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DenialList } from '../../src/agents/confinement/schema.ts'
import type { SessionResponse } from '../../src/work/schema.ts'
import { eventually } from '../support/until.ts'
import { shareTown, type Town } from './town.ts'

const CALLER = `
[[agent]]
name = "caller"
dir = "shop"
confine = "default"
start_command = 'sh -c "curl -s http://nowhere.invalid/; exec sleep 600"'
`

let town: Town
shareTown(
  async (opened) => {
    town = opened
    await town.json(['agent', 'add', 'clerk', '--command', 'sleep 600'])
    appendFileSync(join(town.city, 'city.toml'), CALLER)
  },
  { requireToken: true },
)

test('sessions are marked that run unconfined in a city that confines others', async () => {
  await town.json(['session', 'new', 'clerk', '--alias', 'ann'])
  await town.json(['session', 'new', 'shop/caller', '--alias', 'cal'])
  const rows = (await town.gc(['session', 'list'])).out.split('\n').map((row) => row.trim().split(/\s{2,}/))
  expect(rows.map((row) => [row[1], row[4]])).toEqual([
    ['NAME', 'CONFINED'],
    ['shop/cal', expect.not.stringMatching('no')],
    ['ann', 'no'],
    [undefined, undefined],
  ])
  expect((await town.gc(['session', 'show', 'ann'])).out).toMatch(/confined +no: it runs with your permissions\n/)
  expect((await town.gc(['session', 'show', 'shop/cal'])).out).toMatch(/confined +to its folder .*\(default\)/)
  expect((await town.gc(['status'])).out).toMatch(/unconfined +1 session; `gc session list` marks it\n/)
  expect((await town.gc(['doctor'])).out).toMatch(/unconfined: 1 session without a sandbox: \S+\n/)
  const ann = await town.json<DenialList>(['session', 'denials', 'ann'])
  const cal = await town.json<DenialList>(['session', 'denials', 'shop/cal'])
  expect([ann.confined, ann.unconfined, cal.confined, cal.unconfined]).toEqual(['off', true, 'default', undefined])
  for (const name of ['ann', 'shop/cal']) await town.gc(['session', 'close', name])
})

test('gc session denials shows what a session was refused, and the line that would allow it', async () => {
  const { id } = await town.json<SessionResponse>(['session', 'new', 'clerk', '--alias', 'bob'])
  const nothing = await town.gc(['session', 'denials', 'bob'])
  expect(nothing).toMatchObject({
    status: 0,
    out: expect.stringContaining('It is not sandboxed, and nothing was denied.'),
  })
  const folder = join(town.city, '.gc', 'confined', id)
  mkdirSync(folder, { recursive: true })
  const denied = { call: 'connect', target: 'example.com:443', count: 5, lastAt: '2026-01-02T03:04:05Z' }
  writeFileSync(
    join(folder, 'denials.json'),
    JSON.stringify([denied, { ...denied, call: 'kill', target: 'process 1' }]),
  )
  const { out } = await town.gc(['session', 'denials', 'bob'])
  expect(out).toMatch(/5 +connect +example\.com:443 +allow_hosts = \["example\.com"\]\n/)
  expect(out).toMatch(/5 +kill +process 1 *\n/)
  expect(out).toContain(
    'With this in the confine table of agent clerk (agents/clerk/agent.toml:1) nothing of it is refused that a line allows:\n  allow_hosts = ["example.com"]\n',
  )
  expect(await town.json<object>(['session', 'denials', 'bob'])).toMatchObject({ session_id: id, total: 10 })
  expect(await town.gc(['session', 'denials', 'nobody'])).toMatchObject({ status: 1, out: '' })
})

test('gc session network lists the hosts that a confined session was refused, and says that others have none', async () => {
  const none = await town.gc(['session', 'network', 'bob'])
  expect(none).toMatchObject({ status: 0, out: expect.stringContaining('only sandboxed sessions have one') })
  expect(await town.gc(['session', 'network', 'nobody'])).toMatchObject({ status: 1, out: '' })
  await town.json(['session', 'new', 'shop/caller', '--alias', 'eve'])
  const network = async () => (await town.gc(['session', 'network', 'shop/eve'])).out
  const out = await eventually('the refusal is listed', 10_000, network, (text) => text.includes('nowhere'))
  expect(out).toMatch(/^HOST +CONNECTIONS +DENIED +SENT +RECEIVED +LAST\nnowhere\.invalid +0 +1 +0 B +0 B +20/)
})
