import { expect, test } from 'bun:test'
import { SEED } from '../../support/seed.ts'
import { edgesOf, recipeOf } from './files.ts'

const LIST =
  'formula = "list"\ntype = "expansion"\n[[template]]\nid = "{target}.look"\ntitle = "Look"\n' +
  '[[template]]\nid = "{target}.sign"\ntitle = "Sign"\nneeds = ["{target}.look"]\n'

/** A source of whole numbers below a limit. */
function numbers(from: number): (below: number) => number {
  let state = from >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Written {
  readonly text: string
  /** The edges between steps by their ids, as written. */
  readonly edges: readonly (readonly [from: string, to: string])[]
}

const KINDS = ['', '', 'loop', 'expand', 'map', 'retry', 'check', 'children', 'gate', 'fan'] as const
const EXTRAS: Readonly<Record<(typeof KINDS)[number], string>> = {
  '': '',
  loop: '[steps.loop]\ncount = 2\n[[steps.loop.body]]\nid = "s"\ntitle = "S"\n[[steps.loop.body]]\nid = "t"\ntitle = "T"\nneeds = ["s"]\n',
  expand: 'expand = "list"\n',
  map: '',
  retry: 'retry = { max_attempts = 2 }\n',
  check: '[steps.check]\nmax_attempts = 2\n[steps.check.check]\npath = "c.sh"\n',
  children: '[[steps.children]]\nid = "{id}-kid"\ntitle = "Kid"\n',
  gate: '[steps.gate]\ntype = "human"\n',
  fan: '[steps.on_complete]\nfor_each = "output.x"\nbond = "list"\n',
}

/** A formula of steps of every kind, each needing some of those before it. */
function write(draw: (below: number) => number): Written {
  const edges: [string, string][] = []
  const written = Array.from({ length: 2 + draw(8) }, (_, at) => {
    const kind = KINDS[draw(KINDS.length)] ?? ''
    const id = `${kind === 'map' ? 'm' : 's'}${at}`
    return { id, kind, at }
  })
  const text = written.map(({ id, kind, at }) => {
    const needs = written.filter((other) => other.at < at && draw(3) === 0).map((other) => other.id)
    for (const need of needs) edges.push([need, id])
    return `[[steps]]\nid = "${id}"\ntitle = "${id}"\nneeds = ${JSON.stringify(needs)}\n${EXTRAS[kind].replace('{id}', id)}`
  })
  const map = '[[compose.map]]\nselect = "m*"\nwith = "list"\n'
  const requires = '[requires]\nformula_compiler = ">=2.0.0"\n'
  return { text: `formula = "f"\n${requires}${text.join('')}${map}`, edges }
}

test('every edge that is written holds in the recipe: whatever a step became waits for all that it needs', () => {
  for (let round = 0; round < 60; round++) {
    const { text, edges } = write(numbers(SEED + round))
    const recipe = recipeOf(text, { list: LIST })
    const before = reachable(recipe.deps)
    const partsOf = (id: string) =>
      recipe.steps.filter(
        ({ ref, kind }) => kind !== 'spec' && kind !== 'fanout' && (ref === id || ref.startsWith(`${id}.`)),
      )
    for (const [from, to] of edges) {
      const last = partsOf(from).filter(({ id }) => !partsOf(from).some((other) => before(other.id).has(id)))
      for (const { id } of partsOf(to)) {
        for (const end of last) expect([round, end.id, id, before(id).has(end.id)]).toEqual([round, end.id, id, true])
      }
    }
  }
})

/** All that comes before a step, through any number of others. */
function reachable(deps: readonly { from: string; to: string }[]): (id: string) => ReadonlySet<string> {
  const needs = Map.groupBy(deps, ({ to }) => to)
  const known = new Map<string, Set<string>>()
  const visit = (id: string): Set<string> => {
    const earlier = known.get(id)
    if (earlier) return earlier
    const own = new Set((needs.get(id) ?? []).flatMap(({ from }) => [from, ...visit(from)]))
    known.set(id, own)
    return own
  }
  return visit
}

test('the rounds of a loop follow each other when a condition leaves the last or the first step of its body out', () => {
  const body = (id: string, more: string) => `[[steps.loop.body]]\nid = "${id}"\ntitle = "${id}"\n${more}\n`
  const loop = `formula = "f"\n[vars]\nno = ""\n[[steps]]\nid = "l"\ntitle = "L"\n[steps.loop]\ncount = 2\n`
  const text = `${loop}${body('a', 'condition = "{{no}}"')}${body('b', 'needs = ["a"]')}${body('c', 'needs = ["b"]\ncondition = "{{no}}"')}`
  expect(edgesOf(recipeOf(text))).toEqual(['l.iter1.b>l.iter2.b'])
})
