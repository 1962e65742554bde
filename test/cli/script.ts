import { chmodSync } from 'node:fs'
import { PROGRAM, World } from '../support/world.ts'

/** A command of a script, and the lines it should print; the last is `[1]` for a status other than 0. */
export interface Step {
  readonly command: readonly string[]
  readonly expected: readonly string[]
}

/** Prose, and the commands below it. */
export interface Section {
  readonly prose: readonly string[]
  readonly steps: readonly Step[]
}

const GLOB = ' (glob)'
const ANY_LINES = '...'
/** Seconds after which a command of these has hung. */
export const secondsOf = (steps: readonly Step[]): number => 60 + steps.length

/**
 * Reads a script in the format of Cram: prose that is not indented, and commands that are, by two spaces and a `$`, each
 * with what it prints below it. `>` continues a command, ` (glob)` after a line makes each `*` in it any text, and a line
 * `...` stands for any lines.
 */
export function parseScript(text: string): Section[] {
  const sections: { prose: string[]; steps: { command: string[]; expected: string[] }[] }[] = []
  for (const line of text.trimEnd().split('\n')) {
    const section = sections.at(-1)
    const step = section?.steps.at(-1)
    if (line.startsWith('  $ ')) section?.steps.push({ command: [line.slice(4)], expected: [] })
    else if (line.startsWith('  > ') && step?.expected.length === 0) step.command.push(line.slice(4))
    else if (line.startsWith('  ')) step?.expected.push(line.slice(2))
    else if (section && !step) section.prose.push(line)
    else if (line !== '') sections.push({ prose: [line], steps: [] })
  }
  return sections
}

export const printScript = (sections: readonly Section[]): string =>
  `${sections.map(({ prose, steps }) => [...prose, ...steps.flatMap(printStep)].join('\n')).join('\n\n')}\n`

const printStep = ({ command, expected }: Step): string[] => [
  ...command.map((line, at) => `  ${at === 0 ? '$' : '>'} ${line}`),
  ...expected.map((line) => `  ${line}`),
]

/** A section with the lines its commands printed; expected lines stand for those that they match. */
export const asPrinted = ({ prose, steps }: Section, printed: readonly (readonly string[])[]): Section => ({
  prose,
  steps: steps.map(({ command, expected }, at) => ({
    command,
    expected: fold(printed[at] ?? [], expected).map((line, row) =>
      matches(expected[row] ?? '', line) ? (expected[row] ?? '') : line,
    ),
  })),
})

/** Printed lines with those that an expected `...` stands for replaced by it. */
function fold(printed: readonly string[], expected: readonly string[]): readonly string[] {
  const at = expected.indexOf(ANY_LINES)
  const after = expected.length - at - 1
  if (at < 0 || printed.length < at + after) return printed
  return [...printed.slice(0, at), ANY_LINES, ...printed.slice(printed.length - after)]
}

/** What differs from run to run: moments of today, ages, durations, random names, ports, and the folder of the world. */
const VOLATILE = new RegExp(
  [
    `${new Date().toISOString().slice(0, 10)}(?:[T ][\\d:.]+Z?)?`,
    String.raw`(?<= )\d+(?:\.\d+)?s(?= |$)|\b\d+(?:\.\d+)? m?s\b|^\d\d:\d\d:\d\d(?=  )`,
    String.raw`\b(?:thread|comment|ld|ch)-[\da-z]{12}\b|(?<=-adhoc-)[\da-f]{10}|[\da-f]{8}-[\da-f-]{27}|\b[\da-f]{12,64}\b`,
    String.raw`(?<=127\.0\.0\.1:|"duration_ms":")\d+|\/[^\s"]*\/gc-test-\w+`,
  ].join('|'),
  'g',
)

/** A section with the lines its commands printed; what differs from run to run matches any text. */
export const asWritten = (section: Section, printed: readonly (readonly string[])[]): Section => ({
  prose: section.prose,
  steps: asPrinted(section, printed).steps.map(({ command, expected }) => ({
    command,
    expected: expected.map((line) => {
      if (line.endsWith(GLOB)) return line
      const stable = line.replace(VOLATILE, '*')
      // A longer age leaves less space before the next column.
      return stable === line ? line : stable.replace(/\* +/g, '* ') + GLOB
    }),
  })),
})

function matches(expected: string, line: string): boolean {
  if (!expected.endsWith(GLOB)) return expected === line
  const literals = expected.slice(0, -GLOB.length).split('*')
  return new RegExp(`^${literals.map((each) => RegExp.escape(each)).join('.*')}$`).test(line)
}

/** `await <pattern> <command>` repeats the command until what it prints has the pattern, and prints nothing. */
const AWAIT = 'await() { awaited=$1; shift; while ! "$@" 2>&1 | grep -q -e "$awaited"; do sleep 0.1; done; }'

/**
 * Runs commands in one shell, in the folder of the city `town`, of a world of their own; returns the lines that each printed.
 * `$SHOP` is the folder of the city's rig. `gc` and `bd` are the program under test. The supervisor has a `HOOK_SECRET`.
 */
export async function runSteps(steps: readonly Step[]): Promise<string[][]> {
  await using world = await World.with({ HOOK_SECRET: 'oil and lamps' })
  const { folder, home } = world
  const mark = `=== ${crypto.randomUUID()}`
  const ends = (command: readonly string[]): string => `${command.join('\n')}\nprintf '\\n%s %s\\n' '${mark}' $?\n`
  const setUp = `exec 2>&1; ${AWAIT}; mkdir "$SHOP" && gc init . && gc rig add "$SHOP"`
  await Bun.write(folder.at('script.sh'), [[setUp], ...steps.map(({ command }) => command)].map(ends).join(''))
  for (const [name, words] of Object.entries({ gc: PROGRAM, bd: [...PROGRAM, 'bd'] })) {
    const path = folder.at('bin', name)
    await Bun.write(path, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`)
    chmodSync(path, 0o755)
  }
  await Bun.write(folder.at('town', '.keep'), '')
  const shell = Bun.spawn(['sh', folder.at('script.sh')], {
    ...{ cwd: folder.at('town'), stdin: 'ignore', stdout: 'pipe', timeout: secondsOf(steps) * 1000 },
    env: {
      ...{ PATH: `${folder.at('bin')}:${process.env.PATH}`, HOME: folder.at('user'), TMPDIR: folder.path },
      ...{ GC_HOME: home, GC_URL: world.url, SHOP: folder.at('shop') },
    },
  })
  const [setUpPrinted = '', ...rest] = (await new Response(shell.stdout).text()).split(`\n${mark} `)
  const printed = rest.map((part) => part.slice(part.indexOf('\n') + 1))
  const statuses = rest.map((part) => part.slice(0, part.indexOf('\n')))
  if (statuses[0] !== '0') throw new Error(`the city was not set up: ${setUpPrinted}`)
  return steps.map((_, at) =>
    linesOf(printed[at] ?? '', statuses[at + 1] ?? `it did not end within ${secondsOf(steps)} s`),
  )
}

function linesOf(printed: string, status: string): string[] {
  const lines = printed === '' ? [] : printed.replace(/\n$/, '').split('\n')
  return status === '0' ? lines : [...lines, `[${status}]`]
}
