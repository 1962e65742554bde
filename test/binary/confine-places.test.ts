import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, lstatSync, mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type TempFolder, tempFolder } from '../support/folder.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')
const isLinux = process.platform === 'linux'

let folder: TempFolder
const at = (path: string) => folder.at(path)

/** A home with gc's own folder, two cities, one of which its registry does not know, and a project. */
beforeAll(() => {
  folder = tempFolder()
  for (const name of ['home/gc/bin', 'home/work/src', 'cities/town/.gc/worktrees/shop/s-1', 'alone/.gc', 'home/.ssh'])
    mkdirSync(at(name), { recursive: true })
  for (const name of ['cities/town/city.toml', 'alone/city.toml', 'home/gc/token', 'home/.ssh/id'])
    writeFileSync(at(name), 'secret')
  using db = new Database(at('home/gc/supervisor.db'))
  db.run('CREATE TABLE cities (name TEXT, path TEXT)')
  db.run('INSERT INTO cities VALUES (?, ?)', ['town', at('cities/town')])
  symlinkSync(at('home/gc'), at('home/work/link'))
  symlinkSync(at('home/work'), at('home/shortcut'))
  symlinkSync(at('home/gc/token'), at('home/work/token'))
})
afterAll(() => folder[Symbol.dispose]())

async function confine(cwd: string, options: string[] = [], argv = ['/bin/echo', 'ran']) {
  const child = Bun.spawn([binary, 'confine', ...options, '--', ...argv], {
    cwd: cwd.startsWith('/') ? cwd : at(cwd),
    env: { PATH: process.env.PATH, HOME: at('home'), GC_HOME: at('home/gc') },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { code: await child.exited, out, err }
}

describe('gc confine refuses a folder that would void confinement', () => {
  test.each([
    ['home', "gc's own keys"],
    ['/', "gc's own keys"],
    ['home/gc', "gc's own keys"],
    ['home/gc/bin', "gc's own keys"],
    ['home/work/link', "gc's own keys"],
    ['home/.ssh', 'decides what programs do'],
    ['cities', "town/.gc has gc's own files"],
    ['cities/town', "town/.gc has gc's own files"],
    ['cities/town/.gc', "town/.gc has gc's own files"],
    ['alone', "alone/.gc has gc's own files"],
    ['/etc', "is the system's"],
    ['/tmp', ''],
  ])('%s', async (cwd, reason) => {
    const { code, out, err } = await confine(cwd)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^gc: nothing is confined in \/.*; cd to a folder/)
    expect(err).toContain(reason)
  })

  test('but runs in a project, also by a link, and in the folder of a session', async () => {
    for (const cwd of ['home/work', 'home/work/src', 'home/shortcut', 'cities/town/.gc/worktrees/shop/s-1'])
      expect(await confine(cwd)).toEqual({ code: 0, out: 'ran\n', err: '' })
  })

  test('reports it where the folder was deleted', async () => {
    mkdirSync(at('home/gone'))
    const argv = ['/bin/sh', '-c', 'rmdir ../gone; exec "$0" confine -- /bin/echo ran', binary]
    const env = { PATH: process.env.PATH, HOME: at('home'), GC_HOME: at('home/gc') }
    const child = Bun.spawnSync(argv, { cwd: at('home/gone'), env })
    expect({ code: child.exitCode, out: child.stdout.toString() }).toEqual({ code: 1, out: '' })
    expect(child.stderr.toString()).toContain('deleted')
  })
})

describe('gc confine refuses to grant a place that would void confinement', () => {
  test.each([
    ['--read', '../gc'],
    ['--read', '../gc/token'],
    ['--read', '..'],
    ['--read', '/'],
    ['--read', 'link'],
    ['--read', 'token'],
    ['--read', '/proc/self/root'],
    ['--write', '../gc/'],
    ['--write', '../../cities'],
    ['--write', '../../cities/town//'],
    ['--write', '../../alone/.gc/new'],
    ['--write', '../.bashrc'],
    ['--write', '/usr/local'],
  ])('%s %s', async (option, path) => {
    const { code, out, err } = await confine('home/work', [option, path])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(new RegExp(`^gc: ${option} /.* would void the confinement: .*; name a file or folder`))
  })
})

const canMount = isLinux && process.getuid?.() === 0 && Bun.which('mount') !== null

test.skipIf(!canMount)(
  'gc confine knows a bind mount of such a folder, of one around it and of a part of it',
  async () => {
    mkdirSync(at('mounted'))
    const mounts = (source: string) => Bun.spawnSync(['mount', '--bind', at(source), at('mounted')]).exitCode === 0
    try {
      for (const source of ['home', 'home/gc', 'home/gc/bin', 'cities', 'home/.ssh']) {
        // A container may forbid to mount.
        if (!mounts(source)) return
        try {
          expect(await confine('mounted')).toMatchObject({ code: 1, out: '' })
          expect(await confine('home/work', ['--write', at('mounted')])).toMatchObject({ code: 1, out: '' })
        } finally {
          Bun.spawnSync(['umount', at('mounted')])
        }
      }
    } finally {
      rmdirSync(at('mounted'))
    }
  },
)

/** One file with a token for each layout of a tool below home, beside one that the tool needs. */
const TOOLS: Readonly<Record<string, string>> = {
  '.nvm/versions/node/v22.1.0/etc/npmrc': '.nvm/versions/node/v22.1.0/bin/tool',
  '.nvm/versions/node/v22.1.0/lib/node_modules/npm/npmrc': '.nvm/versions/node/v22.1.0/lib/node_modules/npm/main.js',
  '.volta/tools/image/node/22.1.0/etc/npmrc': '.volta/tools/image/node/22.1.0/bin/tool',
  '.asdf/installs/nodejs/22.1.0/etc/npmrc': '.asdf/installs/nodejs/22.1.0/bin/tool',
  '.asdf/installs/nodejs/22.1.0/.npm/etc/npmrc': '.asdf/installs/nodejs/22.1.0/.npm/bin/tool',
  '.asdf/installs/rust/1.80/credentials.toml': '.asdf/installs/rust/1.80/bin/tool',
  '.fnm/node-versions/v22/installation/etc/npmrc': '.fnm/node-versions/v22/installation/bin/tool',
  '.local/share/fnm/node-versions/v22/installation/etc/npmrc':
    '.local/share/fnm/node-versions/v22/installation/bin/tool',
  '.local/share/mise/installs/node/22/etc/npmrc': '.local/share/mise/installs/node/22/bin/tool',
  '.nodenv/versions/22/etc/npmrc': '.nodenv/versions/22/bin/tool',
  '.npm-global/etc/npmrc': '.npm-global/bin/tool',
  '.proto/tools/node/22/etc/npmrc': '.proto/tools/node/22/bin/tool',
  '.local/share/pnpm/global/5/.npmrc': '.local/share/pnpm/global/5/tool',
  '.local/share/pnpm/rc': '.local/share/pnpm/tool',
  '.bun/install/global/bunfig.toml': '.bun/bin/tool',
  '.pyenv/versions/3.12/pip.conf': '.pyenv/versions/3.12/bin/tool',
  '.local/share/uv/tools/black/pip.conf': '.local/share/uv/tools/black/bin/tool',
  '.local/share/pypoetry/auth.toml': '.local/share/pypoetry/venv/bin/tool',
  'miniconda3/.condarc': 'miniconda3/bin/tool',
  'miniconda3/envs/ml/pip.conf': 'miniconda3/envs/ml/bin/tool',
  '.rbenv/versions/3.3/etc/gemrc': '.rbenv/versions/3.3/bin/tool',
  '.sdkman/candidates/maven/3.9/conf/settings.xml': '.sdkman/candidates/maven/3.9/bin/mvn',
  '.sdkman/candidates/gradle/8/gradle.properties': '.sdkman/candidates/gradle/8/bin/tool',
  '.yarn/bin/.npmrc': '.yarn/bin/tool',
}

/** The same where a link leads to the file, and settings without a key in them. */
const LINKED = '.nvm/versions/node/v20.0.0/etc/npmrc'
const HARMLESS = '.sdkman/candidates/maven/3.8/conf/settings.xml'
const SYSTEM = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/npmrc', '/usr/etc/npmrc', '/usr/local/etc/npmrc']

/** The paths that `cat` in a sandbox reads. */
async function readable(home: TempFolder, paths: string[], options: string[] = []): Promise<string[]> {
  mkdirSync(home.at('work'), { recursive: true })
  const script = 'for path; do cat "$path" > /dev/null 2>&1 && echo "$path"; done'
  const child = Bun.spawn([binary, 'confine', ...options, '--', '/bin/sh', '-c', script, 'sh', ...paths], {
    cwd: home.at('work'),
    env: { PATH: process.env.PATH, HOME: home.path, GC_HOME: home.at('gc') },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 20_000,
  })
  const out = await child.stdout.text()
  await child.exited
  return out.split('\n').filter(Boolean)
}

describe('a sandbox reads its toolchains', () => {
  const put = (home: TempFolder, name: string, text: string) => {
    mkdirSync(dirname(home.at(name)), { recursive: true })
    writeFileSync(home.at(name), text, { mode: 0o644 })
  }

  test('and none of the files in them that have tokens', async () => {
    using home = tempFolder()
    const secret = '//registry.example.com/:_authToken=secret\n<password>secret</password>\nrepoPassword=secret\n'
    for (const [name, tool] of Object.entries(TOOLS)) {
      put(home, name, secret)
      put(home, tool, '')
    }
    put(home, '.bun/shared/npmrc', secret)
    put(home, HARMLESS, '<settings><!-- <password>example</password> --></settings>')
    mkdirSync(dirname(home.at(LINKED)), { recursive: true })
    symlinkSync(home.at('.bun/shared/npmrc'), home.at(LINKED))
    const secrets = [...Object.keys(TOOLS), LINKED, '.bun/shared/npmrc'].map((name) => home.at(name))
    const tools = [...Object.values(TOOLS), HARMLESS].map((name) => home.at(name))
    expect(await readable(home, [...secrets, ...SYSTEM])).toEqual([])
    expect(await readable(home, tools)).toEqual(tools)
  })

  test('and a file with a token where that is named', async () => {
    using home = tempFolder()
    put(home, '.npm-global/etc/npmrc', 'x')
    put(home, '.npm-global/etc/other', 'x')
    const file = home.at('.npm-global/etc/npmrc')
    expect(await readable(home, [file], ['--read', file])).toEqual([file])
    expect(await readable(home, [file], ['--read', dirname(file)])).toEqual([])
    expect(await readable(home, [home.at('.npm-global/etc/other')])).toEqual([home.at('.npm-global/etc/other')])
  })

  test('and nothing of gc and its cities that lies in them', async () => {
    using home = tempFolder()
    put(home, '.local/lib/gc/token', 'x')
    put(home, '.local/lib/tool', 'x')
    mkdirSync(home.at('work'))
    const child = Bun.spawnSync(
      [binary, 'confine', '--', '/bin/sh', '-c', 'cat ~/.local/lib/tool ~/.local/lib/gc/token'],
      {
        cwd: home.at('work'),
        env: { PATH: process.env.PATH, HOME: home.path, GC_HOME: home.at('.local/lib/gc') },
      },
    )
    expect(child.stdout.toString()).toBe('x')
  })

  test.skipIf(!isLinux)('and of the system what every user may read', async () => {
    using home = tempFolder()
    const closed = new Bun.Glob('**/*').scanSync({ cwd: '/etc', dot: true, onlyFiles: true, followSymlinks: false })
    const secrets = [...closed].map((name) => join('/etc', name)).filter((path) => (lstatSync(path).mode & 0o004) === 0)
    expect(await readable(home, secrets)).toEqual([])
    const open = ['/etc/passwd', '/etc/group', '/etc/hosts', '/usr/bin/env'].filter((path) => existsSync(path))
    expect(await readable(home, open)).toEqual(open)
  })
})
