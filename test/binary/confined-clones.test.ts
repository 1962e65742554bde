import { describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SharedClones } from '../../src/agents/worktrees/clones.ts'
import { DiffReader } from '../../src/agents/worktrees/diff.ts'
import { LinkedWorktrees } from '../../src/agents/worktrees/linked.ts'
import type { WorktreeRow } from '../../src/agents/worktrees/table.ts'
import { GitRunner } from '../../src/config/git/git-runner.ts'
import { systemClock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { confineTool } from '../../src/host/confine/start/confined-tool.ts'
import { tempFolder } from '../support/folder.ts'

const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' }
const confine = process.platform === 'linux' ? confineTool([resolve(process.env.GC_BINARY ?? 'dist/gc')]) : undefined

const runner = new GitRunner({ deadlines: new Deadlines(systemClock), env, confine })

function git(cwd: string, ...words: string[]): string {
  const named = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main']
  const ran = Bun.spawnSync(['git', ...named, ...words], { cwd, env })
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr}`)
  return ran.stdout.toString().trim()
}

function commitIn(path: string, file: string): string {
  writeFileSync(join(path, file), `${file}\n`)
  git(path, 'add', '-A')
  git(path, 'commit', '-q', '-m', file)
  return git(path, 'rev-parse', 'HEAD')
}

function repository(path: string, file: string): string {
  mkdirSync(path, { recursive: true })
  git(path, 'init', '-q')
  commitIn(path, file)
  return path
}

/** Has git run a program of the repository, wherever its settings can name one, that writes a file outside. */
function haveProgramsRun(repository: string, ran: string): void {
  const evil = join(repository, 'evil')
  writeFileSync(evil, `#!/bin/sh\necho ran >> ${ran}\nexec cat\n`, { mode: 0o755 })
  appendFileSync(
    join(repository, '.git/config'),
    `[core]\n\talternateRefsCommand = ${evil}\n\tfsmonitor = ${evil}\n\thooksPath = hooks\n\tpager = ${evil}
[filter "e"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n\trequired = true\n[diff]\n\texternal = ${evil}
[protocol]\n\tallow = always\n[url "ext::${evil} "]\n\tinsteadOf = /\n`,
  )
}

/** A rig with a clone of it, a repository that is neither's, and a file that is there once a program wrote outside. */
async function world() {
  const folder = tempFolder()
  const [rig, other] = [repository(folder.at('rig'), 'mine'), repository(folder.at('other'), 'theirs')]
  const row: WorktreeRow = {
    ...{ session: 'one', rig: 'rig', repository: rig, path: folder.at('clones/one'), branch: 'gc/one', base: 'main' },
    ...{ bead: null, createdAt: 0, kind: 'clone', home: null, kept: null },
  }
  mkdirSync(folder.at('clones'))
  const clones = new SharedClones(
    runner,
    () => true,
    () => {},
  )
  return {
    ...{ folder, rig, other, row, clones, path: row.path, ran: folder.at('ran') },
    prepare: () => clones.prepare(row),
    /** All that gc does with a clone until it is removed; what fails is answered. */
    async visit(): Promise<string[]> {
      const diff = async () => {
        const { repository: own, base } = await clones.compared(row)
        return (await DiffReader.open(own)).read(base, 10_000)
      }
      const steps = [() => clones.fetch(row), () => clones.status(row), diff, () => clones.remove(row)]
      const failed: string[] = []
      for (const step of steps) await step().catch((error: Error) => failed.push(error.message))
      return failed
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

describe.skipIf(!confine)('git of gc in the clone of a session', () => {
  test('runs what the rig’s configuration names only where it changes nothing outside, from the first command on', async () => {
    using it = await world()
    const { rig, ran, path } = it
    haveProgramsRun(rig, ran)
    writeFileSync(join(rig, '.git/info/attributes'), '* filter=e\n')
    await it.prepare().catch(() => {})
    await it.visit()
    expect([existsSync(ran), existsSync(path)]).toEqual([false, false])
  })

  test('runs what the clone’s configuration, hooks and attributes name only where it changes nothing outside', async () => {
    using it = await world()
    const { path, ran } = it
    await it.prepare()
    commitIn(path, 'work')
    haveProgramsRun(path, ran)
    writeFileSync(join(path, '.gitattributes'), '* filter=e\n')
    writeFileSync(join(path, 'mine'), 'changed\n')
    mkdirSync(join(path, '.git/hooks'), { recursive: true })
    for (const name of ['reference-transaction', 'post-index-change', 'pre-auto-gc'])
      writeFileSync(join(path, '.git/hooks', name), `#!/bin/sh\necho ran >> ${ran}\n`, { mode: 0o755 })
    await it.visit()
    expect(existsSync(ran)).toBe(false)
  })

  test('brings no history home that the clone borrows from another repository', async () => {
    using it = await world()
    const { path, rig, other } = it
    await it.prepare()
    const theirs = git(other, 'rev-parse', 'HEAD')
    appendFileSync(join(path, '.git/objects/info/alternates'), `${other}/.git/objects\n`)
    writeFileSync(join(path, '.git/refs/heads/gc/one'), `${theirs}\n`)
    expect(git(path, 'log', '-1', '--format=%s', 'gc/one')).toBe('theirs')
    const failed = await it.visit()
    expect(failed.length).toBeGreaterThan(0)
    expect(() => git(rig, 'cat-file', '-e', theirs)).toThrow()
    expect(git(rig, 'log', '-1', '--format=%s', 'gc/one')).toBe('mine')
  })

  test.each([
    ['a file', (path: string, other: string) => writeFileSync(path, `gitdir: ${other}/.git\n`)],
    ['a link', (path: string, other: string) => symlinkSync(`${other}/.git`, path)],
  ])('changes and shows nothing of another repository that %s in place of .git leads to', async (_, replace) => {
    using it = await world()
    const { path, rig, other, ran } = it
    await it.prepare()
    haveProgramsRun(other, ran)
    rmSync(join(path, '.git'), { recursive: true })
    replace(join(path, '.git'), other)
    const before = Bun.hash(JSON.stringify(git(other, 'for-each-ref')))
    const failed = await it.visit()
    expect(failed).toHaveLength(3)
    expect(Bun.hash(JSON.stringify(git(other, 'for-each-ref')))).toBe(before)
    expect(existsSync(ran)).toBe(false)
    expect(() => git(rig, 'cat-file', '-e', git(other, 'rev-parse', 'HEAD'))).toThrow()
  })
})

describe.skipIf(!confine)('git of gc in a worktree that is linked to a rig, as gc made them before', () => {
  test('runs what the rig’s configuration names only where it changes nothing outside', async () => {
    using it = await world()
    const { rig, row, ran, path } = it
    const linked = new LinkedWorktrees(runner, () => true)
    await linked.prepare(row)
    commitIn(path, 'work')
    expect(await linked.status(row)).toMatchObject({ changes: 0, ahead: 1 })
    await linked.remove(row)
    expect([existsSync(path), git(rig, 'worktree', 'list', '--porcelain').match(/^worktree /gm)]).toEqual([
      false,
      ['worktree '],
    ])
    await linked.prepare(row)
    expect(git(path, 'log', '-1', '--format=%s')).toBe('work')
    haveProgramsRun(rig, ran)
    writeFileSync(join(rig, '.git/info/attributes'), '* filter=e\n')
    writeFileSync(join(path, 'mine'), 'changed\n')
    const { repository: own, base } = await linked.compared(row)
    const diff = async () => (await DiffReader.open(own)).read(base, 10_000)
    for (const step of [() => linked.status(row), diff, () => linked.remove(row), () => linked.prepare(row)])
      await step().catch(() => {})
    expect(existsSync(ran)).toBe(false)
  })
})

describe.skipIf(!confine)('git of gc in a rig that an agent wrote', () => {
  test.each([
    ['a file', (rig: string, other: string) => writeFileSync(join(rig, '.git'), `gitdir: ${other}/.git\n`)],
    ['a link', (rig: string, other: string) => symlinkSync(`${other}/.git`, join(rig, '.git'))],
  ])('makes no branch in another repository that %s in place of .git leads to', async (_, replace) => {
    using it = await world()
    const { rig, other, path } = it
    renameSync(join(rig, '.git'), join(rig, 'kept'))
    replace(rig, other)
    expect(await it.prepare().catch(() => 'failed')).toBe('failed')
    expect(git(other, 'branch', '--format=%(refname:short)')).toBe('main')
    expect(existsSync(path)).toBe(false)
  })

  test('copies nothing into a clone that a link in the rig leads to', async () => {
    using it = await world()
    const { rig, other, path } = it
    rmSync(join(rig, '.git/info'), { recursive: true, force: true })
    mkdirSync(join(rig, '.git/info'))
    symlinkSync(join(other, 'theirs'), join(rig, '.git/info/exclude'))
    await it.prepare()
    expect(existsSync(join(path, '.git/info/exclude'))).toBe(false)
  })

  test('makes nothing in a folder that commondir names', async () => {
    using it = await world()
    const { rig, other } = it
    for (const name of ['objects', 'refs', 'config', 'packed-refs'])
      rmSync(join(rig, '.git', name), { recursive: true, force: true })
    writeFileSync(join(rig, '.git/commondir'), `${other}/.git\n`)
    expect(git(rig, 'log', '-1', '--format=%s')).toBe('theirs')
    expect(await it.prepare().catch(() => 'failed')).toBe('failed')
    expect(git(other, 'branch', '--format=%(refname:short)')).toBe('main')
  })
})
