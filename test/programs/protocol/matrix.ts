import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { policyText } from '../../../src/programs/gemini/policy.ts'
import { splitSimpleCommand } from '../../../src/programs/protocol/command-line.ts'
import { protocolPrefixes } from '../../../src/programs/protocol/index.ts'
import { permissionAnswer } from '../../../src/programs/protocol/permission.ts'
import { onlyBegins, protocolWords } from '../../../src/programs/protocol/protocol.ts'

const GC = ['/opt/gc/bin/gc']

/** Twelve ways to have a command of the protocol bring something else with it. */
export const ATTEMPTS: Readonly<Record<string, (verb: string) => string>> = {
  'second command': (verb) => `${verb}; touch smuggled`,
  background: (verb) => `${verb} & touch smuggled`,
  pipe: (verb) => `${verb} | tee smuggled`,
  redirect: (verb) => `${verb} > smuggled`,
  newline: (verb) => `${verb}\ntouch smuggled`,
  substitution: (verb) => `${verb} $(touch smuggled)`,
  'quoted substitution': (verb) => `${verb} "\`touch smuggled\`"`,
  variable: (verb) => `${verb} "$GC_TOKEN"`,
  'other gc on PATH': (verb) => `PATH=.:$PATH ${verb}`,
  'other gc by path': (verb) => `./${verb}`,
  alias: (verb) => `alias gc=touch bd=touch; ${verb}`,
  'file option': (verb) => `${verb} --file=/etc/passwd`,
}

type Decision = (line: string) => boolean

/** True if the hook of a program has it run a line. */
const hooked =
  (program: string, call: object): Decision =>
  (line) => {
    const asked = JSON.stringify({ ...call, tool_input: { command: line } })
    return /"(?:allow|command)":|"allow"/.test(permissionAnswer(program, asked, GC) ?? '')
  }

const patterns = [...policyText().matchAll(/^argsPattern = '''(.*)'''\ndecision = "allow"$/gm)].map(
  ([, pattern = '']) => new RegExp(pattern),
)
const prefixes = protocolPrefixes()

/** True if a line stays away from what gc itself refuses behind first words. */
const isRun: Decision = (line) => onlyBegins(splitSimpleCommand(line) ?? []) === undefined

/** It matches the words of plain commands, and judges every other line as one that no rule is for. */
const codex: Decision = (line) => {
  const words = splitSimpleCommand(line)
  return words !== undefined && prefixes.some((prefix) => prefix.every((word, at) => words[at] === word)) && isRun(line)
}

const gemini: Decision = (line) =>
  patterns.some((pattern) => pattern.test(`{\0"command":${JSON.stringify(line)}\0}`)) && isRun(line)

const DECISIONS: Readonly<Record<string, (mode: string) => Decision>> = {
  claude: (mode) => hooked('claude', { hook_event_name: 'PreToolUse', tool_name: 'Bash', permission_mode: mode }),
  codex: () => codex,
  gemini: () => gemini,
  opencode: () => hooked('opencode', { hook_event_name: 'tool.execute.before', tool_name: 'bash' }),
  'by ACP': () => (line) => protocolWords(line, GC) !== undefined,
}

/** The modes of a program that may ask; one that is `unrestricted` runs everything. */
function modesOf(program: string): string[] {
  if (program === 'opencode') return ['OPENCODE_PERMISSION']
  if (program === 'by ACP') return ['every']
  const options = resolveProvider(program, new Map()).optionsSchema
  const { choices = [] } = options.find(({ key }) => key === 'permission_mode') ?? {}
  return choices.map(({ value }) => value).filter((value) => value !== 'unrestricted')
}

export const VERBS: readonly string[] = prefixes.map((words) => words.join(' '))

export interface MatrixRow {
  readonly program: string
  readonly mode: string
  /** Number of of the verbs run without a question. */
  readonly plain: number
  /** Number of attempts that the verbs let through. */
  readonly through: Readonly<Record<string, number>>
}

/** Every program in every mode, with every verb and every attempt. */
export function protocolMatrix(): MatrixRow[] {
  return Object.entries(DECISIONS).flatMap(([program, decide]) =>
    modesOf(program).map((mode) => {
      const isAllowed = decide(mode)
      const count = (lineOf: (verb: string) => string) => VERBS.filter((verb) => isAllowed(lineOf(verb))).length
      const through = Object.entries(ATTEMPTS).map(([name, attempt]) => [name, count(attempt)])
      return { program, mode, plain: count((verb) => verb), through: Object.fromEntries(through) }
    }),
  )
}

function printMatrix(): void {
  const names = Object.keys(ATTEMPTS)
  const rows = protocolMatrix().map(({ program, mode, plain, through }) => [
    ...[program, mode, `${plain}/${VERBS.length}`],
    ...names.map((name) => String(through[name])),
  ])
  const lines = [['program', 'mode', 'verbs allowed', ...names], Array(names.length + 3).fill('---'), ...rows]
  process.stdout.write(`${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`)
}

if (import.meta.main) printMatrix()
