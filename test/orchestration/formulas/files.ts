import { join } from 'node:path'
import { compile } from '../../../src/orchestration/formulas/compile.ts'
import type { FormulaFiles } from '../../../src/orchestration/formulas/formula-files.ts'
import { parseFormula } from '../../../src/orchestration/formulas/parse.ts'
import type { Recipe } from '../../../src/orchestration/formulas/recipe.ts'

const FOLDER = '/city/formulas'

/** Formulas by name, and other files by their paths from the city. */
export function formulaFiles(formulas: Record<string, string>, others: Record<string, string> = {}): FormulaFiles {
  const parsed = new Map(
    Object.entries(formulas).map(([name, text]) => [
      name,
      parseFormula({ file: join(FOLDER, `${name}.toml`), layer: FOLDER, text }),
    ]),
  )
  return {
    capabilities: { graphs: true },
    folders: [FOLDER],
    formula: (name) => parsed.get(name),
    fileOf: (name) => (parsed.has(name) ? join(FOLDER, `${name}.toml`) : undefined),
    names: () => [...parsed.keys()].sort(),
    asset(_file, path) {
      const file = join(FOLDER, path)
      const text = others[file.slice('/city/'.length)]
      return text === undefined ? undefined : { file, text }
    },
  }
}

const GRAPH = '[requires]\nformula_compiler = ">=2.0.0"\n'
const EXTENDED = '[requires]\ngc_extensions = ">=1.0.0"\n'

/** The text of a formula called `f`. */
export const v1 = (body: string) => `formula = "f"\n${body}`
export const v2 = (body: string) => `formula = "f"\n${GRAPH}${body}`
export const extended = (body: string) => `formula = "f"\n${EXTENDED}${body}`

/** The steps of these ids and needs: `a`, `b<a`, `c<a,b`. */
export const steps = (...written: string[]) =>
  written
    .map((step) => {
      const [id, needs = ''] = step.split('<')
      return `[[steps]]\nid = "${id}"\ntitle = "${id}"\nneeds = ${JSON.stringify(needs.split(',').filter(Boolean))}\n`
    })
    .join('')

/** The recipe of `f`; fails the test when it does not compile. */
export function recipeOf(text: string, others: Record<string, string> = {}, variables = {}): Recipe {
  const result = compile(formulaFiles({ f: text, ...others }), 'f', variables)
  if ('recipe' in result) return result.recipe
  throw new Error(result.errors.map(({ line, message }) => `${line}: ${message}`).join('\n'))
}

/** Errors of `f`: `line step: sentence`. */
export function errorsOf(text: string, others: Record<string, string> = {}, variables = {}): string[] {
  const result = compile(formulaFiles({ f: text, ...others }), 'f', variables)
  return 'recipe' in result ? [] : result.errors.map(({ line, step, message }) => `${line} ${step ?? '-'}: ${message}`)
}

/** The edges of a recipe, without the formula's name: `a>b`. */
export const edgesOf = ({ deps, formula }: Recipe): string[] =>
  deps.map(({ from, to, kind }) => {
    const short = (id: string) => (id === formula ? '(root)' : id.slice(formula.length + 1))
    return `${short(from)}${kind === 'waits-for' ? '~' : '>'}${short(to)}`
  })

export const refsOf = ({ steps: written }: Recipe): string[] => written.map(({ ref }) => ref)
