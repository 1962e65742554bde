import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Command, Option } from 'commander'
import { createBd } from '../../cli/bd/program.ts'
import { createProgram } from '../../cli/program.ts'
import { isRefused } from '../../cli/run-command.ts'
import { BD_COMMANDS, type CommandList, GC_COMMANDS } from '../../src/programs/protocol/commands.ts'
import { gc, recorder } from './shell.ts'

interface NamedCommand {
  readonly name: string
  readonly command: Command
}

/** Every command below one, by each of its names. */
const below = (command: Command, path: readonly string[] = []): NamedCommand[] =>
  command.commands.flatMap((inner) =>
    [inner.name(), ...inner.aliases()].flatMap((name) => [
      { name: [...path, name].join(' '), command: inner },
      ...below(inner, [...path, name]),
    ]),
  )

const words = (list: string, separator: RegExp): Set<string> => new Set(list.split(separator).filter(Boolean))

/** The names of an option as the lists write them. */
const namesOf = ({ short, long, required, optional, variadic }: Option): string[] =>
  [short, long].flatMap((name) => (name ? [`${name}${required ? '=' : ''}${optional || variadic ? '?' : ''}`] : []))

/** The options of a command, or of the one that stands for its group. */
function optionsOf(command: Command): string[] {
  const inner = '_defaultCommandName' in command ? command._defaultCommandName : undefined
  const own = command.commands.find((each) => each.name() === inner) ?? command
  return own.options.flatMap(namesOf)
}

const programs: readonly [string, CommandList, () => Command | Promise<Command>][] = [
  ['gc', GC_COMMANDS, () => createProgram(recorder().io)],
  ['bd', BD_COMMANDS, () => createBd(recorder().io, ['every command'])],
]

test.each(programs)('every command of %s runs without a question, or has its program ask', async (_, list, open) => {
  const asked = words(list.asked, /,\s*/)
  const isAsked = (name: string) => name.split(' ').some((_, at, all) => asked.has(all.slice(0, at + 1).join(' ')))
  const isAllowed = (name: string) => list.allowed[name] !== undefined
  const all = below(await open())
  const leaves = all.filter(({ command, name }) => command.commands.length === 0 && name !== 'bd')
  expect(leaves.filter(({ name }) => isAllowed(name) === isAsked(name)).map(({ name }) => name)).toEqual([])
  // A word behind an allowed command may name another one.
  const groups = all.filter(({ name }) => isAllowed(name))
  const hidden = groups.flatMap(({ name, command }) => below(command, [name]))
  expect(hidden.filter(({ name }) => isAllowed(name) === isAsked(name)).map(({ name }) => name)).toEqual([])
  const known = new Set(all.map(({ name }) => name))
  expect(Object.keys(list.allowed).filter((name) => !known.has(name))).toEqual([])
})

test.each(programs)(
  'every option of the allowed commands of %s is in one list, as it is declared',
  async (_, list, open) => {
    const program = await open()
    const common = words(list.options, /\s+/)
    const root = new Set(['-h', '--help', ...program.options.flatMap(namesOf)])
    expect([...common].filter((option) => !root.has(option))).toEqual([])
    const askedOptions = words(list.askedOptions, /\s+/)
    for (const { name, command } of below(program)) {
      const allowed = words(list.allowed[name] ?? '', /\s+/)
      allowed.delete('[]')
      if (list.allowed[name] === undefined) continue
      const declared = new Set([...optionsOf(command), ...common])
      const isShort = '_allowUnknownOption' in command && command._allowUnknownOption === true
      const unknown = isShort ? [] : [...allowed].filter((option) => !declared.has(option))
      const missing = [...declared].filter(
        (option) => !allowed.has(option) && !common.has(option) && !askedOptions.has(option),
      )
      expect({ name, unknown, missing }).toEqual({ name, unknown: [], missing: [] })
    }
  },
)

test('a program gets a decision for a command of the protocol, and none for others', async () => {
  const ask = (command: string) =>
    gc(['hook', 'permission', 'claude'], {
      stdin: JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } }),
    })
  expect(await ask('gc ready; make')).toEqual({ status: 0, out: '', err: '' })
  const { status, out } = await ask('gc ready')
  expect({ status, decision: JSON.parse(out).hookSpecificOutput.permissionDecision }).toEqual({
    status: 0,
    decision: 'allow',
  })
})

test('a session gets no decision of its own where its program runs what begins as the protocol', async () => {
  const argv = [process.execPath, join(import.meta.dir, '../../cli/main.ts'), 'hook', 'permission', 'codex']
  const child = Bun.spawn(argv, { env: { GC_PROTOCOL_ONLY: '1' }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [out, err, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect({ status, out, err }).toEqual({
    ...{ status: 2, out: '' },
    err: expect.stringContaining('your program runs `gc hook` without asking, and so not with these options'),
  })
})

test('gc refuses what only begins as a command that a program runs without asking', async () => {
  const { io, output } = recorder()
  expect(await isRefused(['gc', 'hook', '--claim', '--json'], io)).toBe(false)
  expect(await isRefused(['gc', 'confine', '--', 'make'], io)).toBe(false)
  expect(output.err).toBe('')
  expect(await isRefused(['bd', 'create', 'title', '--body-file', '/etc/passwd'], io)).toBe(true)
  expect(output.err).toBe(
    'gc: your program runs `bd create` without asking, and so not with these options; have a person allow it: `env -u GC_PROTOCOL_ONLY bd create …`\n',
  )
})
