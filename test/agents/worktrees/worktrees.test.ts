import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reasonToKeep } from '../../../src/agents/worktrees/keep-reason.ts'
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

/** A city with a rig that is a repository, whose worker has worktrees; no program is ever started. */
async function world(limit = 10) {
  const town = scriptedTown()
  open.push(town)
  const rig = town.folder.at('shop')
  mkdirSync(rig)
  git(rig, 'init', '-q', '-b', 'main')
  commit(rig, 'README', 'hello')
  town.declare(`[session]\nworktree_limit = ${limit}\n[[rigs]]\nname = "shop"\npath = "${rig}"
[[agent]]\nname = "worker"\ndir = "shop"\nstart_command = "true"\nworktree = true\n`)
  const { worktrees, store, log, config, sessionRepository: sessions } = await town.open({ env })
  const agent = config.agent('shop/worker')
  const add = (id: string) =>
    store.write((tx) => {
      const row = sessions.add(tx, {
        ...{ title: id, kind: 'agent', template: agent.qualified, rig: 'shop', provider: 'command' },
        ...{ origin: 'manual', workDir: rig, sessionName: (bead) => `worker-${bead}` },
      })
      expect(row.id).toBe(id)
      return row
    })
  return {
    rig,
    worktrees,
    /** Starts a session unless there is one, and prepares its worktree. */
    make: async (id: string, work: string | null = null) => {
      const { sessionName } = sessions.find(id) ?? (await add(id))
      const path = await worktrees.prepare({ id, sessionName, rig: 'shop', work }, agent)
      if (path === undefined) throw new Error('there is no worktree')
      return path
    },
    /** Closes a session; its program is `ending` as long as it has one. */
    close: (id: string, hostKey: string | null = null) =>
      store.write((tx) => {
        sessions.update(tx, id, { hostKey })
        sessions.transition(tx, id, 'close')
      }),
    programEnded: (id: string) => store.write((tx) => sessions.update(tx, id, { hostKey: null })),
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
    const { make, worktrees, rig } = await world()
    const path = await make('mi-1', 'sh-7')
    expect(git(path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('gc/sh-7-worker-mi-1')
    expect(existsSync(join(path, 'README'))).toBe(true)
    writeFileSync(join(path, 'draft'), 'half')
    expect(await make('mi-1', 'sh-7')).toBe(path)
    expect(existsSync(join(path, 'draft'))).toBe(true)
    expect(worktrees.list()).toMatchObject({
      total: 1,
      limit: 10,
      items: [{ session: 'mi-1', rig: 'shop', bead_id: 'sh-7', in_use: true }],
    })
    expect(git(rig, 'status', '--porcelain')).toBe('')
  })

  test('stays while its session is not over or its program is still ending', async () => {
    const { make, worktrees, close, programEnded } = await world()
    const path = await make('mi-1')
    await worktrees.sweep()
    expect(existsSync(path)).toBe(true)
    await close('mi-1', 'mill/mi-1/1')
    await worktrees.sweep()
    expect(existsSync(path)).toBe(true)
    expect(await errorOf(worktrees.remove(human, 'mi-1', true))).toStartWith('conflict-wrong-state: ')
    await programEnded('mi-1')
    await worktrees.sweep()
    expect(existsSync(path)).toBe(false)
  })

  test('is removed with its branch when all its work is merged, also by a squash', async () => {
    for (const merge of [
      ['merge', '-q'],
      ['merge', '-q', '--squash'],
    ]) {
      const { make, worktrees, close, rig, recorded } = await world()
      const path = await make('mi-1')
      commit(path, 'one', '1')
      commit(path, 'two', '2')
      git(rig, ...merge, 'gc/worker-mi-1')
      if (merge.includes('--squash')) git(rig, 'commit', '-q', '-m', 'squashed')
      await close('mi-1')
      await worktrees.sweep()
      expect(existsSync(path)).toBe(false)
      expect(git(rig, 'branch', '--list', 'gc/*')).toBe('')
      expect(recorded()).toMatchObject([
        { type: 'bead.worktree.reaped', bead_id: 'mi-1', rig: 'shop', path, branch: 'gc/worker-mi-1' },
      ])
      expect(worktrees.list().total).toBe(0)
    }
  })

  test('with unpushed commits or changes is kept, which is reported once', async () => {
    const { make, worktrees, close, recorded } = await world()
    const [committed, changed] = [await make('mi-1'), await make('mi-2')]
    commit(committed, 'one', '1')
    writeFileSync(join(changed, 'new'), 'x')
    await close('mi-1')
    await close('mi-2')
    await worktrees.sweep()
    await worktrees.sweep()
    expect(recorded()).toMatchObject([
      { type: 'bead.worktree.reap_skipped', bead_id: 'mi-1', reason: '1 commit is neither merged nor pushed' },
      { type: 'bead.worktree.reap_skipped', bead_id: 'mi-2', reason: '1 file is changed and not committed' },
    ])
    expect(worktrees.list().items.map(({ kept }) => kept)).toEqual(recorded().map(({ reason }) => reason))
    expect(existsSync(join(committed, 'one')) && existsSync(join(changed, 'new'))).toBe(true)
  })

  test('is removed when its commits are pushed, and its branch stays', async () => {
    const { make, worktrees, close, rig } = await world()
    const path = await make('mi-1')
    commit(path, 'one', '1')
    const far = `${rig}.git`
    git(rig, 'clone', '-q', '--bare', rig, far)
    git(rig, 'remote', 'add', 'origin', far)
    git(path, 'push', '-q', 'origin', 'HEAD')
    await close('mi-1')
    await worktrees.sweep()
    expect(existsSync(path)).toBe(false)
    expect(git(rig, 'branch', '--list', 'gc/*')).toContain('gc/worker-mi-1')
  })

  test('is removed by a person, with unsaved work only by force', async () => {
    const { make, worktrees, close, rig } = await world()
    const path = await make('mi-1')
    commit(path, 'one', '1')
    writeFileSync(join(path, 'new'), 'x')
    await close('mi-1')
    expect(await errorOf(worktrees.remove(human, 'mi-1', false))).toBe(
      `conflict-wrong-state: ${path} is kept: 1 file is changed and not committed; save it, or remove it with force`,
    )
    expect(await errorOf(worktrees.remove(human, 'mi-9', true))).toStartWith('session-not-found: ')
    expect(await worktrees.remove(human, 'mi-1', true)).toEqual({ status: 'removed' })
    expect(existsSync(path)).toBe(false)
    expect(git(rig, 'branch', '--list', 'gc/*')).toContain('gc/worker-mi-1')
  })

  test('is not created beyond the limit, and unneeded ones are removed first', async () => {
    const { make, close } = await world(2)
    const first = await make('mi-1')
    const second = await make('mi-2')
    expect(await errorOf(make('mi-3'))).toBe(
      'service-unavailable: there are 2 worktrees, and worktree_limit is 2; see gc worktree list and remove some',
    )
    commit(second, 'one', '1')
    await close('mi-1')
    await close('mi-2')
    expect(await make('mi-3')).toContain('worker-mi-3')
    expect(existsSync(first)).toBe(false)
    expect(existsSync(second)).toBe(true)
  })

  test('whose folder was deleted is forgotten', async () => {
    const { make, worktrees, close, rig } = await world()
    const path = await make('mi-1')
    Bun.spawnSync(['rm', '-rf', path])
    await close('mi-1')
    await worktrees.sweep()
    expect(worktrees.list().total).toBe(0)
    expect(git(rig, 'worktree', 'list').split('\n')).toHaveLength(1)
  })
})

test('a worktree is kept for any work that exists nowhere else', () => {
  const none = { changes: 0, merged: false, pushed: false, ahead: 2 }
  expect(reasonToKeep(none)).toBe('2 commits are neither merged nor pushed')
  expect(reasonToKeep({ ...none, merged: true })).toBeUndefined()
  expect(reasonToKeep({ ...none, pushed: true })).toBeUndefined()
  expect(reasonToKeep({ ...none, merged: true, pushed: true, changes: 1 })).toBe('1 file is changed and not committed')
})
