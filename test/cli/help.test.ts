import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { createBd } from '../../cli/bd/program.ts'
import { TOPICS } from '../../cli/help/topics.ts'
import { findOption, readLine } from '../../cli/io/command-line.ts'
import { createProgram } from '../../cli/program.ts'
import { tempFolder } from '../support/folder.ts'
import { allCommands } from './command-tree.ts'
import { gc, recorder } from './shell.ts'

/** What `gc` is called with in a text: `gc bead list|ready --all` is two calls. */
function calls(text: string): string[][] {
  return [
    ...text.matchAll(/(?:^ {2}|`)gc ((?:[a-z-]+(?:\|[a-z-]+)* ?|--[a-z-]+ ?|<[^>]+> ?|[\w/"~.-]+ ?)*)/gm),
  ].flatMap(([, words = '']) => {
    const [line = ''] = words.split(/ {2,}/)
    const alternatives = line.split(' ').map((word) => word.split('|'))
    const choice = alternatives.find((each) => each.length > 1) ?? ['']
    return choice.map((chosen) =>
      alternatives.map((each) => (each.length > 1 ? chosen : (each[0] ?? ''))).filter(Boolean),
    )
  })
}

describe('gc help', () => {
  test('of a topic names only commands and options that there are', async () => {
    const program = await createProgram(recorder().io)
    const wrong: string[] = []
    let count = 0
    for (const [topic, text] of TOPICS) {
      for (const words of calls(text)) {
        const { command } = readLine(program, words)
        const flags = words.filter((word) => word.startsWith('--'))
        const isKnown = command !== program && flags.every((flag) => findOption(command, flag))
        const isGroup =
          command.commands.length > 0 && words.some((word) => /^[a-z-]+$/.test(word) && word !== command.name())
        if (!isKnown || (isGroup && command.registeredArguments.length === 0))
          wrong.push(`${topic}: gc ${words.join(' ')}`)
        count++
      }
    }
    expect(wrong).toEqual([])
    expect(count).toBeGreaterThan(60)
  })

  test('lists the topics, prints one, and prints the help of a command', async () => {
    const { out } = await gc(['help', 'help'])
    for (const [topic, text] of TOPICS) {
      expect(out).toContain(`\n  ${topic} `)
      expect((await gc(['help', topic])).out).toStartWith(text)
    }
    expect((await gc(['help', 'exit-codes'])).out).toBe(TOPICS.get('exit-codes') ?? '')
    expect((await gc(['help', 'attention'])).out).toEndWith('`gc attention --help` shows the options of the command.\n')
    expect((await gc(['help', 'bead', 'list'])).out).toStartWith('Usage: gc bead list [options]\n')
    expect((await gc(['help'])).out).toBe((await gc(['--help'])).out)
  })

  test('of what there is not says where the topics are', async () => {
    const { status, err } = await gc(['help', 'zeppelins'])
    expect({ status, err }).toEqual({
      status: 1,
      err: 'gc: there is no command or topic zeppelins; `gc help help` lists the topics\n',
    })
    expect((await gc(['help', 'sesions'])).err).toEndWith('; did you mean sessions?\n')
  })
})

test('every option of every command says what it is for', async () => {
  const commands = [...allCommands(), ...allCommands(await createBd(recorder().io), ['bd'])]
  const silent = commands.flatMap(({ name, command }) =>
    command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ flags, description }) => (description === '' ? [`${name} ${flags}`] : [])),
  )
  expect(silent).toEqual([])
})

describe('gc man', () => {
  test('writes a page for every command that manual readers read without a warning', async () => {
    using folder = tempFolder()
    const { status, out } = await gc(['man', '--dir', folder.at('man1')], { cwd: folder.path })
    const files = readdirSync(folder.at('man1'))
    expect({ status, out }).toEqual({ status: 0, out: `${files.length} manual pages are in ${folder.at('man1')}.\n` })
    expect(files).toContain('gc-bead-list.1')
    expect(files).toContain('bd-dep-tree.1')
    expect(files.length).toBeGreaterThan(150)
    const paths = files.map((file) => folder.at('man1', file))
    const lint = Bun.spawnSync(['mandoc', '-T', 'lint', '-W', 'warning', ...paths])
    expect(lint.stdout.toString()).toBe('')
    const { stdout } = Bun.spawnSync(['mandoc', '-T', 'ascii', '-O', 'width=100', folder.at('man1', 'gc-bead-list.1')])
    const overstruck = `.${String.fromCharCode(8)}`
    const text = stdout.toString().replace(new RegExp(overstruck, 'g'), '')
    for (const words of ['gc-bead-list - list open work', '--assignee <who>', 'GLOBAL OPTIONS', '--city <city>']) {
      expect(text).toContain(words)
    }
  })

  test('prints one page, and says when there is no such command', async () => {
    expect((await gc(['man'])).out).toStartWith('.TH "GC" "1"')
    expect((await gc(['man', 'bead', 'list'])).out).toStartWith('.TH "GC-BEAD-LIST" "1"')
    expect((await gc(['man', 'bd', 'children'])).out).toStartWith('.TH "BD-CHILDREN" "1"')
    expect((await gc(['man', 'gc', 'bead'])).out).toStartWith('.TH "GC-BEAD" "1"')
    expect((await gc(['man', 'zeppelin'])).status).toBe(1)
  })
})
