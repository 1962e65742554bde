import { expect, test } from 'bun:test'
import { buildLaunch, protocolLaunch } from '../../../src/config/providers/launch.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'

const launch = (name: string, mode: string, more: object = {}) => {
  const base = resolveProvider(name, new Map())
  const provider = { ...base, optionDefaults: mode ? { permission_mode: mode } : base.optionDefaults }
  const request = { provider, gc: '/g/bin/gc', ...more }
  return { ...buildLaunch(request), files: protocolLaunch(request).files ?? [] }
}

test('claude starts with hooks that decide about commands, and about files that it asks about', () => {
  const { argv, env, files } = launch('claude', 'ask', { prompt: 'Go' })
  const at = argv.indexOf('--settings')
  const hook = { type: 'command', command: '/g/bin/gc hook permission claude /g/bin/gc', timeout: 10 }
  const on = (matcher: string) => [{ matcher, hooks: [hook] }]
  expect(JSON.parse(argv[at + 1] ?? '')).toEqual({
    hooks: { PreToolUse: on('Bash'), PermissionRequest: on('Bash|Edit|MultiEdit|NotebookEdit|Read|Write') },
  })
  expect(argv[at + 2]).toBe('--allowedTools=Bash(/g/bin/gc hook protocol:*)')
  expect({ last: argv.at(-1), env, files }).toEqual({
    last: 'Go',
    env: { GC_STARTUP_PROMPT_DELIVERED: '1' },
    files: [],
  })
})

test('claude starts with the hook as a plugin where the agent has settings of its own', () => {
  for (const args of [['--settings', '{"env":{}}'], ['--settings=mine.json']]) {
    const { argv } = launch('claude', 'ask', { agent: { args }, prompt: 'Go' })
    expect(argv.filter((word) => word.startsWith('--settings')).length).toBe(1)
    expect(argv.slice(-3)).toEqual([
      '--plugin-dir=/g/bin/claude-plugin',
      '--allowedTools=Bash(/g/bin/gc hook protocol:*)',
      'Go',
    ])
  }
})

test('codex starts with rules for first words, and with the variable that has gc refuse what else may follow', () => {
  const { argv, env, files } = launch('codex', 'suggest')
  expect(argv).toContain('shell_environment_policy.set.GC_PROTOCOL_ONLY="1"')
  expect(env).toEqual({ GC_PROTOCOL_ONLY: '1' })
  expect(files.map(({ path }) => path)).toEqual(['.codex/rules/gc.rules'])
  const text = files.map((file) => ('text' in file ? file.text : '')).join('')
  expect(text).toContain('pattern = ["gc","hook"], decision = "allow"')
  expect(text).not.toMatch(/confine|"api"|"import"|"export"|"serve"|"config"|"run"/)
  expect(launch('codex', 'unrestricted')).toMatchObject({ env: {}, files: [] })
})

test('codex starts with a hook for what it asks about, and trusts it by the hash that it makes of hooks', () => {
  const { argv } = launch('codex', 'suggest')
  const command = 'GC_PROTOCOL_ONLY= /g/bin/gc hook permission codex'
  const hook = `[{ async = false, command = "${command}", timeout = 10, type = "command" }]`
  expect(argv).toContain(`hooks.PermissionRequest=[{ matcher = "^Bash$", hooks = ${hook} }]`)
  const state = argv.find((word) => word.startsWith('hooks.state='))
  expect(state).toMatch(
    /^hooks\.state=\{ "\/<session-flags>\/config\.toml:permission_request:0:0" = \{ trusted_hash = "sha256:[0-9a-f]{64}" \} \}$/,
  )
  expect(launch('codex', 'unrestricted').argv.join(' ')).not.toContain('hooks.')
})

test('gemini starts with the rules beside gc, the same variable, and a hook in its project', () => {
  const { argv, env, files } = launch('gemini', 'default')
  expect(argv.slice(-2)).toEqual(['--admin-policy', '/g/bin/gemini-policy.toml'])
  expect(env).toEqual({ GC_PROTOCOL_ONLY: '1' })
  const command = 'GC_PROTOCOL_ONLY= /g/bin/gc hook permission gemini'
  const hooks = [{ type: 'command', command, timeout: 10_000 }]
  expect(files).toEqual([
    { path: '.gemini/settings.json', settings: { hooks: { BeforeTool: [{ matcher: 'run_shell_command', hooks }] } } },
  ])
  expect(launch('gemini', 'unrestricted')).toMatchObject({ env: {}, files: [] })
})

test('nothing is added to a command that is not the program of its provider, nor for a launch that is only compared', () => {
  const plain = (name: string, more: object) => {
    const { argv, env, files } = launch(name, name === 'claude' ? 'ask' : 'suggest', more)
    return { added: argv.some((word) => /--settings|GC_PROTOCOL_ONLY/.test(word)), env, files }
  }
  const nothing = { added: false, env: {}, files: [] }
  for (const name of ['claude', 'codex']) {
    expect(plain(name, { agent: { startCommand: 'sleep 1' } })).toEqual(nothing)
    expect(plain(name, { agent: { resumeCommand: 'my-resume' }, resume: 'abc' })).toEqual(nothing)
    expect(plain(name, { gc: undefined })).toEqual(nothing)
  }
})

test('a program trusts the folder that gc made for it, by an option or a variable', () => {
  const trusted = '/city/.gc/worktrees/web/a "b"'
  expect(launch('claude', 'unrestricted', { trusted }).env).toEqual({ CLAUDE_CODE_SANDBOXED: '1' })
  expect(launch('gemini', 'unrestricted', { trusted }).env).toEqual({ GEMINI_CLI_TRUST_WORKSPACE: 'true' })
  const { argv } = launch('codex', 'unrestricted', { trusted })
  expect(argv).toContain('projects={"/city/.gc/worktrees/web/a \\"b\\""={trust_level="trusted"}}')
})

test('opencode starts with a plugin that calls gc, unless it asks about nothing', () => {
  const agent = { env: { OPENCODE_PERMISSION: '{"bash":"ask"}' } }
  const [file] = launch('opencode', '', { agent }).files
  expect(file).toMatchObject({ path: '.opencode/plugins/gc-protocol.js' })
  expect(file && 'text' in file ? file.text : '').toContain('"/g/bin/gc"} hook permission opencode < ')
  expect(launch('opencode', '').files).toEqual([])
})
