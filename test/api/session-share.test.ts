import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationCoverage } from '../support/coverage.ts'
import { eventually } from '../support/until.ts'
import { World } from '../support/world.ts'

const coverage = new OperationCoverage(({ id }) => id === 'list-session-shares')

const city = `[workspace]
name = "mill"
[[rigs]]
name = "demo"
path = "../demo"
[rigs.confine.share]
pids = 200
[[rigs]]
name = "other"
path = "../demo"
[[agent]]
name = "worker"
dir = "demo"
start_command = "sleep 600"
[agent.confine]
mode = "default"
share = { cpu = 0.5, memory = "256MB", pids = 900 }
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
`

test('the share of a running session is listed with what holds it to that, and why its cgroup does not', async () => {
  await using world = await World.with({ GC_SESSION_CGROUP: 'off' }, '--require-token')
  world.coverage = coverage
  const path = world.folder.at('mill')
  for (const folder of [path, world.folder.at('demo')]) mkdirSync(folder)
  writeFileSync(join(path, 'city.toml'), city)
  const token = world.operatorToken
  const call = (line: string, body?: unknown) =>
    world.call(line.replace('~', '/v0/city/mill'), { token, ...(body !== undefined && { body }) })
  await call('POST /v0/city/register', { path })
  const health = async () => (await call('GET ~/health')).status
  await eventually('the city runs', 20_000, health, (status) => status === 200)
  await call('POST ~/beads', { title: 'one', rig: 'demo', metadata: { 'gc.routed_to': 'demo/worker' } })

  const worker = async (): Promise<string> =>
    (await call('GET ~/sessions')).body.items.find(({ template }: { template: string }) => template === 'demo/worker')
      ?.id
  const id = await eventually('its session is there', 20_000, worker, Boolean)
  const listed = async () => (await call(`GET ~/session/${id}/share`)).body
  expect(await eventually('it runs', 20_000, listed, ({ total }) => total > 0)).toEqual({
    session_id: id,
    items: [
      { resource: 'cpu', most: 0.5, held_by: 'priority' },
      { resource: 'memory', most: 256 * 1024 ** 2, held_by: 'priority' },
      { resource: 'pids', most: 200, held_by: 'nothing' },
    ],
    total: 3,
    reason: 'sessions have no cgroup: they are switched off by GC_SESSION_CGROUP',
  })

  expect((await call(`POST ~/session/${id}/close`)).status).toBe(200)
  const over = await eventually('it is over', 10_000, listed, ({ total }) => total === 0)
  expect(over).toEqual({ session_id: id, items: [], total: 0 })
  expect((await call('GET ~/session/ghost/share')).body.code).toBe('session-not-found')
  expect((await call('GET ~/session/lead/share')).body.code).toBe('session-conflict')
})

test('each error and field of the operation occurred', () => {
  expect(coverage.uncovered()).toEqual([])
  // Only a cgroup counts what a session uses.
  expect(coverage.emptyFields()).toEqual(['SessionShare.used'])
})
