import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GitRunner } from '../../../src/config/git/git-runner.ts'
import { parseStatus, readRepositoryStatus } from '../../../src/config/git/status.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { human } from '../../../src/http/guard.ts'
import { agentsWorld } from '../../agents/agents/world.ts'
import { TestClock } from '../../support/clock.ts'
import { tempFolder } from '../../support/folder.ts'

const TOWN = {
  'city.toml': '# ours\n[[rigs]]\nname = "shop"   # sells\npath = "$"\n',
  'agents/crew/agent.toml': 'dir = "shop"\nprovider = "codex"\nmax_active_sessions = 3\n',
  'agents/mayor/agent.toml': 'provider = "claude"\n',
}

const ENV = {
  ...process.env,
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
}

/** Runs git in a folder, for real. */
function git(cwd: string, ...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['git', '-c', 'init.defaultBranch=main', ...words], { cwd, env: ENV })
  if (exitCode !== 0) throw new Error(stderr.toString())
}

function repository(path: string): void {
  mkdirSync(path, { recursive: true })
  git(path, 'init', '-q')
  writeFileSync(join(path, 'a'), '1')
  git(path, 'add', '.')
  git(path, 'commit', '-q', '-m', 'one')
}

describe('adding a rig', () => {
  test('takes any folder that is there, and removing it leaves the files as they were', async () => {
    await using town = await agentsWorld(TOWN)
    const before = town.declared()
    mkdirSync(town.folder.at('lib'))
    const created = await town.send('POST', 'rigs', {
      name: 'lib',
      path: town.folder.at('lib'),
      default_branch: 'main',
      request_id: 'r-1',
    })
    expect(created).toEqual({ status: 201, body: { status: 'created', rig: 'lib', request_id: 'r-1' } })
    expect(town.text('.gc/site.toml')).toBe(`[[rig]]\nname = "lib"\npath = "${town.folder.at('lib')}"\n`)
    expect(town.text('city.toml')).toBe(`${before['city.toml']}\n[[rigs]]\nname = "lib"\ndefault_branch = "main"\n`)
    expect(await town.get('rig/lib')).toEqual({
      ...{ name: 'lib', path: town.folder.at('lib'), suspended: false, prefix: 'lib', default_branch: 'main' },
      ...{ agent_count: 0, running_count: 0 },
    })
    await town.send('POST', 'rig/lib/suspend')
    expect(await town.send('DELETE', 'rig/lib')).toEqual({ status: 200, body: { status: 'deleted' } })
    expect(town.declared()).toEqual({ ...before, '.gc/site.toml': '' })
    expect(town.suspensions.explicit('rig', 'lib')).toBeUndefined()
    expect(await town.get('rig/lib')).toMatchObject({ status: 404, code: 'rig-not-found' })
    const payload = { files: ['.gc/site.toml', 'city.toml'], total: 2 }
    expect(town.recorded()).toMatchObject([
      { type: 'config.changed', actor: 'human', payload },
      { type: 'rig.suspended', actor: 'human', subject: 'lib', payload: {} },
      { type: 'config.changed', actor: 'human', payload },
    ])
  })

  test('reads a relative path from the city', async () => {
    await using town = await agentsWorld(TOWN)
    mkdirSync(join(town.path, 'libs/lib'), { recursive: true })
    await town.send('POST', 'rigs', { name: 'lib', path: 'libs/lib' })
    expect(await town.get('rig/lib')).toMatchObject({ path: join(town.path, 'libs/lib') })
  })

  test.each([
    ['no path', { name: 'lib' }, 422, 'path is required'],
    ['a folder that is not there', { name: 'lib', path: 'nope' }, 400, 'nope is not a folder; create it first'],
    ['a file', { name: 'lib', path: 'city.toml' }, 400, 'city.toml is not a folder'],
    ['the name of another', { name: 'shop', path: '.' }, 409, 'rig "shop" already exists'],
    ['the prefix of another', { name: 'lib', path: '.', prefix: 'SH' }, 400, 'is the prefix of rig "shop" already'],
    ['a name that is a path', { name: '../lib', path: '.' }, 400, 'must start with a letter or digit'],
    ['a name for every rig', { name: '*', path: '.' }, 400, 'stands for every rig'],
    ['a prefix with a space', { name: 'lib', path: '.', prefix: 'a b' }, 400, 'must start with a letter or digit'],
    ['an empty name', { name: '', path: '.' }, 422, 'validation failed'],
    ['a key of no meaning', { name: 'lib', path: '.', colour: 'red' }, 422, 'validation failed'],
  ])('with %s is rejected and nothing is written', async (_, body, status, detail) => {
    await using town = await agentsWorld(TOWN)
    const before = town.declared()
    const response = await town.send('POST', 'rigs', body)
    expect(response.status).toBe(status)
    expect(response.body.detail).toContain(detail)
    expect(town.declared()).toEqual(before)
    expect(town.recorded()).toEqual([])
  })
})

describe('a rig', () => {
  test('counts its agents and what of them runs', async () => {
    await using town = await agentsWorld(TOWN)
    town.install('codex', 'claude')
    await town.pool('shop/crew', 1)
    await town.clock.advance(5000)
    const [, , last] = await town.pool('shop/crew', 2)
    await town.sessions.running.suspend(last?.id ?? '', human)
    await town.session('mayor')
    expect(town.host.running).toHaveLength(3)
    expect(await town.get('rigs')).toEqual({
      total: 1,
      items: [
        {
          ...{ name: 'shop', path: town.folder.path, suspended: false, prefix: 'sh' },
          ...{ agent_count: 1, running_count: 2, last_activity: '2026-01-05T09:00:05.000Z' },
        },
      ],
    })
  })

  test('is changed in place; suspended there is how it starts, unless a person set it otherwise', async () => {
    await using town = await agentsWorld(TOWN)
    mkdirSync(town.folder.at('new'))
    const change = { path: town.folder.at('new'), prefix: 'sp', default_branch: '', suspended: true }
    expect(await town.send('PATCH', 'rig/shop', change)).toEqual({ status: 200, body: { status: 'updated' } })
    expect(town.text('city.toml')).toBe(
      `# ours\n[[rigs]]\nname = "shop"   # sells\npath = "${town.folder.path}"\nprefix = "sp"\nsuspended_on_start = true\n`,
    )
    expect(await town.get('rig/shop')).toMatchObject({ path: town.folder.at('new'), prefix: 'sp', suspended: true })
    await town.send('POST', 'rig/shop/resume')
    expect(await town.get('rig/shop')).toMatchObject({ suspended: false })
    expect((await town.send('PATCH', 'rig/shop', { path: 'nope' })).status).toBe(400)
    expect((await town.send('PATCH', 'rig/nope', { prefix: 'x' })).status).toBe(404)
  })

  test('is suspended and resumed with its agents, and writes no file', async () => {
    await using town = await agentsWorld(TOWN)
    const before = town.declared()
    expect(await town.send('POST', 'rig/shop/suspend')).toEqual({
      status: 200,
      body: { status: 'ok', action: 'suspend', rig: 'shop' },
    })
    expect(await town.get('rig/shop')).toMatchObject({ suspended: true })
    expect(await town.get('agent/shop/crew')).toMatchObject({ suspended: true, state: 'suspended' })
    expect(await town.get('agent/mayor')).toMatchObject({ suspended: false })
    await town.send('POST', 'rig/shop/resume')
    expect(await town.get('agent/shop/crew')).toMatchObject({ suspended: false })
    await town.send('POST', 'agent/shop/crew/suspend')
    expect(await town.get('rig/shop')).toMatchObject({ suspended: true })
    expect(town.declared()).toEqual(before)
    expect(town.recorded()).toMatchObject([
      { type: 'rig.suspended', actor: 'human', subject: 'shop', payload: {} },
      { type: 'rig.resumed', actor: 'human', subject: 'shop', payload: {} },
      { type: 'agent.suspended', actor: 'human', subject: 'shop/crew', payload: {} },
    ])
  })

  test('restarts, and lists the sessions that could not be ended', async () => {
    await using town = await agentsWorld(TOWN)
    town.install('codex')
    const restart = async () => (await town.send('POST', 'rig/shop/restart')).body
    expect(await restart()).toEqual({ status: 'ok', action: 'restart', rig: 'shop', killed: [], failed: [] })
    const [one, two] = await town.pool('shop/crew', 2)
    const error = 'its processes are still there'
    town.host.endErrors.set(one?.hostKey ?? '', error)
    expect(await restart()).toMatchObject({
      ...{ status: 'partial', killed: [two?.sessionName] },
      failed: [`${one?.sessionName}: ${error}`],
    })
    expect(await restart()).toMatchObject({ status: 'failed', killed: [], failed: [`${one?.sessionName}: ${error}`] })
    expect(town.host.running).toEqual([one?.hostKey ?? ''])
    expect((await town.send('POST', 'rig/nope/restart')).status).toBe(404)
    expect(await town.send('POST', 'rig/shop/explode')).toMatchObject({
      status: 422,
      body: { code: 'validation-failed' },
    })
  })
})

describe('the git state of a rig', () => {
  test('is included on request, where there is one', async () => {
    await using town = await agentsWorld(TOWN)
    const origin = town.folder.at('origin')
    const clone = town.folder.at('clone')
    repository(origin)
    git(town.folder.path, 'clone', '-q', origin, clone)
    await town.send('POST', 'rigs', { name: 'lib', path: clone })
    const state = async () => (await town.get('rig/lib?git=true')).git
    expect(await state()).toEqual({ branch: 'main', clean: true, changed_files: 0, ahead: 0, behind: 0 })
    git(clone, 'commit', '-q', '--allow-empty', '-m', 'two')
    git(clone, 'mv', 'a', 'b c')
    writeFileSync(join(clone, 'new ü'), '')
    expect(await state()).toEqual({ branch: 'main', clean: false, changed_files: 2, ahead: 1, behind: 0 })
    expect((await town.get('rig/lib')).git).toBeUndefined()
    const { items } = (await town.get('rigs?git=true')) as { items: { name: string; git?: object }[] }
    expect(items.map(({ name, git }) => [name, git !== undefined])).toEqual([
      ['shop', false],
      ['lib', true],
    ])
  })

  test('does not run what the repository configures', async () => {
    using folder = tempFolder()
    repository(folder.at('repo'))
    writeFileSync(folder.at('evil'), `#!/bin/sh\ntouch ${folder.at('ran')}\n`)
    chmodSync(folder.at('evil'), 0o755)
    git(folder.at('repo'), 'config', 'core.fsmonitor', folder.at('evil'))
    const deadlines = new Deadlines()
    expect(
      (await readRepositoryStatus(folder.at('repo'), new GitRunner({ deadlines, env: process.env })))?.branch,
    ).toBe('main')
    expect(await Bun.file(folder.at('ran')).exists()).toBe(false)
    deadlines.close()
  })

  test('is left out when git does not response in three seconds', async () => {
    using folder = tempFolder()
    mkdirSync(folder.at('bin'))
    writeFileSync(folder.at('bin', 'git'), '#!/bin/sh\nexec sleep 60\n')
    chmodSync(folder.at('bin', 'git'), 0o755)
    const clock = new TestClock()
    const deadlines = new Deadlines(clock, clock)
    const env = { ...process.env, PATH: `${folder.at('bin')}:${process.env.PATH}` }
    const status = readRepositoryStatus(folder.path, new GitRunner({ deadlines, env }))
    await clock.advance(3000)
    expect(await status).toBeUndefined()
    expect(deadlines.size).toBe(0)
  })

  test('is read from porcelain: renames, conflicts, untracked files, no branch', () => {
    const lines = [
      '# branch.oid abc',
      '# branch.head (detached)',
      '# branch.ab +2 -3',
      '1 .M N... a',
      '2 R. N... b',
      'old',
      'u UU c',
      '? d',
      '',
    ]
    expect(parseStatus(lines.join('\0'))).toEqual({ branch: '', clean: false, changed_files: 4, ahead: 2, behind: 3 })
  })
})
