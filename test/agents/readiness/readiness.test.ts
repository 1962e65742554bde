import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { ProgramInspector } from '../../../src/agents/readiness/inspector.ts'
import { BUILTINS, PRESETS } from '../../../src/programs/presets.ts'
import { write } from '../../programs/samples.ts'
import { scriptedTown } from '../../support/city.ts'
import { tempFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'

/** A city whose user has programs in `~/.local/bin` and no others. */
async function world(env: Record<string, string> = {}) {
  const town = scriptedTown()
  const { folder, clock } = town
  mkdirSync(folder.at('.local', 'bin'), { recursive: true })
  const all = { HOME: folder.path, PATH: '/nowhere', ...env }
  const { readiness, deadlines, processTokens } = await town.open({ env: all })
  return {
    readiness,
    clock,
    look: new ProgramInspector(all, deadlines, processTokens),
    program: (name: string, script = 'exit 0') =>
      chmodSync(write(folder.at('.local', 'bin', name), `#!/bin/sh\n${script}\n`), 0o755),
    file: (path: string, value: unknown) => write(folder.at(...path.split('/')), JSON.stringify(value)),
    status: async (name: string, fresh = true) => {
      const { items } = await readiness.items({ items: name, fresh })
      return items[name]?.status
    },
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}

/** True if a process is there and not only waiting to be looked at. */
function alive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe('readiness', () => {
  test('of every preset names the line that installs its program', async () => {
    await using it = await world()
    for (const name of BUILTINS.keys()) {
      const { items } = await it.readiness.items({ items: name })
      const { status, detail } = items[name] ?? {}
      expect([name, status, detail]).toEqual([name, 'not_installed', expect.stringMatching(/; install it: \S+ /)])
    }
  })

  test('finds a program that agents find on the PATH of the supervisor, and says that it is nowhere only if it is', async () => {
    await using folder = tempFolder()
    await using it = await world({ PATH: `.:${folder.at('bin')}` })
    expect(await it.status('claude')).toBe('not_installed')
    const program = write(folder.at('bin', 'claude'), `#!/bin/sh\necho '{"loggedIn": false}'\n`)
    chmodSync(program, 0o755)
    expect(await it.status('claude')).toBe('needs_auth')
  })

  test('of every preset whose program is installed and logged out names what logs in', async () => {
    await using it = await world()
    for (const [name, { command = name }] of BUILTINS) {
      it.program(command, `echo '{"loggedIn": false}'`)
      const { items } = await it.readiness.items({ items: name, fresh: true })
      const [program = ''] = PRESETS.get(name)?.login.split(/[ ,]/) ?? []
      expect([name, items[name]?.detail]).toEqual([name, expect.stringContaining(program)])
      expect(items[name]?.detail).toMatch(/log in|login/)
    }
  })

  test('of a program that is logged in by other means names the line for another login', async () => {
    await using it = await world()
    it.program('codex')
    it.file('.codex/auth.json', { auth_mode: 'apikey' })
    const { items } = await it.readiness.items({ items: 'codex' })
    expect(items.codex).toMatchObject({
      status: 'invalid_configuration',
      detail: expect.stringMatching(/: codex login$/),
    })
  })

  test('of Claude Code is what its own status command reports', async () => {
    await using it = await world()
    expect(await it.status('claude')).toBe('not_installed')
    const says = (output: object) =>
      it.program('claude', `[ "$*" = "auth status --json" ] && echo '${JSON.stringify(output)}'`)
    says({ loggedIn: true, authMethod: 'claude.ai', apiProvider: 'firstParty' })
    expect(await it.status('claude')).toBe('configured')
    says({ loggedIn: false })
    expect(await it.status('claude')).toBe('needs_auth')
    says({ loggedIn: true, authMethod: 'api_key', apiProvider: 'firstParty' })
    expect(await it.status('claude')).toBe('invalid_configuration')
    it.program('claude', 'echo what')
    expect(await it.status('claude')).toBe('probe_error')
  })

  test('of other programs is read from their files', async () => {
    await using it = await world()
    it.program('codex')
    expect(await it.status('codex')).toBe('needs_auth')
    it.file('.codex/auth.json', { auth_mode: 'chatgpt', tokens: { refresh_token: 'x' } })
    expect(await it.status('codex')).toBe('configured')
    it.file('.codex/auth.json', { auth_mode: 'apikey' })
    expect(await it.status('codex')).toBe('invalid_configuration')
    it.program('gemini')
    it.file('.gemini/settings.json', { security: { auth: { selectedType: 'oauth-personal' } } })
    expect(await it.status('gemini')).toBe('needs_auth')
    it.file('.gemini/oauth_creds.json', { refresh_token: 'x' })
    expect(await it.status('gemini')).toBe('configured')
    it.program('pi')
    it.file('.pi/agent/auth.json', {})
    expect(await it.status('pi')).toBe('configured')
    await using keyed = await world({ XIAOMI_API_KEY: 'x', GH_TOKEN: 'x' })
    keyed.program('mimo')
    keyed.program('gh')
    expect([await keyed.status('mimocode'), await keyed.status('github_cli')]).toEqual(['configured', 'configured'])
  })

  test('of a program that hangs is reported in time, and the program is killed with its children', async () => {
    await using it = await world()
    it.program('claude', 'sleep 600 & echo $! > "$HOME/child"; sleep 600')
    const result = it.look.run(['claude', 'auth', 'status'])
    const child = `${it.look.home}/child`
    for (const end = performance.now() + 5000; !it.look.readFile(child)?.endsWith('\n') && performance.now() < end; ) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    it.clock.advance(5000)
    expect(await result).toMatchObject({ timedOut: true })
    const alive = () => {
      try {
        process.kill(Number(it.look.readFile(child)), 0)
        return !it.look.readFile(`/proc/${Number(it.look.readFile(child))}/stat`)?.includes(') Z ')
      } catch {
        return false
      }
    }
    for (const end = performance.now() + 5000; alive() && performance.now() < end; ) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(alive()).toBe(false)
  })

  test('of a program that floods its output and leaves a child behind is reported in time', async () => {
    await using it = await world()
    const flood = 'trap "" TERM HUP; echo $$ > "$HOME/child"; while :; do echo flood; done'
    it.program('claude', `setsid sh -c '${flood}' & while :; do echo flood; done`)
    const result = it.look.run(['claude', 'auth', 'status'])
    await until(() => it.look.readFile(`${it.look.home}/child`)?.endsWith('\n') ?? false)
    it.clock.advance(5000)
    expect(await result).toEqual({ code: undefined, stdout: '', timedOut: true })
    const child = Number(it.look.readFile(`${it.look.home}/child`))
    // Nobody reads it any more, which ends what only writes.
    await until(() => !alive(child))
  })

  test('is determined once for simultaneous requests', async () => {
    await using it = await world()
    it.program('claude', 'echo x >> "$HOME/asked"; sleep 0.2; echo "{}"')
    const all = await Promise.all([it.status('claude'), it.status('claude'), it.status('claude', false)])
    expect(all).toEqual(['needs_auth', 'needs_auth', 'needs_auth'])
    expect(it.look.readFile(`${it.look.home}/asked`)).toBe('x\n')
  })

  test('does not wait for a settings file that is a pipe', async () => {
    await using it = await world()
    it.program('codex')
    mkdirSync(`${it.look.home}/.codex`)
    Bun.spawnSync(['mkfifo', `${it.look.home}/.codex/auth.json`])
    expect(await it.status('codex')).toBe('needs_auth')
  })

  test('is cached for two seconds, unless a fresh result is requested', async () => {
    await using it = await world()
    expect(await it.status('pi', false)).toBe('not_installed')
    it.program('pi')
    expect(await it.status('pi', false)).toBe('not_installed')
    expect(await it.status('pi', true)).toBe('needs_auth')
    it.clock.advance(2000)
    expect(await it.status('pi', false)).toBe('needs_auth')
  })

  test('is shown for the default items, and an unknown item is an error', async () => {
    await using it = await world()
    expect(Object.keys((await it.readiness.items({})).items)).toEqual(['claude', 'codex', 'gemini', 'github_cli'])
    const { providers } = await it.readiness.providers({ providers: 'pi, codex' })
    expect(providers).toMatchObject({ pi: { display_name: 'Pi Coding Agent' }, codex: { status: 'not_installed' } })
    expect(it.readiness.items({ items: 'x' }, 'invalid: ')).rejects.toThrow('invalid: unsupported items value "x"')
    expect(it.readiness.providers({ providers: 'github_cli' })).rejects.toThrow(
      'unsupported providers value "github_cli"',
    )
  })
})
