import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { allCommands, wordsOf } from '../cli/command-tree.ts'
import { shareTown, type Town } from '../cli/town.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')

/** Output of a hostile program between two words, including modes it leaves on. */
const ACTS = [
  ...[
    '\x1b]52;c;SEVJU1Q=\x07',
    '\x1b]0;HEIST\x07',
    '\x1b]9;HEIST\x07',
    '\x1b]777;notify;HEIST;x\x1b\\',
    '\x1b]1337;File=:HEIST\x07',
  ],
  ...[
    '\x1b]7;file://HEIST/\x07',
    '\x1bPq#0HEIST\x1b\\',
    '\x1b_GHEIST\x1b\\',
    '\x1b^HEIST\x1b\\',
    '\x1bXHEIST\x1b\\',
    '\x1b[5i',
    '\x1b[21t',
  ],
  ...[
    '\x1b[c',
    '\x1b[6n',
    '\x1b]11;?\x07',
    '\x1bP+q544e\x1b\\',
    '\x1bc',
    '\x1b)0\x0e',
    '\x1b%@',
    '\u009d52;c;HEIST\x07',
    '\u009b5i',
  ],
]
const LEFT_ON = '\x1b[?1049h\x1b[?1000h\x1b[?1006h\x1b[?2004h\x1b[?25l\x1b(0\x1b]8;;https://example.com\x1b\\'

let town: Town
shareTown(async (opened) => {
  town = opened
  writeFileSync(town.at('act'), `BEGIN${ACTS.join('x')}END${LEFT_ON}`)
  // Each line typed makes it act again.
  const script = `while read -r line; do cat ${town.at('act')}; done`
  writeFileSync(town.at('script'), script)
  await town.gc(['agent', 'add', 'mayor', '--command', `/bin/sh ${town.at('script')}`])
  await town.gc(['session', 'new', 'mayor', '--alias', 'porter'])
  await town.bead('Paint', '--rig', 'shop')
})

/** The binary on a terminal of its own. */
function onTerminal(args: readonly string[], { ignores = false } = {}) {
  const decoder = new TextDecoder()
  const state = { raw: '', wake: () => {} }
  const trap = ignores ? 'trap "" HUP; ' : ''
  const child = Bun.spawn(['/bin/sh', '-c', `${trap}exec "$0" "$@"`, binary, ...args], {
    cwd: town.city,
    env: { ...town.env, PATH: process.env.PATH, HOME: town.at('user'), TERM: 'xterm-256color', GC_NO_AUTOSTART: '1' },
    terminal: {
      cols: 90,
      rows: 30,
      data(_, bytes) {
        state.raw += decoder.decode(bytes, { stream: true })
        state.wake()
      },
    },
  })
  const until = async (text: string) => {
    const late = Date.now() + 10_000
    while (!state.raw.includes(text)) {
      if (Date.now() > late)
        throw new Error(`${args.join(' ')} never showed ${JSON.stringify(text)}: ${JSON.stringify(state.raw)}`)
      const { promise, resolve: wake } = Promise.withResolvers<void>()
      state.wake = wake
      await Promise.race([promise, Bun.sleep(100)])
    }
  }
  return { child, until, raw: () => state.raw, type: (text: string) => child.terminal?.write(text) }
}

describe('a terminal that is attached to a hostile session', () => {
  test.each([[['session', 'attach', 'porter']], [['session', 'watch', 'porter']]])(
    '%j gets a drawing and is left as it was',
    async (args) => {
      const writer = onTerminal(['session', 'attach', 'porter'])
      await writer.until('\x1b[>0u')
      const terminal = onTerminal(args)
      await terminal.until('\x1b[>0u')
      await Bun.sleep(300)
      const before = terminal.raw().length
      writer.type('\r')
      await terminal.until(LEFT_ON.slice(-8))
      terminal.type('\x1d')
      expect(await terminal.child.exited).toBe(0)
      writer.type('\x1d')
      await writer.child.exited
      const shown = terminal.raw().slice(before)
      const [drawn = '', reset = ''] = shown.split('\x1b[?2026l')
      expect(drawn).toContain('BEGIN')
      expect(drawn).toContain('END\x1b[?1049h')
      expect(drawn).not.toMatch(/HEIST|SEVJU1Q/)
      const acts = drawn.split('\x1b').filter((text) => /^(?:[PX^_c]|\](?!8;)|\[[\d;]*[cint])/.test(text))
      expect(acts).toEqual([])
      expect([...drawn].filter((character) => ['\0', '\x05', '\x0e', '\u009b', '\u009d'].includes(character))).toEqual(
        [],
      )
      for (const mode of ['?1049l', '?1000l', '?1006l', '?2004l', '?25h']) expect(reset).toContain(`\x1b[${mode}`)
      expect(reset).toContain('\x1b(B')
      expect(reset).toStartWith('\x1b]8;;\x1b\\')
    },
  )

  test('gets a clipboard and a title where its settings ask for them', async () => {
    writeFileSync(join(town.home, 'tui.toml'), 'attach = ["clipboard"]\n')
    const asked = onTerminal(['session', 'attach', 'porter'])
    const other = onTerminal(['session', 'attach', '--allow', 'title', '--', 'porter'])
    for (const each of [asked, other]) await each.until('\x1b[>0u')
    await Bun.sleep(300)
    asked.type('\r')
    for (const each of [asked, other]) await each.until(LEFT_ON.slice(-8))
    for (const each of [asked, other]) each.type('\x1d')
    await Promise.all([asked.child.exited, other.child.exited])
    expect(asked.raw()).toContain('\x1b]52;c;SEVJU1Q=\x07')
    expect(asked.raw()).not.toContain('\x1b]2;')
    expect(other.raw()).toContain('\x1b]2;HEIST\x07')
    expect(other.raw()).not.toContain(']52;')
  })
})

/** Words for the arguments that commands have. */
const WORDS: Readonly<Record<string, string>> = {
  session: 'porter',
  agent: 'mayor',
  rig: 'shop',
  bead: 'sh-1',
  id: 'sh-1',
}
/** Commands that follow without an option. */
const ENDLESS = [['session', 'attach', 'porter'], ['session', 'watch', 'porter'], ['tui'], ['tui', '--plain']]

/** Every command line of the program that continues until it is ended. */
const endless = [
  ...ENDLESS,
  ...allCommands().flatMap((each) => {
    const longs = each.command.options.filter(
      ({ long, required }) => !required && (long === '--watch' || long === '--follow'),
    )
    const words = wordsOf({ ...each, args: [] }, 'x')
    const given = each.args.filter(({ required }) => required).map((argument) => WORDS[argument.name()] ?? 'x')
    return longs.map(({ long = '' }) => [...words, long, ...given])
  }),
]

const gone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

describe('a command that continues', () => {
  // Of each kind one here; the rest are the same code, and `GC_ALL=1` tries them all.
  const tried = process.env.GC_ALL
    ? endless
    : endless.filter((words) => /^(session (attach|watch)|tui|events|logs|status|bead list)\b/.test(words.join(' ')))

  test.each(tried.map((words) => [words.join(' '), words] as const))(
    'ends with its terminal: gc %s',
    async (_, words) => {
      for (const ignores of [false, true]) {
        const terminal = onTerminal(words, { ignores })
        const late = Date.now() + 1_000
        while (terminal.raw() === '' && terminal.child.exitCode === null && Date.now() < late) await Bun.sleep(20)
        await Bun.sleep(200)
        terminal.child.terminal?.close()
        const since = performance.now()
        await Promise.race([terminal.child.exited, Bun.sleep(5_000)])
        const took = performance.now() - since
        expect({ isGone: gone(terminal.child.pid), isSoon: took < 2_500 }).toEqual({ isGone: true, isSoon: true })
      }
    },
    30_000,
  )
})
