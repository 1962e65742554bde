import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { GitRunner } from '../../../src/config/git/git-runner.ts'
import { workingFolders } from '../../../src/config/git/repository-folders.ts'
import { readRepositoryStatus } from '../../../src/config/git/status.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { confineTool } from '../../../src/host/confine/start/confined-tool.ts'
import { tempFolder } from '../../support/folder.ts'
import { PROGRAM } from '../../support/world.ts'

const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' }

/** A repository whose configuration has git run a program on every file that changed. */
function hostileRepository() {
  const folder = tempFolder()
  const [path, outside] = [folder.at('rig'), folder.at('outside')]
  mkdirSync(path)
  const run = (...words: string[]) => {
    const named = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main']
    const ran = Bun.spawnSync(['git', ...named, ...words], { cwd: path, env })
    if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr}`)
  }
  run('init', '-q')
  writeFileSync(`${path}/a`, 'one\n')
  run('add', '-A')
  run('commit', '-q', '-m', 'first')
  writeFileSync(`${path}/.git/info/attributes`, 'a filter=e\n')
  run('config', 'filter.e.clean', `sh -c 'echo ran >> ${path}/.git/ran; echo ran > ${outside}; cat'`)
  writeFileSync(`${path}/a`, 'two\n')
  return { folder, path, outside }
}

const runner = (confine: ReturnType<typeof confineTool>) =>
  new GitRunner({ deadlines: new Deadlines(systemClock), env, confine })

test.skipIf(process.platform !== 'linux')(
  'git of gc runs the programs that a repository names only where they change nothing outside',
  async () => {
    const { folder, path, outside } = hostileRepository()
    using _ = folder
    expect(await readRepositoryStatus(path, runner(undefined))).toMatchObject({ changed_files: 1 })
    expect(existsSync(outside)).toBe(true)
    rmSync(outside)
    rmSync(`${path}/.git/ran`)
    const confine = confineTool(PROGRAM)
    expect(confine).toBeDefined()
    expect(await readRepositoryStatus(path, runner(confine))).toEqual({
      ...{ branch: 'main', clean: false, changed_files: 1, ahead: 0, behind: 0 },
    })
    expect([outside, `${path}/.git/ran`].filter(existsSync)).toEqual([])
  },
)

test.skipIf(process.platform !== 'linux')(
  'confined git writes where it may: a bundle is made in one folder and fetched into another',
  async () => {
    const { folder, path } = hostileRepository()
    using _ = folder
    const git = runner(confineTool(PROGRAM))
    const [bundle, other] = [folder.at('out/work.bundle'), folder.at('other')]
    mkdirSync(folder.at('out'))
    mkdirSync(other)
    const within = { read: workingFolders(path), write: [folder.at('out')] }
    const made = await git.run(['-C', path, 'bundle', 'create', '-q', bundle, 'main'], { timeout: 20_000, within })
    expect(made).toMatchObject({ exitCode: 0, stderr: '' })
    await git.run(['init', '-q', other], { timeout: 20_000 })
    const inside = { read: [folder.at('out')], write: [other] }
    for (const args of [
      ['-c', 'fetch.fsckObjects=true', 'fetch', '-q', bundle, 'main:refs/heads/came'],
      ['rev-parse', '--verify', 'came'],
    ]) {
      const ran = await git.run(['-C', other, ...args], { timeout: 20_000, within: inside })
      expect({ args, ...ran }).toMatchObject({ exitCode: 0, stderr: '' })
    }
  },
)
