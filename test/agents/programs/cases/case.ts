import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { QuestionKind } from '../../../../src/programs/terminal-profile.ts'
import type { Place, StartOptions } from '../asked-program.ts'
import type { Reply, Script } from '../model-server.ts'
import type { Program } from '../programs.ts'

/** Somebody at the terminal of a program. */
export interface Typist {
  /** Waits until the screen shows this. */
  sees(text: string): Promise<void>
  press(keys: string): Promise<void>
}

/** A situation in which a program asks a person something. */
export interface AskedCase {
  program: Program
  name: string
  kind: QuestionKind
  /** It asks this on starting, and not again. */
  onStart?: boolean
  /** Text that it must contain in full. */
  contains: readonly string[]
  start: StartOptions
  /** Text that a person types before it asks. */
  typed?: (typist: Typist) => Promise<void>
  /** Options taken; each, unless the same dialog has a shorter case for them. */
  takes?: 'first' | 'last'
  /** Boxes that are ticked together, with the words of a person in one that takes some. */
  together?: readonly string[]
  /** Options after which the program wants more than an answer: an editor, or the network. */
  wantsMore?: RegExp
}

export const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

export const ASKING: Readonly<Record<string, StartOptions>> = {
  claude: { options: { permission_mode: 'ask' } },
  codex: { options: { permission_mode: 'suggest' } },
  gemini: { options: { permission_mode: 'default' } },
  opencode: { env: { OPENCODE_PERMISSION: '{"*":"ask"}' } },
}

/** Calls a tool in the first turn, and is done with the result of it. */
export const calls =
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
export const CODE = Array.from({ length: 80 }, (_, index) => `const value${index} = ${index}`)
export const CHANGE = { before: 'const value3 = 3', after: 'const value3 = 4' }

export const asks = (
  program: Program,
  name: string,
  contains: readonly string[],
  script: Script,
  start: StartOptions = {},
  kind: QuestionKind = 'approval',
): AskedCase => {
  const asking = ASKING[program.provider] ?? {}
  return {
    ...{ program, name, kind, contains, wantsMore: /external editor/i },
    start: { prompt: 'Make it', script, ...asking, ...start, env: { ...asking.env, ...start.env } },
  }
}

export const commands = (program: Program): AskedCase[] => [
  asks(program, 'a command of one word', ['make'], calls(shell(program, 'make'))),
  { ...asks(program, 'a command of 3,000 characters', [LONG], calls(shell(program, LONG))), takes: 'last' },
  { ...asks(program, 'a command of 61 lines', MANY.split('\n'), calls(shell(program, MANY))), takes: 'first' },
]

/** A file to edit, and no other. */
export function code({ work }: Place): void {
  rmSync(join(work, 'b.ts'), { force: true })
  write(join(work, 'a.ts'), `${CODE.join('\n')}\n`)
}

export const COLOURS = {
  question: 'Which colour shall it be?',
  header: 'Colour',
  options: [
    { label: 'Red', description: 'As blood' },
    { label: 'Blue', description: 'As the sea' },
  ],
}

export const SIZES = {
  question: 'How large shall it be?',
  header: 'Size',
  options: [
    { label: 'Small', description: 'As a mouse' },
    { label: 'Large', description: 'As a house' },
  ],
}

/** The plan of an agent, longer than a screen. */
export const PLAN = [
  '# Ship it',
  '',
  '1. Build the thing',
  '2. Run git push --force origin main',
  ...Array.from({ length: 60 }, (_, index) => `${index + 3}. Step number ${index}`),
]

/** Time the limits of the scripted providers last, in seconds. */
export const LIMITED_FOR = 7_200

/** A server of tools that offers to ship a version. */
const SERVER = join(import.meta.dir, '../tool-server.mjs')
export const CALL = { to: 'production', version: '1.2.3' }
export const servers = { deploy: { command: 'node', args: [SERVER] } }

export const settings = (path: string, change: (settings: Record<string, unknown>) => object): void =>
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')))))

export const startup = (
  program: Program,
  name: string,
  kind: QuestionKind,
  contains: readonly string[],
  start: StartOptions,
): AskedCase => ({ program, name, kind, contains, start, onStart: true })
