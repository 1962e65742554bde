import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { QuestionKind } from '../../../src/host/protocol/question.ts'
import type { Place, StartOptions } from './asked-program.ts'
import type { Reply, Script } from './model-server.ts'
import { claude, codex, gemini, opencode, type Program } from './programs.ts'

/** A situation in which a program asks a person something. */
export interface AskedCase {
  program: Program
  name: string
  kind: QuestionKind
  /** What its text has to contain, whole. */
  contains: readonly string[]
  start: StartOptions
  /** Which of its options are taken; each, unless the same dialog takes each of them about something shorter. */
  takes?: 'first' | 'last'
  /** Options after which the program wants more than an answer: words of a person, or the network. */
  wantsMore?: RegExp
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const ASKING: Readonly<Record<string, StartOptions>> = {
  claude: { options: { permission_mode: 'ask' } },
  codex: { options: { permission_mode: 'suggest' } },
  gemini: { options: { permission_mode: 'default' } },
  opencode: { env: { OPENCODE_PERMISSION: '{"*":"ask"}' } },
}

/** Calls a tool in the first turn, and is done with what comes of it. */
const calls =
  (...replies: readonly Reply[]): Script =>
  ({ results }) =>
    replies[results.length] ?? { text: 'Done.' }

const shell = ({ provider, shell: run }: Program, command: string): Reply =>
  provider === 'codex'
    ? {
        tool: 'exec_command',
        input: { cmd: command, sandbox_permissions: 'require_escalated', justification: 'May I do that?' },
      }
    : run(command)

const WORDS = Array.from({ length: 300 }, (_, index) => `word-${String(index).padStart(4, '0')}`)
const LONG = `touch ${WORDS.join(' ')}`
const LINES = Array.from({ length: 60 }, (_, index) => `touch file-${index}`)
const MANY = `${LINES.join('\n')}\ngit push --force origin main && rm -rf build`
const CODE = Array.from({ length: 80 }, (_, index) => `const value${index} = ${index}`)
const CHANGE = { before: 'const value3 = 3', after: 'const value3 = 4' }

const asks = (
  program: Program,
  name: string,
  contains: readonly string[],
  script: Script,
  start: StartOptions = {},
  kind: QuestionKind = 'approval',
): AskedCase => {
  const asking = ASKING[program.provider] ?? {}
  return {
    ...{ program, name, kind, contains, wantsMore: /custom value|type (?:something|your own)|external editor/i },
    start: { prompt: 'Make it', script, ...asking, ...start, env: { ...asking.env, ...start.env } },
  }
}

const commands = (program: Program): AskedCase[] => [
  asks(program, 'a command of one word', ['make'], calls(shell(program, 'make'))),
  { ...asks(program, 'a command of 3,000 characters', [LONG], calls(shell(program, LONG))), takes: 'last' },
  { ...asks(program, 'a command of 61 lines', MANY.split('\n'), calls(shell(program, MANY))), takes: 'first' },
]

const code = ({ work }: Place): void => write(join(work, 'a.ts'), `${CODE.join('\n')}\n`)

const COLOURS = {
  question: 'Which colour shall it be?',
  header: 'Colour',
  options: [
    { label: 'Red', description: 'As blood' },
    { label: 'Blue', description: 'As the sea' },
  ],
}

/** A server of tools that offers to ship a version. */
const SERVER = join(import.meta.dir, 'tool-server.mjs')
const CALL = { to: 'production', version: '1.2.3' }
const servers = { deploy: { command: 'node', args: [SERVER] } }

const settings = (path: string, change: (settings: Record<string, unknown>) => object): void =>
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))))

const startup = (
  program: Program,
  name: string,
  kind: QuestionKind,
  contains: readonly string[],
  start: StartOptions,
): AskedCase => ({ program, name, kind, contains, start })

const claudeCases = (): AskedCase[] => {
  let work = ''
  const prepare = (place: Place) => {
    work = place.work
    code(place)
  }
  const edit: Script = ({ results }) =>
    results.length === 0
      ? { tool: 'Read', input: { file_path: join(work, 'a.ts') } }
      : results.length === 1
        ? {
            tool: 'Edit',
            input: { file_path: join(work, 'a.ts'), old_string: CHANGE.before, new_string: CHANGE.after },
          }
        : { text: 'Done.' }
  const home = (change: object) => (place: Place) => write(join(place.home, '.claude.json'), JSON.stringify(change))
  const known = { hasCompletedOnboarding: true, theme: 'dark' }
  return [
    ...commands(claude),
    asks(
      claude,
      'a new file of 80 lines',
      ['b.ts', ...CODE],
      calls({ tool: 'Write', input: { file_path: 'b.ts', content: CODE.join('\n') } }),
    ),
    asks(claude, 'an edit', ['a.ts', `-${CHANGE.before}`, `+${CHANGE.after}`], edit, { prepare }),
    asks(
      claude,
      'a web fetch',
      ['https://example.com/a?b=c'],
      calls({ tool: 'WebFetch', input: { url: 'https://example.com/a?b=c', prompt: 'Read it' } }),
    ),
    asks(
      claude,
      'a tool of a server',
      ['Ship', 'production', '1.2.3'],
      calls({ tool: 'mcp__deploy__ship', input: CALL }),
      {
        args: [`--mcp-config=${JSON.stringify({ mcpServers: servers })}`],
      },
    ),
    asks(
      claude,
      'a question',
      [],
      calls({ tool: 'AskUserQuestion', input: { questions: [{ ...COLOURS, multiSelect: false }] } }),
      {},
      'choice',
    ),
    asks(
      claude,
      'leaving plan mode',
      [],
      calls({ tool: 'ExitPlanMode', input: { plan: '1. Do this' } }),
      { options: { permission_mode: 'plan' } },
      'plan',
    ),
    startup(claude, 'a folder to trust', 'trust', ['Accessing workspace'], { prepare: home(known) }),
    startup(claude, 'colours', 'theme', [], { prepare: home({}) }),
    startup(claude, 'an API key', 'api-key', ['ANTHROPIC_API_KEY'], {
      env: { ANTHROPIC_AUTH_TOKEN: '', ANTHROPIC_API_KEY: `sk-ant-api03-${'a'.repeat(80)}` },
    }),
    startup(claude, 'no permission checks', 'permissions', ['Bypass Permissions mode'], {
      options: { permission_mode: 'unrestricted' },
      prepare: ({ home: folder, work: path }) =>
        write(
          join(folder, '.claude.json'),
          JSON.stringify({ ...known, projects: { [path]: { hasTrustDialogAccepted: true } } }),
        ),
    }),
    startup(claude, 'a new server of tools', 'mcp', ['deploy'], {
      ...ASKING.claude,
      prepare: ({ work: path }) => write(join(path, '.mcp.json'), JSON.stringify({ mcpServers: servers })),
    }),
    startup(claude, 'instructions from elsewhere', 'imports', ['out.md'], {
      prepare: ({ folder, work: path }) => {
        write(folder.at('out.md'), 'Be kind.')
        write(join(path, 'CLAUDE.md'), `@${folder.at('out.md')}\n`)
      },
    }),
  ]
}

const codexCases = (): AskedCase[] => [
  ...commands(codex),
  asks(
    codex,
    'an edit',
    ['hello.txt', '+hello', '+world'],
    calls({
      tool: 'exec_command',
      input: {
        cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: hello.txt\n+hello\n+world\n*** End Patch\nEOF",
      },
    }),
  ),
  {
    ...startup(codex, 'a login', 'login', [], {
      prepare: ({ home }) => write(join(home, '.codex', 'config.toml'), ''),
    }),
    wantsMore: /Device Code/,
  },
]

const geminiCases = (): AskedCase[] => {
  const change = (to: (settings: Record<string, unknown>) => object) => (place: Place) =>
    settings(join(place.home, '.gemini', 'settings.json'), to)
  return [
    ...commands(gemini),
    asks(
      gemini,
      'a new file of 80 lines',
      ['b.ts', ...CODE],
      calls({ tool: 'write_file', input: { file_path: 'b.ts', content: CODE.join('\n') } }),
    ),
    asks(
      gemini,
      'an edit',
      [CHANGE.before, CHANGE.after],
      calls({
        tool: 'replace',
        input: {
          file_path: 'a.ts',
          instruction: 'Change it',
          old_string: `${CHANGE.before}\n`,
          new_string: `${CHANGE.after}\n`,
        },
      }),
      { prepare: code },
    ),
    asks(
      gemini,
      'a web fetch',
      ['https://example.com/a?b=c'],
      calls({ tool: 'web_fetch', input: { prompt: 'Read https://example.com/a?b=c and say' } }),
    ),
    asks(
      gemini,
      'a tool of a server',
      ['ship', 'production', '1.2.3'],
      calls({ tool: 'mcp_deploy_ship', input: CALL }),
      {
        prepare: change((now) => ({ ...now, mcpServers: servers })),
      },
    ),
    asks(
      gemini,
      'a question',
      [],
      calls({ tool: 'ask_user', input: { questions: [{ ...COLOURS, type: 'choice' }] } }),
      {},
      'choice',
    ),
    startup(gemini, 'a folder to trust', 'trust', ['Trusting a folder'], {
      prepare: change((now) => ({
        ...now,
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: true } },
      })),
    }),
    {
      ...startup(gemini, 'a login', 'login', [], {
        env: { GEMINI_API_KEY: '' },
        prepare: change(() => ({ security: { folderTrust: { enabled: false } } })),
      }),
      wantsMore: /Google|Vertex/,
    },
  ]
}

const opencodeCases = (): AskedCase[] => [
  ...commands(opencode),
  asks(
    opencode,
    'a new file of 80 lines',
    ['b.ts', ...CODE],
    calls({ tool: 'write', input: { filePath: 'b.ts', content: CODE.join('\n') } }),
  ),
  asks(
    opencode,
    'an edit',
    ['a.ts', CHANGE.before, CHANGE.after],
    calls({
      tool: 'edit',
      input: { filePath: 'a.ts', oldString: CHANGE.before, newString: CHANGE.after },
    }),
    { prepare: code },
  ),
  asks(
    opencode,
    'a web fetch',
    ['https://example.com/a?b=c'],
    calls({ tool: 'webfetch', input: { url: 'https://example.com/a?b=c', format: 'text' } }),
  ),
  asks(opencode, 'a folder elsewhere', ['/etc'], calls({ tool: 'read', input: { filePath: '/etc/hostname' } })),
  asks(opencode, 'a question', [], calls({ tool: 'question', input: { questions: [COLOURS] } }), {}, 'choice'),
]

export const CASES: readonly AskedCase[] = [...claudeCases(), ...codexCases(), ...geminiCases(), ...opencodeCases()]
