import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { human } from '../../src/http/guard.ts'
import { git } from '../agents/worktrees/git.ts'
import { closeWorlds, commit, errorOf, world } from '../agents/worktrees/world.ts'
import { tempFolder } from '../support/folder.ts'
import { FailingDisk } from './failing-disk.ts'

closeWorlds()

const ENOSPC = 28

/** Runs git's garbage collection now: it removes every unreferenced object. */
function collect(...folders: string[]): void {
  for (const folder of folders) {
    git(folder, 'reflog', 'expire', '--expire=now', '--all')
    git(folder, 'gc', '-q', '--prune=now')
    git(folder, 'fsck')
  }
}

test('a full disk refuses to reset, remove and reclaim a worktree, until there is room again', async () => {
  await using folder = tempFolder()
  const disk = new FailingDisk(folder)
  const { snapshots, sessions, worktrees, id, path, town, recorded, close } = await world('', { env: disk.env })
  const reset = () => errorOf(sessions.running.restart(id, human, { fresh: true }))
  const isFull = 'No space left|Out of diskspace'
  writeFileSync(join(path, 'new'), 'x')
  await snapshots.take(id, 'activity')
  writeFileSync(join(path, 'new'), 'y')
  disk.rejectWrites(ENOSPC, '.gc/snapshots/')
  expect(await reset()).toMatch(new RegExp(`^service-unavailable: session .* is not reset, .*(${isFull})`))
  disk.fail('')
  expect(await reset()).toBe('no error')
  rmSync(join(path, 'new'))
  commit(path, 'undone', '1')
  const undone = git(path, 'rev-parse', 'HEAD')
  git(path, 'reset', '-q', '--hard', 'HEAD^')
  // Only the commits find no room: without them, a snapshot would lack what was taken back.
  disk.rejectWrites(ENOSPC, 'shop.git/incoming/')
  await close()
  await worktrees.sweep()
  expect(await errorOf(worktrees.remove(human, id, false))).toMatch(new RegExp(`is kept, .*(${isFull})`))
  expect(existsSync(path)).toBe(true)
  disk.fail('')
  await worktrees.sweep()
  expect(existsSync(path)).toBe(false)
  expect((await snapshots.list(id)).items.map(({ reason }) => reason)).toEqual(['removal', 'reset', 'activity'])
  expect(git(join(town.path, '.gc/snapshots/shop.git'), 'show', `${undone}:undone`)).toBe('1')
  expect(recorded().map(({ type }) => type)).toEqual([
    ...['worktree.snapshot_failed', 'worktree.snapshotted', 'worktree.snapshot_failed'],
    ...['bead.worktree.reap_skipped', 'worktree.snapshotted', 'bead.worktree.reaped'],
  ])
})

test('git gc in rig and clone takes nothing at any step from a clone and its snapshots', async () => {
  const { snapshots, worktrees, sessions, id, path, rig, town, close } = await world()
  const bare = join(town.path, '.gc/snapshots/shop.git')
  const snapshot = async (text: string) => {
    writeFileSync(join(path, 'new'), text)
    await snapshots.take(id, 'activity')
  }
  const deleteBranches = () => {
    const names = git(rig, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')
    for (const name of names.filter((each) => each !== 'other')) git(rig, 'branch', '-q', '-D', name)
  }
  const steps: Record<string, () => unknown> = {
    'it is made': () => {},
    'it is saved': () => snapshot('1'),
    'it has a commit': () => commit(path, 'committed', '1'),
    'its commit is saved': () => snapshot('2'),
    'its commit is fetched': () => worktrees.fetch(human, id),
    'its commit is taken back': () => git(path, 'reset', '-q', '--hard', 'HEAD^'),
    'the rig begins anew': () => {
      git(rig, 'checkout', '-q', '--orphan', 'other')
      commit(rig, 'other', '1')
      deleteBranches()
    },
    'it is saved after that': () => snapshot('3'),
    'it begins anew': () => sessions.running.restart(id, human, { fresh: true }),
    'it fetches from its rig': () => git(path, 'fetch', '-q', 'rig'),
    'what it fetched is saved': () => snapshot('4'),
  }
  for (const [name, act] of Object.entries(steps)) {
    await act()
    for (const folder of [rig, path]) collect(folder)
    expect([name, git(path, 'status', '--short', '--', 'README')]).toEqual([name, ''])
    if (existsSync(bare)) git(bare, 'fsck', '--connectivity-only')
  }
  await close()
  await worktrees.remove(human, id, true)
  collect(rig)
  rmSync(rig, { recursive: true })
  git(bare, 'fsck', '--connectivity-only')
  for (const { number } of (await snapshots.list(id)).items) {
    const folder = town.folder.at(`back-${number}`)
    await snapshots.restore(human, id, number, { folder })
    expect(readFileSync(join(folder, 'README'), 'utf8')).toBe('hello\n')
  }
  expect(git(bare, 'grep', '-h', '1', `refs/gc/snapshots/${id}/2`, '--', 'committed')).toBe('1')
}, 60_000)

/** Number of files in the ignored folder; `GC_IGNORED=100000` matches large projects. */
const IGNORED = Number(process.env.GC_IGNORED ?? 2000)

test(`a folder that git ignores is never looked into, with ${IGNORED} files`, async () => {
  await using folder = tempFolder()
  const trace = folder.at('trace')
  const program = Bun.which('git')
  mkdirSync(folder.at('bin'))
  const traced = `#!/bin/sh\nexec strace -f -qq -A -e trace=openat -o '${trace}' ${program} "$@"\n`
  writeFileSync(folder.at('bin/git'), traced, { mode: 0o755 })
  const PATH = `${folder.at('bin')}:${process.env.PATH}`
  const { snapshots, id, path, files } = await world('', { env: { PATH } })
  mkdirSync(join(path, 'build'))
  mkdirSync(join(path, 'src'))
  for (let at = 0; at < IGNORED; at++) writeFileSync(join(path, `build/f${at}`), '')
  writeFileSync(join(path, 'src/new'), 'x')
  await snapshots.take(id, 'activity')
  expect(await files()).toEqual(['.gitignore', 'README', 'src/new'])
  const opened = readFileSync(trace, 'utf8')
  expect(opened).toMatch(/openat\([^,]*, "src\/"/)
  expect(opened).not.toMatch(/openat\([^,]*, "build/)
}, 60_000)
