import { describe, expect, test } from 'bun:test'
import { parseSyntax, parseToml, TomlSyntaxError, toPlainValue } from '../../../src/core/toml/parse.ts'
import { piecesOf } from '../../../src/core/toml/pieces.ts'

const HOSTILE = [
  'text = "a # b [[steps]] \\" c"',
  "text = 'a \\'",
  'text = """\n[[steps]]\n\\"""\n[[steps]]\n"quoted" """',
  'text = """ends with quotes\n[[steps]]\n"""""',
  "text = '''\n[[steps]]\nit's ''a'' \\'''",
  'list = [\n[[1], [2]],\n[[3]],\n]\n# it\'s "a comment" [[',
  'table = { a = [[1]], b = "}" }\r',
  '"quoted [[key]]" = 1\n[steps.sub]\nx = 1\n[[steps.subs]]\ny = 2',
  '',
]
const element = (n: number) => `[[steps]]\nid = ${n}\n${HOSTILE[n % HOSTILE.length]}\n`
const long = (count: number, first = 'name = "x"\n[vars]\na = "b"\n'): string =>
  first + Array.from({ length: count }, (_, n) => element(n)).join('')

/** Every position of a value, with the line and the text that stand there. */
function places(text: string): string[] {
  const lines = text.split('\n')
  const seen: string[] = []
  const steps = parseToml(text).entries.get('steps')
  for (const step of steps?.kind === 'array' ? steps.items : []) {
    const id = step.kind === 'table' ? step.entries.get('id') : undefined
    if (id?.kind === 'integer')
      seen.push(`${lines[id.line - 1]} ${text.slice(id.offset, id.offset + String(id.value).length)}`)
  }
  return seen
}

describe('a long TOML text', () => {
  test('is parsed in pieces to what it is as a whole, with the same positions', () => {
    const text = long(2_000)
    expect(piecesOf(text).length).toBeGreaterThan(1)
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text)
    for (const piece of piecesOf(text)) parseSyntax(piece.text)
    const ids = Array.from({ length: 2_000 }, (_, n) => n)
    expect(places(text)).toEqual(ids.map((id) => `id = ${id} ${id}`))
    const { steps } = Object(toPlainValue(parseToml(text)))
    const short = ids.slice(0, HOSTILE.length).map((n) => Object(toPlainValue(parseToml(element(n)))).steps[0])
    expect(steps).toEqual(ids.map((id) => ({ ...short[id % HOSTILE.length], id })))
  })

  test.each([
    ['a table that is there already', '[vars]\na = 1\n'],
    ['a table as an element of a list', '[steps]\na = 1\n'],
    ['an element of what is a table', '[[vars]]\na = 1\n'],
    ['a value that does not end', '[[steps]]\na = """\n'],
    ['a line that is not TOML', 'oops\n'],
  ])('is rejected for %s in a later piece, with its line', (_, wrong) => {
    const text = long(2_000)
    const line = text.split('\n').length
    const parsing = () => parseToml(text + wrong + long(1, ''))
    expect(parsing).toThrow(TomlSyntaxError)
    try {
      parsing()
    } catch (error) {
      expect(error instanceof TomlSyntaxError && error.line).toBeGreaterThanOrEqual(line)
    }
  })

  test('may have tables between and after its elements', () => {
    const text = `${long(1_200)}[compose]\na = 1\n${long(800, '')}[other.sub]\nb = 2\n[vars.more]\nc = 3\n`
    const { compose, other, vars, steps } = Object(toPlainValue(parseToml(text)))
    expect([compose, other, vars, steps.length]).toEqual([
      { a: 1 },
      { sub: { b: 2 } },
      { a: 'b', more: { c: 3 } },
      2_000,
    ])
  })
})
