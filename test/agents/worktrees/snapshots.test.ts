import { afterEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../src/core/errors.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'

const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
}

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const town of open.splice(0)) await town[Symbol.asyncDispose]()
})

function git(cwd: string, ...words: string[]): string {
  const ran = Bun.spawnSync(['git', '-C', cwd, ...words], { env })
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr}`)
  return ran.stdout.toString().trim()
}

function commit(folder: string, file: string, text: string): void {
  writeFileSync(join(folder, file), text)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '-m', file)
}

/** A city whose worker works in a worktree of the rig `shop`. */
async function world(settings = '') {
  const town = scriptedTown()
  open.push(town)
  const rig = town.folder.at('shop')
  mkdirSync(rig)
  git(rig, 'init', '-q', '-b', 'main')
  writeFileSync(join(rig, '.gitignore'), 'build/\n')
  commit(rig, 'README', 'hello\n')
  town.declare(`[session]\n${settings}\n[[rigs]]\nname = "shop"\npath = "${rig}"
[[agent]]\nname = "worker"\ndir = "shop"\nstart_command = "true"\nworktree = true\n`)
  const city = await town.open({ env })
  const { store, log, beadRepository, sessionRepository, reconciler, sessions, snapshots } = city
  const draft = { title: 'work', rig: 'shop', metadata: { 'gc.routed_to': 'shop/worker' } }
  const bead = await store.write((tx) => beadRepository.add(tx, draft))
  await reconciler.settle()
  const row = sessionRepository.liveByTemplate('shop/worker').find(({ work }) => work === bead.id)
  if (!row) throw new Error('no worker was started')
  const { id, workDir: path } = row
  return {
    ...city,
    ...{ town, rig, id, path, clock: town.clock },
    /** The files of the newest snapshot. */
    async files(): Promise<string[]> {
      const [newest] = (await snapshots.list(id)).items
      const ref = `refs/gc/snapshots/${id}/${newest?.number}`
      const names = git(
        join(town.path, '.gc/snapshots/shop.git'),
        '-c',
        'core.quotePath=true',
        'ls-tree',
        '-r',
        '--name-only',
        ref,
      )
      return names.split('\n')
    },
    numbers: async () => (await snapshots.list(id)).items.map(({ number }) => number),
    async close() {
      await store.write((tx) => void beadRepository.close(tx, bead.id))
      await sessions.control.close(id, human)
    },
    recorded: () =>
      log
        .after(0, 1000)
        .filter(({ type }) => /worktree/.test(type))
        .map(({ type, payload }) => ({ type, ...Object(payload) })),
  }
}

const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error) => (error instanceof AppError ? `${error.code}: ${error.message}` : String(error)),
  )

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
})
