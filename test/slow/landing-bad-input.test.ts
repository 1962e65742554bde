import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { human } from '../../src/http/guard.ts'
import { env, git } from '../agents/worktrees/git.ts'
import { commit as commitIn, workersWorld } from '../changes/landing/workers.ts'
import { landingWorld } from '../changes/landing/world.ts'
import { testTown } from '../support/city.ts'
import { eventually, until } from '../support/until.ts'
import { World } from '../support/world.ts'

const CHECK = 'check = ["./test.sh"]\n'

describe('a branch', () => {
  test('that deletes, renames or links the check or moves a submodule is held, and the check does not run', async () => {
    await using world = await landingWorld()
    const tip = world.branch('main', { 'test.sh': '#!/bin/sh\n' })
    git(world.rig, 'push', '-q', 'origin', 'main')
    const changes = {
      deletes: ['rm', '-q', 'test.sh'],
      renames: ['mv', 'test.sh', 'other.sh'],
      links: ['update-index', '--cacheinfo', `120000,${git(world.rig, 'rev-parse', `${tip}:base.txt`)},test.sh`],
      moves: ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`],
    }
    const ids: string[] = []
    for (const [name, words] of Object.entries(changes)) {
      git(world.rig, 'checkout', '-q', '-B', name, tip)
      git(world.rig, ...words)
      git(world.rig, 'commit', '-q', '-m', name)
      git(world.rig, 'checkout', '-q', '-f', 'main')
      ids.push(await world.submit(name))
    }
    await world.settle()
    expect(ids.map((id) => [world.state(id), world.reason(id)])).toEqual([
      ...Array.from({ length: 3 }, () => ['held', 'it changes protected files: test.sh']),
      ['held', 'it moves submodules, which gc does not land: sub'],
    ])
    expect([world.checks, git(world.remote, 'rev-parse', 'main')]).toEqual([0, tip])
  })

  test('with any name that git takes lands and is deleted, and other names are rejected', async () => {
    await using world = await landingWorld({ land: `mode = "push"\n${CHECK}delete_branch = true\n` })
    const names = [
      "a'b",
      'a"b',
      '$(touch pwned)',
      '`id`',
      'a;b&c|d',
      '%2e%2e',
      'é/ü',
      'heads/main',
      'a=b,c',
      '{x}',
      '+x',
      '!x',
    ]
    const ids: string[] = []
    await world.pause()
    for (const [n, name] of names.filter((each) => !each.includes(' ')).entries()) {
      world.branch(name, { [`f${n}`]: 'x\n' })
      git(world.rig, 'push', '-q', 'origin', `refs/heads/${name}:refs/heads/${name}`)
      ids.push(await world.submit(name))
    }
    for (const name of [
      '-x',
      '--upload-pack=touch',
      'a..b',
      'main@{0}',
      'main^',
      'main~1',
      'a b',
      'a\nb',
      '',
      '@',
      'x.lock',
    ]) {
      await expect(world.submit(name)).rejects.toThrow('has no branch')
    }
    await world.resume()
    await world.settle()
    expect(ids.map(world.state)).toEqual(ids.map(() => 'landed'))
    for (const folder of [world.remote, world.rig]) {
      expect(git(folder, 'for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/main')
    }
  })

  test('brings hooks, filters, attributes and settings that nothing of gc runs or reads', async () => {
    await using world = await landingWorld()
    const ran = world.town.folder.at('ran')
    const evil = `#!/bin/sh\ntouch ${ran}\n`
    world.branch('x', {
      '.gitattributes': '* filter=evil diff=evil merge=evil\n',
      '.gitconfig': `[core]\n\thooksPath = hooks\n\tfsmonitor = touch ${ran}\n[filter "evil"]\n\tsmudge = touch ${ran}\n`,
      'hooks/post-checkout': evil,
      'hooks/reference-transaction': evil,
      'a.txt': 'a\n',
    })
    for (const name of ['post-checkout', 'reference-transaction', 'pre-push', 'post-index-change']) {
      mkdirSync(join(world.rig, '.git/hooks'), { recursive: true })
      writeFileSync(join(world.rig, '.git/hooks', name), evil, { mode: 0o755 })
    }
    git(world.rig, 'config', 'filter.evil.smudge', `touch ${ran}`)
    const id = await world.submit('x')
    await world.landings.whenIdle()
    await world.settle()
    expect(world.reason(id)).toBe('it changes protected files: .gitattributes')
    await world.landings.change(human, 'release', id)
    await world.settle()
    expect([world.state(id), existsSync(ran)]).toEqual(['landed', false])
  })
})

test('two supervisors that land on one branch lose nothing of each other', async () => {
  await using one = await landingWorld({ judge: () => 'runs' })
  await using two = await landingWorld({ judge: () => 'runs' })
  git(two.rig, 'config', 'remote.origin.url', one.remote)
  const ids = { one: await one.send('a', { a: '1\n' }), two: await two.send('b', { b: '1\n' }) }
  await Promise.all([one.settle(), two.settle()])
  one.judge = () => 0
  two.judge = () => 0
  await Promise.all([one.settle(), two.settle()])
  expect([one.state(ids.one), two.state(ids.two)]).toEqual(['landed', 'landed'])
  expect(one.main().sort()).toEqual(['a: a', 'b: b', 'base'])
  expect([one, two].filter((world) => world.recorded().includes('overtaken')).length).toBe(1)
})

test('a session that is killed while it resolves a conflict keeps its landing, and its letter is not sent again', async () => {
  await using world = await workersWorld()
  const worker = await world.claimed()
  world.person({ 'base.txt': 'one\nM\nthree\n' })
  commitIn(worker.path, { 'base.txt': 'one\nW\nthree\n' })
  const submit = () => world.landings.submit(worker.caller, 'shop', { bead_id: worker.bead })
  const { id } = await submit()
  await world.settle()
  await world.town.host.finishTurn(worker.hostKey)
  await until(() => world.landings.rows.openLetters().length === 0)
  Bun.spawnSync(['git', '-C', worker.path, 'merge', '-q', 'refs/gc/base'], { env: { ...process.env, ...env } })
  await world.town.host.exit(worker.hostKey, 137)
  await world.city.reconciler.settle()
  await world.settle()
  expect([world.state(id), existsSync(join(worker.path, '.git', 'MERGE_HEAD'))]).toEqual(['conflict', true])
  commitIn(worker.path, { 'base.txt': 'one\nM and W\nthree\n' })
  await submit()
  await world.settle()
  expect([world.state(id), world.file('base.txt')]).toEqual(['landed', 'one\nM and W\nthree'])
  expect(world.landings.rows.lettersOf(id).map(({ try: number, state }) => [number, state])).toEqual([[1, 'delivered']])
})

test('a check that forks, floods or wants a terminal ends with its whole tree, and is judged by its status', async () => {
  await using town = testTown()
  const [rig, remote, pids] = [town.folder.at('shop'), town.folder.at('remote.git'), town.folder.at('pids')]
  mkdirSync(rig)
  git(town.folder.path, 'init', '-q', '--bare', '-b', 'main', remote)
  git(rig, 'init', '-q', '-b', 'main')
  git(rig, 'config', 'remote.origin.url', '../remote.git')
  const script = `#!/bin/sh
[ -e terminal ] && { (: </dev/tty) 2>/dev/null && exit 0; read answer && exit 0; echo nobody answers; exit 4; }
setsid sleep 600 & echo $! >>'${pids}'
sleep 600 & echo $! >>'${pids}'
yes flood | head -c 3000000
exit 0
`
  writeFileSync(join(rig, 'test.sh'), script)
  chmodSync(join(rig, 'test.sh'), 0o755)
  const commit = (name: string, file: string) => {
    git(rig, 'checkout', '-q', '-B', name)
    writeFileSync(join(rig, file), 'x\n')
    git(rig, 'add', '-A')
    git(rig, 'commit', '-q', '-m', name)
    if (name !== 'main') git(rig, 'checkout', '-q', 'main')
  }
  commit('main', 'base.txt')
  git(rig, 'push', '-q', 'origin', 'main')
  commit('forks', 'forks')
  commit('asks', 'terminal')
  town.declare(`[[rigs]]\nname = "shop"\npath = "${rig}"\n[rigs.land]\nmode = "push"\nconfirm_red = false\n${CHECK}`)
  const city = await town.open({ env })
  const ids: string[] = []
  for (const branch of ['forks', 'asks']) ids.push((await city.landings.submit(human, 'shop', { branch })).id)
  const states = async () => ids.map((id) => city.landings.show(id).state).join(' ')
  await eventually('both are judged', 60_000, states, (seen) => seen === 'landed red')
  expect(city.landings.rows.lettersOf(ids[1] ?? '')[0]?.details.output).toContain('nobody answers')
  const checks = city.landings.log(ids[0] ?? '').batches.flatMap((batch) => batch.checks)
  for (const { output = '' } of checks) expect(output.length).toBeLessThan(64 * 1024)
  const alive = readFileSync(pids, 'utf8').trim().split('\n').filter(isAlive)
  expect(alive).toEqual([])
})

/** True if a process runs; one that no one reaped has ended. */
function isAlive(pid: string): boolean {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && !readFileSync(stat, 'utf8').includes(') Z ')
}

test('real commands make generated files again, several checks run, and landed branches go, in the supervisor', async () => {
  await using world = await World.with({ PATH: process.env.PATH ?? '' })
  const [rig, remote] = [world.folder.at('shop'), world.folder.at('remote.git')]
  git(world.folder.path, 'init', '-q', '--bare', '-b', 'main', remote)
  git(world.folder.path, 'init', '-q', '-b', 'main', rig)
  git(rig, 'config', 'remote.origin.url', remote)
  const commit = (name: string, files: Record<string, string>) => {
    git(rig, 'checkout', '-q', '-B', name)
    for (const [path, text] of Object.entries(files)) writeFileSync(join(rig, path), text)
    git(rig, 'add', '-A')
    git(rig, 'commit', '-q', '-m', name)
    git(rig, 'push', '-q', 'origin', name)
    if (name !== 'main') git(rig, 'checkout', '-q', 'main')
  }
  commit('main', { lock: 'none\n' })
  for (const name of ['a', 'b', 'c']) commit(name, { [`${name}.pkg`]: 'x\n', lock: `${name}.pkg\n` })
  commit('broken', { broken: 'x\n' })
  const city = await world.city('town')
  const lines = [
    ...['[workspace]', 'name = "town"', '[[rigs]]', 'name = "shop"', `path = "${rig}"`, '[rigs.land]', 'mode = "push"'],
    ...['check = ["sh", "-c", "! test -e broken"]', 'parallel = 2', 'delete_branch = true'],
    'generated = [{ glob = "lock", command = ["sh", "-c", "ls *.pkg > lock"] }]',
  ]
  writeFileSync(join(city.path, 'city.toml'), `${lines.join('\n')}\n`)
  await eventually(
    'it is declared',
    10_000,
    () => city.call('GET ~/rig/shop/land/settings'),
    (seen) => seen.body.parallel === 2,
  )
  for (const branch of ['a', 'b', 'broken', 'c']) {
    expect((await city.call('POST ~/rig/shop/land', { body: { branch } })).status).toBe(202)
  }
  const heads = async () => git(remote, 'for-each-ref', '--format=%(refname:short)').split('\n').join(' ')
  await eventually('the branches are gone', 60_000, heads, (seen) => seen === 'broken main')
  expect(git(remote, 'show', 'main:lock')).toBe('a.pkg\nb.pkg\nc.pkg')
})
