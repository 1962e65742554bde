import { describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { SharedClones } from '../../src/agents/worktrees/clones.ts'
import { DiffReader } from '../../src/agents/worktrees/diff.ts'
import type { WorktreeRow } from '../../src/agents/worktrees/table.ts'
import { GitRunner } from '../../src/config/git/git-runner.ts'
import { repositoryFolders } from '../../src/config/git/repository-folders.ts'
import { systemClock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { confineTool } from '../../src/host/confine/start/confined-tool.ts'
import { tempFolder } from '../support/folder.ts'

const env = {
  ...{ PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' },
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
}
const confine = process.platform === 'linux' ? confineTool([resolve(process.env.GC_BINARY ?? 'dist/gc')]) : undefined
const runner = new GitRunner({ deadlines: new Deadlines(systemClock), env, confine })
const LOCAL = ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main']

function git(cwd: string, ...words: string[]): string {
  const ran = Bun.spawnSync(['git', ...LOCAL, ...words], { cwd, env })
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr}`)
  return ran.stdout.toString().trim()
}

function commitIn(path: string, ...files: string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), `${file} ${Bun.hash(path)}\n`)
  }
  git(path, 'add', '-A')
  git(path, 'commit', '-q', '-m', files.join(' '))
}

function repository(path: string, ...files: string[]): string {
  mkdirSync(path, { recursive: true })
  git(path, 'init', '-q')
  for (const file of files) commitIn(path, file)
  return path
}

type Make = (at: (name: string) => string) => void

/** A session's clone of a rig that was made so, and git as the session runs it. */
async function world(make: Make) {
  const folder = tempFolder()
  const rig = folder.at('rig')
  make((name) => folder.at(name))
  const row: WorktreeRow = {
    ...{ session: 'one', rig: 'rig', repository: rig, path: folder.at('clones/one'), branch: 'gc/one' },
    base: git(rig, 'branch', '--show-current'),
    ...{ bead: null, createdAt: 0, kind: 'clone', home: null, kept: null },
  }
  mkdirSync(folder.at('clones'))
  const said: string[] = []
  const report = (line: string) => void said.push(line.replaceAll(folder.path, '@'))
  const clones = new SharedClones(runner, () => true, report)
  row.home = await clones.prepare(row)
  const { path } = row
  /** View of git in a sandboxed session of the clone. */
  const session = async (...words: string[]) => {
    const within = { read: repositoryFolders(rig, () => true), write: [path] }
    const { exitCode, stdout, stderr } = await runner.run(['-C', path, ...words], { timeout: 20_000, within })
    if (exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  return {
    ...{ folder, rig, path, row, clones, session, said },
    async diff() {
      const { repository: own, base } = await clones.compared(row)
      return (await (await DiffReader.open(own)).read(base, 10_000)).files.map((file) => file.path)
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const upstream: Make = (at) => void repository(at('upstream'), 'a/one', 'b/two', 'top')
const cloned =
  (...options: string[]): Make =>
  (at) => {
    upstream(at)
    git(at('upstream'), 'config', 'uploadpack.allowFilter', 'true')
    git(at('.'), 'clone', '-q', ...options, `file://${at('upstream')}`, 'rig')
  }

const SHAPES: [string, Make][] = [
  ['whole', cloned()],
  ['shallow', cloned('--depth', '1')],
  ['partial', cloned('--filter=blob:none')],
  ['partial and without trees', cloned('--filter=tree:0')],
  ['partial and shallow', cloned('--filter=blob:none', '--depth', '1')],
  [
    'sparse',
    (at) => {
      cloned()(at)
      git(at('rig'), 'sparse-checkout', 'set', 'a')
    },
  ],
  [
    'sparse by patterns',
    (at) => {
      cloned()(at)
      git(at('rig'), 'sparse-checkout', 'set', '--no-cone', '/a/*')
    },
  ],
  [
    'sparse, with a sparse index',
    (at) => {
      cloned()(at)
      git(at('rig'), 'sparse-checkout', 'set', '--sparse-index', 'a')
    },
  ],
  [
    'sparse, shallow and partial',
    (at) => {
      cloned('--depth', '1', '--filter=blob:none', '--sparse')(at)
      git(at('rig'), 'sparse-checkout', 'set', 'a')
    },
  ],
  [
    'a linked worktree that is sparse',
    (at) => {
      upstream(at)
      git(at('upstream'), 'worktree', 'add', '-q', '-b', 'other', at('rig'))
      git(at('rig'), 'sparse-checkout', 'set', 'a')
    },
  ],
]

const files = (path: string) =>
  [...new Bun.Glob('**').scanSync({ cwd: path, onlyFiles: true })].filter((name) => !name.startsWith('.git')).sort()

describe.skipIf(!confine)('the clone of a rig that is', () => {
  test.each(SHAPES)('%s works like it', async (_, make) => {
    using it = await world(make)
    const { rig, path, session, row, clones } = it
    expect(files(path)).toEqual(files(rig))
    expect(await session('log', '--format=%s')).toBe(git(rig, 'log', '--format=%s'))
    expect(await session('status', '--porcelain')).toBe('')
    expect(await session('sparse-checkout', 'list').catch(() => 'none')).toBe(
      await Promise.resolve()
        .then(() => git(rig, 'sparse-checkout', 'list'))
        .catch(() => 'none'),
    )
    writeFileSync(join(path, 'a/one'), 'changed\n')
    writeFileSync(join(path, 'a/new'), 'new\n')
    await session('add', '-A')
    expect(await session('diff', '--cached', '--name-only')).toBe('a/new\na/one')
    await session('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'work')
    expect(await it.diff()).toEqual(['a/new', 'a/one'])
    const home = await clones.fetch(row)
    expect(git(rig, 'rev-parse', row.branch)).toBe(home ?? '')
    expect(git(rig, 'log', '--format=%s', row.branch)).toBe(await session('log', '--format=%s'))
    expect(await clones.status(row)).toMatchObject({ changes: 0, stashed: false, merged: false, ahead: 1 })
    git(rig, 'merge', '-q', row.branch)
    expect(await clones.status(row)).toMatchObject({ changes: 0, merged: true })
    expect(existsSync(join(rig, 'a/new'))).toBe(true)
  })
})

/** A rig with the submodule `libs/parts`, which has the submodule `deep/bolts`; none can be asked any more. */
const withSubmodules =
  (...options: string[]): Make =>
  (at) => {
    repository(at('bolts'), 'bolt')
    repository(at('parts'), 'part')
    git(at('parts'), 'submodule', 'add', '-q', `file://${at('bolts')}`, 'deep/bolts')
    git(at('parts'), 'commit', '-q', '-m', 'bolts')
    repository(at('upstream'), 'top')
    git(at('upstream'), 'submodule', 'add', '-q', '--name', 'spare/parts', `file://${at('parts')}`, 'libs/parts')
    git(at('upstream'), 'commit', '-q', '-m', 'parts')
    git(at('.'), 'clone', '-q', ...options, `file://${at('upstream')}`, 'rig')
    for (const name of ['bolts', 'parts', 'upstream']) renameSync(at(name), at(`${name}-gone`))
  }

describe.skipIf(!confine)('the submodules of a clone', () => {
  test.each([['whole'], ['shallow']])(
    'are filled from a rig that is %s, nested ones as well, without their remotes',
    async (shape) => {
      const options = shape === 'shallow' ? ['--depth=1', '--shallow-submodules'] : []
      using it = await world(withSubmodules('--recurse-submodules', ...options))
      const { rig, path, session, said, row, clones } = it
      expect(said).toEqual([])
      expect(files(path)).toEqual(files(rig))
      const commits = (status: string) => status.replace(/^ | \(.+\)$/gm, '')
      expect(commits(await session('submodule', 'status', '--recursive'))).toBe(
        commits(git(rig, 'submodule', 'status', '--recursive')),
      )
      expect(await session('status', '--porcelain')).toBe('')
      expect(await session('submodule', 'foreach', '--quiet', '--recursive', 'git log --format=%s')).toBe(
        git(rig, 'submodule', 'foreach', '--quiet', '--recursive', 'git log --format=%s'),
      )
      const parts = join(path, 'libs/parts')
      commitIn(parts, 'new')
      expect(await clones.status(row)).toMatchObject({ changes: 1 })
      commitIn(path, 'top')
      await clones.fetch(row)
      expect(await clones.status(row)).toMatchObject({ changes: 0, ahead: 1, merged: false, stashed: false })
      git(rig, 'merge', '-q', row.branch)
      git(rig, 'submodule', 'update', '--no-fetch', '--recursive')
      expect(git(join(rig, 'libs/parts'), 'log', '-1', '--format=%s')).toBe('new')
      expect(await clones.status(row)).toMatchObject({ changes: 0, merged: true })
      writeFileSync(join(parts, 'part'), 'half\n')
      expect(await clones.status(row)).toMatchObject({ changes: 1 })
      git(parts, 'stash', '-q')
      expect(await clones.status(row)).toMatchObject({ changes: 0, stashed: true })
    },
  )

  test('stay empty where the rig has not got them, which is said with what gets them', async () => {
    using it = await world(withSubmodules())
    expect(files(it.path)).toEqual(['top'])
    expect(it.said).toEqual([
      'submodule libs/parts is empty in a worktree: @/rig does not have it; git -C @/rig submodule update --init --recursive gets it',
    ])
  })

  test.each<[string, (rig: string, at: (name: string) => string) => void, string]>([
    [
      'at a commit that the rig has not got',
      (rig) => {
        git(rig, 'update-index', '--cacheinfo', `160000,${'1'.repeat(40)},libs/parts`)
        git(rig, 'commit', '-q', '-m', 'other parts')
      },
      '@/rig/libs/parts does not have commit 111111111111 of submodule libs/parts; git -C @/rig submodule update --init libs/parts, or git -C @/rig/libs/parts fetch gets it',
    ],
    [
      'with a repository in its own folder',
      (rig) => {
        rmSync(join(rig, 'libs/parts/.git'))
        renameSync(join(rig, '.git/modules/spare/parts'), join(rig, 'libs/parts/.git'))
      },
      'a worktree cannot borrow the submodule at @/rig/libs/parts: run git submodule absorbgitdirs in @/rig',
    ],
    [
      'that borrows from a repository which is not lent',
      (rig, at) => {
        const alternates = join(rig, '.git/modules/spare/parts/objects/info/alternates')
        writeFileSync(alternates, `${at('parts-gone')}/.git/objects\n`)
      },
      'a worktree cannot borrow the submodule at @/rig/libs/parts: run git repack -a -d there, and remove @/rig/.git/modules/spare/parts/objects/info/alternates',
    ],
    [
      'whose repository is a link',
      (rig, at) => {
        const place = join(rig, '.git/modules/spare/parts')
        rmSync(place, { recursive: true })
        symlinkSync(join(at('parts-gone'), '.git'), place)
      },
      '@/rig/.git/modules/spare/parts is a link, and gc writes nothing through links; put what it leads to there',
    ],
  ])('%s keep it from being made, with what helps', async (_, change, message) => {
    let folder = ''
    const made = world((at) => {
      withSubmodules('--recurse-submodules')(at)
      folder = dirname(at('rig'))
      change(at('rig'), at)
    })
    const said = await made.then(
      () => 'made',
      (error: Error) => error.message,
    )
    expect(said.replaceAll(folder, '@')).toBe(message)
  })

  test('carry no hooks, filters or programs that an agent wrote, and none leads out of its clone', async () => {
    using it = await world((at) => {
      withSubmodules('--recurse-submodules')(at)
      const module = join(at('rig'), '.git/modules/spare/parts')
      const evil = join(at('rig'), 'evil')
      writeFileSync(evil, `#!/bin/sh\necho ran >> ${at('ran')}\nexec cat\n`, { mode: 0o755 })
      appendFileSync(
        join(module, 'config'),
        `[core]\n\tfsmonitor = ${evil}\n\thooksPath = ${at('rig')}\n\tsshCommand = ${evil}\n[filter "e"]\n\tsmudge = ${evil}\n\tclean = ${evil}
[remote "origin"]\n\tuploadpack = ${evil}\n[submodule "deep/bolts"]\n\tupdate = "!${evil}"\n`,
      )
      mkdirSync(join(module, 'info'), { recursive: true })
      writeFileSync(join(module, 'info/attributes'), '* filter=e\n')
      writeFileSync(join(module, 'hooks/post-checkout'), `#!/bin/sh\necho ran >> ${at('ran')}\n`, { mode: 0o755 })
      const text = readFileSync(join(at('rig'), '.gitmodules'), 'utf8')
      const out = ['../../../out', 'a/../../../out', '/out', 'spare/parts/hooks', '.git/hooks']
      const more = out.map((name) => `[submodule "${name}"]\n\tpath = libs/parts\n\turl = x\n`)
      writeFileSync(join(at('rig'), '.gitmodules'), `${text}${more.join('')}`)
      git(at('rig'), 'commit', '-q', '-m', 'more', '.gitmodules')
    })
    const { path, folder, session, clones, row } = it
    const module = join(path, '.git/modules/spare/parts')
    const config = readFileSync(join(module, 'config'), 'utf8')
    expect(config).not.toContain('evil')
    expect([existsSync(join(module, 'hooks')), existsSync(join(module, 'info/attributes'))]).toEqual([false, false])
    await session('submodule', 'foreach', '--quiet', '--recursive', 'git checkout -q -f HEAD && git status --short')
    await clones.fetch(row)
    await clones.status(row)
    expect(readdirSync(folder.at('clones'))).toEqual(['one'])
    expect(existsSync(folder.at('ran'))).toBe(false)
  })
})

describe.skipIf(!confine)('a partial rig', () => {
  test('that lacks files of the branch to begin from says what gets them', async () => {
    let path = ''
    const made = world((at) => {
      path = at('rig')
      upstream(at)
      git(at('upstream'), 'config', 'uploadpack.allowFilter', 'true')
      git(at('upstream'), 'checkout', '-q', '-b', 'next')
      commitIn(at('upstream'), 'later')
      git(at('upstream'), 'checkout', '-q', 'main')
      git(at('.'), 'clone', '-q', '--filter=blob:none', `file://${at('upstream')}`, 'rig')
      git(at('rig'), 'branch', '-q', 'next', 'origin/next')
      git(at('rig'), 'symbolic-ref', 'HEAD', 'refs/heads/next')
    })
    const said = await made.then(
      () => 'made',
      (error: Error) => error.message,
    )
    expect(said.replaceAll(path, '@')).toBe(
      '@ is a partial clone that lacks files of next, as it never checked them out; git -C @ checkout next gets them',
    )
  })
})
