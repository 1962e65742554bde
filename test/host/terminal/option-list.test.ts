import { expect, test } from 'bun:test'
import { findOptions } from '../../../src/host/terminal/option-list.ts'
import type { TerminalScreen } from '../../../src/host/terminal/terminal-host.ts'

const screen = (text: string): TerminalScreen => ({
  lines: text.split('\n').slice(1),
  cursor: { x: 0, y: 0 },
  bracketedPaste: true,
  cols: 80,
})
const read = (text: string) => {
  const menu = findOptions(screen(text))
  return menu && { at: menu.at, labels: menu.options.map(({ label }) => label) }
}

test.each<[what: string, text: string, at: number, labels: string[]]>([
  [
    'numbered',
    '\n Quick safety check\n ❯ 1. Yes, I trust this folder\n   2. No, exit\n\n Enter to confirm · Esc to cancel',
    0,
    ['Yes, I trust this folder', 'No, exit'],
  ],
  ['marked further down', '\n   1. Yes\n ❯ 2. No (recommended)', 1, ['Yes', 'No (recommended)']],
  [
    'in a frame',
    '\n │ ● 1. Trust folder (work)    │\n │   2. Trust parent folder    │\n │   3. Don’t trust │',
    0,
    ['Trust folder (work)', 'Trust parent folder', 'Don’t trust'],
  ],
  [
    'with explanations',
    '\n> 1. Sign in with ChatGPT\n     Usage included with Plus\n\n  2. Sign in with Device Code\n     for machines without a browser\n\n  Press Enter',
    0,
    ['Sign in with ChatGPT', 'Sign in with Device Code'],
  ],
  [
    'without numbers',
    '\nWhich one?\n  Dark mode\n❯ Light mode\n  Plain\n\n  Enter to confirm',
    1,
    ['Dark mode', 'Light mode', 'Plain'],
  ],
  [
    'below what an agent wrote',
    '\n❯ 1. Do it\n  2. Leave it\n\nTrust this folder?\n› 1. Trust and continue\n  2. Back',
    0,
    ['Trust and continue', 'Back'],
  ],
])('a menu %s is parsed', (_what, text, at, labels) => {
  expect(read(text)).toEqual({ at, labels })
})

test('a list of boxes has what is ticked, and the row that ends it, even where the mark is there', () => {
  const boxes = (mark: number) =>
    findOptions(
      screen(
        [
          '',
          ' Which?',
          '',
          ...['1. [ ] Red', '2. [✔] Blue', '   Submit', '3. Chat about this'].map(
            (row, at) => ` ${at === mark ? '❯' : ' '} ${row}`,
          ),
        ].join('\n'),
      ),
    )
  for (const mark of [0, 2, 3]) {
    expect(boxes(mark)?.at).toBe(mark)
    expect(boxes(mark)?.options.map(({ id, label, tick }) => ({ id, label, tick }))).toEqual([
      { id: '1', label: 'Red', tick: false },
      { id: '2', label: 'Blue', tick: true },
      { id: 'Submit', label: 'Submit', tick: undefined },
      { id: '3', label: 'Chat about this', tick: undefined },
    ])
  }
})

test('a list that is scrolled is a part of one', () => {
  const list = findOptions(screen('\n│ ▲ │\n│   2. Blue │\n│ ● 3. Green │\n│ ▼ │'))
  expect(list).toMatchObject({ isPart: true, at: 1, options: [{ id: '2' }, { id: '3', label: 'Green' }] })
})

test.each([
  ['an input line', '\n────\n❯ \n────'],
  ['an input line with words', '\n────\n❯ do the work\n────'],
  ['a quotation', '\n> as she said\n  and again'],
  ['options without a mark', '\n  1. Yes\n  2. No'],
  ['a list that does not begin', '\n❯ 3. Yes\n  4. No'],
])('%s is not a menu', (_what, text) => {
  expect(read(text)).toBeUndefined()
})
