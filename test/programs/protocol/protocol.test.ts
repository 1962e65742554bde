import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { policyText } from '../../../src/programs/gemini/policy.ts'
import { splitSimpleCommand } from '../../../src/programs/protocol/command-line.ts'
import { protocolPrefixes } from '../../../src/programs/protocol/index.ts'
import { askedCall, permissionAnswer } from '../../../src/programs/protocol/permission.ts'
import { onlyBegins, protocolWords } from '../../../src/programs/protocol/protocol.ts'
import { tempFolder } from '../../support/folder.ts'
import { SMUGGLED } from './smuggled.ts'

const GC = ['/opt/g c/gc']

/** Commands of agents, with their replacements. */
const ALLOWED: readonly (readonly [line: string, runs: string])[] = [
  ['gc hook --claim --json', 'hook --claim --json'],
  ['gc hook --claim --drain-ack --json', 'hook --claim --drain-ack --json'],
  ['  gc ready --json=id,title  ', 'ready --json=id,title'],
  ['bd show mp-1 mp-2 --json', 'bd show mp-1 mp-2 --json'],
  ['gc bd list --status open -n 5', 'bd list --status open -n 5'],
  ['bd list -n5 --limit=5', 'bd list -n5 --limit=5'],
  [
    'bd update mp-1 --set-metadata gc.outcome=pass \\\n  --status=closed --notes "It\'s \\"done\\" for \\$5;\nall of it"',
    `bd update mp-1 --set-metadata gc.outcome=pass --status=closed --notes 'It'\\''s "done" for $5;\nall of it'`,
  ],
  ["bd comment mp-1 'rm -rf $(x) | > `y`'", "bd comment mp-1 'rm -rf $(x) | > `y`'"],
  ["bd comment mp-1 'it'\\''s'", "bd comment mp-1 'it'\\''s'"],
  ['bd create "A list" --description "--file x"', "bd create 'A list' --description '--file x'"],
  ['gc mail send human "A question" "What now?"', "mail send human 'A question' 'What now?'"],
  ['gc handoff "Where I am" ""', "handoff 'Where I am' ''"],
  ['gc runtime drain-ack', 'runtime drain-ack'],
  ['bd dep mp-1 --blocks mp-2', 'bd dep mp-1 --blocks mp-2'],
  ['bd heartbeat mp-1', 'bd heartbeat mp-1'],
]

const split = (line: string) => splitSimpleCommand(line) ?? []

const call = (input: object, more: object = {}) =>
  JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: input, ...more })

describe('the protocol of gc', () => {
  test('has the commands that agents work with, as plain words', () => {
    expect(ALLOWED.map(([line]) => [line, protocolWords(line, GC) !== undefined])).toEqual(
      ALLOWED.map(([line]) => [line, true]),
    )
  })

  test('has no line that would do something else', () => {
    expect(SMUGGLED.filter((line) => protocolWords(line, GC) !== undefined)).toEqual([])
  })
})

describe('the hook of claude', () => {
  test('allows a command of the protocol, and has it run this gc whatever the shell finds under the name', () => {
    for (const [command, runs] of ALLOWED) {
      const answer = permissionAnswer('claude', call({ command, description: 'Work', timeout: 5_000 }), GC)
      expect(JSON.parse(answer ?? '{}')).toEqual({
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'allow',
          permissionDecisionReason: expect.any(String),
          updatedInput: { command: `'/opt/g c/gc' ${runs}`, description: 'Work', timeout: 5_000 },
        },
      })
    }
  })

  test('allows the command that runs in its place where the program asks all the same', () => {
    const runs = "'/opt/g c/gc' hook --claim"
    const asked = { hook_event_name: 'PermissionRequest' }
    expect(JSON.parse(permissionAnswer('claude', call({ command: runs }, asked), GC) ?? '{}')).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'allow', updatedInput: { command: runs } },
      },
    })
    const smuggled = call({ command: `${runs}; touch smuggled` }, asked)
    expect(permissionAnswer('claude', smuggled, GC)).toBeUndefined()
  })

  test('in the mode plan has the guard of gc run the command, for which claude has a rule', () => {
    const plan = { permission_mode: 'plan' }
    const answer = JSON.parse(permissionAnswer('claude', call({ command: "bd comment mp-1 'a; b'" }, plan), GC) ?? '{}')
    expect(answer.hookSpecificOutput.updatedInput.command).toBe("'/opt/g c/gc' hook protocol -- bd comment mp-1 'a; b'")
  })

  test('has a person asked about the guard in every form but its own', () => {
    const lines = [
      "'/opt/g c/gc' hook protocol -- bd comment mp-1 $GC_TOKEN",
      "'/opt/g c/gc' hook protocol -- ready > smuggled",
      'gc hook protocol -- ready',
    ]
    for (const command of lines) {
      const answer = JSON.parse(permissionAnswer('claude', call({ command }), GC) ?? '{}')
      expect(answer.hookSpecificOutput).toMatchObject({ permissionDecision: 'ask' })
    }
  })

  test('leaves every other call to the program', () => {
    const calls = [
      ...SMUGGLED.map((command) => call({ command })),
      call({ command: 'gc ready', dangerouslyDisableSandbox: true }),
      call({ command: ['gc', 'ready'] }),
      call({ command: 'gc ready' }, { tool_name: 'Write' }),
      call({ command: 'gc ready' }, { hook_event_name: 'PostToolUse' }),
      'no JSON',
      '[]',
      '',
    ]
    expect(calls.filter((each) => permissionAnswer('claude', each, GC) !== undefined)).toEqual([])
    expect(permissionAnswer('unknown', call({ command: 'gc ready' }), GC)).toBeUndefined()
  })
})

describe('the hook of a program that is about to ask', () => {
  const claude = (tool_name: string, tool_input: object, more: object = {}) =>
    askedCall('claude', call(tool_input, { hook_event_name: 'PermissionRequest', tool_name, ...more }))
  const opencode = (tool_input: object, more: object = {}) =>
    askedCall('opencode', call(tool_input, { hook_event_name: 'permission.asked', tool_name: 'edit', ...more }))

  test('names a command with the folder that it runs in', () => {
    const input = { command: 'npm test', description: 'Test' }
    const command = { kind: 'command', line: 'npm test', paths: ['/w/sub'] }
    expect(claude('Bash', input, { cwd: '/w/sub' })).toMatchObject(command)
    expect(opencode(input, { tool_name: 'bash', folder: '/w/sub' })).toMatchObject(command)
    expect(claude('Bash', { ...input, dangerouslyDisableSandbox: true }, { cwd: '/w' })).toBeUndefined()
    expect(claude('Bash', input)).toBeUndefined()
  })

  const codex = (log: string, tool_input: object, more: object = {}) =>
    askedCall(
      'codex',
      call(tool_input, { hook_event_name: 'PermissionRequest', cwd: '/w/sub', transcript_path: log, ...more }),
    )

  test('names a command of codex, unless its version names the folder of the session for all', () => {
    using folder = tempFolder()
    const log = (version: string) => {
      const path = folder.at(`${version}.jsonl`)
      writeFileSync(path, JSON.stringify({ type: 'session_meta', payload: { cwd: '/w', cli_version: version } }))
      return path
    }
    const input = { command: 'npm test', description: 'Why' }
    const allow = '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'
    const named = { kind: 'command' as const, line: 'npm test', paths: ['/w/sub'], allow }
    for (const version of ['0.166.0', '0.169.0', '1.0.0-alpha.1']) expect(codex(log(version), input)).toEqual(named)
    const silent = [
      codex(log('0.165.9'), input),
      codex(folder.at('missing'), input),
      codex('', input),
      codex(log('0.169.0'), { ...input, description: 'network-access example.com' }),
      codex(log('0.169.0'), { ...input, shell: './mine' }),
      codex(log('0.169.0'), input, { tool_name: 'apply_patch' }),
      codex(log('0.169.0'), input, { permission_mode: 'plan' }),
    ]
    expect(silent.filter((each) => each !== undefined)).toEqual([])
  })

  test('names a command of gemini for its dialog, which then shows the folder', () => {
    const gemini = (tool_input: object) =>
      askedCall(
        'gemini',
        call(tool_input, { hook_event_name: 'BeforeTool', tool_name: 'run_shell_command', cwd: '/w' }),
      )
    const [command, description] = ['npm test', 'Test']
    const named = { kind: 'command', paths: ['/w'] } as const
    const otherwise = (tool_input: object) =>
      JSON.stringify({ hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input } })
    expect(gemini({ command, description })).toEqual({ ...named, line: command })
    for (const dir_path of ['.', '/w', '../w/'])
      expect(gemini({ command, dir_path })).toEqual({
        ...{ ...named, line: command, otherwise: otherwise({ command, dir_path: '' }) },
      })
    const line = "cd 'a b' || exit; npm test"
    expect(gemini({ command, dir_path: 'a b' })).toEqual({
      ...{ ...named, line, otherwise: otherwise({ command: line, dir_path: '' }) },
    })
    expect(gemini({ command: 'gc ready', dir_path: 'sub' })).toBeUndefined()
    expect(gemini({ command, unknown: 1 })).toBeUndefined()
  })

  test('names every file of a call, with what allows it', () => {
    for (const tool of ['Edit', 'MultiEdit', 'Write'])
      expect(claude(tool, { file_path: '/w/a.ts' })).toMatchObject({ kind: 'write', paths: ['/w/a.ts'] })
    expect(claude('NotebookEdit', { notebook_path: '/w/a.ipynb' })?.paths).toEqual(['/w/a.ipynb'])
    const read = claude('Read', { file_path: '/w/a.ts' })
    expect(read).toMatchObject({ kind: 'read', paths: ['/w/a.ts'] })
    expect(JSON.parse(read?.allow ?? '')).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } },
    })
    expect(opencode({ filepath: '/w/a.ts', diff: '' })).toMatchObject({ kind: 'write', paths: ['/w/a.ts'] })
    const files = [{ filePath: '/w/a.ts' }, { filePath: '/w/b.ts', movePath: '/w/.git/hooks/b' }]
    expect(opencode({ filepath: 'a.ts, b.ts', files })?.paths).toEqual(['/w/a.ts', '/w/b.ts', '/w/.git/hooks/b'])
  })

  test('is silent where a path is missing or depends on a folder, and about every other call', () => {
    const silent = [
      ...['a.ts', '~/a.ts', '', 7, undefined].map((file) => claude('Edit', { file_path: file })),
      claude('Edit', { file_path: '/w/a.ts' }, { permission_mode: 'plan' }),
      claude('Edit', { file_path: '/w/a.ts' }, { hook_event_name: 'PreToolUse' }),
      claude('Bash', { file_path: '/w/a.ts', command: 'rm' }),
      claude('Read', { notebook_path: '/w/a.ts' }),
      opencode({ filepath: 'a.ts' }),
      opencode({ filepath: '/w/a.ts', files: [] }),
      opencode({ filepath: '/w/a.ts', files: 'a.ts' }),
      opencode({ files: [{ filePath: '/w/a.ts', movePath: 'b.ts' }] }),
      opencode({ files: [{ filePath: '/w/a.ts' }, {}] }),
      opencode({ filepath: '/w/a.ts' }, { tool_name: 'bash' }),
      askedCall('codex', call({ file_path: '/w/a.ts' }, { hook_event_name: 'PermissionRequest', tool_name: 'Edit' })),
    ]
    expect(silent.filter((files) => files !== undefined)).toEqual([])
  })
})

describe('a program that matches the first words of a command', () => {
  test('has gc refuse all that only begins as a command of the protocol', () => {
    const begin = protocolPrefixes()
    const matches = (words: readonly string[]) => begin.some((prefix) => prefix.every((word, at) => words[at] === word))
    const passed = SMUGGLED.filter((line) => matches(split(line)) && onlyBegins(split(line)) === undefined)
    expect(passed).toEqual([])
    expect(SMUGGLED.filter((line) => onlyBegins(split(line)) !== undefined).length).toBeGreaterThan(20)
  })

  test('runs the commands of the protocol, those of its hooks, and after asking all that begins otherwise', () => {
    const lines = [
      ...ALLOWED.map(([line]) => line),
      'gc hook run --timeout 15s --timeout-exit-code 0 -- nudge drain --inject',
      'gc confine -- make',
      'gc bead export -o beads.jsonl',
      'bd delete mp-1',
    ]
    expect(lines.filter((line) => onlyBegins(split(line)) !== undefined)).toEqual([])
    expect(onlyBegins(split('gc hook run -- confine -- make'))).toEqual(['gc', 'hook'])
    expect(onlyBegins(split('gc hook run --timeout 15s -- hook run -- confine -- make'))).toEqual(['gc', 'hook'])
  })
})

/** The pattern of a rule that allows. */
const ALLOWING = /^argsPattern = '''(.*)'''\ndecision = "allow"$/gm

describe('the rules of gemini', () => {
  const patterns = [...policyText().matchAll(/^argsPattern = '''(.*)'''$/gm)].map(([, pattern = '']) => pattern)
  const rules = [...policyText().matchAll(ALLOWING)].map(([, pattern = '']) => new RegExp(pattern))
  /** Arguments as the program writes them for its rules. */
  const isAllowed = (command: string, description = 'Work') => {
    const args = `{\0"command":${JSON.stringify(command)}\0,\0"description":${JSON.stringify(description)}\0}`
    return rules.some((rule) => rule.test(args))
  }

  test('are ones that it accepts', () => {
    expect(policyText().match(/^\[\[rule\]\]$/gm)?.length).toBe(patterns.length)
    const isRefused = (pattern: string) => pattern.length > 2048 || /\([^)]*[*+?{].*\)[*+?{]/.test(pattern)
    expect(patterns.filter(isRefused)).toEqual([])
  })

  test('allow commands of the protocol, also with quoted text', () => {
    const lines = [
      'gc hook --claim --json',
      'bd show mp-1',
      'gc bd list -n5',
      "bd comment mp-1 'rm -rf $(x) | > `y`; all'",
      'gc mail send human -s "What now?" -m "It\'s (not) clear; what now?"',
      'gc runtime drain-ack',
    ]
    expect(lines.filter((line) => !isAllowed(line))).toEqual([])
  })

  test('refuse a folder that the dialog would not show', () => {
    const refusing = /decision = "deny"/.exec(policyText())?.index ?? 0
    const [, pattern = ''] = /argsPattern = '''(.*)'''\n$/.exec(policyText().slice(0, refusing)) ?? []
    const refuses = (key: string, value: string) =>
      new RegExp(pattern).test(`{\0"command":"make"\0,\0${JSON.stringify(key)}:${JSON.stringify(value)}\0}`)
    expect([refuses('dir_path', 'sub'), refuses('directory', '/w'), refuses('dir_path', '')]).toEqual([
      true,
      true,
      false,
    ])
    expect(refuses('description', '"dir_path":"sub"')).toBe(false)
  })

  test('allow nothing that would do something else, but for what gc refuses', () => {
    const passed = SMUGGLED.filter((line) => isAllowed(line) && onlyBegins(split(line)) === undefined)
    expect(passed).toEqual([])
    expect(isAllowed('make', '\0"command":"gc hook"\0')).toBe(false)
  })
})

describe('the plugin in opencode', () => {
  const asked = (command: string, more: object = {}) =>
    JSON.stringify({
      ...{ hook_event_name: 'tool.execute.before', tool_name: 'bash' },
      tool_input: { command, description: 'Work', ...more },
    })

  test('gets the command to run in place of one of the protocol, and nothing for all others', () => {
    for (const [command, runs] of ALLOWED) {
      expect(permissionAnswer('opencode', asked(command), GC)).toBe(
        JSON.stringify({ command: `'/opt/g c/gc' ${runs}` }),
      )
    }
    const others = [...SMUGGLED.map((line) => asked(line)), asked('gc ready', { workdir: '/tmp' })]
    expect(others.filter((each) => permissionAnswer('opencode', each, GC) !== undefined)).toEqual([])
  })
})
