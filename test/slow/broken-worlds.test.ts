import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'
import { gc, recorder } from '../cli/shell.ts'
import { tempFolder } from '../support/folder.ts'

/** Texts for programmers only: system codes, names of errors, places in the code. */
const RAW = /\bE[A-Z]{4,}\b|ERR_|Error:|\bat .*\.ts:|undefined|\[object|not a function|\.part\b/

/** Commands that run for long, change the machine, or end immediately whatever the world is like. */
const LEFT_OUT = new Set([
  ...['serve', 'supervisor run', 'host', 'help', 'bd', 'hook run', 'completion', '__complete'],
  ...['supervisor install', 'supervisor uninstall', 'uninstall', 'upgrade'],
])

interface Invocation {
  words: string[]
}

/** Every command, with a word for each argument it needs. */
function invocations(command: Command, path: readonly string[] = []): Invocation[] {
  const inner = command.commands.flatMap((each) => invocations(each, [...path, each.name()]))
  if (path.length === 0 || LEFT_OUT.has(path.join(' '))) return inner
  const needed = command.registeredArguments.filter(({ required }) => required)
  const words = [...path, ...needed.map((argument) => argument.argChoices?.[0] ?? 'x-1')]
  return [{ words }, ...inner]
}

const ALL = invocations(await createProgram(recorder().io))

/** Runs every command; each must succeed or say in a sentence what is the matter. */
async function runAll(env: Record<string, string>, cwd: string, addresses?: readonly string[]): Promise<string[]> {
  const wrong: string[] = []
  for (const [at, { words }] of ALL.entries()) {
    const url = addresses?.[at % addresses.length]
    const world = { GC_NO_AUTOSTART: '1', ...env, ...(url !== undefined && { GC_URL: url }) }
    const { status, out, err } = await gc(words, { env: world, cwd, stdin: '' })
    const said = out + err
    if (RAW.test(said)) wrong.push(`${words.join(' ')}: ${said}`)
    if (status !== 0 && status !== 2 && said.trim() === '' && !SILENT.has(words.slice(0, 2).join(' '))) {
      wrong.push(`${words.join(' ')}: status ${status} without a word`)
    }
  }
  return wrong
}

/** Commands of hooks, whose status alone is read. */
const SILENT = new Set(['hook', 'runtime check', 'runtime drain-check', 'mail check', 'nudge drain', 'nudge poll'])

describe('every command says in a sentence what is the matter', () => {
  test.each([
    ['an address that is junk, of another kind, or half one', ['junk', 'ftp://example.com', 'http://']],
    ['a closed port', ['http://127.0.0.1:9']],
  ])(
    'with %s',
    async (_, addresses) => {
      using folder = tempFolder()
      const env = { GC_HOME: folder.at('home'), HOME: folder.path }
      expect(await runAll(env, folder.path, addresses)).toEqual([])
    },
    180_000,
  )

  test('with a stranger at the address, whatever it answers', async () => {
    using folder = tempFolder()
    const answers = ['<!doctype html><title>Welcome</title>', '{"hello":"world"}', '', '[]']
    let at = 0
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Response(answers[at++ % answers.length], { status: at % 3 === 0 ? 404 : 200 }),
    })
    try {
      const env = { GC_URL: `http://127.0.0.1:${server.port}`, GC_HOME: folder.at('home'), HOME: folder.path }
      expect(await runAll(env, folder.path)).toEqual([])
      const { err } = await gc(['status'], { env })
      expect(err).toContain('is not a supervisor of gc; check GC_URL')
    } finally {
      server.stop(true)
    }
  }, 180_000)

  test('with a home that is a file, and in a folder that is gone', async () => {
    using folder = tempFolder()
    writeFileSync(folder.at('home'), 'a file\n')
    const env = { GC_HOME: folder.at('home'), HOME: folder.path, GC_PORT: '9' }
    expect(await runAll(env, folder.at('gone'))).toEqual([])
  }, 180_000)

  test('with a city.toml that is none', async () => {
    using folder = tempFolder()
    mkdirSync(folder.at('city', '.gc'), { recursive: true })
    writeFileSync(folder.at('city', 'city.toml'), '[[[ not toml\n')
    writeFileSync(folder.at('city', 'packs.lock'), '\u0000\u0001')
    const env = { GC_URL: 'http://127.0.0.1:9', GC_HOME: folder.at('home'), HOME: folder.path }
    expect(await runAll(env, folder.at('city'))).toEqual([])
  }, 180_000)
})
