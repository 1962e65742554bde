import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reasonToKeep } from '../../../src/agents/worktrees/keep-reason.ts'
import { AppError } from '../../../src/core/errors.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'
import { env, git } from './git.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const town of open.splice(0)) await town[Symbol.asyncDispose]()
})

/** A city with a rig that is a repository, whose worker has worktrees. */
async function world(limit = 10) {
  const town = scriptedTown()
  open.push(town)
  const rig = town.folder.at('shop')
  mkdirSync(rig)
  git(rig, 'init', '-q', '-b', 'main')
  commit(rig, 'README', 'hello')
  town.declare(`[session]\nworktree_limit = ${limit}\n[[rigs]]\nname = "shop"\npath = "${rig}"
[[agent]]\nname = "worker"\ndir = "shop"\nstart_command = "true"\nworktree = true\n`)
  const city = await town.open({ env })
  const { store, log, beadRepository, sessionRepository, reconciler, sessions } = city
  /** A worker that was started for a bead, and its worktree. */
  const started = (work: string) => {
    const row = sessionRepository.liveByTemplate('shop/worker').find((session) => session.work === work)
    if (!row) throw new Error(`no worker was started for ${work}`)
    const { id, workDir: path, hostKey } = row
    return { id, work, path, hostKey: hostKey ?? '', branch: `gc/${work}-worker-${id}` }
  }
  return {
    ...city,
    ...{ rig, started, host: town.host, clock: town.clock },
    /** Has a worker started for a new bead. */
    async make() {
      const draft = { title: 'work', rig: 'shop', metadata: { 'gc.routed_to': 'shop/worker' } }
      const { id } = await store.write((tx) => beadRepository.add(tx, draft))
      await reconciler.settle()
      return started(id)
    },
    /** Closes a worker and its bead. */
    async close({ id, work }: { id: string; work: string }) {
      await store.write((tx) => void beadRepository.close(tx, work))
      await sessions.running.close(id, human)
    },
    recorded: () =>
      log
        .after(0, 1000)
        .filter(({ type }) => type.startsWith('bead.worktree.'))
        .map(({ type, payload }) => ({ type, ...Object(payload) })),
  }
}

function commit(folder: string, file: string, text: string): void {
  writeFileSync(join(folder, file), text)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '-m', file)
}

const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error) => (error instanceof AppError ? `${error.code}: ${error.message}` : String(error)),
  )

describe('a worktree', () => {
  test('is created for a session on a branch named after its work, and reused at the next start', async () => {
    const { make, started, worktrees, rig, host, sessions, reconciler } = await world()
    const { id, work, path, hostKey, branch } = await make()
    expect(host.starts[0]?.cwd).toBe(path)
    expect(git(path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe(branch)
    expect(existsSync(join(path, 'README'))).toBe(true)
    writeFileSync(join(path, 'draft'), 'half')
    await host.exit(hostKey, 1)
    await sessions.running.wake(id, human)
    await reconciler.settle()
    expect(host.starts.map(({ cwd }) => cwd)).toEqual([path, path])
    expect(started(work)).toMatchObject({ id, path })
    expect(existsSync(join(path, 'draft'))).toBe(true)
    expect(worktrees.list()).toMatchObject({
      total: 1,
      limit: 10,
      items: [{ session: id, rig: 'shop', bead_id: work, in_use: true }],
    })
    expect(git(rig, 'status', '--porcelain')).toBe('')
  })

  test('stays while its session is not over or its program is still ending', async () => {
    const { make, worktrees, beadRepository, reactions, sessionRepository, reconciler, store } = await world()
    const { id, work, path } = await make()
    await worktrees.sweep()
    expect(existsSync(path)).toBe(true)
    await store.write((tx) => {
      for (const bead of [work, id]) beadRepository.close(tx, bead)
    })
    await reactions.whenIdle()
    expect(sessionRepository.get(id)).toMatchObject({ state: 'closed', hostKey: expect.any(String) })
    await worktrees.sweep()
    expect(existsSync(path)).toBe(true)
    expect(await errorOf(worktrees.remove(human, id, true))).toStartWith('conflict-wrong-state: ')
    await reconciler.settle()
    await store.write(() => {})
    expect(sessionRepository.get(id).hostKey).toBeNull()
    await worktrees.sweep()
    expect(existsSync(path)).toBe(false)
  })

  test('is removed with its branch when all its work is merged, also by a squash', async () => {
    for (const merge of [
      ['merge', '-q'],
      ['merge', '-q', '--squash'],
    ]) {
      const { make, worktrees, close, rig, recorded } = await world()
      const worker = await make()
      const { work, path, branch } = worker
      commit(path, 'one', '1')
      commit(path, 'two', '2')
      await worktrees.fetch(human, worker.id)
      git(rig, ...merge, branch)
      if (merge.includes('--squash')) git(rig, 'commit', '-q', '-m', 'squashed')
      await close(worker)
      await worktrees.sweep()
      expect(existsSync(path)).toBe(false)
      expect(git(rig, 'branch', '--list', 'gc/*')).toBe('')
      expect(recorded()).toMatchObject([
        { type: 'bead.worktree.fetched', bead_id: work, branch, commit: expect.any(String) },
        { type: 'bead.worktree.reaped', bead_id: work, rig: 'shop', path, branch },
      ])
      expect(worktrees.list().total).toBe(0)
    }
  })

  test('with unpushed commits or changes is kept, which is reported once', async () => {
    const { make, worktrees, close, recorded, attention } = await world()
    const [committed, changed] = [await make(), await make()]
    commit(committed.path, 'one', '1')
    writeFileSync(join(changed.path, 'new'), 'x')
    for (const worker of [committed, changed]) await close(worker)
    await worktrees.sweep()
    await worktrees.sweep()
    const kept = recorded().filter(({ type }) => type === 'bead.worktree.reap_skipped')
    expect(recorded()).toMatchObject([
      { type: 'bead.worktree.fetched', bead_id: committed.work },
      {
        type: 'bead.worktree.reap_skipped',
        bead_id: committed.work,
        reason: '1 commit is neither merged nor pushed',
      },
      { type: 'bead.worktree.reap_skipped', bead_id: changed.work, reason: '1 file is changed and not committed' },
    ])
    expect(worktrees.list().items.map(({ kept }) => kept)).toEqual(kept.map(({ reason }) => reason))
    expect(existsSync(join(committed.path, 'one')) && existsSync(join(changed.path, 'new'))).toBe(true)
    const listed = () => attention.list().items.filter(({ kind }) => kind === 'worktree')
    expect(listed()).toMatchObject(
      [committed, changed].map(({ id, work }, at) => ({
        ...{ id: `worktree:${id}`, session_id: id, bead_id: work, rig: 'shop', agent: 'shop/worker' },
        asks: expect.stringContaining(kept[at]?.reason),
        to_do: expect.stringContaining(`gc worktree remove ${id} --force`),
      })),
    )
    await worktrees.remove(human, changed.id, true)
    expect(listed().map(({ id }) => id)).toEqual([`worktree:${committed.id}`])
  })

  test('is removed when its commits are pushed, and its branch stays', async () => {
    const { make, worktrees, close, rig } = await world()
    const worker = await make()
    const { path, branch } = worker
    commit(path, 'one', '1')
    const far = `${rig}.git`
    git(rig, 'clone', '-q', '--bare', rig, far)
    git(rig, 'remote', 'add', 'origin', far)
    git(path, 'push', '-q', 'origin', 'HEAD')
    await close(worker)
    await worktrees.sweep()
    expect(existsSync(path)).toBe(false)
    expect(git(rig, 'branch', '--list', 'gc/*')).toContain(branch)
  })

  test('is removed by a person, with unsaved work only by force', async () => {
    const { make, worktrees, close, rig } = await world()
    const worker = await make()
    const { id, path, branch } = worker
    commit(path, 'one', '1')
    writeFileSync(join(path, 'new'), 'x')
    await close(worker)
    expect(await errorOf(worktrees.remove(human, id, false))).toBe(
      `conflict-wrong-state: ${path} is kept: 1 file is changed and not committed; save it, or remove it with force`,
    )
    expect(await errorOf(worktrees.remove(human, 'mi-9', true))).toStartWith('session-not-found: ')
    expect(await worktrees.remove(human, id, true)).toEqual({ status: 'removed' })
    expect(existsSync(path)).toBe(false)
    expect(git(rig, 'branch', '--list', 'gc/*')).toContain(branch)
  })

  test('is not created beyond the limit, and unneeded ones are removed first', async () => {
    const { make, started, close, clock, reconciler, sessionServices, host } = await world(2)
    const first = await make()
    const second = await make()
    const third = await make()
    expect(sessionServices.failures.find('agent', 'shop/worker')?.reason).toBe(
      'there are 2 worktrees, and worktree_limit is 2; see gc worktree list and remove some',
    )
    expect(host.starts).toHaveLength(2)
    commit(second.path, 'one', '1')
    for (const worker of [first, second]) await close(worker)
    await clock.advance(2000)
    await reconciler.settle()
    expect(started(third.work).path).toContain(`worker-${third.id}`)
    expect(host.starts).toHaveLength(3)
    expect(existsSync(first.path)).toBe(false)
    expect(existsSync(second.path)).toBe(true)
  })

  test('is forgotten once its folder is deleted', async () => {
    const { make, worktrees, close, rig } = await world()
    const worker = await make()
    Bun.spawnSync(['rm', '-rf', worker.path])
    await close(worker)
    await worktrees.sweep()
    expect(worktrees.list().total).toBe(0)
    expect(git(rig, 'worktree', 'list').split('\n')).toHaveLength(1)
  })
})

describe('commits in a worktree', () => {
  test('is in the repository of its rig once its bead is closed, also after it was rewritten', async () => {
    const { make, store, beadRepository, worktrees, reactions, rig, recorded } = await world()
    const { id, work, path, branch } = await make()
    const first = git(rig, 'rev-parse', branch)
    commit(path, 'one', '1')
    expect(git(rig, 'rev-parse', branch)).toBe(first)
    await worktrees.fetch(human, id)
    expect(git(rig, 'rev-parse', branch)).toBe(git(path, 'rev-parse', 'HEAD'))
    git(path, 'commit', '-q', '--amend', '-m', 'better')
    await store.write((tx) => void beadRepository.close(tx, work))
    await reactions.whenIdle()
    await worktrees.sweep()
    expect(git(rig, 'log', '-1', '--format=%s', branch)).toBe('better')
    expect(existsSync(path)).toBe(true)
    expect(recorded()).toMatchObject([
      { type: 'bead.worktree.fetched', bead_id: work, branch },
      { type: 'bead.worktree.fetched', bead_id: work, branch, commit: git(path, 'rev-parse', 'HEAD') },
    ])
    expect(git(rig, 'fsck', '--full', '--no-dangling')).toBe('')
  })

  test('on other branches or on none comes home beside its own branch', async () => {
    const { make, worktrees, rig } = await world()
    const { id, path, branch } = await make()
    git(path, 'switch', '-q', '-c', 'feature/x')
    commit(path, 'one', '1')
    git(path, 'switch', '-q', '--detach')
    commit(path, 'two', '2')
    await worktrees.fetch(human, id)
    expect(git(rig, 'log', '-1', '--format=%s', `${branch}.feature/x`)).toBe('one')
    expect(git(rig, 'log', '-1', '--format=%s', `${branch}.head`)).toBe('two')
    expect(git(rig, 'log', '-1', '--format=%s', 'main')).toBe('README')
  })

  test('does not replace what somebody did on its branch in the rig', async () => {
    const { make, worktrees, rig, recorded } = await world()
    const { id, path, branch } = await make()
    git(rig, 'switch', '-q', branch)
    commit(rig, 'mine', 'm')
    commit(path, 'one', '1')
    expect(await errorOf(worktrees.fetch(human, id))).toBe(
      `conflict-wrong-state: ${branch} was changed in ${rig}; give that another name (git branch -m), then fetch again`,
    )
    git(rig, 'switch', '-q', 'main')
    expect(await errorOf(worktrees.fetch(human, id))).toStartWith('conflict-wrong-state: ')
    expect(git(rig, 'log', '-1', '--format=%s', branch)).toBe('mine')
    expect(recorded()).toEqual([])
  })

  test('is kept with the folder while changes are stashed', async () => {
    const { make, worktrees, close, recorded } = await world()
    const worker = await make()
    writeFileSync(join(worker.path, 'README'), 'changed')
    git(worker.path, 'stash', '-q')
    await close(worker)
    await worktrees.sweep()
    expect(recorded()).toMatchObject([{ reason: 'changes are stashed in it' }])
    expect(existsSync(worker.path)).toBe(true)
  })
})

test('a clone has the remotes, settings and hooks of its rig, and its rig as a remote', async () => {
  const { make, rig } = await world()
  git(rig, 'config', 'remote.origin.url', 'https://example.com/shop.git')
  git(rig, 'config', 'alias.hello', '!echo "hi; there"')
  writeFileSync(join(rig, '.git', 'hooks', 'pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const { path } = await make()
  expect(git(path, 'remote').split('\n')).toEqual(['origin', 'rig'])
  expect(git(path, 'config', 'remote.origin.url')).toBe('https://example.com/shop.git')
  expect(git(path, 'hello')).toBe('hi; there')
  expect(() => commit(path, 'one', '1')).toThrow('git commit')
  git(rig, 'commit', '-q', '--no-verify', '--allow-empty', '-m', 'later')
  git(path, 'fetch', '-q', 'rig')
  expect(git(path, 'log', '-1', '--format=%s', 'rig/main')).toBe('later')
})

test('a worktree is kept for any work that exists nowhere else', () => {
  const none = { changes: 0, stashed: false, merged: false, pushed: false, ahead: 2 }
  expect(reasonToKeep(none)).toBe('2 commits are neither merged nor pushed')
  expect(reasonToKeep({ ...none, merged: true })).toBeUndefined()
  expect(reasonToKeep({ ...none, pushed: true })).toBeUndefined()
  expect(reasonToKeep({ ...none, merged: true, stashed: true })).toBe('changes are stashed in it')
  expect(reasonToKeep({ ...none, merged: true, pushed: true, changes: 1 })).toBe('1 file is changed and not committed')
})

describe('the diff of a worktree', () => {
  test('has commits, what is not committed, and new files, since the branch left its base', async () => {
    const { make, worktrees, rig } = await world()
    const { id, path, branch } = await make()
    commit(rig, 'OTHER', 'of somebody else')
    commit(path, 'done.txt', 'done\n')
    writeFileSync(join(path, 'README'), 'hello again\n')
    writeFileSync(join(path, 'new file.txt'), 'new\n')
    writeFileSync(join(path, 'image.bin'), Buffer.from([0, 1, 2]))
    symlinkSync('/etc/passwd', join(path, 'link'))
    const diff = await worktrees.diff(id, 100_000)
    expect(diff).toMatchObject({ session: id, branch, base: 'main', path, files_total: 5, cut: false })
    expect(diff.commits.map(({ subject }) => subject)).toEqual(['done.txt'])
    expect(diff.files).toEqual([
      { path: 'README', added: 1, removed: 1 },
      { path: 'done.txt', added: 1, removed: 0 },
      { path: 'image.bin', is_new: true },
      { path: 'link', is_new: true },
      { path: 'new file.txt', is_new: true },
    ])
    for (const line of ['+hello again', '-hello', '+done', '+new', '+/etc/passwd', '+++ b/new file.txt'])
      expect(diff.patch.split(/\r?\n|\t/)).toContain(line)
    expect(diff.patch).not.toContain('root:')
    expect(diff.patch).not.toContain('of somebody else')
    expect(git(path, 'status', '--porcelain')).toContain('?? "new file.txt"')
  })

  test('is cut at its bound, between two lines', async () => {
    const { make, worktrees } = await world()
    const { id, path } = await make()
    commit(path, 'long.txt', 'a line of text\n'.repeat(50_000))
    writeFileSync(join(path, 'more.txt'), 'not reached\n')
    const { patch, cut, files } = await worktrees.diff(id, 100_000)
    expect(cut).toBe(true)
    expect(patch.length).toBeWithin(99_900, 100_001)
    expect(patch).toEndWith('\n+a line of text\n')
    expect(files.map((file) => file.path)).toEqual(['long.txt', 'more.txt'])
  })

  test('runs no program that the repository names', async () => {
    const { make, worktrees, rig } = await world()
    const { id, path } = await make()
    const trace = join(rig, 'ran')
    const evil = `sh -c 'echo ran >> ${trace}; cat'`
    for (const key of ['filter.evil.clean', 'filter.a=b.clean', 'filter.x.process', 'diff.evil.textconv'])
      git(rig, 'config', key, evil)
    for (const key of ['diff.external', 'diff.evil.command', 'core.fsmonitor', 'core.pager', 'gpg.program'])
      git(rig, 'config', key, evil)
    git(rig, 'config', 'filter.evil.required', 'true')
    git(rig, 'config', 'log.showSignature', 'true')
    writeFileSync(join(path, '.gitattributes'), 'README filter=evil diff=evil\nlink filter=a=b\n* filter=x\n')
    writeFileSync(join(path, 'README'), 'changed\n')
    writeFileSync(join(path, 'fresh'), 'fresh\n')
    const { patch } = await worktrees.diff(id, 100_000)
    expect(patch).toContain('+changed')
    expect(patch).toContain('+fresh')
    expect(existsSync(trace)).toBe(false)
  })

  test('of no worktree, and of one whose folder is gone, says where the work is', async () => {
    const { make, worktrees, rig } = await world()
    expect(await errorOf(worktrees.diff('nobody', 1000))).toBe(
      'session-not-found: there is no worktree of session nobody; see gc worktree list',
    )
    const { id, path, branch } = await make()
    rmSync(path, { recursive: true })
    expect(await errorOf(worktrees.diff(id, 1000))).toBe(
      `conflict-wrong-state: the folder ${path} is not there; its commits are on ${branch} in ${rig}`,
    )
  })
})
