import { describe, expect, test } from 'bun:test'
import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  changesBetween,
  linesBetween,
  makeCandidate,
  merge,
  movedSubmodules,
  renamesBetween,
  UserGit,
} from '../../src/changes/yard/index.ts'
import { GitRunner } from '../../src/config/git/git-runner.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { env, git } from '../agents/worktrees/git.ts'
import { landingWorld } from '../changes/landing/world.ts'
import { isScratch, lock, lockedWorld, pkg } from '../changes/yard/locked-world.ts'
import { land, show, treeOf, yardWorld } from '../changes/yard/world.ts'
import { tempFolder } from '../support/folder.ts'

describe('a yard', () => {
  test('is private, borrows nothing, and is whole without the rig', async () => {
    await using world = await yardWorld()
    const head = await world.branch('x', world.base, { 'a.txt': 'one\nX\nthree\n' })
    expect(lstatSync(world.yard.path).mode & 0o777).toBe(0o700)
    expect(existsSync(join(world.yard.path, 'objects/info/alternates'))).toBe(false)
    expect(existsSync(join(world.yard.path, 'hooks'))).toBe(false)
    rmSync(world.rig, { recursive: true })
    expect(git(world.yard.path, 'rev-list', '--objects', head).split('\n').length).toBeGreaterThan(5)
  })
})

describe('a merge', () => {
  test('changes only what the branch changed, and touches no working tree', async () => {
    await using world = await yardWorld()
    const head = await world.branch('x', world.base, { 'a.txt': 'one\nX\nthree\n' })
    const tip = await world.branch('y', world.base, { 'b.txt': 'Y\n' })
    const candidate = await land(world, tip, head)
    expect((await changesBetween(world.yard, tip, candidate)).map(({ path }) => path)).toEqual(['a.txt'])
    expect(git(world.rig, 'status', '--porcelain')).toBe('')
  })

  test('names a file that one side deleted', async () => {
    await using world = await yardWorld()
    const tip = await world.branch('y', world.base, { 'a.txt': 'one\nY\nthree\n' })
    git(world.rig, 'checkout', '-q', '-B', 'x', world.base)
    git(world.rig, 'rm', '-q', 'a.txt')
    const head = world.commit({}, 'remove')
    await world.yard.adopt(world.source, [head])
    expect(await merge(world.yard, { tip, head, landed: [] })).toMatchObject({
      conflicts: [{ path: 'a.txt', kind: 'modify/delete', hunks: [] }],
      ours: tip,
    })
  })

  test('of a branch that merged the target after its squash is clean as well', async () => {
    await using world = await yardWorld()
    const first = await world.branch('x', world.base, { 'a.txt': 'one\nX\nthree\n' })
    const tip = await land(world, world.base, first)
    git(world.rig, 'fetch', '-q', world.yard.path, tip)
    git(world.rig, 'checkout', '-q', '-B', 'x', first)
    git(world.rig, 'merge', '-q', '--no-edit', tip)
    const merged = world.commit({ 'a.txt': 'one\nX3\nthree\n' }, 'more')
    await world.yard.adopt(world.source, [merged])
    const next = await land(world, tip, merged, [first])
    expect(show(world, `${next}:a.txt`)).toBe('one\nX3\nthree')
  })

  test('follows the attributes of the base, and never those of the candidate', async () => {
    await using world = await yardWorld()
    const start = world.commit({
      '.gitattributes': 'LOG.md merge=union\n',
      'LOG.md': '# log\n',
      'docs/.gitattributes': '*.md merge=union\n',
      'docs/x.md': 'x\n',
    })
    const head = await world.branch('x', start, { 'LOG.md': '# log\nx\n', 'docs/x.md': 'x\nx\n' })
    const tip = await world.branch('y', start, { 'LOG.md': '# log\ny\n', 'docs/x.md': 'x\ny\n' })
    await world.yard.attributesFrom(tip)
    expect(git(world.yard.path, 'cat-file', '-p', `${await treeOf(world, tip, head)}:LOG.md`)).toBe('# log\ny\nx')
    await world.yard.attributesFrom(world.base)
    expect('conflicts' in (await merge(world.yard, { tip, head, landed: [] }))).toBe(true)
  })

  test('is a conflict where a submodule moved on both sides', async () => {
    await using world = await yardWorld()
    const at = (commit: string) => {
      git(world.rig, 'checkout', '-q', '--detach', world.base)
      git(world.rig, 'update-index', '--add', '--cacheinfo', `160000,${commit},sub`)
      git(world.rig, 'commit', '-q', '-m', 'sub')
      const head = git(world.rig, 'rev-parse', 'HEAD')
      git(world.rig, 'checkout', '-q', '-f', 'main')
      return head
    }
    const [head, tip] = [at('1'.repeat(40)), at('2'.repeat(40))]
    await world.yard.adopt(world.source, [head, tip])
    const result = await merge(world.yard, { tip, head, landed: [] })
    expect('conflicts' in result && result.conflicts.map(({ kind }) => kind)).toEqual(['submodule'])
    expect(movedSubmodules(await changesBetween(world.yard, world.base, head))).toEqual(['sub'])
  })
})

describe('a candidate', () => {
  test('lists the subjects of several commits, and not those that landed before', async () => {
    await using world = await yardWorld()
    const first = await world.branch('x', world.base, { 'a.txt': 'X\n' })
    const tip = await land(world, world.base, first)
    const head = await world.branch('x', first, { 'c.txt': 'c\n' }, { 'd.txt': 'd\n' })
    const message = show(world, await land(world, tip, head, [first]))
    expect(message).toContain('\n\nx: c.txt\n\n* x: c.txt\n* x: d.txt\n\nBead:')
  })

  test('of the strategy merge has the branch as its second parent', async () => {
    await using world = await yardWorld()
    const head = await world.branch('x', world.base, { 'a.txt': 'X\n' })
    const tree = await treeOf(world, world.base, head)
    const parts = { tip: world.base, head, landed: [], tree, landing: 'ld-1', submittedAt: 1, committedAt: 2 }
    const candidate = await makeCandidate(world.yard, { ...parts, strategy: 'merge' })
    expect(git(world.yard.path, 'rev-list', '--parents', '-n', '1', candidate)).toBe(
      `${candidate} ${world.base} ${head}`,
    )
  })
})

describe('the contribution of a branch', () => {
  test('shows renames and how many lines it changes', async () => {
    await using world = await yardWorld()
    git(world.rig, 'checkout', '-q', '-B', 'x', world.base)
    git(world.rig, 'mv', 'a.txt', 'moved.txt')
    const head = world.commit({ 'b.txt': 'x\ny\n' }, 'move')
    await world.yard.adopt(world.source, [head])
    expect(await renamesBetween(world.yard, world.base, head)).toEqual(new Map([['a.txt', 'moved.txt']]))
    expect(await linesBetween(world.yard, world.base, head)).toBe(9)
  })
})

describe('generated files in conflict', () => {
  test('are files, and no link', async () => {
    await using world = await lockedWorld((folder) => {
      rmSync(join(folder, 'lock.json'))
      symlinkSync('/etc/passwd', join(folder, 'lock.json'))
      return 0
    })
    await world.send('a', pkg('a'), world.tip)
    await world.settle()
    const id = await world.send('b', pkg('b'), world.tip)
    await world.settle()
    expect(world.state(id)).toBe('conflict')
    expect(world.landings.rows.lettersOf(id)[0]?.details.reason).toContain('lock.json is not a plain file')
  })

  test('with other files are left to the owner, and no command runs', async () => {
    await using world = await lockedWorld()
    await world.send('a', { ...pkg('a'), 'base.txt': 'A\n' }, world.tip)
    await world.settle()
    const id = await world.send('b', { ...pkg('b'), 'base.txt': 'B\n' }, world.tip)
    await world.settle()
    expect([world.state(id), world.checks, world.landings.show(id).files]).toEqual([
      'conflict',
      1,
      ['base.txt', 'lock.json'],
    ])
  })

  test('are made again by a supervisor that starts again, which ends what ran before', async () => {
    await using world = await lockedWorld()
    await world.send('a', pkg('a'), world.tip)
    await world.settle()
    world.judge = () => 'runs'
    const id = await world.send('b', pkg('b'), world.tip)
    await world.settle()
    expect([world.state(id), world.reason(id)]).toEqual(['queued', 'its generated files are being made again'])
    await world.reopen()
    world.judge = (folder) => (isScratch(folder) ? lock(folder) : 0)
    await world.settle()
    expect([world.state(id), world.file('lock.json'), world.town.host.running]).toEqual([
      'landed',
      '["a.pkg","b.pkg"]',
      [],
    ])
  })
})

test('checks of one batch run side by side in folders of their own, and blame the same branch', async () => {
  await using world = await landingWorld({ land: 'mode = "push"\ncheck = ["./test.sh"]\nparallel = 3\n' })
  await world.pause()
  const ids: string[] = []
  for (let n = 0; n < 4; n++) ids.push(await world.send(`b${n}`, n === 2 ? { broken: 'x\n' } : { [`f${n}`]: 'x\n' }))
  await world.resume()
  let most = 0
  const { judge } = world
  world.judge = (folder) => {
    const running = world.town.host.starts.filter(({ key }) => world.town.host.running.includes(key))
    most = Math.max(most, new Set(running.map(({ cwd }) => cwd)).size)
    return judge(folder)
  }
  await world.settle()
  expect(ids.map(world.state)).toEqual(['landed', 'landed', 'red', 'landed'])
  // The whole, three at once, the culprit again, and the one that was behind it.
  expect([most, world.checks]).toEqual([3, 6])
})

describe('a shallow clone', () => {
  /** A rig without the history of its first commit. */
  async function shallowWorld(land: string) {
    const world = await landingWorld({ land })
    world.branch('main', [{ one: '1\n' }, { two: '2\n' }])
    git(world.rig, 'push', '-q', 'origin', 'main')
    const from = git(world.rig, 'rev-parse', 'main')
    writeFileSync(join(world.rig, '.git/shallow'), `${from}\n`)
    const old = git(world.remote, 'rev-list', '--objects', 'main~1', '--not', `main^{tree}`).split('\n')
    for (const line of old) {
      const [object = ''] = line.split(' ')
      rmSync(join(world.rig, '.git/objects', object.slice(0, 2), object.slice(2)), { force: true })
    }
    return Object.assign(world, { from })
  }

  test('gives its branches, since the target has the history', async () => {
    await using world = await shallowWorld('mode = "push"\ncheck = ["./test.sh"]\n')
    const id = await world.send('x', { x: '1\n' }, world.from)
    await world.settle()
    expect([world.state(id), world.main()]).toEqual(['landed', ['x: x', 'main: two', 'main: one', 'base']])
  })

  test('that is its own target is told to fetch the rest', async () => {
    await using world = await shallowWorld('mode = "local"\n')
    await world.send('x', { x: '1\n' }, world.from)
    await world.settle()
    expect(world.town.reports.join('\n')).toContain('run git fetch --unshallow there')
  })
})

test('a signed commit has the signature of the key of the person, and the same name whenever it is made', async () => {
  using home = tempFolder()
  const key = home.at('key')
  Bun.spawnSync(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key])
  const settings = `[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = ${key}\n[commit]\n\tgpgSign = true\n`
  writeFileSync(home.at('.gitconfig'), settings)
  writeFileSync(home.at('signers'), `a@b ${readFileSync(`${key}.pub`, 'utf8')}`)
  await using world = await landingWorld({
    ...{
      land: 'mode = "push"\ncheck = ["./test.sh"]\nsign = true\n',
      variables: { GIT_CONFIG_GLOBAL: home.at('.gitconfig') },
    },
  })
  const id = await world.send('x', { x: '1\n' })
  await world.settle()
  expect(world.state(id)).toBe('landed')
  const allowed = ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${home.at('signers')}`]
  expect(git(world.remote, ...allowed, 'log', '-1', '--format=%G?', 'main')).toBe('G')
  await using yards = await yardWorld()
  const deadlines = new Deadlines()
  const runner = new GitRunner({ deadlines, env: { ...env, GIT_CONFIG_GLOBAL: home.at('.gitconfig') } })
  const head = await yards.branch('x', yards.base, { x: '1\n' })
  const parts = { tip: yards.base, head, landed: [], tree: await treeOf(yards, yards.base, head), landing: 'ld-1' }
  const user = new UserGit(runner, yards.rig)
  const make = () => makeCandidate(yards.yard, { ...parts, strategy: 'squash', submittedAt: 1, committedAt: 2 }, user)
  expect(await make()).toBe(await make())
  deadlines.close()
})
