import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperationCoverage } from '../support/coverage.ts'
import { changesProviders, errorOf, towns } from './town.ts'

const coverage = new OperationCoverage(({ tag, id }) => ['config', 'providers'].includes(tag) && !changesProviders(id))
const openTown = towns(coverage)

const FULL = `prefix = "to"
provider = "parrot"
session_template = "{{.Agent}}"
max_active_sessions = 5
[providers.parrot]
display_name = "Parrot"
command = "parrot"
args = ["--quiet"]
acp_command = "parrot-acp"
acp_args = ["--stdio"]
prompt_mode = "flag"
prompt_flag = "--prompt"
ready_delay_ms = 100
env = { COLOUR = "green" }
[[providers.parrot.options_schema]]
key = "size"
label = "Size"
default = "small"
[[providers.parrot.options_schema.choices]]
value = "small"
label = "Small"
[[rigs]]
name = "web"
path = "."
prefix = "we"
[[agent]]
name = "worker"
dir = "web"
provider = "parrot"
scope = "rig"
suspended = true
`

describe('the configuration', () => {
  test('in effect is returned completely', async () => {
    await using town = await openTown(FULL)
    const { city, world } = town
    const parrot = {
      display_name: 'Parrot',
      command: 'parrot',
      args: ['--quiet'],
      acp_command: 'parrot-acp',
      acp_args: ['--stdio'],
      prompt_mode: 'flag',
      prompt_flag: '--prompt',
      ready_delay_ms: 100,
      env: { COLOUR: 'green' },
    }
    const worker = { name: 'worker', dir: 'web', provider: 'parrot', is_pool: true, scope: 'rig', suspended: true }
    expect((await city.call('GET ~/config')).body).toEqual({
      workspace: {
        name: city.name,
        prefix: 'to',
        declared_name: city.name,
        declared_prefix: 'to',
        provider: 'parrot',
        suspended: false,
        session_template: '{{.Agent}}',
        max_active_sessions: 5,
      },
      agents: [worker],
      rigs: [{ name: 'web', path: city.path, prefix: 'we', suspended: false }],
      providers: { parrot },
      effective_api_url: world.url,
    })
    const { body: explained } = await city.call('GET ~/config/explain')
    expect(explained.agents).toEqual([{ ...worker, origin: 'inline' }])
    expect(explained.providers.parrot).toEqual({ ...parrot, origin: 'city' })
    expect(explained.providers.claude).toMatchObject({ command: 'claude', origin: 'builtin' })
    const { body: defaults } = await city.call('GET ~/config/defaults')
    expect(defaults).toMatchObject({ workspace: { name: city.name, prefix: 'to' }, agents: [], rigs: [] })
    expect(Object.keys(defaults.providers)).toContain('claude')
    expect((await city.call('GET ~/config/validate')).body).toEqual({
      ...{ valid: true, errors: [] },
      warnings: [
        'city.toml:5: [workspace] session_template: is shown and has no effect: sessions are named after their agents',
      ],
    })
  })

  test('on disk is reported with the error position when it is broken, while the last valid one stays in effect', async () => {
    await using town = await openTown(FULL)
    const { city } = town
    const seq = await city.head()
    writeFileSync(
      join(city.path, 'city.toml'),
      '[workspace]\nname = "x"\nwhat = 1\nprefix = 7\n[[agent]]\nname = "a b"\n',
    )
    const { body } = await city.call('GET ~/config/validate')
    expect(body.valid).toBe(false)
    expect(body.warnings.join('\n')).toContain('city.toml:3: [workspace] what: is not a key of this section')
    expect(body.errors.join('\n')).toContain('city.toml:4')
    expect(body.errors.join('\n')).toContain('prefix')
    expect(body.errors.length).toBeGreaterThanOrEqual(2)
    expect((await city.call('GET ~/config')).body.agents).toHaveLength(1)
    expect(await city.recorded(seq)).toEqual([])
  })

  test('gets warnings for settings that are probably a mistake', async () => {
    await using town = await openTown('[[agent]]\nname = "idle"\n')
    const { city } = town
    const { body } = await city.call('GET ~/config/validate')
    expect(body).toMatchObject({ valid: true, errors: [] })
    expect(body.warnings.join()).toContain('it has neither a provider nor a start_command')
  })

  test('is reloaded soon after it was edited by hand', async () => {
    await using town = await openTown()
    const { city } = town
    mkdirSync(join(city.path, 'agents/late'), { recursive: true })
    writeFileSync(join(city.path, 'agents/late/agent.toml'), 'provider = "amp"\n')
    let names: string[] = []
    for (let tries = 0; tries < 1000 && names.length === 0; tries++) {
      names = (await city.call('GET ~/config')).body.agents.map(({ name }: { name: string }) => name)
      await Bun.sleep(20)
    }
    expect(names).toEqual(['late'])
  })
})

describe('providers', () => {
  test('are those of the city and the builtin ones, without secrets for anonymous callers', async () => {
    await using town = await openTown(FULL)
    const { city } = town
    const { items, total } = (await city.call('GET ~/providers')).body
    expect(total).toBe(items.length)
    expect(items[0]).toEqual({
      name: 'parrot',
      builtin: false,
      city_level: true,
      display_name: 'Parrot',
      command: 'parrot',
      args: ['--quiet'],
      acp_command: 'parrot-acp',
      acp_args: ['--stdio'],
      prompt_mode: 'flag',
      prompt_flag: '--prompt',
      ready_delay_ms: 100,
      env: { COLOUR: 'green' },
    })
    expect((await city.call('GET ~/provider/parrot')).body).toEqual(items[0])
    const open = (await city.call('GET ~/providers/public')).body
    expect(open.items[0]).toEqual({
      name: 'parrot',
      builtin: false,
      city_level: true,
      display_name: 'Parrot',
      options_schema: [
        {
          key: 'size',
          label: 'Size',
          type: 'select',
          default: 'small',
          choices: [{ value: 'small', label: 'Small' }],
        },
      ],
      effective_defaults: { size: 'small' },
    })
    expect(JSON.stringify(open)).not.toMatch(/"(command|env|args)"/)
    expect(await errorOf(city, 'GET ~/provider/ghost')).toBe(
      '404 provider-not-found: provider "ghost" is neither declared in city.toml nor built in',
    )
  })

  test('fail the session once, with the reason, when their command does not exist', async () => {
    await using town = await openTown('[providers.gone]\ncommand = "no-such-program-anywhere"\n')
    const { city } = town
    const accepted = await city.call('POST ~/sessions', { body: { kind: 'provider', name: 'gone' } })
    if (accepted.status !== 202) {
      expect(accepted.body.detail).toContain('no-such-program-anywhere')
      return
    }
    const outcome = await city.outcome(accepted.body)
    expect(outcome.type).toBe('request.failed')
    expect(JSON.stringify(outcome.payload)).toContain('no-such-program-anywhere')
  })
})

describe('POST ~/config/reload', () => {
  test('applies the files, or says why it cannot', async () => {
    await using town = await openTown('')
    const { city } = town
    const file = join(city.path, 'city.toml')
    const text = readFileSync(file, 'utf8')
    const reload = async () => (await city.call('POST ~/config/reload')).body
    expect(await reload()).toMatchObject({ outcome: 'no_change', errors: [] })
    writeFileSync(file, `${text}\n[[agent]]\nname = "new"\nstart_command = "cat"\n`)
    expect(['applied', 'no_change']).toContain((await reload()).outcome)
    expect((await city.call('GET ~/agents')).body.items).toMatchObject([{ name: 'new' }])
    writeFileSync(file, `${text}\n[nonsense]\nx = 1\n`)
    expect((await reload()).warnings).toEqual([expect.stringContaining('nonsense')])
    writeFileSync(file, `${text}\n[[agent]\n`)
    expect(await reload()).toMatchObject({ outcome: 'invalid', errors: [expect.stringContaining('city.toml')] })
  })
})

describe('the operations on configuration and providers', () => {
  test('are covered with success and every declared error', () => {
    expect(coverage.uncovered()).toEqual([])
  })

  test('fill every response field except those of patches', () => {
    expect(coverage.emptyFields()).toEqual([
      'ConfigPatchesResponse.agent_count',
      'ConfigPatchesResponse.provider_count',
      'ConfigPatchesResponse.rig_count',
      'ConfigResponse.patches',
      'ListBodyProviderResponse.next_cursor',
      'ListBodyProviderResponse.partial',
      'ListBodyProviderResponse.partial_errors',
      'ProviderPublicListBody.next_cursor',
    ])
  })
})
