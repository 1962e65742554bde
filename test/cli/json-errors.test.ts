import { expect, test } from 'bun:test'
import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'
import { tempFolder } from '../support/folder.ts'
import { gc, recorder } from './shell.ts'

/** Commands that change the machine whether a supervisor runs or not, and those that need none. */
const NEEDS_NONE =
  /^(supervisor (install|uninstall|status)|uninstall|upgrade|doctor|workflow control|convoy control|prime|version|rig token list)$/

/** Every command that has `--json`, with a word for each argument it needs. */
function jsonCommands(command: Command, path: readonly string[] = []): { name: string; words: string[] }[] {
  const inner = command.commands.flatMap((each) => jsonCommands(each, [...path, each.name()]))
  if (!command.options.some(({ long }) => long === '--json')) return inner
  const needed = command.registeredArguments.filter(({ required }) => required)
  const words = [...path, ...needed.map(({ argChoices }) => argChoices?.[0] ?? 'x-1')]
  return [{ name: path.join(' '), words }, ...inner]
}

const ALL = jsonCommands(await createProgram(recorder().io))

/** The commands whose error is not a line of JSON on standard error with a type, a code and a sentence. */
async function wrongOf(commands: readonly (readonly string[])[], env: Record<string, string>, cwd: string) {
  const wrong: unknown[] = []
  for (const words of commands) {
    const { status, out, err } = await gc(words, { env, cwd })
    try {
      expect([status === 0, out]).toEqual([false, ''])
      expect(JSON.parse(err)).toEqual({
        schema_version: '1',
        ok: false,
        error: expect.objectContaining({
          type: expect.stringMatching(/^(usage|connection|failure|system)$/),
          code: expect.stringMatching(/^[a-z-]+$/),
          message: expect.stringMatching(/.{10,}/),
          details: [],
        }),
      })
    } catch {
      wrong.push({ words, status, out, err })
    }
  }
  return wrong
}

test('every command with --json says in JSON that its line is wrong', async () => {
  using folder = tempFolder()
  const env = { GC_URL: 'http://127.0.0.1:9', GC_HOME: folder.at('home'), HOME: folder.path }
  const lines = ALL.map(({ words }) => [...words, '--json', '--no-such-option'])
  expect(ALL.length).toBeGreaterThan(250)
  expect(await wrongOf([...lines, ['sttus', '--json'], ['rig', 'lst', '--json']], env, folder.path)).toEqual([])
}, 60_000)

test('every command with --json says in JSON that no supervisor answers', async () => {
  using folder = tempFolder()
  const env = { GC_URL: 'http://127.0.0.1:9', GC_HOME: folder.at('home'), HOME: folder.path }
  const lines = ALL.filter(({ name }) => !NEEDS_NONE.test(name)).map(({ words }) => [...words, '--json'])
  expect(await wrongOf(lines, env, folder.path)).toEqual([])
}, 60_000)
