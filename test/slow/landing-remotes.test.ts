import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { human } from '../../src/http/guard.ts'
import { git } from '../agents/worktrees/git.ts'
import { landingWorld } from '../changes/landing/world.ts'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { httpServer, recordingPath, sshServer } from './git-servers.ts'

const TOKEN = `ghp_${'a1B2'.repeat(9)}`

/** A city whose person has a home of their own, with settings of git in it. */
async function personalWorld(settings: string, besides: Readonly<Record<string, string>> = {}) {
  const home = tempFolder()
  const { path, log } = recordingPath(home)
  writeFileSync(home.at('.gitconfig'), settings)
  const world = await landingWorld({
    variables: { HOME: home.path, GIT_CONFIG_GLOBAL: home.at('.gitconfig'), PATH: path, ...besides },
  })
  const said = () => JSON.stringify([world.city.log.after(0, 1000), world.landings.status('shop'), world.town.reports])
  return Object.assign(world, { home, said, argv: () => readFileSync(log, 'utf8') })
}

type PersonalWorld = Awaited<ReturnType<typeof personalWorld>>

/** Lets retries come until a landing is in a state, or the train stands. */
async function untilOver(world: PersonalWorld, id: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    await world.settle()
    if (world.state(id) === 'landed' || world.landings.status('shop').standing) return
    await world.clock.advance(61_000)
  }
}

describe('over ssh', () => {
  test('a branch lands on a host that the person knows, with the key of their own settings', async () => {
    using folder = tempFolder()
    await using server = await sshServer(folder)
    await using world = await personalWorld(`[core]\n\tsshCommand = ${server.command}\n`)
    git(world.rig, 'config', 'remote.origin.url', server.urlOf(world.remote))
    const id = await world.send('a', { a: '1\n' })
    await untilOver(world, id)
    expect([world.state(id), world.main(), world.landings.status('shop').standing]).toEqual([
      'landed',
      ['a: a', 'base'],
      undefined,
    ])
    expect(world.argv()).toContain('BatchMode=yes')
  })

  test('a branch lands with the command and the SSH agent of the variables of the supervisor', async () => {
    using folder = tempFolder()
    await using server = await sshServer(folder)
    const [socket, moved] = [folder.at('agent'), folder.at('moved-key')]
    const agent = Bun.spawn(['ssh-agent', '-D', '-a', socket], { stdout: 'ignore', stderr: 'ignore' })
    const variables = {
      SSH_AUTH_SOCK: socket,
      GIT_SSH_COMMAND: `ssh -F /dev/null -o UserKnownHostsFile=${server.known}`,
    }
    await eventually('the agent listens', 10_000, async () => existsSync(socket), Boolean)
    expect(Bun.spawnSync(['ssh-add', '-q', server.key], { env: { ...process.env, ...variables } }).exitCode).toBe(0)
    renameSync(server.key, moved)
    await using world = await personalWorld('[core]\n\tsshCommand = false\n', variables)
    git(world.rig, 'config', 'remote.origin.url', server.urlOf(world.remote))
    const id = await world.send('a', { a: '1\n' })
    await untilOver(world, id)
    expect([world.state(id), world.main()]).toEqual(['landed', ['a: a', 'base']])
    agent.kill()
    await agent.exited
  })

  test('a host with another key is not reached, and no one is asked', async () => {
    using folder = tempFolder()
    await using server = await sshServer(folder)
    writeFileSync(server.known, readFileSync(server.known, 'utf8').replaceAll(/\S{6}$/gm, 'AAAAAA'))
    await using world = await personalWorld(`[core]\n\tsshCommand = ${server.command}\n`)
    git(world.rig, 'config', 'remote.origin.url', server.urlOf(world.remote))
    const id = await world.send('a', { a: '1\n' })
    await untilOver(world, id)
    expect([world.state(id), world.main()]).toEqual(['queued', ['base']])
    expect(world.landings.status('shop').standing).toMatchObject({ cause: 'failing' })
    expect(world.landings.status('shop').standing?.reason).toContain('Host key verification failed')
  }, 60_000)
})

describe('over HTTP', () => {
  test('a branch lands with the login in the address, which is in no argument, event or message', async () => {
    await using world = await personalWorld('')
    using server = httpServer(world.town.folder.path, TOKEN)
    git(world.rig, 'config', 'remote.origin.url', `http://ann:${TOKEN}@${server.address}/remote.git`)
    const id = await world.send('a', { a: '1\n' })
    await untilOver(world, id)
    expect([world.state(id), world.main(), server.controls.pushes]).toEqual(['landed', ['a: a', 'base'], 1])
    for (const text of [world.argv(), world.said()]) expect(text).not.toContain(TOKEN)
  })

  test('a branch lands with the login of a credential helper, and not with a wrong one', async () => {
    await using world = await personalWorld('')
    using server = httpServer(world.town.folder.path, TOKEN)
    const helper = (token: string) =>
      writeFileSync(
        world.home.at('.gitconfig'),
        `[credential]\n\thelper = "!f() { echo username=ann; echo password=${token}; }; f"\n`,
      )
    git(world.rig, 'config', 'remote.origin.url', `http://${server.address}/remote.git`)
    helper('wrong')
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    expect([world.state(id), world.town.reports.join('\n')]).toEqual([
      'queued',
      expect.stringContaining('Authentication failed'),
    ])
    helper(TOKEN)
    await untilOver(world, id)
    expect([world.state(id), world.main()]).toEqual(['landed', ['a: a', 'base']])
    expect(world.argv()).not.toContain(TOKEN)
  })

  test('a branch lands with the login that GIT_ASKPASS prints', async () => {
    using folder = tempFolder()
    const ask = folder.at('ask')
    writeFileSync(ask, `#!/bin/sh\ncase "$1" in Username*) echo ann ;; *) cat '${ask}.token' ;; esac\n`, {
      mode: 0o755,
    })
    writeFileSync(`${ask}.token`, TOKEN)
    await using world = await personalWorld('', { GIT_ASKPASS: ask })
    using server = httpServer(world.town.folder.path, TOKEN)
    git(world.rig, 'config', 'remote.origin.url', `http://${server.address}/remote.git`)
    const id = await world.send('a', { a: '1\n' })
    await untilOver(world, id)
    expect([world.state(id), world.main()]).toEqual(['landed', ['a: a', 'base']])
    for (const text of [world.argv(), world.said()]) expect(text).not.toContain(TOKEN)
  })

  test('a push whose answer is lost has landed, and is not made again', async () => {
    await using world = await personalWorld('')
    using server = httpServer(world.town.folder.path, TOKEN)
    git(world.rig, 'config', 'remote.origin.url', `http://ann:${TOKEN}@${server.address}/remote.git`)
    server.controls.manner = 'lost'
    const id = await world.send('a', { a: '1\n' })
    await untilOver(world, id)
    expect([world.state(id), world.main(), server.controls.pushes]).toEqual(['landed', ['a: a', 'base'], 1])
  })

  test('a server that never answers is given up in time, and a person is notified once', async () => {
    await using world = await personalWorld('')
    using server = httpServer(world.town.folder.path, TOKEN)
    git(world.rig, 'config', 'remote.origin.url', `http://ann:${TOKEN}@${server.address}/remote.git`)
    server.controls.manner = 'never'
    const id = await world.send('a', { a: '1\n' })
    for (let minutes = 0; minutes < 30 && !world.landings.status('shop').standing; minutes++) {
      await Bun.sleep(50)
      await world.clock.advance(61_000)
    }
    expect(world.landings.status('shop').standing).toMatchObject({
      ...{ cause: 'failing', reason: expect.stringContaining('git timed out') },
    })
    expect(world.recorded().filter((type) => type === 'standing').length).toBe(1)
    expect(world.said()).not.toContain(TOKEN)
    server.controls.manner = 'well'
    await untilOver(world, id)
    await world.clock.advance(61_000)
    await untilOver(world, id)
    expect([world.state(id), world.main()]).toEqual(['landed', ['a: a', 'base']])
  }, 60_000)
})

describe('files of Git LFS', () => {
  test('that were not pushed hold a branch, which lands once git-lfs has pushed them', async () => {
    await using world = await landingWorld()
    git(world.rig, 'config', 'remote.origin.url', `file://${world.remote}`)
    git(world.rig, 'lfs', 'install', '--local')
    const tip = world.branch('main', { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' })
    git(world.rig, 'push', '-q', 'origin', 'main')
    const id = await world.send('x', { 'big.bin': 'many bytes\n' }, tip)
    await world.settle()
    expect([world.state(id), world.reason(id)]).toEqual([
      'held',
      'the remote lacks files of Git LFS, which git lfs push brings there: big.bin',
    ])
    git(world.rig, 'lfs', 'push', 'origin', 'x')
    await world.landings.change(human, 'retry', id)
    await world.settle()
    expect([world.state(id), world.file('big.bin')]).toEqual(['landed', expect.stringContaining('oid sha256:')])
  })

  test('are looked for at the server of the remote, with the login of the person', async () => {
    await using world = await personalWorld(
      `[credential]\n\thelper = "!f() { echo username=ann; echo password=${TOKEN}; }; f"\n`,
    )
    using server = httpServer(world.town.folder.path, TOKEN)
    git(world.rig, 'config', 'remote.origin.url', `http://${server.address}/remote.git`)
    const oid = 'ab'.repeat(32)
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12\n`
    const id = await world.send('x', { 'big.bin': pointer })
    await world.settle()
    expect(world.reason(id)).toBe('the remote lacks files of Git LFS, which git lfs push brings there: big.bin')
    server.controls.lfs.add(oid)
    await world.landings.change(human, 'retry', id)
    await world.settle()
    expect([world.state(id), world.main()]).toEqual(['landed', ['x: big.bin', 'base']])
    for (const text of [world.argv(), world.said()]) expect(text).not.toContain(TOKEN)
  })
})
