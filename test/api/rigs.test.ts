import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationCoverage, ofChanges } from '../support/coverage.ts'
import { declare, errorOf, startSession, towns } from './town.ts'

const coverage = new OperationCoverage(({ tag, path }) => tag === 'rigs' && !ofChanges(path))
const openTown = towns(coverage)

describe('a rig', () => {
  test('is an existing folder, returned with its agents and the state of its repository', async () => {
    await using town = await openTown()
    const { city, world } = town
    const path = world.rigFolder(`${city.name}-web`, { git: true })
    const body = { name: 'web', path, prefix: 'we', default_branch: 'main', request_id: 'my-request' }
    const created = await city.call('POST ~/rigs', { body })
    const problems = [expect.stringContaining(`${path} has no commit, which agents with worktree = true need`)]
    expect([created.status, created.body]).toEqual([
      201,
      { status: 'created', rig: 'web', request_id: 'my-request', warnings: problems },
    ])
    writeFileSync(join(path, 'new.txt'), 'x')
    await declare(city, 'worker', {}, { dir: 'web', min_active_sessions: 1, max_active_sessions: 1 })
    await city.event(0, ({ type }) => type === 'session.woke')
    const rig = {
      name: 'web',
      path,
      suspended: false,
      prefix: 'we',
      default_branch: 'main',
      agent_count: 1,
      running_count: 1,
      last_activity: expect.any(String),
      problems,
    }
    expect((await city.call('GET ~/rig/web')).body).toEqual(rig)
    const git = { branch: 'main', clean: false, changed_files: 1, ahead: 0, behind: 0 }
    expect((await city.call('GET ~/rig/web?git=true')).body).toEqual({ ...rig, git })
    expect((await city.call('GET ~/rigs?git=true')).body).toEqual({ items: [{ ...rig, git }], total: 1 })
  })

  test('can be changed, suspended, resumed, restarted and removed', async () => {
    await using town = await openTown()
    const { city, world } = town
    const path = world.rigFolder(`${city.name}-web`)
    const other = world.rigFolder(`${city.name}-other`)
    await city.call('POST ~/rigs', { body: { name: 'web', path } })
    await declare(city, 'worker', {}, { dir: 'web', min_active_sessions: 1, max_active_sessions: 1 })
    const woke = await city.event(0, ({ type }) => type === 'session.woke')
    const restarted = await city.call('POST ~/rig/web/restart')
    expect(restarted.body).toEqual({
      status: 'ok',
      action: 'restart',
      rig: 'web',
      killed: [expect.stringContaining('worker')],
      failed: [],
    })
    const again = await city.event(woke.seq, ({ type }) => type === 'session.woke')
    expect((await city.call('POST ~/rig/web/suspend')).body).toEqual({ status: 'ok', action: 'suspend', rig: 'web' })
    await city.event(again.seq, ({ type }) => type === 'session.stopped')
    expect((await city.call('GET ~/rig/web')).body).toMatchObject({ suspended: true, running_count: 0 })
    expect((await city.call('POST ~/rig/web/resume')).body.status).toBe('ok')
    const change = { path: other, prefix: 'ot', default_branch: 'dev', suspended: true }
    expect((await city.call('PATCH ~/rig/web', { body: change })).body).toEqual({ status: 'updated' })
    expect((await city.call('GET ~/rig/web')).body).toMatchObject({ path: other, prefix: 'ot', default_branch: 'dev' })
    expect((await city.call('DELETE ~/rig/web')).body).toEqual({ status: 'deleted' })
    expect((await city.call('GET ~/rigs')).body).toEqual({ items: [], total: 0 })
    expect((await city.call('GET ~/agents')).body.total).toBe(0)
  })

  test('says how its branches land', async () => {
    await using town = await openTown()
    const { city, world } = town
    await city.call('POST ~/rigs', { body: { name: 'web', path: world.rigFolder(`${city.name}-web`) } })
    const body = {
      ...{ mode: 'pr', target: 'main', check: ['true'], hold: ['large:9'] },
      generated: [{ glob: 'package-lock.json', command: ['npm', 'install'] }],
      pr: { labels: ['gc'], draft: true },
      auto: { check: 'green', max_lines: 9, paths: ['docs/**'] },
      forge: { kind: 'gitea', url: 'https://git.example.com', repository: 'acme/web' },
    }
    const settings = 'rig/web/land/settings'
    expect((await city.call(`PATCH ~/${settings}`, { body })).body).toEqual({ status: 'updated' })
    expect((await city.call(`GET ~/${settings}`)).body).toMatchObject(body)
    expect((await city.call(`GET ~/${settings}`)).body.protected_paths).toContain('.github/**')
    expect((await city.call('GET ~/rig/web')).body).not.toHaveProperty('land')
  })

  test('is rejected when it is invalid', async () => {
    await using town = await openTown()
    const { city, world } = town
    const path = world.rigFolder(`${city.name}-web`)
    const file = join(path, 'file')
    writeFileSync(file, '')
    await city.call('POST ~/rigs', { body: { name: 'web', path, prefix: 'we' } })
    const create = (body: object) => errorOf(city, 'POST ~/rigs', { body })
    expect(await create({ name: 'x', path: join(path, 'gone') })).toContain('is not a folder; create it first')
    expect(await create({ name: 'x', path: file })).toContain('is not a folder')
    expect(await create({ name: 'x' })).toStartWith('422 validation-failed: ')
    for (const strange of ['a\u0000b', 'x'.repeat(5000), join(file, 'below')]) {
      expect(await create({ name: 'x', path: strange })).toStartWith('400 invalid-request: ')
    }
    expect(await create({ name: 'x', path: 'a\u0000b', git_url: 'https://a.b/c' })).toStartWith('400 invalid-request: ')
    expect(await create({ name: 'a b', path })).toStartWith('400 invalid-request: ')
    expect(await create({ name: 'web', path })).toStartWith('409 conflict-wrong-state: ')
    expect(await create({ name: 'x', git_url: 'not an address' })).toStartWith('400 invalid-request: ')
    expect(await create({ name: 'x', git_url: 'https://a.b/c', path: '/abs' })).toStartWith('400 invalid-request: ')
    const change = (body: object) => errorOf(city, 'PATCH ~/rig/web', { body })
    expect(await change({ path: file })).toStartWith('400 invalid-request: ')
    expect(await change({ prefix: '-' })).toStartWith('400 invalid-request: ')
    const land = await errorOf(city, 'PATCH ~/rig/web/land/settings', { body: { mode: 'push', batch: 65 } })
    expect(land).toStartWith('400 invalid-request: ')
    for (const [operation, body] of [
      ['GET ~/rig/ghost'],
      ['PATCH ~/rig/ghost', {}],
      ['DELETE ~/rig/ghost'],
      ['GET ~/rig/ghost/land/settings'],
      ['PATCH ~/rig/ghost/land/settings', {}],
      ['POST ~/rig/ghost/suspend'],
    ] as const) {
      expect(await errorOf(city, operation, body && { body })).toStartWith('404 rig-not-found: ')
    }
    expect(await errorOf(city, 'POST ~/rig/web/paint')).toStartWith('422 validation-failed: ')
    expect((await city.call('GET ~/rigs')).body.total).toBe(1)
  })

  test('with a repository that cannot be cloned responds 202 and ends with one event', async () => {
    await using town = await openTown()
    const { city } = town
    const body = { name: 'web', git_url: 'http://127.0.0.1:9/x.git', request_id: 'clone-of-web' }
    const accepted = await city.call('POST ~/rigs', { body })
    expect(accepted.status).toBe(202)
    expect(accepted.body).toMatchObject({ status: 'accepted', request_id: 'clone-of-web' })
    const outcome = await city.event(0, ({ type }) => type.startsWith('request.'))
    expect(outcome).toMatchObject({ type: 'request.failed', payload: { request_id: 'clone-of-web' } })
    expect((await city.call('GET ~/rigs')).body.total).toBe(0)
    const events = (await city.recorded(0)).filter(({ type }) => type.startsWith('request.'))
    expect(events).toHaveLength(1)
    const other = { body: { ...body, name: 'other' } }
    expect(await errorOf(city, 'POST ~/rigs', other)).toStartWith('409 conflict-wrong-state: ')
  })
})

describe('the trust in a rig', () => {
  test('is given and taken by people alone, for a rig with a folder', async () => {
    await using town = await openTown('[[rigs]]\nname = "bare"\n')
    const { city, world } = town
    await city.call('POST ~/rigs', { body: { name: 'web', path: world.rigFolder(`${city.name}-web`) } })
    await declare(city, 'crew')
    const { token } = await startSession(city, 'crew')
    const head = (await city.recorded(0)).length
    for (const method of ['POST', 'DELETE'] as const) {
      expect(await errorOf(city, `${method} ~/rig/web/trust`, { token })).toStartWith('403 forbidden: ')
      expect(await errorOf(city, `${method} ~/rig/none/trust`)).toStartWith('404 rig-not-found: ')
    }
    expect(await errorOf(city, 'POST ~/rig/bare/trust')).toStartWith('409 conflict-wrong-state: ')
    expect((await city.call('POST ~/rig/web/trust')).body).toEqual({ status: 'trusted' })
    expect((await city.call('DELETE ~/rig/web/trust')).body).toEqual({ status: 'not trusted' })
    const types = (await city.recorded(0)).slice(head).map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('rig.'))).toEqual(['rig.trusted', 'rig.distrusted'])
  })
})

describe('a handwritten file', () => {
  test('that is broken is never overwritten: changes of rigs are rejected with the reason', async () => {
    await using town = await openTown()
    const { city, world } = town
    await city.call('POST ~/rigs', { body: { name: 'web', path: world.rigFolder(`${city.name}-web`) } })
    writeFileSync(join(city.path, 'city.toml'), '[workspace\n')
    for (const [operation, body] of [
      ['DELETE ~/rig/web'],
      ['PATCH ~/rig/web', { default_branch: 'x' }],
      ['PATCH ~/rig/web/land/settings', { mode: 'push' }],
    ] as const) {
      const error = await errorOf(city, operation, body && { body })
      expect(error).toStartWith('409 conflict-wrong-state: ')
      expect(error).toContain('city.toml:1')
    }
    expect((await city.call('GET ~/rig/web')).status).toBe(200)
  })
})

describe('the operations on rigs', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })

  test('fill every response field except those of a remote clone and of a session that does not end', () => {
    expect(coverage.emptyFields()).toEqual([
      'ListBodyRigResponse.next_cursor',
      'ListBodyRigResponse.partial',
      'ListBodyRigResponse.partial_errors',
      'RigActionBody.failed',
      'RigCreateResponseBody.default_branch',
      'RigCreateResponseBody.prefix',
    ])
  })
})
