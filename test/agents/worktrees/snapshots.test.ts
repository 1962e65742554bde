import { describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { human } from '../../../src/http/guard.ts'
import { env, git } from './git.ts'
import { closeWorlds, commit, errorOf, world } from './world.ts'

closeWorlds()

describe('a snapshot', () => {
  test('holds every file that git does not ignore, and is stored only if something changed', async () => {
    const { snapshots, id, path, files, numbers } = await world('snapshot_max = 1000')
    await snapshots.take(id, 'activity')
    expect(await numbers()).toEqual([])
    mkdirSync(join(path, 'build'))
    for (const name of ['build/out', 'new', '-x', 'a\nb', '.git~1']) writeFileSync(join(path, name), 'x')
    writeFileSync(join(path, 'crlf'), 'a\r\n')
    writeFileSync(join(path, '.gitattributes'), '* text=auto filter=evil\n')
    writeFileSync(join(path, 'large'), 'x'.repeat(1001))
    symlinkSync('/etc/passwd', join(path, 'link'))
    mkdirSync(join(path, 'nested/deep'), { recursive: true })
    git(join(path, 'nested'), 'init', '-q')
    commit(join(path, 'nested'), 'committed', '1')
    git(join(path, 'nested/deep'), 'init', '-q')
    writeFileSync(join(path, 'nested/deep/loose'), '2')
    await snapshots.take(id, 'activity')
    expect((await files()).sort()).toEqual(
      [
        ...['"a\\nb"', '-x', '.git~1', '.gitattributes', '.gitignore', 'README', 'crlf', 'link'],
        ...['nested/committed', 'nested/deep/loose', 'new'],
      ].sort(),
    )
    await snapshots.take(id, 'activity')
    expect(await numbers()).toEqual([1])
    const { items } = await snapshots.list(id)
    expect(items[0]).toMatchObject({
      ...{ id: `${id}@1`, rig: 'shop', reason: 'activity', nested: ['nested/', 'nested/deep/'] },
      left_out: [{ path: 'large', reason: 'larger than snapshot_max', bytes: 1001 }],
    })
    rmSync(join(path, 'README'))
    writeFileSync(join(path, 'nested/committed'), '3')
    await snapshots.take(id, 'activity')
    expect(await numbers()).toEqual([2, 1])
    expect(await files()).not.toContain('README')
    const { files: changed } = await snapshots.diff(id, 1, '2', 10_000)
    expect(changed.map((file) => file.path)).toEqual(['README', 'nested/committed'])
  })

  test('is restored into a new branch or folder byte by byte, and never over anything', async () => {
    const { snapshots, id, path, rig, town, recorded } = await world()
    writeFileSync(join(path, 'README'), 'changed\r\n')
    writeFileSync(join(path, 'run'), '#!/bin/sh\n')
    chmodSync(join(path, 'run'), 0o755)
    symlinkSync('README', join(path, 'link'))
    await snapshots.take(id, 'activity')
    git(path, 'reset', '-q', '--hard')
    git(path, 'clean', '-q', '-fd')
    const folder = town.folder.at('back')
    expect(await snapshots.restore(human, id, 1, { folder })).toMatchObject({ snapshot: `${id}@1`, folder })
    expect(readFileSync(join(folder, 'README'), 'utf8')).toBe('changed\r\n')
    expect(readlinkSync(join(folder, 'link'))).toBe('README')
    expect(lstatSync(join(folder, 'run')).mode & 0o111).not.toBe(0)
    expect(await errorOf(snapshots.restore(human, id, 1, { folder }))).toStartWith('conflict-wrong-state: ')
    const { branch, commit: restored } = await snapshots.restore(human, id, 1, {})
    expect(git(rig, 'rev-parse', `${branch}`)).toBe(`${restored}`)
    expect(git(rig, 'diff', '--stat', '--name-only', 'main', `${branch}`).split('\n')).toEqual([
      'README',
      'link',
      'run',
    ])
    expect(git(rig, 'rev-parse', `${branch}^`)).toBe(git(rig, 'rev-parse', 'main'))
    expect(await errorOf(snapshots.restore(human, id, 1, {}))).toStartWith('conflict-wrong-state: ')
    expect(await errorOf(snapshots.restore(human, id, 9, {}))).toStartWith('snapshot-not-found: ')
    expect(await errorOf(snapshots.restore(human, id, 1, { branch: '-x' }))).toStartWith('invalid-request: ')
    expect(recorded()).toMatchObject([
      { type: 'worktree.restored', snapshot: `${id}@1`, folder },
      { type: 'worktree.restored', snapshot: `${id}@1`, branch, commit: restored },
    ])
    const { to, files } = await snapshots.diff(id, 1, 'worktree', 10_000)
    expect([to, files.length]).toEqual(['worktree', 3])
  })

  test('precedes the removal of a worktree, which needs force where none can be taken', async () => {
    const { snapshots, worktrees, id, path, close, town, recorded } = await world()
    writeFileSync(join(path, 'new'), 'x')
    await close()
    await worktrees.sweep()
    rmSync(join(town.path, '.gc/snapshots'), { recursive: true, force: true })
    writeFileSync(join(town.path, '.gc/snapshots'), 'in the way')
    git(path, 'checkout', '-q', '--detach')
    rmSync(join(path, 'new'))
    await worktrees.sweep()
    expect(existsSync(path)).toBe(true)
    expect(await errorOf(worktrees.remove(human, id, false))).toContain('cannot store a snapshot')
    rmSync(join(town.path, '.gc/snapshots'))
    writeFileSync(join(path, 'new'), 'y')
    expect(await worktrees.remove(human, id, true)).toEqual({ status: 'removed' })
    expect(existsSync(path)).toBe(false)
    expect(await snapshots.list(id)).toMatchObject({ total: 1, items: [{ reason: 'removal' }] })
    expect(recorded().map(({ type }) => type)).toEqual([
      'bead.worktree.reap_skipped',
      'worktree.snapshot_failed',
      'bead.worktree.reap_skipped',
      'worktree.snapshotted',
      'bead.worktree.reaped',
    ])
  })

  test('keeps what was stashed, committed and undone, and ignored files that were added', async () => {
    const { snapshots, id, path, rig, files, numbers } = await world()
    writeFileSync(join(path, 'README'), 'stashed\n')
    git(path, 'stash', '-q')
    commit(path, 'undone', '1')
    git(path, 'reset', '-q', '--hard', 'HEAD^')
    mkdirSync(join(path, 'build'))
    writeFileSync(join(path, 'build/added'), 'x')
    git(path, 'add', '-f', 'build/added')
    await snapshots.take(id, 'activity')
    await snapshots.take(id, 'activity')
    expect(await numbers()).toEqual([1])
    expect(await files()).toContain('build/added')
    expect((await snapshots.list(id)).items[0]?.other_commits).toHaveLength(2)
    const { branch } = await snapshots.restore(human, id, 1, { branch: 'saved' })
    const others = [1, 2].map((at) => git(rig, 'diff', '--name-only', 'main', `${branch}.${at}`))
    expect(others.sort()).toEqual(['README', 'undone'])
  })

  test('holds what a sparse clone does not check out, and the files of a submodule', async () => {
    const { snapshots, id, path, files } = await world()
    for (const folder of ['a', 'b', 'sub']) mkdirSync(join(path, folder))
    for (const file of ['a/one', 'b/two']) commit(path, file, '1')
    git(join(path, 'sub'), 'init', '-q')
    commit(join(path, 'sub'), 'inner', '1')
    git(path, 'add', 'sub')
    git(path, 'commit', '-q', '-m', 'submodule')
    writeFileSync(join(path, 'sub/inner'), '2')
    git(path, 'sparse-checkout', 'set', '--cone', 'a')
    expect(existsSync(join(path, 'b'))).toBe(false)
    await snapshots.take(id, 'activity')
    expect(await files()).toEqual(['.gitignore', 'README', 'a/one', 'b/two', 'sub/inner'])
    rmSync(join(path, 'a/one'))
    mkdirSync(join(path, 'b'))
    writeFileSync(join(path, 'b/two'), '2')
    await snapshots.take(id, 'activity')
    const { files: changed } = await snapshots.diff(id, 1, '2', 10_000)
    expect(changed.map((file) => file.path)).toEqual(['a/one', 'b/two'])
  })

  test('is taken of a shallow clone, and without history where that cannot be copied', async () => {
    const { snapshots, id, path, rig, files } = await world()
    const shallow = `${rig}.shallow`
    commit(rig, 'second', '2')
    git(rig, 'clone', '-q', '--depth', '1', `file://${rig}`, shallow)
    for (const name of ['.git', 'second']) rmSync(join(path, name), { recursive: true, force: true })
    renameSync(join(shallow, '.git'), join(path, '.git'))
    git(path, 'reset', '-q', '--hard')
    writeFileSync(join(path, 'new'), 'x')
    await snapshots.take(id, 'activity')
    expect(await files()).toEqual(['.gitignore', 'README', 'new', 'second'])
    expect((await snapshots.list(id)).items[0]).toMatchObject({ commit: git(rig, 'rev-parse', 'main') })
    writeFileSync(join(path, '.git/HEAD'), '1'.repeat(40))
    writeFileSync(join(path, 'new'), 'y')
    await snapshots.take(id, 'activity')
    expect((await snapshots.list(id)).items[0]).toMatchObject({ number: 2, without_history: expect.any(String) })
    expect(await files()).toEqual(['.gitignore', 'README', 'new', 'second'])
  })

  test('is taken in a partial clone with what its session committed, and nothing missing is fetched', async () => {
    const far = (rig: string) => `${rig}.far`
    const { snapshots, id, path, rig, files, town } = await world('', {
      rig(folder) {
        mkdirSync(far(folder))
        git(far(folder), 'init', '-q', '-b', 'main')
        git(far(folder), 'config', 'uploadpack.allowFilter', 'true')
        commit(far(folder), 'README', 'first\n')
        commit(far(folder), 'README', 'second\n')
        git(dirname(folder), 'clone', '-q', '--filter=blob:none', `file://${far(folder)}`, folder)
      },
    })
    const base = git(rig, 'rev-parse', 'main')
    rmSync(far(rig), { recursive: true })
    for (const text of ['1', '2']) commit(path, 'committed', text)
    const tip = git(path, 'rev-parse', 'HEAD')
    git(path, 'reset', '-q', '--hard', 'HEAD^^')
    writeFileSync(join(path, 'new'), 'x')
    await snapshots.take(id, 'activity')
    expect(await files()).toEqual(['README', 'new'])
    expect((await snapshots.list(id)).items[0]).toMatchObject({ commit: base, other_commits: [tip] })
    const bare = join(town.path, '.gc/snapshots/shop.git')
    expect(git(bare, 'show', `${tip}^:committed`)).toBe('1')
    git(bare, 'fsck', '--connectivity-only')
    await snapshots.restore(human, id, 1, { branch: 'saved' })
    expect(git(rig, 'rev-parse', 'saved.1', 'saved^').split('\n')).toEqual([tip, base])
  })

  test('is dropped when its session has 50 newer ones', async () => {
    const { snapshots, id, path, numbers, town } = await world()
    writeFileSync(join(path, 'new'), '1')
    await snapshots.take(id, 'activity')
    const bare = join(town.path, '.gc/snapshots/shop.git')
    const ref = (number: number) => `refs/gc/snapshots/${id}/${number}`
    for (let number = 2; number <= 49; number++) git(bare, 'update-ref', ref(number), ref(1))
    await snapshots.forget({ session: id, rig: 'shop' })
    for (const text of ['2', '3']) {
      writeFileSync(join(path, 'new'), text)
      await snapshots.take(id, 'activity')
    }
    expect((await numbers()).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at + 2))
  })

  test('precedes a reset, which is refused where none can be taken', async () => {
    const { snapshots, sessions, id, path, town, recorded } = await world()
    writeFileSync(join(path, 'new'), 'x')
    writeFileSync(join(town.path, '.gc/snapshots'), 'in the way')
    expect(await errorOf(sessions.running.restart(id, human, { fresh: true }))).toStartWith(
      `service-unavailable: session ${id} is not reset, because gc cannot store a snapshot`,
    )
    rmSync(join(town.path, '.gc/snapshots'))
    await sessions.running.restart(id, human, { fresh: true })
    expect((await snapshots.list(id)).items).toMatchObject([{ reason: 'reset' }])
    expect(recorded().map(({ type }) => type)).toEqual(['worktree.snapshot_failed', 'worktree.snapshotted'])
  })

  test('is dropped after 30 days, but for the newest of a worktree; what a killed git left is removed', async () => {
    const { snapshots, id, path, numbers, town } = await world()
    const bare = join(town.path, '.gc/snapshots/shop.git')
    const ref = (number: number) => `refs/gc/snapshots/${id}/${number}`
    for (const number of [1, 2]) {
      writeFileSync(join(path, 'new'), String(number))
      await snapshots.take(id, 'activity')
      const date = { GIT_AUTHOR_DATE: '1700000000 +0000', GIT_COMMITTER_DATE: '1700000000 +0000' }
      const made = Bun.spawnSync(['git', '-C', bare, 'commit-tree', '-m', 'x', `${ref(number)}^{tree}`], {
        env: { ...env, ...date },
      })
      git(bare, 'update-ref', ref(number), made.stdout.toString().trim())
    }
    await snapshots.sweep()
    expect(await numbers()).toEqual([2])
    writeFileSync(join(path, 'new'), '3')
    mkdirSync(join(bare, dirname(ref(3))), { recursive: true })
    writeFileSync(join(bare, `${ref(3)}.lock`), '')
    expect(await errorOf(snapshots.take(id, 'activity'))).toContain('File exists')
    await snapshots.take(id, 'activity')
    expect(await numbers()).toEqual([3, 2])
  })
})

test('a clone has what it borrows after everything of it was deleted in the rig, and no push carries the pin', async () => {
  const { path, rig, town, worktrees, close, id } = await world()
  const first = git(rig, 'rev-parse', 'main')
  git(path, 'commit', '-q', '--allow-empty', '-m', 'work')
  git(rig, 'checkout', '-q', '--orphan', 'other')
  commit(rig, 'other', '1')
  const branches = git(rig, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')
  for (const branch of branches.filter((name) => name !== 'other')) git(rig, 'branch', '-D', branch)
  for (const folder of [rig, path]) {
    git(folder, 'reflog', 'expire', '--expire=now', '--all')
    git(folder, 'gc', '-q', '--prune=now')
    git(folder, 'fsck')
  }
  expect(git(path, 'rev-list', '--objects', '--all').split('\n').length).toBeGreaterThan(3)
  const far = town.folder.at('far.git')
  for (const folder of [rig, path]) {
    git(town.folder.path, 'init', '-q', '--bare', far)
    git(folder, 'push', '-q', '--mirror', far)
    expect(git(far, 'for-each-ref', '--format=%(refname)')).not.toMatch(/^refs\/(?!heads\/|tags\/|remotes\/)/m)
    rmSync(far, { recursive: true })
  }
  await close()
  await worktrees.remove(human, id, true)
  expect(git(rig, 'for-each-ref', '--format=%(refname)')).not.toContain('refs/gc')
  git(rig, 'reflog', 'expire', '--expire=now', '--all')
  expect(git(rig, 'cat-file', '-t', first)).toBe('commit')
})
