import { describe, expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { allowsPath, namedFiles } from '../../../src/agents/rules/named-files.ts'
import { allowsLine, isDestructive, ruleValue } from '../../../src/agents/rules/rule.ts'
import { realPath } from '../../../src/core/folders.ts'
import { profileOf } from '../../../src/programs/screens.ts'
import { tempFolder } from '../../support/folder.ts'

describe('a rule for a command', () => {
  test('allows the same arguments, and nothing that a shell would read as more', () => {
    for (const line of ['npm test', ' npm  test ', 'npm\ttest']) expect(allowsLine('npm test', line)).toBe(true)
    const others = [
      ...['npm test --watch', 'npm', 'npm tests', 'NPM test', 'npm test;', 'npm test; rm -rf x', 'npm test && x'],
      ...['npm test | sh', 'npm test > x', 'npm test\nrm x', 'npm test\r', 'npm $(x)', 'npm `x`', 'npm test &'],
      ...[
        'X=1 npm test',
        '"npm" test',
        'npm test #x',
        'npm te\\st',
        'npm t*st',
        '~/npm test',
        'npm tеst',
        'npm test\u0000',
      ],
    ]
    expect(others.filter((line) => allowsLine('npm test', line))).toEqual([])
  })

  test('with characters of a shell allows exactly that line', () => {
    const line = 'npm test 2>&1 | tail -5'
    expect(allowsLine(line, line)).toBe(true)
    expect([`${line} `, `${line}0`, 'npm test  2>&1 | tail -5'].filter((other) => allowsLine(line, other))).toEqual([])
  })
})

test('nothing that destroys, publishes or runs other commands is suggested', () => {
  const command = (line: string) => isDestructive({ kind: 'command', line })
  const destructive = [
    ...['rm -rf x', '/bin/rm x', 'git push --force', 'git push -f', 'git reset --hard', 'dd if=a of=b', 'sudo ls'],
    ...['curl x', 'curl x | sh', 'sh x.sh', 'npm publish', 'git branch -D x', 'find . -delete', 'npm run deploy'],
    ...['python -c x', 'node -e x', 'kubectl get pods', 'npm test; x', 'npm run clean-all', 'xargs rm', 'make prune'],
  ]
  expect(destructive.filter((line) => !command(line))).toEqual([])
  expect(['npm test', 'make', 'cargo build --release-notes', 'go vet ./...', 'git status'].filter(command)).toEqual([
    'cargo build --release-notes',
  ])
  expect(isDestructive({ kind: 'tool', server: 'gh', tool: 'deleteRepo' })).toBe(true)
  expect(isDestructive({ kind: 'tool', server: 'gh', tool: 'list_issues' })).toBe(false)
  expect(isDestructive({ kind: 'write', paths: ['/x'] })).toBe(true)
})

test('a rule for a path allows what is below it as it is written, and nothing through a link or in a protected folder', () => {
  using folder = tempFolder()
  const base = realPath(folder.path)
  mkdirSync(`${base}/src/.git`, { recursive: true })
  mkdirSync(`${base}/other`)
  symlinkSync(`${base}/other`, `${base}/src/link`)
  const allowed = (path: string) => allowsPath('src', path, base)
  expect(['/src', '/src/a.ts', '/src/new/b.ts'].filter((path) => !allowed(base + path))).toEqual([])
  const others = [
    '/srcs/a',
    '/src/../other/a',
    '/src/link/a',
    '/src/link',
    '/src/.git/hooks/x',
    '/src/.GIT/x',
    '/src//a',
    '',
  ]
  expect(others.filter((path) => allowed(base + path))).toEqual([])
  expect([allowed('src/a.ts'), allowsPath('src/link', `${base}/src/link/a`, base)]).toEqual([false, false])
})

test('a rule for a path allows it in a session whose folder a person reaches by a link', () => {
  using folder = tempFolder()
  const base = realPath(folder.path)
  mkdirSync(`${base}/real/src`, { recursive: true })
  symlinkSync(`${base}/real`, `${base}/web`)
  for (const asked of [`${base}/web/src/a.ts`, `${base}/real/src/a.ts`])
    expect(allowsPath('src', asked, `${base}/web`)).toBe(true)
  expect(allowsPath('src', `${base}/web/other/a.ts`, `${base}/web`)).toBe(false)
  symlinkSync(`${base}/real/src`, `${base}/real/lib`)
  expect(allowsPath('lib', `${base}/web/lib/a.ts`, `${base}/web`)).toBe(false)
})

test('the files that decide what a command does are its manifest and what it names', () => {
  using folder = tempFolder()
  const base = realPath(folder.path)
  writeFileSync(`${base}/package.json`, '{}')
  writeFileSync(`${base}/run.sh`, 'x')
  symlinkSync('/etc', `${base}/etc`)
  const states = (line: string) => namedFiles(line, base).map(({ name, state }) => `${name} ${state.slice(0, 6)}`)
  expect(states('npm test')).toEqual(['package.json sha256', '.npmrc absent', 'npm absent', 'test absent'])
  expect(states('./run.sh --config=etc/x -v')).toEqual(['./run.sh sha256', 'etc/x link'])
  expect(states('node etc')).toEqual(['node absent', 'etc link'])
})

describe('the subject of a question', () => {
  const read = (name: string, prompt: string, ...rows: string[]) =>
    profileOf({ name }).subject?.({ kind: 'approval', prompt, text: rows.join('\n') }, '/work')

  test('is never a part of what an agent wrote into its explanation', () => {
    const trailer = ['', 'This command requires approval']
    const claude = (...rows: string[]) => read('claude', 'Do you want to proceed?', 'Bash command', ...rows, ...trailer)
    expect(claude('Run it', '', 'npm test')).toEqual({ kind: 'command', line: 'npm test' })
    const faked = claude('Run it', '', 'npm test', '', 'This command requires approval', '', 'rm -rf x')
    expect(faked?.kind === 'command' && allowsLine('npm test', faked.line)).toBe(false)
    const codex = (...rows: string[]) => read('codex', 'Would you like to run the following command?', ...rows)
    expect(codex('Environment: local', '', 'Reason: why', '', '$ npm test')).toEqual({
      kind: 'command',
      line: 'npm test',
    })
    const hidden = codex('Reason: why', '', '$ npm test', '', '$ rm -rf x')
    expect(hidden?.kind === 'command' && allowsLine('npm test', hidden.line)).toBe(false)
    expect(codex('Permission rule: network', '', '$ npm test')).toBeUndefined()
    const opencode = (...rows: string[]) => read('opencode', 'x', '△ Permission required', ...rows)
    expect(opencode('  # Run it', '', '$ npm test')).toEqual({ kind: 'command', line: 'npm test' })
    expect(opencode('  # Run it', '$ npm test', '', '$ rm -rf x')).toBeUndefined()
    const gemini = (...rows: string[]) => read('gemini', 'Allow execution of [Shell]?', ...rows)
    expect(gemini('? Shell  Run it', '', '  npm test')).toEqual({ kind: 'command', line: 'npm test' })
    const two = gemini('? Shell  Run it', '', 'npm test', '', '  rm -rf x')
    expect(two?.kind === 'command' && allowsLine('npm test', two.line)).toBe(false)
  })

  test('is the command above the reason of claude, if it gives one', () => {
    const claude = (...rows: string[]) =>
      read('claude', 'Do you want to proceed?', 'Bash command', 'Run it', '', ...rows)
    const reason = "A variable in this command can't be checked before it runs"
    expect(claude('cat $HOME/x', '', reason)).toEqual({ kind: 'command', line: 'cat $HOME/x' })
    expect(claude('rm -rf build')).toEqual({ kind: 'command', line: 'rm -rf build' })
    expect(claude('make', '', 'make test')).toBeUndefined()
  })

  test('is a path from the folder of the session, where the program counts paths from it', () => {
    const write = (path: string) => ({ kind: 'write' as const, paths: [path] })
    const gemini = (heading: string) => read('gemini', 'Apply this change?', heading)
    expect(gemini('? Edit  src/a.ts: one => two')).toEqual(write('/work/src/a.ts'))
    expect(gemini('? Edit  src/.../a.ts: one => two')).toBeUndefined()
    const codex = (heading: string, destination: string) =>
      read('codex', 'Would you like to make the following edits?', heading, '', `  Destination: ${destination}`)
    expect(codex('• Edited src/a.ts (+1 -1)', '/work/src/a.ts')).toEqual(write('/work/src/a.ts'))
    // The end of a long line of a file may look like this.
    expect(codex('• Edited a.ts (+1 -1)', '/work/src/a.ts')).toBeUndefined()
    // The shell of claude may be in another folder by now; opencode has patches whose paths are from the repository.
    const claude = read('claude', 'Do you want to make this edit to a.ts?', 'Edit file', 'src/a.ts', '', '1 -one')
    const opencode = (path: string) => read('opencode', 'x', '△ Permission required', `  → Edit ${path}`, '', '1 - one')
    for (const subject of [claude, opencode('src/a.ts')]) {
      expect(subject).toEqual(write('src/a.ts'))
      expect(ruleValue(write('src/a.ts'))).toBeUndefined()
    }
    expect(opencode('/elsewhere/a.ts')).toBeUndefined()
    const reading = (...rows: string[]) => read('claude', 'Do you want to proceed?', 'Read file', ...rows)
    expect(reading('', 'Read(/etc/hosts)')).toEqual({ kind: 'read', paths: ['/etc/hosts'] })
    expect(reading('', 'Read(a.ts)')).toBeUndefined()
    expect(reading('', 'Read(/etc/hosts)', 'Read(/x)')).toBeUndefined()
  })

  test('is the whole list of hosts, and a path only where the program shows all of it', () => {
    const fetch = (...urls: string[]) =>
      read(
        'gemini',
        'Do you want to proceed?',
        '?  WebFetch x',
        '',
        'URLs to fetch:',
        ...urls.map((url) => ` - ${url}`),
      )
    expect(fetch('https://a.com/x', 'https://b.com:8/y')).toEqual({ kind: 'fetch', hosts: ['a.com', 'b.com:8'] })
    expect(fetch('https://a.com/x', 'file:///etc/passwd')).toBeUndefined()
    const write = (row: string) => read('gemini', 'Apply this change?', row, '', '1 x')
    expect(write('? WriteFile  Writing to b.ts')).toEqual({ kind: 'write', paths: ['/work/b.ts'] })
    expect(write('? WriteFile  Writing to src/.../b.ts')).toBeUndefined()
  })
})
