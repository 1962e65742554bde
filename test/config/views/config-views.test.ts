import { expect, test } from 'bun:test'
import { Config } from '../../../src/config/compose/config.ts'
import { LAYERS } from '../../../src/config/compose/layers/layers.ts'
import { ConfigViews } from '../../../src/config/views/config-views.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { agentsWorld } from '../../agents/agents/world.ts'
import { cityFiles } from '../city-files.ts'
import { importedAgents } from '../compose/layers/extra-layer.ts'

const TOWN = {
  'city.toml':
    '[workspace]\nname = "declared"\nprovider = "mine"\nmax_active_sessions = -1\n[providers.mine]\nbase = "builtin:claude"\nargs = ["--x"]\n[providers.codex]\nargs_append = ["--y"]\n[[rigs]]\nname = "shop"\npath = "$"\n',
  '.gc/site.toml': 'workspace_name = "here"\n',
  'agents/crew/agent.toml': 'dir = "shop"\nmax_active_sessions = 3\n',
  'agents/mayor/agent.toml': 'start_command = "./m"\nmax_active_sessions = 1\nscope = "city"\n',
}

test('the configuration in effect is shown with what a person suspended', async () => {
  await using town = await agentsWorld(TOWN)
  await town.send('POST', 'rig/shop/suspend')
  const shown = await town.get('config')
  expect(shown).toMatchObject({
    workspace: {
      name: 'mill',
      prefix: 'he',
      declared_name: 'declared',
      provider: 'mine',
      suspended: false,
      max_active_sessions: -1,
    },
    agents: [
      { name: 'crew', dir: 'shop', provider: 'mine', is_pool: true, suspended: true },
      { name: 'mayor', scope: 'city', suspended: false },
    ],
    rigs: [{ name: 'shop', path: town.folder.path, prefix: 'sh', suspended: true }],
    providers: {
      mine: { command: 'claude', args: ['--x'], display_name: 'Claude Code' },
      codex: {
        command: 'codex',
        args: ['-c', 'features.daemon_auto_start=false', '-c', 'allow_login_shell=false', '--y'],
      },
    },
  })
  expect(Object.keys(shown.providers as object)).toEqual(['mine', 'codex'])
  expect(shown.patches).toBeUndefined()
})

test('the defaults are the builtin providers and nothing else', async () => {
  await using town = await agentsWorld(TOWN)
  expect(await town.get('config/defaults')).toMatchObject({
    ...{ workspace: { name: 'mill', prefix: 'mi', suspended: false }, agents: [], rigs: [] },
    providers: { claude: { command: 'claude' }, gemini: { command: 'gemini' } },
  })
})

test('every agent and provider is shown with its origin', async () => {
  await using town = await agentsWorld(TOWN)
  expect(await town.get('config/explain')).toMatchObject({
    agents: [
      { name: 'crew', origin: 'pack-derived' },
      { name: 'mayor', origin: 'pack-derived' },
    ],
    providers: { mine: { origin: 'city' }, codex: { origin: 'builtin+city' }, claude: { origin: 'builtin' } },
    patches: { agents: 0, rigs: 0, providers: 0 },
  })
})

test('files with errors are reported and not applied', async () => {
  await using town = await agentsWorld(TOWN)
  expect(await town.get('config/validate')).toEqual({ valid: true, errors: [], warnings: [] })
  town.put('city.toml', '[daemon]\nmax_restarts = "x"\npatrol_interval = "soon"\n')
  expect(await town.get('config/validate')).toEqual({
    valid: false,
    errors: [
      'city.toml:2: [daemon] max_restarts: must be a whole number, not "x"',
      'agents/crew/agent.toml:1: dir: there is no rig "shop"; add it, or take dir out',
    ],
    warnings: [
      'city.toml:3: [daemon] patrol_interval: "soon" is not a duration such as 90s, 5m or 1h30m; it is ignored',
      'agents/crew/agent.toml:1: provider: it has neither a provider nor a start_command',
    ],
  })
  expect(await town.get('config')).toMatchObject({ rigs: [{ name: 'shop' }] })
})

test('agents of other layers and applied patches are explained as what they are', async () => {
  const patch = '[[patches.agent]]\nname = "packed"\nsuspended = true\n'
  using city = cityFiles({ 'city.toml': `[[agent]]\nname = "own"\nprovider = "claude"\n${patch}` })
  using pack = cityFiles({ 'pack.toml': '[[agent]]\nname = "packed"\nprovider = "codex"\n' })
  const layers = [importedAgents(pack.path), ...LAYERS]
  const config = await Config.open(city.path, undefined, { layers })
  const suspensions = {
    isCitySuspended: () => false,
    isRigSuspended: () => false,
    isAgentSuspended: (_: unknown, { suspended }: { suspended: boolean }) => suspended,
  }
  const views = new ConfigViews({
    ...{ config, suspensions, clock: systemClock, url: () => 'http://127.0.0.1:8372' },
    sessions: { keepThrough: async (change) => change() },
  })
  expect(views.explain()).toMatchObject({
    agents: [
      { name: 'own', origin: 'inline', suspended: false },
      { name: 'packed', origin: 'pack-derived', suspended: true },
    ],
    patches: { agents: 1, rigs: 0, providers: 0 },
  })
  expect(views.show().patches).toEqual({ agent_count: 1, rig_count: 0, provider_count: 0 })
})

test('keys without effect are warned of where the files are checked', async () => {
  await using town = await agentsWorld(TOWN)
  town.put('agents/mayor/agent.toml', 'start_command = "./m"\nmouse_mode = "x"\nfavourite = "red"\n')
  expect(await town.get('config/validate')).toEqual({
    valid: true,
    errors: [],
    warnings: [
      'agents/mayor/agent.toml:2: mouse_mode: has no effect: gc runs terminals itself, without tmux',
      'agents/mayor/agent.toml:3: favourite: is not a section or key of this file',
    ],
  })
})
