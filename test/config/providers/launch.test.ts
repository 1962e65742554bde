import { describe, expect, test } from 'bun:test'
import { buildLaunch, effectiveOptions, type LaunchRequest } from '../../../src/config/providers/launch.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'

const builtin = (name: string) => resolveProvider(name, new Map())
const hostile = '"; touch /tmp/owned; $(id) `id` \n-x'

/** Runs an argv and returns its output: the proof of what a shell made of it. */
const printed = ({ argv, env }: { argv: string[]; env: Record<string, string> }) =>
  Bun.spawnSync(argv, { env: { PATH: '/usr/bin:/bin', ...env } }).stdout.toString()

describe('launching a provider', () => {
  test('claude gets its options as flags and its prompt as one argument', () => {
    expect(buildLaunch({ provider: builtin('claude'), prompt: hostile })).toEqual({
      argv: ['claude', '--dangerously-skip-permissions', '--effort', 'max', hostile],
      env: { GC_STARTUP_PROMPT_DELIVERED: '1' },
    })
  })

  test('opencode gets its prompt behind a flag and runs its tools without asking', () => {
    expect(buildLaunch({ provider: builtin('opencode'), prompt: 'work' })).toEqual({
      argv: ['opencode', '--prompt', 'work'],
      env: { OPENCODE_PERMISSION: '{"*":"allow"}', GC_STARTUP_PROMPT_DELIVERED: '1' },
    })
  })

  test('a provider that takes no prompt has it typed', () => {
    expect(buildLaunch({ provider: builtin('kimi'), prompt: 'work' })).toEqual({
      argv: ['kimi', '--yolo', '--no-thinking'],
      env: {},
      typed: 'work',
    })
  })

  test('a prompt longer than the system takes as one argument is typed', () => {
    const { argv, typed } = buildLaunch({ provider: builtin('gemini'), prompt: 'x'.repeat(130_000) })
    expect(argv).toEqual(['gemini', '--approval-mode', 'yolo'])
    expect(typed).toHaveLength(130_000)
  })

  test('a prompt that looks like an option is not one', () => {
    expect(buildLaunch({ provider: builtin('amp'), prompt: '--help' }).argv.at(-1)).toBe(' --help')
  })

  test('options of the session win over those of the agent, which win over the provider', () => {
    const provider = builtin('codex')
    expect(effectiveOptions(provider, { model: 'o3', effort: 'low' }, { model: 'o4-mini' })).toEqual({
      permission_mode: 'unrestricted',
      model: 'o4-mini',
      effort: 'low',
      sandbox: '',
    })
  })

  test.each<[string, Record<string, string>, string]>([
    ['an unknown option', { colour: 'red' }, 'claude has no option "colour"; it has permission_mode, effort, model'],
    ['an unknown value', { effort: '--x' }, 'option "effort" of claude cannot be "--x"; it can be "", low, medium'],
    ['a name every object has', { constructor: 'x' }, 'claude has no option "constructor"'],
  ])('%s is refused', (_, options, sentence) => {
    expect(() => buildLaunch({ provider: builtin('claude'), options })).toThrow(sentence)
  })

  test.each<[string, string[]]>([
    ['claude', ['claude', '--resume', 'k-1', '--dangerously-skip-permissions', '--effort', 'max']],
    ['amp', ['amp', 'threads', 'continue', 'k-1', '--dangerously-allow-all', '--no-ide']],
    ['kiro', ['kiro-cli', 'chat', '--no-interactive', '--agent', 'gascity', '--trust-all-tools']],
  ])('%s goes on with a conversation in its own way', (name, argv) => {
    expect(buildLaunch({ provider: builtin(name), resume: 'k-1' }).argv).toEqual(argv)
  })

  test('opencode has its prompt typed when it continues with a conversation, where it drops its flag', () => {
    expect(buildLaunch({ provider: builtin('opencode'), prompt: 'more', resume: 'ses_1' })).toMatchObject({
      argv: ['opencode', '--session', 'ses_1'],
      typed: 'more',
    })
  })

  test('a resume command takes the place of everything else', () => {
    const agent = { resumeCommand: "mine --continue '{{.SessionKey}}' now" }
    expect(buildLaunch({ provider: builtin('claude'), agent, resume: 'k-1' }).argv).toEqual([
      'mine',
      '--continue',
      'k-1',
      'now',
    ])
  })

  test('an invalid conversation key is rejected, since it would become an argument', () => {
    for (const resume of ['--evil', '', 'a b', 'x\ny']) {
      expect(() => buildLaunch({ provider: builtin('claude'), resume })).toThrow('is not the key of a conversation')
    }
  })

  test('a command may be several words and mention fields, which are never split', () => {
    const provider = { ...builtin('amp'), command: `npx -y 'my agent' --in {{.WorkDir}}`, args: [] }
    expect(buildLaunch({ provider, fields: { WorkDir: '/a b/"c"' } }).argv).toEqual([
      'npx',
      '-y',
      'my agent',
      '--in',
      '/a b/"c"',
    ])
    expect(() => buildLaunch({ provider: { ...provider, command: `a 'b` } })).toThrow('a quote that is not closed')
  })

  test('an agent without a provider or a command is rejected', () => {
    expect(() => buildLaunch({ agent: {} })).toThrow('neither a provider nor a start_command')
    expect(() => buildLaunch({ provider: builtin('amp'), agent: { promptMode: 'flag' }, prompt: 'x' })).toThrow(
      'there is no prompt_flag',
    )
  })
})

describe('launching a command', () => {
  const agent = (startCommand: string, more: LaunchRequest['agent'] = {}) => ({ startCommand, ...more })

  test('the prompt is typed unless the agent says otherwise', () => {
    expect(buildLaunch({ agent: agent('exec ./mine --loop'), prompt: 'work' })).toEqual({
      argv: ['/bin/sh', '-c', 'exec ./mine --loop'],
      env: {},
      typed: 'work',
    })
  })

  test('a prompt reaches the command as one argument and no shell reads it', () => {
    const started = buildLaunch({ agent: agent('printf "<%s>"', { promptMode: 'arg' }), prompt: hostile })
    expect(printed(started)).toBe(`<${hostile}>`)
  })

  test('the command says where the prompt goes', () => {
    const started = buildLaunch({
      agent: agent('printf "<%s>" "$2" end "$1"', { promptMode: 'flag', promptFlag: '--say' }),
      prompt: hostile,
    })
    expect(printed(started)).toBe(`<${hostile}><end><--say>`)
  })

  test('a variable in braces is not taken for the place of the prompt', () => {
    const started = buildLaunch({
      agent: agent(`printf "<%s>" "\${HOME}"`, { promptMode: 'arg', env: { HOME: '/h' } }),
      prompt: 'p',
    })
    expect(printed(started)).toBe('</h><p>')
  })

  test('a field with characters of a shell is rejected, and only where it is used', () => {
    const fields = { WorkDir: '/a b;c', Rig: 'web', RigRoot: '/srv/$x' }
    expect(buildLaunch({ agent: agent('mine {{.Rig}}'), fields }).argv.at(-1)).toBe('mine web')
    expect(() => buildLaunch({ agent: agent('mine {{.WorkDir}}'), fields })).toThrow(
      'start_command mentions {{.WorkDir}}',
    )
  })

  test('braces that are not ours stay in a command as they are written', () => {
    const fields = { Rig: 'web' }
    for (const command of ["docker ps --format '{{.Names}}'", 'echo {{.Rig', '{{nosuch .Rig}}']) {
      expect(buildLaunch({ agent: agent(command), fields }).argv.at(-1)).toBe(command)
    }
    expect(buildLaunch({ agent: agent('{{with .Rig}}in {{.}}{{end}} {{basename "a/b"}}'), fields }).argv.at(-1)).toBe(
      'in web b',
    )
  })
})
