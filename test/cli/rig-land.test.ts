import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

const PERSON = { interactive: true, width: 100 }
const cityToml = () => readFileSync(join(town.city, 'city.toml'), 'utf8')

/** A new folder with an empty repository, as far as its name is concerned. */
function project(name: string, files: Readonly<Record<string, string>> = {}): string {
  const path = town.at(name)
  mkdirSync(join(path, '.git'), { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text)
  return path
}

describe('gc rig land', () => {
  test('shows that nothing lands, and then what was changed', async () => {
    expect((await town.gc(['rig', 'land', 'shop'])).out).toContain('off, since nothing is declared')
    const words = ['--mode', 'pr', '--check', "sh -c 'npm ci && npm test'", '--hold-large', '2000', '--draft']
    const tables = ['--label', 'gc,bot', '--auto', '--auto-max-lines', '200', '--forge', 'gitea']
    const forge = ['--forge-url', 'https://git.example.com', '--forge-repository', 'acme/shop']
    const { status, out } = await town.gc(['rig', 'land', 'shop', ...words, ...tables, ...forge])
    expect([status, out]).toEqual([0, expect.stringMatching(/mode +pr\n/)])
    expect(out).toMatch(/check +sh -c 'npm ci && npm test', at most 20m\n/)
    expect(cityToml()).toContain(`[rigs.land]
mode = "pr"
check = ["sh", "-c", "npm ci && npm test"]
hold = ["large:2000"]
pr = { labels = ["gc", "bot"], draft = true }
auto = { check = "green", max_lines = 200 }
forge = { kind = "gitea", url = "https://git.example.com", repository = "acme/shop" }
`)
    await town.gc(['rig', 'land', 'shop', '--no-draft', '--auto-paths', 'docs/**', '--unset', 'hold,forge'])
    expect(await town.json(['rig', 'land', 'shop', '--json'])).toMatchObject({
      ...{ mode: 'pr', hold: [], pr: { labels: ['gc', 'bot'], draft: false } },
      auto: { check: 'green', max_lines: 200, paths: ['docs/**'] },
    })
    expect(cityToml()).not.toContain('forge')
  })

  test.each([
    [['--unset', 'mode'], 2, '"mode" is not a key of [rigs.land]'],
    [['--forge', 'github'], 2, 'a forge needs --forge, --forge-url and --forge-repository'],
    [['--batch', '65'], 1, '[rigs.land] batch: must be 64 or less, not 65'],
    [['--generated', 'npm i'], 2, '--generated must look like "package-lock.json=npm install --package-lock-only"'],
  ])('rejects %j and leaves the file unchanged', async (words, expected, reason) => {
    const before = cityToml()
    const { status, err } = await town.gc(['rig', 'land', 'shop', ...words])
    expect([status, err]).toEqual([expected, expect.stringContaining(reason)])
    expect(cityToml()).toBe(before)
  })
})

describe('gc rig add', () => {
  test('asks nothing without a terminal, or where the folder is not a repository', async () => {
    expect((await town.gc(['rig', 'add', project('quiet')])).out).toBe('Rig quiet was added to town.\n')
    mkdirSync(town.at('plain'))
    expect((await town.gc(['rig', 'add', town.at('plain')], PERSON)).out).toBe('Rig plain was added to town.\n')
  })

  test('asks how branches land, and suggests the tests of the project', async () => {
    const path = project('mill', { 'package.json': '{"scripts":{"test":"true"}}' })
    const { out } = await town.gc(['rig', 'add', path], { ...PERSON, stdin: '?\n2\n\n' })
    expect(out).toContain('How do finished branches of mill land?')
    expect(out).toContain('[npm test]')
    expect(out).toEndWith('Its branches land by push; `gc rig land mill` shows and changes how.\n')
    expect(await town.json(['rig', 'land', 'mill', '--json'])).toMatchObject({ mode: 'push', check: ['npm', 'test'] })
  })

  test('leaves landing off by Enter, and takes it from options', async () => {
    expect((await town.gc(['rig', 'add', project('inn')], { ...PERSON, stdin: '\n' })).status).toBe(0)
    expect(await town.json(['rig', 'land', 'inn', '--json'])).toMatchObject({ declared: false, mode: 'off' })
    await town.gc(['rig', 'add', project('forge'), '--land', 'local', '--land-check', 'make test'])
    expect(await town.json(['rig', 'land', 'forge', '--json'])).toMatchObject({
      mode: 'local',
      check: ['make', 'test'],
    })
  })
})

describe('gc rig token', () => {
  const SECRET = 'f00dfeedf00dfeedf00dfeed'

  test('keeps a token from standard input in a file of its owner, and never prints it', async () => {
    const added = await town.gc(['rig', 'token', 'add', '--host', 'https://Git.Example.com:3000/'], {
      stdin: `${SECRET}\n`,
    })
    const file = join(town.home, 'forges.toml')
    expect([added.status, added.out]).toEqual([
      0,
      expect.stringContaining('The token for git.example.com:3000 is kept'),
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toBe(`[[token]]\nhost = "git.example.com:3000"\ntoken = "${SECRET}"\n`)
    const typed = await town.gc(['rig', 'token', 'add', '--host', 'github.com'], { ...PERSON, stdin: `${SECRET}1\n` })
    const listed = await town.gc(['rig', 'token', 'list'])
    expect(listed.out).toBe('git.example.com:3000\ngithub.com\n')
    const removed = await town.gc(['rig', 'token', 'remove', '--host', 'github.com'])
    expect(removed.out).toContain('revoke it at the forge as well')
    for (const { out, err } of [added, typed, listed, removed]) expect(out + err).not.toContain(SECRET)
  })

  test.each([
    ['nothing', '', 2, 'give the token on standard input'],
    ['a sentence', 'not a token', 1, 'the token must have 8 to 1000 visible characters'],
    ['the token of a session', SECRET, 1, 'tokens are for a person to give'],
  ])('takes no token from %s', async (from, stdin, expected, reason) => {
    const env = from.endsWith('session') ? { GC_TOKEN: 'gcs_x' } : undefined
    const { status, err } = await town.gc(['rig', 'token', 'add', '--host', 'a.b'], { stdin, ...(env && { env }) })
    expect([status, err]).toEqual([expected, expect.stringContaining(reason)])
  })

  test('uses no file that others can read', async () => {
    const file = join(town.home, 'forges.toml')
    chmodSync(file, 0o644)
    expect((await town.gc(['rig', 'token', 'list'])).err).toContain(
      `can be read by others (mode 0644); run: chmod 600 ${file}`,
    )
    chmodSync(file, 0o600)
  })
})
