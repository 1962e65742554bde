import { describe, expect, test } from 'bun:test'
import type { Machine } from '../../client/views/page.ts'
import { type CodeLine, readSyntax } from '../../client/views/syntax.ts'
import { markedSpans, styled } from '../../tui/components/styled.ts'
import { createTheme } from '../../tui/components/theme.ts'
import { Syntax } from '../../tui/data/syntax.ts'

const timers = {
  after: (ms: number, run: () => void) => ({ cancel: clearTimeout.bind(undefined, setTimeout(run, ms)) }),
}
const machine = (syntax: Machine['syntax']): Machine => ({
  ...{ diagnose: async () => [], followLog: async function* () {} },
  ...(syntax && { syntax }),
})
const line = (side: CodeLine['side'], code: string, hunk = 1, path = 'a/paint.ts'): CodeLine => ({
  path,
  side,
  code,
  hunk,
})

describe('the syntax of code', () => {
  test('is found line by line in a thread of its own, and not for an unknown language', async () => {
    using syntax = new Syntax()
    const [text] = (await syntax.read('ts', ['const a = `x \x24{1}` // why\n/* one\ntwo */ return'])) ?? []
    expect(text?.[0]).toContainEqual([0, 5, 'keyword'])
    expect(text?.[0]).toContainEqual([19, 25, 'quiet'])
    expect(text?.[0]?.find(([from]) => from === 15)).toEqual([15, 16, 'number'])
    expect(text?.slice(1)).toEqual([
      [[0, 6, 'quiet']],
      [
        [0, 6, 'quiet'],
        [7, 13, 'keyword'],
      ],
    ])
    expect(await syntax.read('cobol', ['x'])).toBeUndefined()
    const known = [
      'ts',
      'tsx',
      'js',
      'py',
      'go',
      'rust',
      'json',
      'yml',
      'toml',
      'md',
      'html',
      'css',
      'sql',
      'docker',
      'sh',
    ]
    for (const language of known) expect(await syntax.read(language, ['x'])).toBeArray()
  })

  test('of a diff is that of each side of a hunk, for each file', async () => {
    const asked: [string, readonly string[]][] = []
    const read = async (language: string, texts: readonly string[]) => {
      asked.push([language, texts])
      return texts.map((text) => text.split('\n').map((code) => [[0, code.length, 'name'] as const]))
    }
    const lines = [
      undefined,
      line('both', 'if (x) {'),
      line('old', 'a'),
      line('new', 'bcd'),
      line('new', 'e', 2),
      line('new', 'f', 3, 'x.py'),
    ]
    const found = await readSyntax({ machine: machine(read), timers }, lines)
    expect(asked).toEqual([
      ['ts', ['if (x) {\na', 'if (x) {\nbcd', '', 'e']],
      ['py', ['', 'f']],
    ])
    expect(found.map((ranges) => ranges[0]?.[1])).toEqual([undefined, 8, 1, 3, 1, 1])
  })

  test('is left out of long diffs, where it comes late, and where nothing shows it', async () => {
    const never = () => new Promise<undefined>(() => {})
    const soon = { after: (_: number, run: () => void) => ({ cancel: () => run() ?? undefined, ...{ done: run() } }) }
    expect(await readSyntax({ machine: machine(never), timers: soon }, [line('new', 'x')])).toEqual([])
    const [later, reread] = [Promise.withResolvers<undefined>(), Promise.withResolvers<void>()]
    const reach = { machine: machine(() => later.promise), timers: soon, reread: reread.resolve }
    expect(await readSyntax(reach, [line('new', 'x')])).toEqual([])
    later.resolve(undefined)
    await reread.promise
    const called = async () => expect.unreachable()
    expect(
      await readSyntax(
        { machine: machine(called), timers },
        Array.from({ length: 2001 }, () => line('new', 'x')),
      ),
    ).toEqual([])
    expect(await readSyntax({ machine: machine(undefined), timers }, [line('new', 'x')])).toEqual([])
  })

  test('is drawn before what was added or removed, with the words that changed, and not without colours', () => {
    const cell = { text: '+if (x)', tone: 'good', marks: [[5, 6]], syntax: [[1, 3, 'keyword']] } as const
    const full = createTheme({ name: 'dark', colours: 16_777_216, isLight: false })
    const ground = '\x1b[48;2;18;48;28m'
    expect(styled(markedSpans('+if (x)  ', cell, full), full)).toBe(
      `${full('good')}${ground}+${full('keyword')}if\x1b[39m (\x1b[48;2;34;102;58mx${ground})  \x1b[49m`,
    )
    const few = createTheme({ name: 'dark', colours: 16, isLight: false })
    expect(markedSpans('+if (x)', cell, few).map(({ text, isInverse }) => (isInverse ? `[${text}]` : text))).toEqual([
      '+if (',
      '[x]',
      ')',
    ])
  })
})
