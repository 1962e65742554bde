import { describe, expect, test } from 'bun:test'
import { sessionEnvironment } from '../../../src/agents/launch/environment.ts'
import type { SessionRow } from '../../../src/work/sessions/table.ts'

describe('the environment of a session', () => {
  const row = {
    id: 'mc-7',
    kind: 'agent',
    template: 'demo/worker',
    rig: 'demo',
    provider: 'claude',
    origin: 'ephemeral',
    sessionName: 'worker-mc-7',
    alias: null,
    named: null,
    agentName: 'demo/worker-1',
    workDir: '/srv/demo',
    work: 'mc-3',
  } as SessionRow
  const network = { variables: () => ({ GC_SOCIAL_NAME: 'mill-worker' }), instructions: () => '' }
  const place = {
    city: 'mill',
    path: '/mill',
    home: '/home/.gc',
    url: () => 'http://127.0.0.1:8372',
    bin: '/bin/gc',
    tokenRequirement: { canBeRequired: false, demand: () => false },
    network,
  }
  const env = {
    PATH: '/usr/bin',
    HOME: '/home',
    GC_TOKEN: 'gco_operator',
    SECRET: 'x',
    LC_ALL: 'C',
    ANTHROPIC_API_KEY: 'k',
  }
  const made = sessionEnvironment(
    row,
    { ...place, env },
    { PATH: '/own', GC_AGENT: 'someone', EXTRA: '1' },
    {
      isForeign: () => false,
      token: 'gcs_1',
      rigPath: '/srv/demo',
      pack: { name: 'gastown', folder: '/packs/gastown' },
    },
  )

  test('identifies the session and contains its own token', () => {
    expect(made).toMatchObject({
      GC_URL: 'http://127.0.0.1:8372',
      GC_HOME: '/home/.gc',
      GC_BIN: '/bin/gc',
      GC_CITY: '/mill',
      GC_CITY_PATH: '/mill',
      GC_CITY_RUNTIME_DIR: '/mill/.gc/runtime',
      GC_PACK_DIR: '/packs/gastown',
      GC_PACK_STATE_DIR: '/mill/.gc/runtime/packs/gastown',
      GC_TRIGGER_BEAD_ID: 'mc-3',
      GC_CITY_NAME: 'mill',
      GC_AGENT: 'worker-mc-7',
      GC_TEMPLATE: 'demo/worker',
      GC_ALIAS: 'demo/worker-1',
      GC_SESSION_ID: 'mc-7',
      GC_SESSION_NAME: 'worker-mc-7',
      GC_DIR: '/srv/demo',
      GC_RIG: 'demo',
      BEADS_ACTOR: 'worker-mc-7',
      GC_TOKEN: 'gcs_1',
    })
  })

  test('has gc first on its PATH and inherits only what it needs', () => {
    expect(made.PATH).toBe('/home/.gc/bin:/own')
    expect(made).toMatchObject({ EXTRA: '1', HOME: '/home', LC_ALL: 'C', ANTHROPIC_API_KEY: 'k' })
    expect(made.SECRET).toBeUndefined()
  })
})
