import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describeCgroupSupport, localCgroupSupport } from '../../src/host/process/cgroup-support.ts'
import { cityFiles } from '../config/city-files.ts'
import { tempFolder } from '../support/folder.ts'
import { gc } from './shell.ts'

const CITY = `[[rigs]]
name = "shop"
path = "/srv/shop"
[rigs.confine]
share = { memory = "2GB" }
[[agent]]
name = "w"
dir = "shop"
start_command = "x"
confine = { mode = "network", write = ["/srv/out"], allow_hosts = ["example.com"], ports = [5432] }
[[agent]]
name = "free"
dir = "shop"
start_command = "x"
`
/** Nothing listens on the discard port of this machine. */
const env = { GC_URL: 'http://127.0.0.1:9' }

describe('gc confine on', () => {
  test('confines every agent that does not say otherwise, and off does not any more', async () => {
    using folder = tempFolder()
    using city = cityFiles({ 'city.toml': `${CITY}[[agent]]\nname = "open"\nstart_command = "x"\nconfine = "off"\n` })
    const run = (...words: string[]) =>
      gc(['confine', ...words], { env: { ...env, GC_HOME: folder.at('home') }, cwd: city.path })
    const first = async (name: string) => (await run('explain', name)).out.split(' (')[0]?.split(':')[0]
    expect(await run('on')).toMatchObject({
      status: 0,
      out: expect.stringContaining('supervisor.toml says [confine] default = "default".'),
    })
    expect([await first('free'), await first('open')]).toEqual(['shop/free is sandboxed', 'open is not sandboxed'])
    await run('on', 'network')
    expect(await first('free')).toBe('shop/free is sandboxed in its own folder and reaches every network')
    expect(readFileSync(folder.at('home', 'supervisor.toml'), 'utf8')).toBe('[confine]\ndefault = "network"\n')
    expect((await run('off')).out).toContain(
      'Only agents that declare a sandbox run in one. All others run with your permissions.',
    )
    expect(await first('free')).toBe('shop/free is not sandboxed')
  })

  test('is not for sessions, and says what is wrong with a file that it cannot read', async () => {
    using folder = tempFolder()
    const home = { ...env, GC_HOME: folder.path }
    const session = { ...home, GC_SESSION_ID: 'gc-1', GC_TOKEN: 'gcs_x' }
    expect(await gc(['confine', 'off'], { env: session })).toMatchObject({
      status: 1,
      err: expect.stringContaining('a session may not change how agents are sandboxed'),
    })
    writeFileSync(folder.at('supervisor.toml'), '[confine\n')
    const { status, err } = await gc(['confine', 'on'], { env: home })
    expect([status, err]).toEqual([
      1,
      expect.stringMatching(/^.*supervisor\.toml:1: .*put \$GC_HOME\/supervisor\.toml right/),
    ])
    expect(readFileSync(folder.at('supervisor.toml'), 'utf8')).toBe('[confine\n')
  })
})

describe('gc confine explain', () => {
  test('says without a supervisor how an agent is confined, and which line says each rule', async () => {
    using city = cityFiles({ 'city.toml': `${CITY}confine = "off"\n` })
    const { status, out } = await gc(['confine', 'explain', 'w'], { env, cwd: city.path })
    expect(status).toBe(0)
    expect(out).toStartWith('shop/w is sandboxed in its own folder and reaches every network (city.toml:10).\n')
    const rows = out.split('\n').map((row) => row.trim().split(/\s{2,}/))
    for (const row of [
      ['write', "the session's own folder", 'gc'],
      ['write', '/srv/out', 'agent, city.toml:10'],
      ['read', '/usr', 'gc'],
      ['network', 'every address but link-local ones and those of metadata', 'agent, city.toml:10'],
      ['host', 'example.com', 'agent, city.toml:10'],
      ['port', '5432', 'agent, city.toml:10'],
      ['memory', '2048 MB', 'rig, city.toml:5'],
    ]) {
      expect(rows).toContainEqual(row)
    }
    expect(out).toContain(
      `Limits of cpu and memory: ${describeCgroupSupport(localCgroupSupport())} (for a session host started`,
    )
    const other = await gc(['confine', 'explain', 'free'], { env, cwd: city.path })
    expect(other.out).not.toContain('What holds')
  })

  test('lists the hosts that the agent reaches on its own, and what each is for', async () => {
    using folder = tempFolder()
    mkdirSync(folder.at('shop', '.git'), { recursive: true })
    writeFileSync(folder.at('shop', '.git', 'config'), '[remote "origin"]\n\turl = https://git.example.org/a.git\n')
    const confined = 'provider = "claude"\nconfine = "default"\nworktree = true\n'
    const toml = `${CITY.replace('/srv/shop', folder.at('shop'))}${confined}`
    const closed = toml.replace('name = "w"', 'name = "w"\nworktree = true')
    using city = cityFiles({
      'city.toml': closed.replaceAll('share = { memory = "2GB" }', 'allow_hosts = ["example.com"]'),
    })
    const { out } = await gc(['confine', 'explain', 'free'], { env, cwd: city.path })
    expect(out).toStartWith(
      'shop/free is sandboxed: it changes only its own folder and reaches only the hosts and ports listed here',
    )
    const rows = out.split('\n').map((row) => row.trim().split(/\s{2,}/))
    expect(rows).toContainEqual(['host', 'api.anthropic.com', 'gc, for provider claude'])
    expect(rows).toContainEqual(['host', 'registry.npmjs.org', 'gc, for packages'])
    expect(rows).toContainEqual(['host', 'git.example.org', 'gc, for remotes of its rig'])
    expect(rows).toContainEqual(['host', 'example.com', 'rig, city.toml:5'])
    const wide = await gc(['confine', 'explain', 'w'], { env, cwd: city.path })
    expect(wide.out).not.toContain('registry.npmjs.org')
    using open = cityFiles({ 'city.toml': toml })
    const other = await gc(['confine', 'explain', 'free'], { env, cwd: open.path })
    expect(other.out).toContain('registry.npmjs.org')
    expect(other.out).not.toContain('git.example.org')
  })

  test('prints the same as JSON, and names the line that leaves an agent unconfined', async () => {
    using city = cityFiles({ 'city.toml': `${CITY}confine = "off"\n` })
    const confined = await gc(['confine', 'explain', 'shop/w', '--json'], { env, cwd: city.path })
    const { rules, ...rest } = JSON.parse(confined.out)
    const where = { file: 'city.toml', line: 10 }
    expect(rest).toEqual({ agent: 'shop/w', confine: 'network', ...where, problems: [], withheld: [] })
    expect(rules).toContainEqual({ access: 'write', what: '/srv/out', by: 'agent', ...where })
    const free = await gc(['confine', 'explain', 'shop/free'], { env, cwd: city.path })
    expect(free.out).toBe(
      'shop/free is not sandboxed: it runs with your permissions; confine = "default" adds a sandbox (city.toml:15).\n',
    )
  })

  test('fails for an agent that is not there, and with what is wrong with the files', async () => {
    using city = cityFiles({ 'city.toml': CITY })
    const missing = await gc(['confine', 'explain', 'wo'], { env, cwd: city.path })
    expect([missing.status, missing.err]).toEqual([1, expect.stringContaining('there is no agent "wo"')])
    city.put('city.toml', CITY.replace('/srv/out', '~/.ssh'))
    const void_ = await gc(['confine', 'explain', 'w'], { env, cwd: city.path })
    expect(void_.status).toBe(1)
    expect(void_.err).toContain('city.toml:10: confine write: "~/.ssh" would void confinement')
  })
})

describe('gc confine share-login', () => {
  const AGENTS = '[[agent]]\nname = "ann"\nprovider = "claude"\n'

  /** A city, and a home of a person that is logged in to claude. */
  function loggedIn(toml = AGENTS) {
    const folder = tempFolder()
    const city = cityFiles({ 'city.toml': toml })
    mkdirSync(folder.at('user', '.claude'), { recursive: true })
    const file = folder.at('user', '.claude/.credentials.json')
    writeFileSync(file, '{}')
    const shell = { env: { ...env, HOME: folder.at('user'), GC_HOME: folder.at('home') }, cwd: city.path }
    return {
      ...{ city, file, shell },
      run: (...words: string[]) => gc(['confine', ...words], shell),
      written: () => city.all()['city.toml'],
      [Symbol.dispose]: () => {
        city[Symbol.dispose]()
        folder[Symbol.dispose]()
      },
    }
  }

  test('lets sessions of a provider read the login of its program, says what that means, and ends it', async () => {
    using it = loggedIn()
    const { status, out } = await it.run('share-login', 'claude')
    expect([status, out.split('\n')]).toEqual([
      0,
      [
        `Confined sessions of claude read ${it.file} from their next start.`,
        'Every program in a session can then read it and use your subscription until you log out. `gc confine share-login claude --stop` ends that.',
        '',
      ],
    ])
    expect(it.written()).toBe(`${AGENTS}\n[providers.claude.confine]\nshare_login = true\n`)
    expect((await it.run('explain', 'ann')).out).toContain('the login of its program')
    expect((await it.run('share-login', 'claude', '--stop')).out).toBe(
      `Confined sessions of claude do not read ${it.file} from their next start.\n`,
    )
    expect(it.written()).toBe(`${AGENTS}\n[providers.claude.confine]\nshare_login = false\n`)
  })

  test.each([
    [
      'a table',
      '[providers.claude.confine]\nports = [1]\n',
      '[providers.claude.confine]\nports = [1]\nshare_login = true\n',
    ],
    [
      'an inline table',
      '[providers.claude]\nconfine = { ports = [1] }\n',
      '[providers.claude]\nconfine = { ports = [1], share_login = true }\n',
    ],
    [
      'a provider without one',
      '[providers.claude]\nargs = []\n',
      '[providers.claude]\nargs = []\n\n[providers.claude.confine]\nshare_login = true\n',
    ],
  ])('is written where it is said how the provider is confined: %s', async (_, before, after) => {
    using it = loggedIn(`${AGENTS}${before}`)
    expect((await it.run('share-login', 'claude')).status).toBe(0)
    expect(it.written()).toBe(`${AGENTS}${after}`)
  })

  test('refuses providers that it does not know or whose login it does not know, and sessions, and changes nothing', async () => {
    using it = loggedIn()
    expect((await it.run('share-login', 'claud')).err).toContain('there is no provider "claud"; did you mean "claude"?')
    expect((await it.run('share-login', 'amp')).err).toContain(
      'gc does not know the login file of amp, only those of claude',
    )
    const session = { ...it.shell, env: { ...it.shell.env, GC_SESSION_ID: 'gc-1', GC_TOKEN: 'gcs_x' } }
    expect((await gc(['confine', 'share-login', 'claude'], session)).err).toContain('a session may not change')
    expect(it.written()).toBe(AGENTS)
  })
})
