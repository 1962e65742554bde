import { afterAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Repository } from '../../../src/agents/worktrees/index.ts'
import { RemoteBranch, remoteAddress, UserGit } from '../../../src/changes/yard/index.ts'
import { GitRunner } from '../../../src/config/git/git-runner.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { env, git } from '../../agents/worktrees/git.ts'
import type { TempFolder } from '../../support/folder.ts'
import { yardWorld } from './world.ts'

const deadlines = new Deadlines()
afterAll(() => deadlines.close())

async function remoteWorld() {
  const world = await yardWorld()
  const address = await remoteAddress(new Repository(world.runner, world.rig), 'origin')
  return { ...world, main: new RemoteBranch(new UserGit(world.runner, world.rig), world.yard, address, 'main') }
}

test('a remote branch is fetched into the yard, anyone who moved it', async () => {
  await using world = await remoteWorld()
  expect(await world.main.look()).toBe(world.base)
  const next = world.commit({ 'a.txt': 'next\n' })
  git(world.rig, 'push', '-q', 'origin', 'main')
  expect(await world.main.look()).toBe(next)
  expect(await world.yard.has(next)).toBe(true)
  git(world.rig, 'push', '-q', '-f', 'origin', `${world.base}:main`)
  expect(await world.main.look()).toBe(world.base)
  git(world.remote, 'update-ref', '-d', 'refs/heads/main')
  expect(await world.main.look()).toBeUndefined()
})

test('a push moves the branch from the commit that was seen, and from no other', async () => {
  await using world = await remoteWorld()
  await world.main.look()
  const head = await world.branch('x', world.base, { 'a.txt': 'x\n' })
  expect(await world.main.push(world.base, head)).toBe('')
  expect(await world.main.look()).toBe(head)
  const other = await world.branch('y', world.base, { 'b.txt': 'y\n' })
  expect(await world.main.push(world.base, other)).toContain('stale info')
  expect(await world.main.look()).toBe(head)
})

test('the reason of a remote that rejects a push is returned, without the secrets in it', async () => {
  await using world = await remoteWorld()
  const head = await world.branch('x', world.base, { 'a.txt': 'x\n' })
  mkdirSync(join(world.remote, 'hooks'))
  const hook = join(world.remote, 'hooks/pre-receive')
  writeFileSync(hook, `#!/bin/sh\necho 'not with ghp_${'a1B2'.repeat(9)}'\nexit 1\n`)
  chmodSync(hook, 0o755)
  const reason = await world.main.push(world.base, head)
  expect(reason).toContain('pre-receive hook declined')
  expect(reason).toContain('not with ')
  expect(reason).not.toContain('ghp_')
  expect(await world.main.look()).toBe(world.base)
})

test('a remote that cannot be read is an error and not an absent branch', async () => {
  await using world = await remoteWorld()
  const gone = new RemoteBranch(
    new UserGit(world.runner, world.rig),
    world.yard,
    { url: world.folder.at('nowhere') },
    'main',
  )
  await expect(gone.look()).rejects.toThrow('the remote cannot be read')
})

test('addresses that run a program, or are pushed elsewhere, are rejected', async () => {
  await using world = await yardWorld()
  const rig = new Repository(world.runner, world.rig)
  expect(await remoteAddress(rig, 'origin')).toEqual({ url: world.remote })
  git(world.rig, 'config', 'remote.origin.url', 'https://ann:secret@example.com/x.git')
  expect(await remoteAddress(rig, 'origin')).toMatchObject({ url: 'https://example.com/x.git', username: 'ann' })
  git(world.rig, 'config', 'remote.origin.pushurl', 'https://example.com/y.git')
  await expect(remoteAddress(rig, 'origin')).rejects.toThrow('pushed to another address')
  git(world.rig, 'config', 'remote.a.b.url', 'https://example.com/1.git')
  git(world.rig, 'config', '--add', 'remote.a.b.url', 'https://example.com/2.git')
  git(world.rig, 'config', 'remote.axb.url', 'https://example.com/3.git')
  expect(await remoteAddress(rig, 'a.b')).toMatchObject({ url: 'https://example.com/1.git' })
  git(world.rig, 'config', 'remote.evil.url', 'ext::sh -c touch% /tmp/x')
  await expect(remoteAddress(rig, 'evil')).rejects.toThrow('an address that gc does not use')
  await expect(remoteAddress(rig, 'none')).rejects.toThrow('has no remote none')
})

/** A remote of the yard's world as a user with this configuration and these variables reaches it. */
async function asUser(
  { folder, rig, yard }: Awaited<ReturnType<typeof remoteWorld>>,
  url: string,
  { settings = '', variables = {} }: { settings?: string; variables?: Record<string, string> },
): Promise<{ seen: string | undefined; problem: string }> {
  writeFileSync(folder.at('.gitconfig'), settings)
  const runner = new GitRunner({
    deadlines,
    env: { ...env, GIT_CONFIG_GLOBAL: folder.at('.gitconfig'), ...variables },
  })
  const main = new RemoteBranch(new UserGit(runner, rig), yard, { url }, 'main')
  const failed = (error: unknown) => ({ seen: undefined, problem: String(error) })
  return main.look().then((seen) => ({ seen, problem: '' }), failed)
}

/** A program in place of ssh, which runs what the remote is to run, and records its first argument. */
function sshProgram(folder: TempFolder, name: string): { path: string; calls: () => string } {
  const path = folder.at(name)
  const log = `${path}.log`
  writeFileSync(log, '')
  writeFileSync(path, `#!/bin/sh\necho "$1" >>'${log}'\nfor last; do :; done\nexec sh -c "$last"\n`, { mode: 0o755 })
  return { path, calls: () => readFileSync(log, 'utf8') }
}

test('the settings of the user for remotes are used, and no others', async () => {
  await using world = await remoteWorld()
  const settings = `[url "${world.folder.path}/"]\n\tinsteadOf = shop:\n[push]\n\tgpgSign = true\n`
  expect(await asUser(world, 'shop:remote.git', { settings })).toEqual({ seen: world.base, problem: '' })
  const { problem } = await asUser(world, 'shop:remote.git', { settings: '[url\n' })
  expect(problem).toContain('the settings of git for')
})

test('the programs of the user for SSH are run as git runs them, and none that a repository names', async () => {
  await using world = await remoteWorld()
  const { folder, rig, base } = world
  const [command, configured, evil] = ['command', 'configured', 'evil'].map((name) => sshProgram(folder, name))
  if (!command || !configured || !evil) throw new Error('no programs')
  const url = `ssh://host${world.remote}`
  git(rig, 'config', 'core.sshCommand', evil.path)
  git(rig, 'config', 'credential.helper', `!touch ${folder.at('ran')}`)
  expect((await asUser(world, url, {})).problem).toContain('the remote cannot be read')
  writeFileSync(folder.at('work'), `[core]\n\tsshCommand = ${configured.path}\n[ssh]\n\tvariant = simple\n`)
  const settings = `[includeIf "gitdir:${rig}/"]\n\tpath = ${folder.at('work')}\n`
  expect((await asUser(world, url, { settings })).seen).toBe(base)
  const variables = { GIT_SSH_COMMAND: command.path, GIT_SSH_VARIANT: 'simple' }
  expect((await asUser(world, url, { settings, variables })).seen).toBe(base)
  expect((await asUser(world, url, { variables: { GIT_SSH: command.path, GIT_SSH_VARIANT: 'ssh' } })).seen).toBe(base)
  expect([command.calls(), configured.calls(), evil.calls()]).toEqual(['host\n-o\n', 'host\nhost\n', ''])
  expect(existsSync(folder.at('ran'))).toBe(false)
})

test('settings in variables count, and OpenSSH must not prompt', async () => {
  await using world = await remoteWorld()
  const own = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${world.folder.path}/.insteadOf`,
    GIT_CONFIG_VALUE_0: 'v:',
  }
  expect((await asUser(world, 'v:remote.git', { variables: own })).seen).toBe(world.base)
  const reachOf = async (variables: Record<string, string>) => {
    const { env: reached } = await new UserGit(
      new GitRunner({ deadlines, env: { ...env, ...variables } }),
      world.rig,
    ).reach()
    const { GIT_SSL_CAINFO: _, ...rest } = reached
    return rest
  }
  const options = '-o BatchMode=yes -o ServerAliveInterval=30'
  expect(await reachOf({ GIT_SSH_COMMAND: '/usr/bin/ssh -i key' })).toEqual({
    GIT_SSH_COMMAND: `/usr/bin/ssh -i key ${options}`,
  })
  expect(
    await reachOf({ GIT_SSH_COMMAND: '/opt/ssh-wrapper', GIT_ASKPASS: '/opt/ask', GIT_DIR: '/', GIT_TRACE: '1' }),
  ).toEqual({
    ...{ GIT_SSH_COMMAND: '/opt/ssh-wrapper', GIT_ASKPASS: '/opt/ask' },
  })
})
