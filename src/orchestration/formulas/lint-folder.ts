import type { CityConfig } from '../../config/city/index.ts'
import { FileSnapshot } from '../../config/files/index.ts'
import { EngineKey } from '../../work/metadata.ts'
import { compile } from './compile.ts'
import { type FormulaFiles, LayeredFormulas, missingFormula } from './formula-files.ts'
import { type FormulaReport, lintFormulas } from './lint.ts'
import type { FormulaMessage, Recipe } from './recipe.ts'
import { formulaFolders } from './scope.ts'
import { fillTexts } from './substitute.ts'
import { findStepTarget } from './target.ts'

interface Findings {
  errors: string[]
  warnings: string[]
}

/**
 * The errors of all formulas that can be run in a city or in one of its rigs, those of its packs as well; of the folder
 * of a pack, only those of its own formulas. Warnings are those of the folder's own.
 */
export function lintFormulasIn(folder: string, config: CityConfig): Findings {
  const isCity = folder === config.path
  const own = [folder, ...config.rigs.flatMap(({ formulasDir }) => formulasDir ?? [])]
  const isOwn = ({ file }: Pick<FormulaReport, 'file'>) => own.some((each) => file.startsWith(`${each}/`))
  const errors = new Set<string>()
  const warnings = new Set<string>()
  const recipes: { file: string; recipe: Recipe }[] = []
  const scopes = scopesOf(config, isCity)
  for (const files of scopes.values()) {
    for (const report of lintFormulas(files)) {
      for (const each of isCity || isOwn(report) ? report.errors : []) errors.add(sentence(each, folder))
      for (const each of report.warnings.filter(isOwn)) warnings.add(sentence(each, folder))
      const compiled = isCity && report.type === 'workflow' && report.errors.length === 0 && compile(files, report.name)
      if (compiled && 'recipe' in compiled) recipes.push({ file: report.file, recipe: compiled.recipe })
    }
  }
  for (const each of missingTargets(config, recipes)) errors.add(sentence(each, folder))
  for (const each of isCity ? missingFormulas(config, scopes, folder) : []) errors.add(each)
  return { errors: [...errors], warnings: [...warnings] }
}

type Scopes = ReadonlyMap<string | undefined, FormulaFiles>

/** The formulas of the city, and of each rig. */
const scopesOf = (config: CityConfig, isCity: boolean): Scopes =>
  new Map(
    [undefined, ...config.rigs.map(({ name }) => name)].map((rig) => {
      const graphs = isCity ? config.daemon.graphs : true
      return [rig, new LayeredFormulas(new FileSnapshot(config.path), formulaFolders(config, rig), { graphs })]
    }),
  )

/** The formulas that agents and orders name, and that are not there. */
function missingFormulas(config: CityConfig, scopes: Scopes, folder: string): string[] {
  const named = [
    ...config.agents.map(({ qualified, dir, defaultSlingFormula }) => ({
      ...{ by: `agent "${qualified}" default_sling_formula`, rig: dir, formula: defaultSlingFormula },
    })),
    ...config.orders.all.flatMap(({ file, rig, action, enabled }) =>
      enabled && action.kind === 'formula'
        ? [{ by: `${file.replace(`${folder}/`, '')}: [order] formula`, rig, formula: action.formula }]
        : [],
    ),
  ]
  return named.flatMap(({ by, rig, formula }) => {
    const files = scopes.get(rig)
    return !files || !formula || files.fileOf(formula) !== undefined ? [] : [`${by}: ${missingFormula(files, formula)}`]
  })
}

/** The agents that steps are for and that neither the city nor a rig has, each once, with a formula that names it. */
function missingTargets(config: CityConfig, recipes: readonly { file: string; recipe: Recipe }[]): FormulaMessage[] {
  const rigs = ['', ...config.rigs.map(({ name }) => name)]
  const missing = new Map<string, FormulaMessage>()
  for (const { file, recipe } of recipes) {
    for (const { ref, metadata } of fillTexts(recipe).steps) {
      const name = metadata[EngineKey.runTarget]?.trim() ?? ''
      if (name === '' || name.includes('{{') || missing.has(name)) continue
      if (rigs.some((rig) => findStepTarget(config, name, rig))) continue
      const message = `gc.run_target "${name}" is not an agent of this city or its rigs: gc agent list`
      missing.set(name, { file, line: 1, step: ref, message })
    }
  }
  return [...missing.values()]
}

const sentence = ({ file, line, step, message }: FormulaMessage, folder: string): string =>
  `${file.replace(`${folder}/`, '')}:${line}: ${step === undefined ? '' : `step "${step}": `}${message}`
