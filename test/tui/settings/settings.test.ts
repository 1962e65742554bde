import { describe, expect, test } from 'bun:test'
import { readSettings } from '../../../tui/settings/settings.ts'

const TERMINAL = { TERM: 'xterm-256color' }

const problems = (text: string): string[] =>
  readSettings(text, TERMINAL).problems.map(({ line, column, text }) => `${line}:${column} ${text}`)

describe('tui.toml', () => {
  test('sets the theme, colours, keys, mouse, bell and notices', () => {
    const { settings, problems } = readSettings(
      `theme = "light"\nicons = "ascii"\nmouse = false\nbell = false\nnotify = "none"\ntitle = false
[colours]
good = "#ffffff"
[keys]
down = ["down", "ctrl-n"]
sort = "j"`,
      { ...TERMINAL, COLORTERM: 'truecolor' },
    )
    expect(problems).toEqual([])
    expect(settings).toMatchObject({ mouse: false, bell: false, notify: 'none', title: false, asksBackground: false })
    const { verbs } = settings.keymap
    expect(settings.icons).toMatchObject({ border: 'classic', pointer: '>' })
    expect(['ctrl+n', 'j', 'k'].map((key) => verbs.get(key))).toEqual(['down', 'sort', 'up'])
    expect(settings.theme(false)('good')).toBe('\x1b[38;2;255;255;255m')
    expect(settings.theme(false).colour('good')).toBe('#ffffff')
  })

  test('says every line that is wrong, with its place, and takes the rest', () => {
    const text = `theme = "blue"
mouse = "yes"
colour = 1
bell = false

[colours]
good = "greenish"
nice = "red"

[keys]
down = "x"
up = "x"
dwon = "j"
top = "nothing"`
    expect(problems(text)).toEqual([
      '1:1 theme: "blue" is none of auto, dark, light, ansi, none',
      '2:1 mouse: "yes" is neither true nor false',
      '3:1 colour: there is no such setting; there are theme, icons, mouse, bell, title, attach, notify, [colours], [keys] and [pages.NAME]',
      '7:1 colours.good: "greenish" is not a colour: write it as in CSS, such as "#87d787"',
      '8:1 colours.nice: there is no such meaning; there are plain, quiet, strong, good, busy, warning, bad, keyword, string, number, name',
      '12:1 keys.up: x is the key of down already',
      expect.stringContaining('13:1 keys.dwon: there is no such key; there are down, up'),
      '14:1 keys.top: "nothing" is not a key; write j, ctrl+f, alt+x, pagedown or the like',
    ])
    expect(readSettings(text, TERMINAL).settings.bell).toBe(false)
    expect(problems('theme = ')[0]).toStartWith('1:')
    expect(problems('')).toEqual([])
  })
})

describe('lists in tui.toml', () => {
  test('have the columns and filters of the person, by any name of the page', () => {
    const { settings, problems } = readSettings(
      `[pages.work]\ncolumns = ["title", "parent"]\n[pages.work.filters]\nmine = "ann"\n[pages.events]\nfilters = { closed = "type:bead.closed" }`,
      TERMINAL,
    )
    expect(problems).toEqual([])
    expect(settings.custom.get('beads')).toEqual({ columns: ['title', 'parent'], filters: new Map([['mine', 'ann']]) })
    expect(settings.custom.get('events')?.filters.get('closed')).toBe('type:bead.closed')
  })

  test('are wrong in the place where they are', () => {
    const text = `[pages.nope]
columns = ["id"]
[pages.rigs]
columns = ["rig", "colour"]
[pages.mail]
columns = []
sort = "age"
[pages.cities]
columns = ["name", "name"]
[pages.beads.filters]
mine = 3
"two words" = "x"`
    expect(problems(text)).toEqual([
      expect.stringContaining('2:1 pages.nope.columns: there is no list nope; there are cities, attention'),
      '4:1 pages.rigs.columns: "colour" is not a column of rigs; there are rig, state, agents, running, prefix, branch, folder',
      expect.stringContaining('6:1 pages.mail.columns: name at least one column of'),
      '7:1 pages.mail.sort: a list has columns, and filters by their names',
      '9:1 pages.cities.columns: "name" is named twice',
      '11:1 pages.beads.filters.mine: 3 is not text to filter by',
      '12:1 pages.beads.filters.two words: "two words" is not a name: write one word, without @',
    ])
  })
})

describe('colours', () => {
  const good = (env: Record<string, string | undefined>, text = '') =>
    readSettings(text, env).settings.theme(false)('good')

  test('are those that the terminal has', () => {
    expect(good({ TERM: 'xterm-256color', COLORTERM: 'truecolor' })).toStartWith('\x1b[38;2;')
    expect(good({ TERM: 'xterm-256color' })).toStartWith('\x1b[38;5;')
    expect(good({ TERM: 'xterm' })).toBe('\x1b[32m')
    expect(good({ TERM: 'xterm-256color' }, 'theme = "ansi"')).toBe('\x1b[32m')
    for (const env of [{ TERM: 'dumb' }, { TERM: 'xterm', NO_COLOR: '1' }]) expect(good(env)).toBe('')
    expect(good(TERMINAL, 'theme = "none"')).toBe('')
  })

  test('are darker on a light background', () => {
    const { settings } = readSettings('', TERMINAL)
    expect(settings.theme(true)('warning')).not.toBe(settings.theme(false)('warning'))
    expect(readSettings('', { ...TERMINAL, COLORFGBG: '0;15' }).settings.isLight).toBe(true)
  })
})
