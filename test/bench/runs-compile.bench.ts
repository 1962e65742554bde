import { compile } from '../../src/orchestration/formulas/compile.ts'
import type { FormulaFiles } from '../../src/orchestration/formulas/formula-files.ts'
import { parseFormula } from '../../src/orchestration/formulas/parse.ts'
import { both, median, Table } from './support/figures.ts'

/** Cost of compiling a formula from its text: `bun test/bench/runs-compile.bench.ts [steps] [expansions]`. */

const STEPS = Number(process.argv[2] ?? 40)
const EXPANSIONS = Number(process.argv[3] ?? 3)
const ROUNDS = 200
const WARM_UP = 50

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const LIST =
  'formula = "list"\ntype = "expansion"\n[vars.depth]\ndefault = "deep"\n' +
  numbers(4)
    .map((n) => `[[template]]\nid = "{target}.s${n}"\ntitle = "{target.title} ${n} {depth}"\n`)
    .join('')
const STEP = (n: number) =>
  `[[steps]]\nid = "s${n}"\n${n < EXPANSIONS ? 'expand = "list"' : `title = "Step ${n} of {{topic}}"\nretry = { max_attempts = 3 }`}\n` +
  `${n > 0 ? `needs = ["s${n - 1}"]\n` : ''}description = """\n${'Do what the bead says, and no more. '.repeat(20)}\n"""\n`
const FORMULA =
  'formula = "f"\n[requires]\nformula_compiler = ">=2.0.0"\n[vars]\ntopic = "roads"\n' +
  numbers(STEPS).map(STEP).join('')

function filesOf(texts: Readonly<Record<string, string>>): FormulaFiles {
  const parsed = new Map(
    Object.entries(texts).map(([name, text]) => [name, parseFormula({ file: `/f/${name}.toml`, layer: '/f', text })]),
  )
  return {
    ...{ capabilities: { graphs: true }, folders: ['/f'], formula: (name) => parsed.get(name) },
    ...{ fileOf: () => undefined, names: () => [...parsed.keys()], asset: () => undefined },
  }
}

/** Time each round of a piece of work takes, in milliseconds. */
const measure = (work: () => void): number[] =>
  numbers(WARM_UP + ROUNDS)
    .map(() => {
      const from = performance.now()
      work()
      return performance.now() - from
    })
    .slice(WARM_UP)

const parsedOnce = filesOf({ f: FORMULA, list: LIST })
const first = compile(parsedOnce, 'f')
if ('errors' in first) throw new Error(JSON.stringify(first.errors))
const table = new Table()
const compiled = measure(() => void compile(parsedOnce, 'f'))
table.row('compiled', both(compiled), '< 5 ms', median(compiled) < 5)
table.row('compiled and its files parsed', both(measure(() => void compile(filesOf({ f: FORMULA, list: LIST }), 'f'))))
table.print(`${STEPS} steps, ${EXPANSIONS} expansions: ${first.recipe.steps.length} beads`)
