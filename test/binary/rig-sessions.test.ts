import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { confinedTown, IDENTITY } from './confined-town.ts'

const ENV = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_GLOBAL: '/dev/null' }

function git(cwd: string, ...words: string[]): void {
  const settings = ['-c', 'protocol.file.allow=always', '-c', 'init.defaultBranch=main', ...IDENTITY]
  const { exitCode, stderr } = Bun.spawnSync(['git', ...settings, ...words], { cwd, env: ENV })
  if (exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${stderr}`)
}

function repository(path: string): void {
  mkdirSync(path, { recursive: true })
  git(path, 'init', '-q')
  for (const name of ['one', 'two']) {
    writeFileSync(join(path, name), name)
    git(path, 'add', '.')
    git(path, 'commit', '-q', '-m', name)
  }
}

/** Puts a shallow, sparse and partial clone with a submodule in place of the rig; its remotes are gone. */
function replaceRig(city: string): void {
  const at = (name: string) => join(dirname(city), name)
  repository(at('parts'))
  repository(at('upstream'))
  git(at('upstream'), 'config', 'uploadpack.allowFilter', 'true')
  git(at('upstream'), 'submodule', 'add', '-q', `file://${at('parts')}`, 'parts')
  mkdirSync(join(at('upstream'), 'left'))
  writeFileSync(join(at('upstream'), 'left', 'out'), 'x')
  git(at('upstream'), 'add', '.')
  git(at('upstream'), 'commit', '-q', '-m', 'parts')
  rmSync(at('demo'), { recursive: true })
  const how = ['--depth=1', '--filter=blob:none', '--sparse']
  git(dirname(city), 'clone', '-q', ...how, `file://${at('upstream')}`, 'demo')
  git(at('demo'), 'submodule', 'update', '-q', '--init')
  for (const name of ['parts', 'upstream']) renameSync(at(name), at(`${name}-gone`))
}

const SCRIPT = `set -e
git log --format=%s > log; git -C parts log --format=%s >> log; ls parts >> log; ls left >> log 2>&1 || echo sparse >> log
git add -A -- ':!log'; git status --porcelain -- ':!log' >> log
git -c user.name=a -c user.email=a@b commit -q --allow-empty -m mine && git log -1 --format=%s >> log
touch done; sleep 60
`

test.skipIf(process.platform !== 'linux')(
  'a confined session works in the worktree of a shallow, sparse and partial rig with a submodule',
  async () => {
    const agent = `[[agent]]\nname = "worker"\ndir = "demo"\nworktree = true\nstart_command = "sh @/mill/work.sh"\n`
    await using town = await confinedTown(`${agent}[agent.confine]\nread = ["@/mill/work.sh"]\n`, (city) => {
      writeFileSync(join(city, 'work.sh'), SCRIPT)
      replaceRig(city)
    })
    const folder = await town.done('agent', 'demo/worker')
    const lines = readFileSync(join(folder, 'log'), 'utf8').split('\n')
    expect(lines.filter((line) => !line.startsWith('ls:'))).toEqual([
      ...['parts', 'two', 'one', 'one', 'two', 'sparse', 'mine', ''],
    ])
    expect((await town.call('GET ~/rigs')).body.items[0].problems).toBeUndefined()
  },
  30_000,
)
