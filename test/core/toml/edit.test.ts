import { describe, expect, test } from 'bun:test'
import { addBlock, removeBlock, setKey } from '../../../src/core/toml/edit.ts'
import { parseToml, toPlainValue } from '../../../src/core/toml/parse.ts'

/** A seeded generator of random numbers. */
function seededRandom(seed: number) {
  let state = seed
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return {
    below: (limit: number) => Math.floor(next() * limit),
    pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T,
  }
}

const LINES = [
  '# a comment',
  '#',
  '',
  '',
  '   ',
  '\t# indented',
  'KEY = "a value" # why',
  "KEY = 'C:\\path'",
  'KEY = """\nmany\n\n[[rigs]] # not a block\nlines"""',
  'KEY = [ 1, 2, # first\n  3,\n\n]',
  'KEY = { a = "b", "ü 🦀" = 1 }',
  'KEY."dotted 😀".more = true',
  'KEY = 2026-01-05T09:00:00Z',
]
const HEADERS = ['[[rigs]]', '[[rigs]]', '  [[rigs]]  # with a word', '[rigs.KEY]', '[KEY]', '[KEY.sub]', '[["rigs"]]']

/** A random document that is TOML: comments, odd spacing, blocks, sub-tables, and any line ending. */
function document(seed: number): string {
  const { below, pick } = seededRandom(seed)
  let key = 0
  const lines: string[] = []
  for (let at = below(14); at > 0; at--) {
    const rigs = lines.some((line) => /^\s*\[\[/.test(line))
    const header = below(3) === 0 ? pick(HEADERS) : undefined
    const line = header?.startsWith('[rigs.') && !rigs ? '' : (header ?? pick(LINES))
    lines.push(line.replaceAll('KEY', `k${++key}`))
  }
  const eol = pick(['\n', '\n', '\r\n'])
  const text = lines.map((line) => line.replaceAll('\n', below(9) === 0 ? '\n' : eol)).join(eol)
  return (below(12) === 0 ? '\uFEFF' : '') + text + (below(3) === 0 ? '' : eol)
}

const rigNodes = (text: string) => {
  const rigs = parseToml(text).entries.get('rigs')
  return rigs?.kind === 'array' ? rigs.items : []
}

const rigsIn = (text: string): unknown[] => rigNodes(text).map(toPlainValue)

/** Offset of a rig's block; of the last rig by default. */
const offsetOf = (text: string, index = -1): number => rigNodes(text).at(index)?.offset ?? Number.NaN

const shop = [
  ['name', 'shop "1" ü\u007f\n🦀'],
  ['prefix', undefined],
  ['max_active_sessions', 3],
] as const

describe('adding a block', () => {
  test('and taking it out again leaves every byte of any document as it was', () => {
    let withRigs = 0
    for (let seed = 1; seed <= 3000; seed++) {
      const before = document(seed)
      const rigs = rigsIn(before)
      const after = addBlock(before, '[[rigs]]', shop)
      expect(rigsIn(after)).toEqual([...rigs, { name: 'shop "1" ü\u007f\n🦀', max_active_sessions: 3 }])
      expect(removeBlock(after, offsetOf(after))).toBe(before)
      if (rigs.length > 0) withRigs++
    }
    expect(withRigs).toBeGreaterThan(500)
  })

  test('keeps every line of the document, in order', () => {
    for (let seed = 1; seed <= 500; seed++) {
      const before = document(seed)
      const added = addBlock(before, '[[rigs]]', shop)
      let from = 0
      for (const line of before.split('\n')) {
        const at = added.indexOf(line.replace(/\r$/, ''), from)
        expect(at).toBeGreaterThanOrEqual(from)
        from = at + line.replace(/\r$/, '').length
      }
    }
  })

  test('goes after the last of its kind and the comments under it', () => {
    const text = '[[rigs]]\nname = "a"\n# about a\n\n# about the city\n[workspace]\nname = "x"\n'
    expect(addBlock(text, '[[rigs]]', [['name', 'b']])).toBe(
      '[[rigs]]\nname = "a"\n# about a\n\n[[rigs]]\nname = "b"\n\n# about the city\n[workspace]\nname = "x"\n',
    )
  })

  test('does not part a comment from the section right under it', () => {
    const text = '[[rigs]]\nname = "a"\n# about the city\n[workspace]\nname = "x"\n'
    expect(addBlock(text, '[[rigs]]', [['name', 'b']])).toBe(
      '[[rigs]]\nname = "a"\n\n[[rigs]]\nname = "b"\n# about the city\n[workspace]\nname = "x"\n',
    )
  })
})

describe('taking a block out', () => {
  test('takes its sub-tables, and leaves comments over and under it', () => {
    const text =
      '# top\n\n# about a\n[[rigs]]\nname = "a"\n\n[rigs.imports.crew]\nsource = "x"\n# under\n\n[[rigs]]\nname = "b"\n'
    expect(removeBlock(text, offsetOf(text, 0))).toBe('# top\n\n# about a\n# under\n\n[[rigs]]\nname = "b"\n')
  })

  test('is not possible when it is written inside an array', () => {
    const text = 'rigs = [{ name = "a" }]\n'
    expect(removeBlock(text, offsetOf(text, 0))).toBeUndefined()
    expect(setKey(text, offsetOf(text, 0), 'name', 'b')).toBeUndefined()
  })
})

describe('setting a key', () => {
  const text =
    '[[rigs]]\r\nname = "a"\r\n[[rigs]] # two\r\nname = "b" # b\r\nprefix   =   "p" # why\r\n[rigs.x]\r\nprefix = "no"\r\n'
  const block = offsetOf(text)

  test('changes only its value', () => {
    expect(setKey(text, block, 'prefix', 'q')).toBe(text.replace('"p" # why', '"q" # why'))
  })

  test('adds a line at the end of the block, with the line ending of its neighbours', () => {
    expect(setKey(text, block, 'suspended_on_start', true)).toBe(
      text.replace('"p" # why\r\n', '"p" # why\r\nsuspended_on_start = true\r\n'),
    )
  })

  test('takes its line away when there is no value', () => {
    expect(setKey(text, block, 'prefix', undefined)).toBe(text.replace('prefix   =   "p" # why\r\n', ''))
  })

  test('works at the top of a file with nothing, with comments, and with tables', () => {
    expect(setKey('', 'top', 'scope', 'city')).toBe('scope = "city"\n')
    expect(setKey('# mine', 'top', 'scope', 'city')).toBe('# mine\nscope = "city"\n')
    expect(setKey('# mine\n[env]\nA = "1"\n', 'top', 'scope', 'city')).toBe(
      '# mine\nscope = "city"\n\n[env]\nA = "1"\n',
    )
    expect(setKey('a = 1\n[env]\nA = "1"\n', 'top', 'scope', 'city')).toBe('a = 1\nscope = "city"\n[env]\nA = "1"\n')
  })

  test('leaves everything else of any document as it was', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const before = addBlock(document(seed), '[[rigs]]', shop)
      const at = offsetOf(before)
      const set = setKey(before, at, 'prefix', 'zz') ?? ''
      expect(rigsIn(set).at(-1)).toMatchObject({ prefix: 'zz' })
      expect(setKey(set, at, 'prefix', undefined)).toBe(before)
    }
  })
})
