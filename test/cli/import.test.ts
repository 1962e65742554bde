import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tempFolder } from '../support/folder.ts'
import { gitServer, packRepository, packToml } from '../support/pack-repository.ts'
import { gc } from './shell.ts'

// Every test runs git some dozens of times.
setDefaultTimeout(30_000)

/** A city in a folder, and no one who serves it. */
function openCity(files: Readonly<Record<string, string>> = {}) {
  const folder = tempFolder()
  const write = (file: string, text: string) => {
    mkdirSync(dirname(folder.at(file)), { recursive: true })
    writeFileSync(folder.at(file), text)
  }
  write('city/city.toml', '')
  write('city/pack.toml', packToml('town'))
  for (const [file, text] of Object.entries(files)) write(`city/${file}`, text)
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder.path,
    GC_HOME: folder.at('home'),
    GC_URL: 'http://127.0.0.1:9',
  }
  return {
    path: folder.at('city'),
    home: folder.at('home'),
    write,
    read: (file: string) => readFileSync(folder.at('city', file), 'utf8'),
    gc: (...args: string[]) => gc(args, { env, cwd: folder.at('city') }),
    withEnv: (more: Readonly<Record<string, string>>, ...args: string[]) =>
      gc(args, { env: { ...env, ...more }, cwd: folder.at('city') }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const CORE = 'https://github.com/gastownhall/gascity/tree/main/internal/bootstrap/packs/core'
const CORE_COMMIT = 'f895c0ff47d6ee9334ed282a416387eb5b084d24'

describe('gc import, without a supervisor', () => {
  test('adds, lists, explains and removes a pack', async () => {
    using repository = packRepository()
    repository.commit(
      { 'roles/pack.toml': packToml('roles', ['base', '../base']), 'base/pack.toml': packToml('base') },
      'v1.2.0',
    )
    using city = openCity({
      'packs/extra/pack.toml': packToml('extra'),
      'packs/extra/agents/a/agent.toml': 'fallback = true\nstart_command = "x"\n',
    })
    const source = `${repository.url}//roles`
    const added = await city.gc('import', 'add', source)
    expect(added).toEqual({
      status: 0,
      out: `Added import "roles" from ${source}\n`,
      err: `fetching ${repository.url} 1.2.0\n`,
    })
    expect(await city.gc('import', 'add', './packs/extra')).toEqual({
      ...{ status: 0, out: 'Added import "extra" from ./packs/extra\n' },
      err: 'gc: packs/extra/agents/a/agent.toml:1: fallback: has no effect, here or elsewhere; take it out\n',
    })
    expect((await city.gc('import', 'list')).out).toBe(
      `roles\t${source}\t^1.2\t1.2.0\nextra\t./packs/extra\t\t(path)\n`,
    )
    expect((await city.gc('import', 'list', '--tree')).out).toBe(
      `roles (1.2.0) - ${source}\n  base (path) - ../base\nextra (path) - ./packs/extra\n`,
    )
    expect((await city.gc('import', 'why', 'extra')).out).toBe('extra is a direct import\nsource: ./packs/extra\n')
    expect((await city.gc('import', 'why', 'base')).out).toBe('base is imported by roles\nsource: ../base\n')
    expect((await city.gc('import', 'check')).out).toBe('Import state is OK\n')
    expect((await city.gc('pack', 'list')).out).toBe(`roles\t${source}\t1.2.0\tcached\n`)
    expect(await city.gc('import', 'remove', 'extra')).toMatchObject({ status: 0, out: 'Removed import "extra"\n' })
    const again = await city.gc('import', 'remove', 'extra')
    expect([again.status, again.err]).toEqual([
      1,
      'gc: there is no import "extra"; `gc import list` lists valid names\n',
    ])
  })

  test('takes the version that is asked for, independently of the version of gc', async () => {
    using roles = packRepository()
    roles.commit({ 'pack.toml': packToml('roles') }, '1.0.0')
    roles.commit({}, '1.1.0')
    using city = openCity()
    expect((await city.gc('import', 'add', roles.url, '--name', 'roles', '--version', '1.0.0')).status).toBe(0)
    expect(city.read('packs.lock')).toContain('version = "1.0.0"')
    const none = await city.gc('--city', '.', 'import', 'add', '--version=^2.0', roles.url, '--name', 'next')
    expect([none.status, none.out]).toEqual([1, ''])
    expect(none.err).toContain('^2.0')
    expect((await city.gc('--city', '.', '--version')).out).toBe((await city.gc('version')).out)
  })

  test('shows the state of imports as scripts read it', async () => {
    using city = openCity({
      'pack.toml': packToml('town', ['core', CORE, `sha:${CORE_COMMIT}`], ['extra', './packs/extra']),
      'packs/extra/pack.toml': packToml('extra'),
      'city.toml': '[[rigs]]\nname = "app"\n[rigs.imports.extra]\nsource = "./packs/extra"\n',
    })
    expect(JSON.parse((await city.gc('import', 'status', '--json')).out)).toEqual({
      ...{ schema_version: '1', ok: true, root: city.path, packs_lock_path: join(city.path, 'packs.lock') },
      imports: [
        { name: 'pack:core', source: CORE, constraint: `sha:${CORE_COMMIT}`, kind: 'remote' },
        { name: 'pack:extra', source: './packs/extra', kind: 'path', path: join(city.path, 'packs/extra') },
        { name: 'rig:app:extra', source: './packs/extra', kind: 'path', path: join(city.path, 'packs/extra') },
      ],
      locked_packs: [],
    })
    expect((await city.gc('import', 'check')).status).toBe(0)
    expect((await city.gc('pack', 'list')).out).toBe('No remote packs configured.\n')
  })

  test('says what is missing, and installs it', async () => {
    using repository = packRepository()
    repository.commit({ 'pack.toml': packToml('p') }, '1.0.0')
    using city = openCity({ 'pack.toml': packToml('town', ['p', repository.url, '^1.0']) })
    const before = await city.gc('import', 'check')
    expect([before.status, before.out]).toEqual([
      1,
      [
        'Import state has 1 issue(s):',
        '  [error] missing-lockfile',
        '      issue: packs.lock is missing for declared remote imports',
        `      path: ${join(city.path, 'packs.lock')}`,
        '      repair: run "gc import install"\n',
      ].join('\n'),
    ])
    expect(await city.gc('import', 'install')).toMatchObject({ status: 0, out: 'Installed 1 remote import(s)\n' })
    expect((await city.gc('import', 'check')).status).toBe(0)
    expect((await city.gc('import', 'list')).out).toBe(`p\t${repository.url}\t^1.0\t1.0.0\n`)
  })

  test('upgrades, and says which programs the new version brings', async () => {
    using repository = packRepository()
    repository.commit({ 'pack.toml': packToml('p') }, '1.0.0')
    using city = openCity({ 'pack.toml': packToml('town', ['p', repository.url, '^1.0']) })
    await city.gc('import', 'install')
    expect((await city.gc('import', 'upgrade')).out).toBe('Everything is at its newest version that fits.\n')
    const nightly = '[order]\ntrigger = "cron"\nschedule = "0 3 * * *"\nexec = "$PACK_DIR/assets/scripts/nightly.sh"\n'
    repository.commit(
      { 'orders/nightly.toml': nightly, 'agents/dev/agent.toml': 'pre_start = ["./prepare.sh"]\n' },
      '1.1.0',
    )
    const upgraded = await city.gc('import', 'upgrade', 'p')
    expect(upgraded.out).toBe(`Upgraded ${repository.url} from 1.0.0 to 1.1.0\n`)
    expect(upgraded.err).toContain(
      [
        'It brings programs that run automatically:',
        '  order nightly (p), cron 0 3 * * *: $PACK_DIR/assets/scripts/nightly.sh',
        '  hook dev pre_start (p), before a session starts: ./prepare.sh\n',
      ].join('\n'),
    )
  })

  test('shows the words of packs as text, and a pack that many import once', async () => {
    const levels = Array.from({ length: 24 }, (_, level) => [
      `packs/p${level}/pack.toml`,
      packToml(
        `p${level}`,
        ...(level < 23 ? ['a', 'b'].map((name): [string, string] => [name, `../p${level + 1}`]) : []),
      ),
    ])
    const esc = '\\u001b]0;owned\\u0007'
    using city = openCity({
      ...Object.fromEntries(levels),
      'pack.toml': packToml('town', ['p', './packs/p0'], ['q', './packs/q']),
      'packs/q/pack.toml': `[pack]\nname = "${esc}"\nschema = 2\n[global]\nsession_live = ["${esc}"]\n`,
    })
    const tree = (await city.gc('import', 'list', '--tree')).out.split('\n')
    expect(tree.filter((line) => line.endsWith('(as above)'))).toHaveLength(23)
    city.write('elsewhere/pack.toml', packToml('e', ['q', join(city.path, 'packs/q')]))
    const added = await city.gc('import', 'add', '../elsewhere')
    expect([added.status, added.err.includes('\u001b')]).toEqual([0, false])
  })

  test('removes nothing that another city may use', async () => {
    using city = openCity()
    expect((await city.gc('import', 'prune')).out).toBe('Nothing to prune\n')
    const applied = await city.gc('import', 'prune', '--apply')
    expect([applied.status, applied.err]).toEqual([1, expect.stringContaining('start the supervisor with `gc serve`')])
  })

  test('keeps what would not compose out of the files', async () => {
    using city = openCity({ 'city.toml': '[[agent]]\nname = "a b"\n' })
    city.write('elsewhere/pack.toml', packToml('e'))
    const before = city.read('pack.toml')
    expect((await city.gc('import', 'add', '../elsewhere', '--name', 'second one')).status).toBe(1)
    expect(city.read('pack.toml')).toBe(before)
    expect((await city.gc('import', 'add', '../elsewhere', '--name', 'second')).status).toBe(0)
  })
})

describe('gc import credential', () => {
  test('keeps where a secret is, in a file that only its owner reads, and is asked for by a private repository', async () => {
    using repository = packRepository()
    repository.commit({ 'pack.toml': packToml('p') }, '1.0.0')
    await using server = gitServer(repository, { token: 'very-secret' })
    using city = openCity()
    const refused = await city.gc('import', 'add', server.url)
    expect([refused.status, refused.err]).toEqual([
      1,
      expect.stringContaining(
        `register one with \`gc import credential add ${server.host}/packs --token-file <file>\``,
      ),
    ])
    const added = await city.withEnv({}, 'import', 'credential', 'add', server.host, '--token-env', 'PACKS', '--global')
    expect(added).toMatchObject({ status: 0, out: `Added credential for ${server.host}\n` })
    expect(statSync(join(city.home, 'credentials.toml')).mode & 0o777).toBe(0o600)
    expect((await city.withEnv({ PACKS: 'very-secret' }, 'import', 'add', server.url)).status).toBe(0)
    expect((await city.gc('import', 'credential', 'list', '--global')).out).toBe(`${server.host}\ttoken_env\tPACKS\n`)
    await city.gc(
      'import',
      'credential',
      'add',
      `https://${server.host}/`,
      '--helper',
      'pass show x',
      '--username',
      'me',
    )
    expect(statSync(join(city.path, '.gc/credentials.toml')).mode & 0o777).toBe(0o600)
    expect(JSON.parse((await city.gc('import', 'credential', 'list', '--json')).out)).toMatchObject({
      credentials: [{ match: server.host, helper: 'pass show x', username: 'me' }],
    })
    expect((await city.gc('import', 'credential', 'remove', server.host)).out).toBe(
      `Removed credential for ${server.host}\n`,
    )
    expect((await city.gc('import', 'credential', 'remove', server.host)).status).toBe(1)
  })

  test('takes exactly one place of the secret', async () => {
    using city = openCity()
    const none = await city.gc('import', 'credential', 'add', 'example.com')
    expect([none.status, none.err]).toEqual([1, expect.stringContaining('exactly one of --helper')])
    expect(existsSync(join(city.path, '.gc/credentials.toml'))).toBe(false)
  })

  test('takes a file that is there, that only its owner reads and that has something in it, from any folder', async () => {
    using city = openCity()
    const add = (flag: string, file: string) => city.gc('import', 'credential', 'add', 'example.com', flag, file)
    const refusals = async (file: string) => (await add('--token-file', file)).err
    const path = join(city.path, 'key')
    expect(await refusals('key')).toContain(`there is no file ${path}; write the secret into it`)
    expect((await add('--ssh-key-file', 'key')).err).toContain(`there is no file ${path}`)
    expect(await refusals('.')).toContain(`there is no file ${city.path};`)
    writeFileSync(path, 'very-secret\n', { mode: 0o644 })
    expect(await refusals('key')).toContain(`others can read ${path}; run \`chmod 600 ${path}\``)
    writeFileSync(join(city.path, 'none'), '\n', { mode: 0o600 })
    expect(await refusals('none')).toContain('none is empty; write the secret into it')
    expect(existsSync(join(city.path, '.gc/credentials.toml'))).toBe(false)
    chmodSync(path, 0o600)
    expect((await add('--token-file', 'key')).status).toBe(0)
    expect((await city.gc('import', 'credential', 'list')).out).toBe(`example.com\ttoken_file\t${path}\n`)
  })

  test('is not given by a program that gc started', async () => {
    using city = openCity()
    const env = { GC_TOKEN: 'gcs_x', GC_SESSION_ID: 's' }
    const refused = await city.withEnv(env, 'import', 'credential', 'add', 'example.com', '--token-env', 'X')
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('for a person to give')])
    expect((await city.withEnv(env, 'import', 'upgrade')).err).toContain('is for a person')
  })
})

describe('a source with a password in its address', () => {
  const SOURCE = 'https://ann:planted-key-1234@git.invalid/packs.git//tools'

  test.each([
    'pack list',
    'pack list --json',
    'import list',
    'import list --tree',
    'import list --json',
    'import status',
    'import status --json',
    'import why tools',
    'import why tools --json',
  ])('is shown to a person, and struck out for a session: %p', async (words) => {
    const verb = words.split(' ')
    using city = openCity({ 'pack.toml': `${packToml('town')}[imports.tools]\nsource = "${SOURCE}"\n` })
    const session = await city.withEnv({ GC_SESSION_ID: 'to-1', GC_TOKEN: 'gcs_x' }, ...verb)
    const person = await city.gc(...verb)
    const text = ({ out, err }: { out: string; err: string }) => `${out}${err}`
    expect(text(person)).toContain('planted-key-1234')
    expect(text(session)).not.toContain('planted-key-1234')
    expect(text(session)).toContain('git.invalid')
  })
})
