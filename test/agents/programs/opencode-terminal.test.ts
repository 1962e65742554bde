import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { terminalProfileOf } from '../../../src/agents/launch/terminal-profiles.ts'
import { buildLaunch } from '../../../src/config/providers/launch.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { HostClient } from '../../../src/host/client/host-client.ts'
import { deliver } from '../../../src/host/terminal/deliver.ts'
import { interrupt } from '../../../src/host/terminal/interrupt.ts'
import { waitUntilSettled } from '../../../src/host/terminal/wait-for-state.ts'
import { tempFolder } from '../../support/folder.ts'
import { eventually } from '../../support/until.ts'
import { ModelServer, type Script } from './model-server.ts'
import { opencodeEnv, opencodePath } from './opencode.ts'
import { GC } from './programs.ts'

const deadlines = new Deadlines()
const provider = { ...resolveProvider('opencode', new Map()), command: opencodePath() }
const program = { profile: terminalProfileOf(provider) }

/** OpenCode's full-screen interface in its own session host, with a model that follows a script. */
async function opencode(
  script: Script,
  { prompt = '', env = {} }: { prompt?: string; env?: Record<string, string> } = {},
) {
  const folder = tempFolder()
  const model = new ModelServer(script)
  const host = await HostClient.connect({
    home: folder.at('gc'),
    launch: [...GC, 'host'],
    env: process.env,
    clock: systemClock,
    deadlines,
  })
  const launched = buildLaunch({ provider, ...(prompt && { prompt }) })
  mkdirSync(folder.at('work'))
  await host.start({
    key: 's',
    argv: launched.argv,
    cwd: folder.at('work'),
    env: { PATH: '/usr/bin:/bin', TERM: 'xterm-256color', ...launched.env, ...opencodeEnv(folder, model.url), ...env },
    cols: 120,
    rows: 40,
  })
  const options = { deadlines, within: 90_000 }
  return {
    model,
    settle: (within = 90_000) => waitUntilSettled(host, 's', program, { deadlines, within }),
    say: (text: string) => deliver(host, 's', program, text, options),
    interrupt: () => interrupt(host, 's', program, options),
    press: (keys: string) => host.write('s', keys),
    async [Symbol.asyncDispose]() {
      await host.shutdown({ grace: 500 })
      host.close()
      await model.stop()
      folder[Symbol.dispose]()
    },
  }
}

const delivered = { state: 'delivered' } as const
const done = () => ({ text: 'Done.' })

setDefaultTimeout(120_000)

describe('OpenCode in a terminal', () => {
  test('accepts its first prompt as an argument and is then detected as ready', async () => {
    await using agent = await opencode(done, { prompt: 'Begin, please.' })
    await agent.model.until(({ user }) => user.length === 1)
    expect(await agent.settle()).toEqual({ is: 'ready' })
    expect(agent.model.conversations.map(({ user }) => user)).toEqual([['Begin, please.']])
  })

  test('receives input unchanged, whatever it contains', async () => {
    await using agent = await opencode(done)
    const texts: [input: string, arrives?: string][] = [
      ['line one\nline two\n  indented'],
      ['!touch owned', '» !touch owned'],
      ['x'.repeat(5000)],
      ['é ✓ 漢字 🙂 well done 👩‍👩‍👧 ✅'],
      ['a\x1b[201~\rb', 'a[201~\nb'],
    ]
    for (const [input] of texts) expect(await agent.say(input)).toEqual(delivered)
    const { user } = await agent.model.until((request) => request.user.length === texts.length)
    expect(user.map((text) => text.trimEnd())).toEqual(texts.map(([input, arrives = input]) => arrives))
  })

  test('accepts input during a turn, and the turn can be interrupted', async () => {
    await using agent = await opencode(done)
    const release = agent.model.hold()
    expect(await agent.say('first')).toEqual(delivered)
    await eventually(
      'its turn is seen',
      30_000,
      () => agent.settle(100),
      ({ is }) => is === 'busy',
    )
    expect(await agent.say('second')).toEqual(delivered)
    expect(await agent.interrupt()).toBe(true)
    release()
    expect(await agent.say('third')).toEqual(delivered)
  })

  test('shows a permission dialog that is reported and not answered by delivered input', async () => {
    const script: Script = ({ results }) =>
      results.length > 0 ? { text: 'Done.' } : { tool: 'bash', input: { command: 'touch made', description: 'make' } }
    await using agent = await opencode(script, { env: { OPENCODE_PERMISSION: '{"bash":"ask"}' } })
    expect(await agent.say('make it')).toEqual(delivered)
    await agent.model.until(({ results }) => results.length === 0)
    expect(await agent.settle()).toMatchObject({ is: 'asking', dialog: { kind: 'approval' } })
    expect(await agent.say('yes, do')).toMatchObject({ state: 'queued', dialog: { kind: 'approval' } })
    expect(agent.model.conversations).toHaveLength(1)
    await agent.press('\r')
    expect(await agent.model.until(({ results }) => results.length === 1)).toMatchObject({ user: ['make it'] })
  })
})
