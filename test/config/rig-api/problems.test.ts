import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RigProblem, rigProblems } from '../../../src/config/rig-api/problems.ts'
import { agentsWorld } from '../../agents/agents/world.ts'
import { tempFolder } from '../../support/folder.ts'

const ENV = {
  ...{ PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' },
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
}

function git(cwd: string, ...words: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['git', '-c', 'init.defaultBranch=main', ...words], { cwd, env: ENV })
  if (exitCode !== 0) throw new Error(stderr.toString())
}

function repository(path: string, files: Record<string, string> = { a: '1' }): string {
  mkdirSync(path, { recursive: true })
  git(path, 'init', '-q')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  git(path, 'add', '.')
  git(path, 'commit', '-q', '-m', 'one')
  return path
}

const PARTS = '[submodule "parts"]\n\tpath = libs/parts\n\turl = https://parts.example/x\n'

type Make = (rig: string) => void
type Row = [name: string, make: Make, problems: [RigProblem['prevents'], said: string][], hasWorktrees?: boolean]

const ROWS: Row[] = [
  ['a folder', (rig) => mkdirSync(rig), []],
  ['a repository with a commit', repository, []],
  ['gone', () => {}, [['rig', '@ is gone; move it back, or say where it is now: gc rig add <folder> --name shop']]],
  ['a file', (rig) => writeFileSync(rig, ''), [['rig', '@ is a file; give the folder of the rig']]],
  [
    'a folder around $GC_HOME',
    (rig) => mkdirSync(join(rig, 'home'), { recursive: true }),
    [['rig', '@ holds @/home, where gc keeps its keys and its state; give the folder of one project']],
  ],
  [
    'a bare repository',
    (rig) => git('/', 'init', '-q', '--bare', rig),
    [
      [
        'rig',
        '@ is a bare repository, which has no files to work on; make a checkout and add that: git clone @ <folder>',
      ],
    ],
  ],
  [
    'a folder with a bare repository in it',
    (rig) => {
      mkdirSync(rig)
      git(rig, 'clone', '-q', '--bare', repository(`${rig}-source`), '.bare')
      writeFileSync(join(rig, '.git'), 'gitdir: ./.bare\n')
    },
    [[undefined, '@ belongs to a bare repository and has no files to work on; add one of its worktrees']],
  ],
  [
    'a worktree of a bare repository',
    (rig) => {
      git('/', 'clone', '-q', '--bare', repository(`${rig}-source`), `${rig}-bare`)
      git(`${rig}-bare`, 'worktree', 'add', '-q', rig)
    },
    [],
  ],
  [
    'a repository without a commit',
    (rig) => git('/', 'init', '-q', rig),
    [['worktrees', '@ has no commit, which agents with worktree = true need; git -C @ commit --allow-empty -m first']],
  ],
  [
    'a repository with packed branches, one called gc',
    (rig) => {
      git(repository(rig), 'branch', 'gc')
      git(rig, 'pack-refs', '--all')
    },
    [['worktrees', '@ has a branch called gc, so that no branch can be called gc/…']],
  ],
  [
    'a repository with a branch called gc',
    (rig) => git(repository(rig), 'branch', 'gc'),
    [['worktrees', 'git -C @ branch -m gc <other> renames it']],
  ],
  ['a repository with branches below gc', (rig) => git(repository(rig), 'branch', 'gc/mine'), []],
  ['on a commit and no branch', (rig) => git(repository(rig), 'checkout', '-q', '--detach'), []],
  [
    'a repository with files in LFS',
    (rig) => void repository(rig, { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' }),
    [[undefined, '@ has files in Git LFS, and there is no git-lfs; install it, then git -C @ lfs pull']],
  ],
  [
    'a repository without its submodules',
    (rig) => void repository(rig, { '.gitmodules': PARTS }),
    [[undefined, '@ lacks its submodules libs/parts; git -C @ submodule update --init --recursive gets them']],
  ],
  [
    'no repository, and an agent has worktrees',
    (rig) => mkdirSync(rig),
    [['worktrees', '@ is not a git repository, which agents with worktree = true need; git -C @ init makes one']],
    true,
  ],
]

describe('the problems of a rig that is', () => {
  test.concurrent.each(ROWS)('%s', async (_, make, expected, hasWorktrees = false) => {
    using folder = tempFolder()
    const rig = folder.at('rig')
    make(rig)
    const home = existsSync(join(rig, 'home')) ? join(rig, 'home') : folder.at('home')
    const found = rigProblems(rig, { name: 'shop', home, hasWorktrees, hasLfs: false })
    const said = found.map(({ text }) => text.replaceAll(rig, '@').replaceAll("'", ''))
    expect(found.map(({ prevents }) => prevents)).toEqual(expected.map(([prevents]) => prevents))
    expect(said).toEqual(expected.map(([, text]) => expect.stringContaining(text)))
  })
})

describe('a rig', () => {
  test('that cannot work is refused when it is added or changed, and nothing is', async () => {
    await using town = await agentsWorld({ 'city.toml': '' })
    const before = town.declared()
    const bare = town.folder.at('bare')
    git('/', 'init', '-q', '--bare', bare)
    for (const path of [bare, '/'])
      expect(await town.send('POST', 'rigs', { name: 'shop', path })).toMatchObject({
        status: 400,
        body: { code: 'invalid-request' },
      })
    mkdirSync(town.folder.at('shop'))
    expect(town.declared()).toEqual(before)
    expect(town.recorded()).toEqual([])
    await town.send('POST', 'rigs', { name: 'shop', path: town.folder.at('shop') })
    expect(await town.send('PATCH', 'rig/shop', { path: bare })).toMatchObject({
      status: 400,
      body: { code: 'invalid-request' },
    })
  })

  test('with a problem is added with a warning and listed with it, also one that came later', async () => {
    using tools = tempFolder()
    for (const tool of ['git', 'sh']) symlinkSync(Bun.which(tool) ?? '', tools.at(tool))
    await using town = await agentsWorld({ 'city.toml': '' }, { PATH: tools.path })
    const path = repository(town.folder.at('shop'), { '.gitattributes': '* filter=lfs\n' })
    const warnings = [expect.stringContaining('there is no git-lfs')]
    expect(await town.send('POST', 'rigs', { name: 'shop', path })).toEqual({
      status: 201,
      body: { status: 'created', rig: 'shop', warnings },
    })
    git(path, 'branch', 'gc')
    expect(await town.get('rigs')).toMatchObject({
      items: [{ problems: [expect.stringContaining('a branch called gc'), ...warnings] }],
    })
  })

  test('is listed as gone without its folder, and adding it again sets the new place', async () => {
    await using town = await agentsWorld({ 'city.toml': '' })
    const [path, moved] = [town.folder.at('shop'), town.folder.at('moved')]
    mkdirSync(path)
    await town.send('POST', 'rigs', { name: 'shop', path })
    expect(await town.send('POST', 'rigs', { name: 'shop', path: town.path })).toMatchObject({ status: 409 })
    renameSync(path, moved)
    expect(await town.get('rig/shop')).toMatchObject({ problems: [expect.stringContaining(`${path} is gone`)] })
    expect(await town.send('POST', 'rigs', { name: 'shop', path: moved })).toEqual({
      status: 200,
      body: { status: 'exists', rig: 'shop' },
    })
    expect(await town.get('rig/shop')).toMatchObject({ path: moved, prefix: 'sh' })
    rmSync(moved, { recursive: true })
    writeFileSync(moved, '')
    expect(await town.get('rig/shop')).toMatchObject({ problems: [expect.stringContaining(`${moved} is a file`)] })
    const payload = { files: expect.any(Array), total: expect.any(Number) }
    expect(town.recorded()).toMatchObject([
      { type: 'config.changed', payload },
      { type: 'config.changed', payload },
    ])
  })
})
