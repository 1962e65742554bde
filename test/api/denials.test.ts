import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationCoverage } from '../support/coverage.ts'
import { World } from '../support/world.ts'
import { declare, register, startSession } from './town.ts'

const coverage = new OperationCoverage(({ id }) => id === 'list-session-denials' || id === 'list-unconfined-sessions')

const LEADS = `[[rigs]]
name = "demo"
path = "."
[[rigs]]
name = "other"
path = "."
[[agent]]
name = "lead"
start_command = "sleep 600"
[[named_session]]
name = "lead"
dir = "demo"
template = "lead"
[[named_session]]
name = "lead"
dir = "other"
template = "lead"
[[agent]]
name = "caged"
dir = "demo"
start_command = "sleep 600"
confine = "default"
`

test('lists denials of a confined session with the line that would allow each', async () => {
  await using world = await World.open('--no-require-token')
  world.coverage = coverage
  const city = await register(world, 'town', LEADS)
  await declare(city, 'worker', { script: 'exec sleep 600' })
  const { id } = await startSession(city, 'worker')
  const list = async () => (await city.call(`GET ~/session/${id}/denials`)).body
  expect(await list()).toEqual({
    ...{ session_id: id, confine: 'off', confined: 'off', unconfined: true, items: [], total: 0 },
  })
  const { items: unconfined } = (await city.call('GET ~/unconfined-sessions')).body
  expect(unconfined).toContainEqual({ session_id: id, session_name: expect.any(String), template: 'worker' })

  const lastAt = '2026-01-02T03:04:05Z'
  const denied = (call: string, target: string, count: number) => ({ call, target, count, lastAt })
  const folder = join(city.path, '.gc', 'confined', id)
  mkdirSync(folder, { recursive: true })
  const kinds = [
    denied('connect', '127.0.0.1:5432', 3),
    denied('connect', '[0:0:0:0:0:0:0:1]:80', 9),
    denied('connect', '10.0.0.1:443', 2),
    denied('connect', '/srv/db/socket', 8),
    denied('chmod', join(world.home, 'token'), 7),
    denied('kill', 'process 1', 6),
    denied('connect', 'example.com:443', 5),
    denied('connect', 'example.com:8443', 4),
    denied('', '', 1),
    { ...denied('connect', 'intranet:443', 10), hosts: ['10.0.0.7', '[fc00::7]'] },
    { ...denied('connect', '10.0.0.9:80', 11), hosts: ['10.0.0.9'] },
    { ...denied('connect', '169.254.169.254:80', 12), hosts: [] },
    denied('connect', '169.254.169.254:80', 13),
    denied('connect', '[2001:db8:0:0:0:0:0:1]:443', 14),
  ]
  writeFileSync(join(folder, 'denials.json'), JSON.stringify(kinds))
  const { items, total, allowing } = await list()
  expect(total).toBe(105)
  const told = items.map(({ call, count, allow }: Record<string, unknown>) => [call, count, allow])
  expect(told).toEqual([
    ['connect', 14, 'mode = "network"'],
    ['connect', 13, undefined],
    ['connect', 12, undefined],
    ['connect', 11, 'allow_hosts = ["10.0.0.9"]'],
    ['connect', 10, 'allow_hosts = ["10.0.0.7", "[fc00::7]"]'],
    ['connect', 9, 'ports = [80]'],
    ['connect', 8, 'write = ["/srv/db/socket"]'],
    ['chmod', 7, undefined],
    ['kill', 6, undefined],
    ['connect', 5, 'allow_hosts = ["example.com"]'],
    ['connect', 4, 'allow_hosts = ["example.com:8443"]'],
    ['connect', 3, 'ports = [5432]'],
    ['connect', 2, 'mode = "network"'],
    ['', 1, undefined],
  ])
  const hosts = ['example.com', 'example.com:8443', '10.0.0.7', '[fc00::7]', '10.0.0.9']
  expect(allowing).toEqual({
    table: 'agent worker (agents/worker/agent.toml:1)',
    lines: [
      'mode = "network"',
      'write = ["/srv/db/socket"]',
      `allow_hosts = [${hosts.map((host) => `"${host}"`).join(', ')}]`,
      'ports = [5432, 80]',
    ],
  })
  expect(items[5]).toMatchObject({ target: '[0:0:0:0:0:0:0:1]:80', last_at: lastAt })

  // A table that allows something takes the place of the word that stands for one.
  appendFileSync(join(city.path, 'agents/worker/agent.toml'), '\nconfine = "default"\n')
  await city.call('POST ~/config/reload', { body: {} })
  writeFileSync(join(folder, 'denials.json'), JSON.stringify([denied('connect', '127.0.0.1:5432', 3)]))
  expect((await list()).allowing).toEqual({
    lines: ['mode = "default"', 'ports = [5432]'],
    table: 'agent worker (agents/worker/agent.toml:1)',
    replaces: 'confine = "default"',
  })

  writeFileSync(join(folder, 'denials.json'), '{"half')
  expect(await list()).toMatchObject({ items: [], total: 0 })
  const nobody = await city.call('GET ~/session/nobody/denials')
  expect([nobody.status, nobody.body.code]).toEqual([404, 'session-not-found'])
  const several = await city.call('GET ~/session/lead/denials')
  expect([several.status, several.body.code]).toEqual([409, 'session-conflict'])
})

test('each error and field of the operation occurred', () => {
  // test/binary/confine-nested has a server that is itself confined.
  expect([coverage.uncovered(), coverage.emptyFields()]).toEqual([[], ['SessionDenialList.inherited']])
})
