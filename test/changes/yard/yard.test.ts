import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rulesOf } from '../../../src/changes/yard/attributes.ts'
import {
  broughtBack,
  changesBetween,
  changesOfPairs,
  lfsPointers,
  merge,
  readAddedLines,
  replacedBy,
  replacedIn,
  Yard,
} from '../../../src/changes/yard/index.ts'
import { GitRunner } from '../../../src/config/git/git-runner.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { env, git } from '../../agents/worktrees/git.ts'
import { land, show, yardWorld } from './world.ts'

describe('a yard', () => {
  test('removes the locks and unfinished objects that a killed git left, once', async () => {
    await using world = await yardWorld()
    const { path } = world.yard
    const left = [
      'HEAD.lock',
      'packed-refs.lock',
      'refs/heads/main.lock',
      'objects/tmp_obj_a',
      'objects/pack/tmp_pack_b',
    ]
    for (const name of left) writeFileSync(join(path, name), '')
    const again = new Yard(world.runner, path)
    await again.prepare('sha1')
    expect(left.filter((name) => existsSync(join(path, name)))).toEqual([])
    writeFileSync(join(path, 'HEAD.lock'), '')
    await again.prepare('sha1')
    expect(existsSync(join(path, 'HEAD.lock'))).toBe(true)
  })

  test('runs no hook, filter or merge driver that a branch or the user brings', async () => {
    await using world = await yardWorld()
    const ran = world.folder.at('ran')
    const attributes = '* merge=evil filter=evil\n'
    const head = await world.branch('x', world.base, { '.gitattributes': attributes, 'b.txt': 'X\n' })
    const tip = await world.branch('y', world.base, { '.gitattributes': attributes, 'a.txt': 'Y\n' })
    mkdirSync(join(world.rig, '.git/hooks'))
    for (const hook of ['post-checkout', 'reference-transaction', 'pre-push', 'post-update']) {
      const files = [join(world.rig, '.git/hooks', hook), world.folder.at('user-hooks', hook)]
      mkdirSync(world.folder.at('user-hooks'), { recursive: true })
      for (const file of files) writeFileSync(file, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 })
    }
    const settings = `[merge "evil"]\n\tdriver = touch ${ran}\n[filter "evil"]\n\tclean = touch ${ran}\n`
    const user = world.folder.at('.gitconfig')
    writeFileSync(user, `${settings}[core]\n\thooksPath = ${world.folder.at('user-hooks')}\n`)
    writeFileSync(join(world.rig, '.git/config'), settings, { flag: 'a' })
    const deadlines = new Deadlines()
    const git = new GitRunner({ deadlines, env: { ...env, HOME: world.folder.path } })
    const yard = new Yard(git, world.folder.at('land', 'other.git'))
    await yard.prepare('sha1')
    await yard.adopt(world.source, [head, tip])
    await yard.attributesFrom(tip)
    const result = await merge(yard, { tip, head, landed: [] })
    deadlines.close()
    expect('tree' in result).toBe(true)
    expect(existsSync(ran)).toBe(false)
    expect(readFileSync(join(yard.path, 'info/attributes'), 'utf8')).toBe('')
  })

  test('takes no commit whose objects are missing or broken', async () => {
    await using world = await yardWorld()
    const gone = Bun.spawnSync(['git', '-C', world.rig, 'mktree', '--missing'], {
      stdin: Buffer.from(`100644 blob ${'1'.repeat(40)}\tgone\n`),
    })
    const commit = git(world.rig, 'commit-tree', gone.stdout.toString().trim(), '-p', world.base, '-m', 'x')
    await expect(world.yard.adopt(world.source, [commit])).rejects.toThrow()
    expect(await world.yard.has(commit)).toBe(false)
  })
})

describe('a merge', () => {
  test('of both sides of a line is a conflict with both, the ancestor, and its kind', async () => {
    await using world = await yardWorld()
    const head = await world.branch('x', world.base, { 'a.txt': 'one\nX\nthree\n', 'new.txt': 'x\n' })
    const tip = await world.branch('y', world.base, { 'a.txt': 'one\nY\nthree\n', 'new.txt': 'y\n' })
    expect(await merge(world.yard, { tip, head, landed: [] })).toMatchObject({
      conflicts: [
        { path: 'a.txt', kind: 'content', hunks: [{ ours: 'Y\n', ancestor: 'two\n', theirs: 'X\n' }] },
        { path: 'new.txt', kind: 'add/add', hunks: [{ ours: 'y\n', ancestor: '', theirs: 'x\n' }] },
      ],
      ours: tip,
    })
  })

  test('of a branch that went on after its squash is made from the head that landed', async () => {
    await using world = await yardWorld()
    const first = await world.branch('x', world.base, { 'a.txt': 'one\nX\nthree\n' })
    const tip = await land(world, world.base, first)
    const later = await world.branch('x', first, { 'a.txt': 'one\nX2\nthree\n' })
    expect('conflicts' in (await merge(world.yard, { tip, head: later, landed: [] }))).toBe(true)
    const next = await land(world, tip, later, [first])
    expect(show(world, `${next}:a.txt`)).toBe('one\nX2\nthree')
  })
})

describe('a candidate', () => {
  test('has the agent as its author, trailers of gc alone, and the same name whenever it is made', async () => {
    await using world = await yardWorld()
    git(world.rig, 'checkout', '-q', '-B', 'x', world.base)
    const head = world.commit({ 'a.txt': 'X\n' }, 'Say X\n\nBecause.\n\nGc-Landing: ld-forged\nBead: other\n')
    await world.yard.adopt(world.source, [head])
    const candidate = await land(world, world.base, head)
    expect(await land(world, world.base, head)).toBe(candidate)
    const [header = '', ...message] = show(world, candidate).split('\n\n')
    expect(header.split('\n').slice(1)).toEqual([
      `parent ${world.base}`,
      'author shop/worker <a@b> 1000 +0000',
      'committer gc <gc@localhost> 2000 +0000',
    ])
    expect(message.join('\n\n')).toBe(
      `Say X\n\nBecause.\n\nBead: mi-1\nSession: mi-2\nGc-Landing: ld-1\nGc-Head: ${head}\nCo-authored-by: a <a@b>`,
    )
  })
})

describe('the contribution of a branch', () => {
  test('shows paths to which it brings contents back that the target replaced', async () => {
    await using world = await yardWorld()
    const tip = await world.branch('y', world.base, { 'a.txt': 'A\n', 'b.txt': 'B\n' }, { 'a.txt': 'AA\n' })
    const stale = await world.branch('x', tip, { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
    const fresh = await world.branch('z', tip, { 'a.txt': 'new\n' })
    const back = async (head: string) =>
      broughtBack(await changesBetween(world.yard, tip, head), await replacedIn(world.yard, tip)).sort()
    expect(await back(stale)).toEqual(['a.txt', 'b.txt'])
    expect(await back(fresh)).toEqual([])
    const ahead = await changesBetween(world.yard, world.base, tip)
    const replaced = replacedBy(ahead, await replacedIn(world.yard, world.base))
    expect(broughtBack(await changesBetween(world.yard, tip, stale), replaced).sort()).toEqual(['a.txt', 'b.txt'])
    const pairs = [[world.base, tip] as const, [tip, tip] as const, [tip, fresh] as const]
    expect(await changesOfPairs(world.yard, pairs)).toEqual([ahead, [], await changesBetween(world.yard, tip, fresh)])
  })

  test('shows secrets in added lines, however they are written, and pointers of LFS', async () => {
    await using world = await yardWorld()
    const key = `ghp_${'a1B2'.repeat(9)}`
    const oid = 'ab'.repeat(32)
    const head = await world.branch('x', world.base, {
      '.gitattributes': '*.txt binary\n',
      'k.txt': `fine\n++ b/${key}\n`,
      'big.bin': `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12\n`,
      'é.bin': `version https://git-lfs.github.com/spec/v1\nx-é 1\noid sha256:${oid}\nsize 3\n`,
      'none.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
    })
    const pointers = ['big.bin', 'none.bin', 'é.bin']
    const findings = [{ path: 'k.txt', what: 'a GitHub token' }]
    await world.yard.attributesFrom(head)
    expect(await readAddedLines(world.yard, world.base, head)).toEqual({ findings, pointers, isCut: false })
    expect((await readAddedLines(world.yard, head, world.base)).findings).toEqual([])
    expect(await lfsPointers(world.yard, await changesBetween(world.yard, world.base, head))).toEqual([
      { path: 'big.bin', oid, size: 12 },
      { path: 'é.bin', oid, size: 3 },
    ])
  })
})

test('rules of attributes keep built-in ways to merge, at the place of their file', () => {
  const text = '# c\n*.md merge=union text\na/b.txt binary\n*.x merge=evil\n[attr]m merge=union\n"q" merge=union\n'
  expect(rulesOf(text, '')).toEqual(['*.md merge=union', 'a/b.txt -merge'])
  expect(rulesOf(text, 'd/')).toEqual(['/d/**/*.md merge=union', '/d/a/b.txt -merge'])
})
