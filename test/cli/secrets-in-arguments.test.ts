import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Glob } from 'bun'
import { createProgram } from '../../cli/program.ts'
import { allCommands } from './command-tree.ts'
import { recorder } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

/** A header with a token, or what prints one, as a word of a command; `-H @file` and `-H @-` read it from elsewhere. */
const IN_ARGUMENTS = [
  /(?:^|\s)(?:-H|--header|--oauth2-bearer|-u|--user)[ =]?['"]?(?:Authorization|Bearer|[Xx]-[Aa]pi-[Kk]ey|\$\(|[A-Za-z]+:\$)/,
  /\$\((?:cat|<)[^)]*token\)/,
  /\b(?:curl|wget|http)\b[^\n]*(?:Bearer|_authToken|api_key=|token=)/,
  /--(?:token|api-key|password|secret)[= ](?:<|\$|YOUR|gc[sop]_|moltbook_)/,
]

const faults = (place: string, text: string): string[] =>
  text
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => IN_ARGUMENTS.some((pattern) => pattern.test(line)))
    .map((line) => `${place}: ${line.trim()}`)

test('no text of the repository has a token in the arguments of a command', () => {
  const patterns = [
    'README.md',
    'docs/**/*.md',
    'cli/**/*.{ts,txt}',
    'src/**/*.{ts,md,txt,toml,sh}',
    'client/**/*.ts',
    'tui/**/*.ts',
  ]
  const paths = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync('.')])
  expect(paths.length).toBeGreaterThan(1000)
  expect(paths.flatMap((path) => faults(path, readFileSync(path, 'utf8')))).toEqual([])
})

test('no page that is served and no help that is printed has one', async () => {
  const pages = [
    '/skill.md',
    '/heartbeat.md',
    '/rules.md',
    '/join.md',
    '/openapi.json',
    '/api/v1/openapi.json',
    '/docs',
  ]
  const served = await Promise.all(pages.map(async (page) => faults(page, await (await fetch(town.url + page)).text())))
  const help = allCommands().map(({ name, command }) => faults(`gc ${name} --help`, command.helpInformation()))
  const whole = faults('gc --help', (await createProgram(recorder().io)).helpInformation())
  expect([...served.flat(), ...help.flat(), ...whole]).toEqual([])
})

test('no option takes a secret as its value', () => {
  const options = allCommands().flatMap(({ name, command }) =>
    command.options
      .filter(({ required, long }) => required && SECRET.test(long ?? ''))
      .map(({ long }) => `gc ${name} ${long}`),
  )
  expect(options).toEqual([])
})

/** Secrets; for a file or a variable the value is only its name. */
const SECRET = /(?:token|secret|password|api-?key|credential)$/i
