import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Repository } from '../../../src/agents/worktrees/index.ts'
import { RemoteBranch, remoteAddress } from '../../../src/changes/yard/index.ts'
import { GitRunner } from '../../../src/config/git/index.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { env, git } from '../../agents/worktrees/git.ts'
import { yardWorld } from './world.ts'

async function remoteWorld() {
  const world = await yardWorld()
  const address = await remoteAddress(new Repository(world.runner, world.rig), 'origin')
  return { ...world, main: new RemoteBranch(world.runner, world.yard, address, 'main') }
}

test('a remote branch is fetched into the yard, whoever moved it', async () => {
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
  expect(reason).not.toContain('ghp_')
  expect(await world.main.look()).toBe(world.base)
})

test('a remote that cannot be read is an error and not an absent branch', async () => {
  await using world = await remoteWorld()
  const gone = new RemoteBranch(world.runner, world.yard, { url: world.folder.at('nowhere') }, 'main')
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
  git(world.rig, 'config', 'remote.evil.url', 'ext::sh -c touch% /tmp/x')
  await expect(remoteAddress(rig, 'evil')).rejects.toThrow('an address that gc does not use')
  await expect(remoteAddress(rig, 'none')).rejects.toThrow('has no remote none')
})

test('the settings of the user for remotes are used, and no others', async () => {
  await using world = await remoteWorld()
  const settings = `[url "${world.folder.path}/"]\n\tinsteadOf = shop:\n[push]\n\tgpgSign = true\n`
  writeFileSync(world.folder.at('.gitconfig'), settings)
  const deadlines = new Deadlines()
  const runner = new GitRunner({ deadlines, env: { ...env, HOME: world.folder.path } })
  expect(await new RemoteBranch(runner, world.yard, { url: 'shop:remote.git' }, 'main').look()).toBe(world.base)
  deadlines.close()
})
