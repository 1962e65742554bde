import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import type { Command } from 'commander'
import { createBd } from '../../cli/bd/program.ts'
import { EXAMPLES } from '../../cli/help/examples.ts'
import { createProgram } from '../../cli/program.ts'
import { findPage, PAGES, topicNames } from '../../src/manual/index.ts'
import { findUnknownCommands } from '../support/command-lines.ts'
import { tempFolder } from '../support/folder.ts'
import { allCommands } from './command-tree.ts'
import { gc, recorder } from './shell.ts'

const ESCAPE = String.fromCharCode(27)

describe('gc help', () => {
  test('lists the pages of the manual, and prints each as text', async () => {
    const { out } = await gc(['help', 'help'])
    expect(PAGES.length).toBeGreaterThan(25)
    for (const { topic, about, markdown } of PAGES) {
      expect(out).toContain(`\n  ${topic} `)
      expect(about.length).toBeLessThanOrEqual(MAX_DESCRIPTION)
      const page = await gc(['help', topic])
      expect({ topic, status: page.status, title: page.out.split('\n', 1)[0] }).toEqual({
        topic,
        status: 0,
        title: markdown.split('\n', 1)[0]?.slice(2) ?? '',
      })
      expect(page.out).not.toContain(ESCAPE)
    }
  })

  test('prints a page under its other names, and the help of a command', async () => {
    expect((await gc(['help', 'exit-codes'])).out).toBe((await gc(['help', 'command-line'])).out)
    for (const name of topicNames()) expect(findPage(name)?.markdown ?? '').toStartWith('# ')
    expect((await gc(['help', 'attention'])).out).toEndWith('`gc attention --help` shows the options of the command.\n')
    expect((await gc(['help', 'bead', 'list'])).out).toStartWith('Usage: gc bead list [options]\n')
    expect((await gc(['help'])).out).toBe((await gc(['--help'])).out)
  })

  test('wraps paragraphs and list items of a page to the width of the output, and leaves code unchanged', async () => {
    const { out } = await gc(['help', 'permissions'])
    const lines = out.split('\n')
    const at = lines.findIndex((line) => line.startsWith('Sessions run unattended'))
    expect(lines[at]?.length).toBeGreaterThan(85)
    expect(lines.every((line) => line.startsWith('| ') || line.length <= 100)).toBe(true)
    expect(out).not.toContain('(#')
    expect(out).toContain("\n| gc rule add --allow 'npm test' --rig web --for 30d\n")
  })

  test('turns links to other pages into the commands that print them', async () => {
    const { out } = await gc(['help', 'getting-started'])
    expect(out).toContain('gc help install')
    expect(out).not.toMatch(/\]\(|\.md/)
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

/** Maximum length of the description of a command or a topic. */
const MAX_DESCRIPTION = 60

test('commands have descriptions of at most 60 characters', async () => {
  const commands = [...allCommands(), ...allCommands(await createBd(recorder().io), ['bd'])]
  const isReply = (text: string) => /^(?:nothing to do|gc |a bead keeps|the prefix of a rig)/.test(text)
  const own = commands.map(({ command }) => command.description()).filter((text) => !isReply(text))
  expect(own.filter((text) => text.length > MAX_DESCRIPTION)).toEqual([])
})

describe('examples', () => {
  const isDaily = (command: Command) => command.helpGroup() === 'Every day:'

  test('are in the help of every everyday command, on its manual page, and use words that gc has', async () => {
    const program = await createProgram(recorder().io)
    const daily = program.commands.filter(isDaily).map((command) => command.name())
    const shown = Object.keys(EXAMPLES)
    expect(daily.length).toBe(10)
    expect(daily.filter((name) => !shown.some((words) => words.split(' ')[0] === name))).toEqual([])
    for (const [words, lines] of Object.entries(EXAMPLES)) {
      expect((await gc([...words.split(' '), '--help'])).out).toContain(`\nExamples:\n  ${lines[0]}\n`)
      expect(lines.every((line) => line.startsWith('gc '))).toBe(true)
    }
    expect((await gc(['man', 'sling'])).out).toContain('.SH EXAMPLES\n.nf\n')
    expect(await findUnknownCommands(Object.values(EXAMPLES).flat())).toEqual([])
    const withArguments = allCommands().filter(({ args }) => args.some(({ required }) => required))
    expect(withArguments.filter(({ name }) => EXAMPLES[name]?.includes(`gc ${name}`))).toEqual([])
  })
})

test('every option of every command has a description', async () => {
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

  test('ends a page with what the help of the command adds, such as examples', async () => {
    const { out } = await gc(['man', 'man'])
    expect(out).toContain('.SH NOTES\n.nf\ngc man bead list | man \\-l \\-\n')
  })

  test('prints one page, and says when there is no such command', async () => {
    expect((await gc(['man'])).out).toStartWith('.TH "GC" "1"')
    expect((await gc(['man', 'bead', 'list'])).out).toStartWith('.TH "GC-BEAD-LIST" "1"')
    expect((await gc(['man', 'bd', 'children'])).out).toStartWith('.TH "BD-CHILDREN" "1"')
    expect((await gc(['man', 'gc', 'bead'])).out).toStartWith('.TH "GC-BEAD" "1"')
    expect((await gc(['man', 'zeppelin'])).status).toBe(1)
  })
})
