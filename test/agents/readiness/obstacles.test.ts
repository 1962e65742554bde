import { expect, test } from 'bun:test'
import { chmodSync, readFileSync } from 'node:fs'
import { protocolObstacle, type StartedAgent } from '../../../src/agents/readiness/obstacles.ts'
import { agentObstacle } from '../../../src/agents/readiness/offline.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { write } from '../../programs/samples.ts'
import { scriptedTown } from '../../support/city.ts'

test('a Codex that cannot reach gc is reported with its fix, by readiness and the list as well, until it is a newer one', async () => {
  await using town = scriptedTown()
  const { folder } = town
  const env = { HOME: folder.path, PATH: folder.at('bin') }
  const install = (version: string) =>
    chmodSync(
      write(
        folder.at('bin', 'codex'),
        `#!/bin/sh\n/bin/echo x >> ${folder.at('runs')}\n/bin/echo "codex-cli ${version}"\n`,
      ),
      0o755,
    )
  install('0.104.0')
  write(folder.at('.codex', 'auth.json'), '{"auth_mode":"chatgpt","tokens":{"refresh_token":"x"}}')
  const agent = (name: string) => `[[agent]]\nname = "${name}"\nprovider = "codex"\n`
  town.declare(agent('worker') + agent('other'))
  const city = await town.open({ env })
  const reason = 'Codex 0.104.0 is older than 0.105.0, and its sessions cannot reach gc'
  const fix = 'npm install -g @openai/codex@latest'
  const programs = () => city.attention.list().items.filter(({ kind }) => kind === 'program')
  const until = async (length: number) => {
    for (let tries = 0; programs().length !== length && tries < 500; tries++) await Bun.sleep(10)
    await city.attention.whenIdle()
    return programs()
  }
  const status = async () => (await city.readiness.items({ items: 'codex', fresh: true })).items.codex
  expect(await until(1)).toMatchObject([{ agent: 'worker', asks: `${reason} (worker, other).`, to_do: fix }])
  expect(readFileSync(folder.at('runs'), 'utf8')).toBe('x\n')
  expect(await agentObstacle(env, city.config.current, 'worker')).toEqual({ reason, fix })
  expect(await status()).toMatchObject({ status: 'invalid_configuration', detail: `${reason}; ${fix}` })

  install('0.105.0')
  town.clock.advance(60_000)
  expect(await until(0)).toEqual([])
  expect(await status()).toMatchObject({ status: 'configured' })
  const told = city.log.after(0, 1000).map(({ type }) => type)
  expect(told.filter((type) => type.startsWith('attention.'))).toEqual(['attention.raised', 'attention.cleared'])
})

const FILES: Readonly<Record<string, unknown>> = {
  '/off/.claude/settings.json': { disableAllHooks: true },
  '/mine.json': { disableAllHooks: true },
}

/** Obstacles between an agent's program and gc, on a machine with a version of it and these files. */
const look = (name: string, mode: string, more: Partial<StartedAgent> = {}, { home = '/on', version = '' } = {}) =>
  protocolObstacle(
    { args: [], env: {}, optionDefaults: mode ? { permission_mode: mode } : {}, ...more },
    resolveProvider(name, new Map()),
    '/rig',
    {
      ...{ env: {}, home, readFile: () => undefined, readJson: (path) => FILES[path], listFolder: () => [] },
      run: () => Promise.resolve({ code: 0, stdout: version, timedOut: false }),
    },
  )

test.each(['0.105.0', '0.169.0', '1.0.0', 'none'])('codex %s can reach gc in every mode', async (version) => {
  for (const mode of ['suggest', 'auto-edit', 'unrestricted'])
    expect(await look('codex', mode, {}, { version })).toBeUndefined()
})

test('claude is reported where settings or switches keep it from running hooks, unless it asks about nothing', async () => {
  expect(await look('claude', 'ask')).toBeUndefined()
  expect(await look('claude', 'ask', { args: ['--bare'] })).toMatchObject({ fix: 'remove --bare' })
  const own = (value: string) => ({ args: ['--settings', value] })
  expect((await look('claude', 'ask', own('{"disableAllHooks":true}')))?.reason).toContain('in --settings')
  expect((await look('claude', 'plan', own('/mine.json')))?.reason).toContain('disableAllHooks in /mine.json')
  const off = { home: '/off' }
  const fix = 'remove disableAllHooks from /off/.claude/settings.json'
  expect(await look('claude', 'auto-edit', {}, off)).toMatchObject({ fix })
  expect(await look('claude', 'auto-edit', own('{"disableAllHooks":false}'), off)).toBeUndefined()
  expect(await look('claude', 'unrestricted', {}, off)).toBeUndefined()
})

test('opencode is reported without plugins, where it asks', async () => {
  const env = { OPENCODE_PERMISSION: '{"bash":"ask"}' }
  expect(await look('opencode', '', { args: ['--pure'] })).toBeUndefined()
  expect(await look('opencode', '', { env })).toBeUndefined()
  expect(await look('opencode', '', { args: ['--pure'], env })).toMatchObject({ fix: 'remove --pure' })
})
