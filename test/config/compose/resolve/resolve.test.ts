import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Config } from '../../../../src/config/compose/config.ts'
import { declaredPrograms } from '../../../../src/config/compose/resolve/programs.ts'
import { prefixOf } from '../../../../src/config/declare/names.ts'
import { formatDiagnostic } from '../../../../src/config/files/diagnostics.ts'
import { errorMessage } from '../../../../src/core/errors.ts'
import { type TempFolder, tempFolder } from '../../../support/folder.ts'

type Files = Record<string, string>

function writeFiles(folder: TempFolder, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    const at = folder.at('my-city', name)
    mkdirSync(dirname(at), { recursive: true })
    writeFileSync(at, text)
  }
}

async function open(files: Files) {
  using folder = tempFolder()
  writeFiles(folder, files)
  return await Config.open(folder.at('my-city'))
}

const read = async (files: Files) => (await open(files)).current

const warningsOf = async (files: Files) => (await open(files)).composition.warnings.map(formatDiagnostic)

/** The errors of opening a city with these files. */
async function errorsOf(files: Files): Promise<string> {
  using folder = tempFolder()
  writeFiles(folder, files)
  return await Config.open(folder.at('my-city')).then(
    () => 'nothing',
    (error) => errorMessage(error).replaceAll(folder.path, ''),
  )
}

const RIG = '[[rigs]]\nname = "shop"\npath = "/srv/shop"\n'

describe('a city', () => {
  test('sets how long idle sessions of its agents stay up, which agents and rigs override', async () => {
    const text = `[session_sleep]
interactive_resume = "10m"
interactive_fresh = "1m"
noninteractive = "off"
[chat_sessions]
idle_timeout = "2h"
${RIG}[rigs.session_sleep]
interactive_resume = "off"
noninteractive = "5m"
`
    const agent = (name: string, more: string) => `[[agent]]\nname = "${name}"\nstart_command = "x"\n${more}\n`
    const city = agent('a', '') + agent('b', 'wake_mode = "fresh"') + agent('c', 'sleep_after_idle = "off"')
    const others =
      agent('d', 'attach = false') + agent('e', 'dir = "shop"') + agent('f', 'dir = "shop"\nattach = false')
    const { agents, chat } = await read({ 'city.toml': text + city + others })
    expect(agents.map(({ sleepAfterIdle }) => sleepAfterIdle)).toEqual([
      ...[600_000, 60_000, undefined],
      ...[undefined, undefined, 300_000],
    ])
    expect(chat).toEqual({ idleTimeout: 7_200_000, gracePeriod: 600_000 })
  })

  test('runs a provider whose agent has an empty start_command, and what the workspace names for an empty provider', async () => {
    const agent = (name: string, more: string) => `[[agent]]\nname = "${name}"\n${more}\n`
    const text = `[workspace]
provider = "gemini"
start_command = ""
${agent('a', 'provider = "codex"\nstart_command = ""')}
${agent('b', 'start_command = ""')}
${agent('c', 'provider = ""')}
${agent('d', 'provider = ""\nstart_command = "./run"')}
`
    const config = await read({ 'city.toml': text })
    expect(config.agents.map(({ provider, startCommand }) => [provider, startCommand])).toEqual([
      ...[
        ['codex', undefined],
        ['gemini', undefined],
        ['gemini', undefined],
      ],
      [undefined, './run'],
    ])
    expect(declaredPrograms(config).map(({ command }) => command.split(' ')[0])).toEqual([
      ...['codex', 'gemini', 'gemini', './run'],
    ])
    expect(await warningsOf({ 'city.toml': text })).toEqual([])
  })

  test('names the programs of services beside those of agents', async () => {
    const service = (name: string, more: string) => `[[service]]\nname = "${name}"\n${more}\n`
    const process = 'kind = "proxy_process"\nprocess.command = ["serve", "--all"]'
    const workflow = 'kind = "workflow"\nworkflow.contract = "pack.gc/healthz.v1"'
    const agent = '[[agent]]\nname = "a"\nstart_command = "./run"\n'
    const config = await read({ 'city.toml': `${agent}${service('web', process)}${service('health', workflow)}` })
    expect(declaredPrograms(config)).toEqual([
      { name: 'a', command: './run', folder: config.path },
      { name: 'service.web', command: 'serve --all', folder: config.path },
    ])
  })

  test('runs the provider of an agent, or that of the workspace, when a patch takes its command away', async () => {
    const text = `[[agent]]
name = "a"
provider = "codex"
start_command = "./run"
[[patches.agent]]
name = "a"
start_command = ""
[[agent]]
name = "b"
start_command = "./run"
[[patches.agent]]
name = "b"
start_command = ""
[workspace]
provider = "gemini"
`
    const { agents } = await read({ 'city.toml': text })
    expect(agents.map(({ provider, startCommand }) => [provider, startCommand])).toEqual([
      ...[
        ['codex', undefined],
        ['gemini', undefined],
      ],
    ])
  })

  test('declares servers of tools by a command or an address, for all agents or some', async () => {
    const text = `[[agent]]
name = "polly"
start_command = "x"
[mcp_servers.files]
command = "bin/files"
[mcp_servers.web]
url = "https://tools.example/mcp"
type = "sse"
headers = { Authorization = "Bearer x" }
agents = ["polly"]
`
    const { mcpServers, path } = await read({ 'city.toml': text })
    expect(mcpServers).toEqual([
      { name: 'files', connection: { name: 'files', command: join(path, 'bin/files'), args: [], env: {} } },
      {
        name: 'web',
        agents: ['polly'],
        connection: {
          ...{ name: 'web', type: 'sse', url: 'https://tools.example/mcp' },
          headers: { Authorization: 'Bearer x' },
        },
      },
    ])
    expect(await errorsOf({ 'city.toml': '[mcp_servers.a]\ncommand = "x"\nurl = "http://y"\n' })).toContain(
      'give either a command to run or the url of a server',
    )
    expect(await errorsOf({ 'city.toml': '[mcp_servers.a]\ncommand = "x"\nagents = ["nobody"]\n' })).toContain(
      'there is no agent "nobody"',
    )
  })

  test('without declarations is named after its folder, with every default', async () => {
    const config = await read({ 'city.toml': '' })
    expect(config).toMatchObject({
      name: 'my-city',
      prefix: 'mc',
      rigs: [],
      agents: [],
      namedSessions: [],
    })
    expect(await warningsOf({ 'city.toml': '' })).toEqual([])
    expect(config.daemon).toMatchObject({ patrolInterval: 30_000, maxRestarts: 5, restartWindow: 3_600_000 })
    expect(config.daemon).toMatchObject({ maxWakesPerTick: 5, shutdownTimeout: 5000, driftDrainTimeout: 120_000 })
    expect(config.session).toMatchObject({ provider: '', setupTimeout: 10_000, startupTimeout: 600_000 })
  })

  test('takes its name from site.toml, then from the workspace', async () => {
    const city = { 'city.toml': '[workspace]\nname = "declared"\nprefix = "dd"\n' }
    expect(await read(city)).toMatchObject({ name: 'declared', prefix: 'dd' })
    const site = { ...city, '.gc/site.toml': 'workspace_name = "here"\nworkspace_prefix = "hh"\n' }
    expect(await read(site)).toMatchObject({ name: 'here', prefix: 'hh' })
  })

  test('derives prefixes from names', () => {
    const prefixes = {
      'my-project': 'mp',
      'my_big-project': 'mbp',
      shop: 'sh',
      api: 'api',
      myProject: 'mp',
      'tool-py': 'to',
    }
    for (const [name, prefix] of Object.entries(prefixes)) expect(`${name} ${prefixOf(name)}`).toBe(`${name} ${prefix}`)
    expect([prefixOf('my-tool-go'), prefixOf('A'), prefixOf('-py'), prefixOf('été'), prefixOf('HTTPServer')]).toEqual([
      'mt',
      'a',
      'c',
      't',
      'ht',
    ])
  })

  test('sets how long mail and archives of events are kept, and how much disk those may take', async () => {
    const DAY = 86_400_000
    const defaults = await read({ 'city.toml': '' })
    expect(defaults.mail).toEqual({ retentionTtl: 30 * DAY })
    expect(defaults.events).toEqual({ age: 365 * DAY, bytes: 10 * 2 ** 30 })
    const declared =
      '[mail]\nretention_ttl = "7d"\n[events.rotation]\narchive_retain_age = "0"\narchive_retain_bytes = 1024\n'
    const { mail, events } = await read({ 'city.toml': declared })
    expect({ mail, events }).toEqual({ mail: { retentionTtl: 7 * DAY }, events: { age: 0, bytes: 1024 } })
  })

  test('says what models cost, and where usage is recorded', async () => {
    const flat = '[[pricing]]\nmodel = "opus"\nprompt_usd_per_1m = 5\ncompletion_usd_per_1m = 2.5\n'
    const tiered = '[[pricing]]\nprovider = "codex"\nmodel = "o9"\n[pricing.tier]\ncache_read_usd_per_1m = 1\n'
    const invalid = '[[pricing]]\nprompt_usd_per_1m = "much"\n'
    const files = { 'city.toml': `[usage]\nprovider = "discard"\n${flat}${tiered}${invalid}` }
    const { pricing, usage } = await read(files)
    expect(pricing).toEqual([
      { provider: undefined, model: 'opus', input: 5, output: 2.5, cacheRead: 0, cacheWrite: 0 },
      { provider: 'codex', model: 'o9', input: 0, output: 0, cacheRead: 1, cacheWrite: 0 },
    ])
    expect(usage).toEqual({ provider: 'discard' })
    expect((await read({ 'city.toml': '' })).usage).toEqual({ provider: 'local' })
    expect(await warningsOf(files)).toEqual([
      'city.toml:12: [[pricing]] model: is required; this price is ignored',
      'city.toml:13: [[pricing]] prompt_usd_per_1m: must be a number, not "much"; it is ignored',
    ])
  })

  test('reads durations, and warns of those it cannot read', async () => {
    const files = { 'city.toml': '[daemon]\npatrol_interval = "1m30s"\nrestart_window = "soon"\n' }
    const config = await read(files)
    expect(config.daemon).toMatchObject({ patrolInterval: 90_000, restartWindow: 3_600_000 })
    expect(await warningsOf(files)).toEqual([
      'city.toml:3: [daemon] restart_window: "soon" is not a duration such as 90s, 5m or 1h30m; it is ignored',
    ])
  })

  test('may begin with a byte order mark and use CRLF', async () => {
    const text = '\uFEFF# mine\r\n[workspace]\r\nname = "x"\r\n'
    expect((await read({ 'city.toml': text })).name).toBe('x')
  })
})

describe('an error in a file', () => {
  const cases: [title: string, toml: string, error: string][] = [
    ['that is not TOML', 'a = 1\n[workspace\n', 'city.toml:2: is not TOML: Unterminated table-key'],
    ['without a value', 'a = 1\nb =\n', 'city.toml:2: is not TOML: Unspecified values are invalid'],
    [
      'a string where a number belongs',
      '[daemon]\nmax_restarts = "5"',
      'city.toml:2: [daemon] max_restarts: must be a whole number, not "5"',
    ],
    [
      'a number below its minimum',
      '[daemon]\nmax_wakes_per_tick = 0',
      'city.toml:2: [daemon] max_wakes_per_tick: must be 1 or more, not 0',
    ],
    [
      'a time zone that is none',
      '[workspace]\ntimezone = "Mars"',
      'city.toml:2: [workspace] timezone: "Mars" is not a time zone such as Europe/Paris or UTC',
    ],
    [
      'a table where an array of tables belongs',
      '[rigs]\nname = "a"',
      'city.toml:1: rigs: must be written as [[rigs]]',
    ],
    ['a rig without a name', '[[rigs]]\npath = "/a"', 'city.toml:1: [[rigs]] name: is required'],
    [
      'a rig named *',
      '[[rigs]]\nname = "*"\npath = "/a"',
      'city.toml:2: [[rigs]] name: "*" stands for every rig; choose another name',
    ],
    [
      'two rigs of one name',
      `${RIG}[[rigs]]\nname = "shop"\npath = "/b"\nprefix = "x"`,
      'city.toml:5: [[rigs]] name: "shop" is the name of an earlier rig',
    ],
    [
      'two rigs of one prefix',
      `${RIG}[[rigs]]\nname = "shell"\npath = "/b"\n`,
      'city.toml:4: [[rigs]] prefix: "sh" is the prefix of rig "shop" already; set another, such as "she"',
    ],
    [
      "a rig with the city's prefix, in capitals",
      '[[rigs]]\nname = "x"\npath = "/b"\nprefix = "MC"',
      'city.toml:4: [[rigs]] prefix: "MC" is the prefix of the city already; set another, such as "x2"',
    ],
    [
      'a prefix with a space',
      '[[rigs]]\nname = "x"\npath = "/b"\nprefix = "a b"',
      'city.toml:4: [[rigs]] prefix: "a b" must start with a letter or digit and contain only letters, digits, "-" or "_"',
    ],
    [
      'an agent name with a slash',
      '[[agent]]\nname = "a/b"\nprovider = "claude"',
      'city.toml:2: [[agent]] name: "a/b" must start with a letter or digit and contain only letters, digits, "-" or "_"',
    ],
    [
      'an agent of no rig',
      `${RIG}[[agent]]\nname = "a"\ndir = "shp"\nprovider = "claude"`,
      'city.toml:6: [[agent]] dir: there is no rig "shp"; did you mean "shop"?',
    ],
    [
      'min over max',
      '[[agent]]\nname = "a"\nprovider = "claude"\nmin_active_sessions = 3\nmax_active_sessions = 2',
      'city.toml:4: [[agent]] min_active_sessions: 3 is more than max_active_sessions, 2',
    ],
    [
      'a pool beyond all reason',
      '[[agent]]\nname = "a"\nprovider = "claude"\nmax_active_sessions = 1001',
      'city.toml:4: [[agent]] max_active_sessions: must be 1000 or less, not 1001',
    ],
    [
      'a prompt_mode that is none',
      '[[agent]]\nname = "a"\nprovider = "claude"\nprompt_mode = "args"',
      'city.toml:4: [[agent]] prompt_mode: must be arg or flag or none, not "args"; did you mean "arg"?',
    ],
    [
      'prompt_mode flag without the flag',
      '[[agent]]\nname = "a"\nprovider = "claude"\nprompt_mode = "flag"',
      'city.toml:1: [[agent]] prompt_flag: is required when prompt_mode is "flag"',
    ],
    [
      'a scope that is none',
      '[[agent]]\nname = "a"\nprovider = "claude"\nscope = "town"',
      'city.toml:4: [[agent]] scope: must be city or rig, not "town"',
    ],
    [
      'may with a word of its own',
      '[[agent]]\nname = "a"\nprovider = "claude"\nmay = ["respond", "rule"]',
      'city.toml:4: [[agent]] may: "rule" is not one of configure, sessions, mail, respond, budgets, tokens, maintain, coordinate, connect',
    ],
    [
      'a circle of dependencies',
      '[[agent]]\nname = "a"\nprovider = "claude"\ndepends_on = ["b"]\n[[agent]]\nname = "b"\nprovider = "claude"\ndepends_on = ["a"]',
      'city.toml:4: [[agent]] depends_on: agent "a" depends on itself\ncity.toml:8: [[agent]] depends_on: agent "b" depends on itself',
    ],
    [
      'a dependency that is not there',
      '[[agent]]\nname = "a"\nprovider = "claude"\ndepends_on = ["bb"]',
      'city.toml:4: [[agent]] depends_on: there is no agent "bb"',
    ],
    [
      'a provider with an unknown base',
      '[providers.mine]\nbase = "builtin:cluade"',
      'city.toml:2: [providers.mine] base: provider "mine" has the base "builtin:cluade", which is not known',
    ],
    [
      'a provider without a command',
      '[providers.mine]\nargs = ["-x"]',
      'city.toml:1: [providers.mine] command: provider "mine" has no command; give it one, or a base that has one',
    ],
    [
      'formulas.dir',
      '[formulas]\ndir = "x"',
      'city.toml:2: [formulas] dir: formulas live in formulas/; take this key out',
    ],
    [
      'a named session without a template',
      '[[named_session]]\nname = "lead"',
      'city.toml:1: [[named_session]] template: is required',
    ],
  ]
  test.each(cases)('is named with file, line and key: %s', async (_, toml, error) => {
    expect(await errorsOf({ 'city.toml': toml })).toBe(error)
  })

  test('is reported with all the others', async () => {
    const errors = await errorsOf({
      'city.toml': '[daemon]\nmax_restarts = -1\n[workspace]\nname = 1\n',
      '.gc/site.toml': 'workspace_name = "a b"\n',
      'agents/w/agent.toml': '\nprovider = 7\n',
    })
    expect(errors.split('\n')).toEqual([
      'city.toml:2: [daemon] max_restarts: must be 0 or more, not -1',
      'city.toml:4: [workspace] name: must be a string in quotes, not 1',
      '.gc/site.toml:1: workspace_name: "a b" must start with a letter or digit and contain only letters, digits, ".", "-" or "_"',
      'agents/w/agent.toml:2: provider: must be a string in quotes, not 7',
    ])
  })

  test('is a folder without a city, or a file that is not text', async () => {
    expect(await errorsOf({ 'other.txt': '' })).toBe(
      'city.toml:1: there is no such file in /my-city; `gc init` makes a city',
    )
    using folder = tempFolder()
    writeFiles(folder, { 'city.toml': '' })
    writeFileSync(folder.at('my-city', 'city.toml'), new Uint8Array([0x61, 0xff, 0xfe]))
    await expect(Config.open(folder.at('my-city'))).rejects.toThrow('city.toml:1: is not UTF-8 text')
  })
})

describe('a key that gc does not know', () => {
  const cases: [title: string, toml: string, warning: string][] = [
    [
      'an unknown section',
      '\n[workspce]\n',
      'city.toml:2: workspce: is not a section or key of this file; did you mean "workspace"?',
    ],
    [
      'an unknown key',
      '[daemon]\npatrol_intervall = "3s"',
      'city.toml:2: [daemon] patrol_intervall: is not a key of this section; did you mean "patrol_interval"?',
    ],
    [
      'an unknown key like no other',
      '[daemon]\nxyzzy = 1',
      'city.toml:2: [daemon] xyzzy: is not a key of this section',
    ],
    ['a key called __proto__', '__proto__ = 1', 'city.toml:1: __proto__: is not a section or key of this file'],
  ]
  test.each(cases)('does not keep a city from opening, and is warned of: %s', async (_, toml, warning) => {
    expect(await warningsOf({ 'city.toml': toml })).toEqual([warning])
  })

  test('passes in agent.toml, and is noted where the files are checked', async () => {
    const config = await open({
      'city.toml': '',
      'agents/w/agent.toml': '\nprovder = "claude"\nprovider = "codex"\n',
    })
    expect(config.composition.warnings).toEqual([])
    expect(config.current.agents[0]?.provider).toBe('codex')
  })

  test('is warned of in site.toml', async () => {
    expect(await warningsOf({ 'city.toml': '', '.gc/site.toml': 'workspace_nam = "x"\n' })).toEqual([
      '.gc/site.toml:1: workspace_nam: is not a section or key of this file; did you mean "workspace_name"?',
    ])
  })
})

describe('an agent', () => {
  test('is a folder with a table, a prompt or both', async () => {
    const { agents } = await read({
      'city.toml': `${RIG}[workspace]\nprovider = "codex"\n`,
      'agents/mayor/agent.toml':
        'provider = "claude"\ndescription = "runs things"\nmax_active_sessions = 1\nenv = { A = "1", N = 2 }\n',
      'agents/mayor/prompt.md': 'old',
      'agents/mayor/prompt.template.md': 'You are {{.Agent}}',
      'agents/quiet/prompt.md': 'hush',
      'agents/shop--mayor/agent.toml': 'dir = "shop"\nstart_command = "./mayor.sh"\n',
      'agents/worker/agent.toml': 'dir = "shop"\nmay = ["respond"]\n',
      'agents/_draft/agent.toml': 'nonsense = 1\n',
      'agents/notes/readme.md': 'not an agent',
    })
    expect(agents.map(({ qualified, provider, startCommand }) => [qualified, provider, startCommand])).toEqual([
      ['mayor', 'claude', undefined],
      ['quiet', 'codex', undefined],
      ['shop/mayor', undefined, './mayor.sh'],
      ['shop/worker', 'codex', undefined],
    ])
    expect(agents[0]).toMatchObject({
      prompt: { text: 'You are {{.Agent}}' },
      env: { A: '1', N: '2' },
      maxActive: 1,
      minActive: 0,
    })
    expect(agents[0]).toMatchObject({ block: { file: 'agents/mayor/agent.toml' }, description: 'runs things' })
    expect(agents[0]).toMatchObject({ drainTimeout: 300_000, wakeMode: 'resume', attach: true, suspended: false })
    expect(agents[1]?.prompt?.text).toBe('hush')
    expect(agents[3]?.may).toEqual(['respond'])
  })

  test('may be written in city.toml, with its prompt and names in files', async () => {
    const { agents } = await read({
      'city.toml':
        '[[agent]]\nname = "w"\nprovider = "claude"\nprompt_template = "prompts/w.md"\nnamepool = "//names.txt"\nmax_active_sessions = 2\n',
      'prompts/w.md': 'work',
      'names.txt': '# gems\nopal\n\nruby\n',
    })
    expect(agents[0]).toMatchObject({
      block: { file: 'city.toml' },
      prompt: { text: 'work' },
      namepool: ['opal', 'ruby'],
    })
  })

  test('is declared once', async () => {
    const errors = await errorsOf({
      'city.toml': '\n[[agent]]\nname = "w"\nprovider = "claude"\n',
      'agents/w/agent.toml': 'provider = "claude"\n',
    })
    expect(errors).toBe('agents/w/agent.toml:1: name: agent "w" is declared at city.toml:2 already')
  })

  test('never has a higher cap than its rig, nor that than the workspace', async () => {
    const { current, composition } = await open({
      'city.toml': `[workspace]\nmax_active_sessions = 9\nprovider = "claude"\n${RIG}max_active_sessions = 4\n`,
      'agents/a/agent.toml': 'dir = "shop"\nmax_active_sessions = 6\n',
      'agents/b/agent.toml': 'dir = "shop"\nmax_active_sessions = -1\n',
      'agents/c/agent.toml': 'max_active_sessions = 2\n',
      'agents/d/agent.toml': '',
    })
    expect(current.agents.map(({ maxActive }) => maxActive)).toEqual([4, 4, 2, 9])
    expect(composition.warnings.map(formatDiagnostic)).toEqual([
      'agents/a/agent.toml:2: max_active_sessions: 6 is more than its rig or the workspace allows; 4 holds',
    ])
  })

  test('of an unknown provider is warned of', async () => {
    const warnings = await warningsOf({
      'city.toml': '[workspace]\nprovider = "cluade"\n[providers.mine]\ncommand = "./mine"\n',
      'agents/a/agent.toml': '',
      'agents/b/agent.toml': 'provider = "mine"\n',
      'agents/c/agent.toml': 'provider = "gemini"\n',
    })
    expect(warnings).toEqual([
      'agents/a/agent.toml:1: provider: "cluade" is neither declared nor built in; did you mean "claude"?',
    ])
  })
})

describe('a rig', () => {
  test('lies where site.toml says on this machine, else where city.toml says', async () => {
    const { rigs } = await read({
      'city.toml': `${RIG}[[rigs]]\nname = "lib"\npath = "libs/lib"\ndefault_sling_target = "mayor"\nsuspended_on_start = true\n`,
      '.gc/site.toml': '[[rig]]\nname = "shop"\npath = "/home/me/shop"\n',
    })
    expect(rigs.map(({ name, path, prefix }) => [name, path?.replace(/^.*my-city/, ''), prefix])).toEqual([
      ['shop', '/home/me/shop', 'sh'],
      ['lib', '/libs/lib', 'lib'],
    ])
    expect(rigs[1]).toMatchObject({ name: 'lib', suspendedOnStart: true })
  })
})

describe('a named session', () => {
  test('keeps an identity for an agent, and warns when there is none', async () => {
    const { current, composition } = await open({
      'city.toml':
        '[[named_session]]\ntemplate = "lead"\nmode = "always"\n[[named_session]]\nname = "b"\ntemplate = "nobody"\n[[agent]]\nname = "lead"\nprovider = "claude"\n',
    })
    expect(current.namedSessions).toMatchObject([
      { name: 'lead', qualified: 'lead', template: 'lead', mode: 'always' },
      { name: 'b', qualified: 'b', template: 'nobody', mode: 'on_demand' },
    ])
    expect(composition.warnings.map(formatDiagnostic)).toEqual([
      'city.toml:6: [[named_session]] template: there is no agent "nobody"; the session cannot start',
    ])
  })
})

describe('a provider', () => {
  test('is read as far as it was written', async () => {
    const { providers } = await read({
      'city.toml': `[providers.mine]
base = "builtin:claude"
args_append = ["--fast"]
env = { TOKEN_NAME = "x" }
options_schema_merge = "by_key"
[[providers.mine.options_schema]]
key = "model"
default = "big"
[[providers.mine.options_schema.choices]]
value = "big"
flag_args = ["--model", "big"]
`,
    })
    expect(providers.get('mine')).toEqual({
      base: 'builtin:claude',
      argsAppend: ['--fast'],
      env: { TOKEN_NAME: 'x' },
      optionsSchemaMerge: 'by_key',
      optionsSchema: [
        {
          key: 'model',
          label: 'model',
          type: 'select',
          default: 'big',
          choices: [{ value: 'big', label: 'big', flagArgs: ['--model', 'big'] }],
        },
      ],
    })
  })
})
