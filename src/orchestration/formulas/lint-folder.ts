import type { CityConfig } from '../../config/city-config.ts'
import { FileSnapshot } from '../../config/files/file-snapshot.ts'
import { LayeredFormulas } from './formula-files.ts'
import { lintFormulas } from './lint.ts'
import type { FormulaMessage } from './recipe.ts'
import { formulaFolders } from './scope.ts'

/**
 * What is wrong with the formulas in a folder, of a city or of a pack that it imports, and what in them has no effect. The
 * formulas of a city's rigs are among its own, wherever they lie.
 */
export function lintFormulasIn(folder: string, config: CityConfig): { errors: string[]; warnings: string[] } {
  const rigs = [undefined, ...config.rigs.map(({ name }) => name)]
  const own = [folder, ...config.rigs.flatMap(({ formulasDir }) => formulasDir ?? [])]
  const reports = rigs.flatMap((rig) => {
    const files = new LayeredFormulas(new FileSnapshot(config.path), formulaFolders(config, rig), { graphs: true })
    return lintFormulas(files).filter(({ file }) => own.some((each) => file.startsWith(`${each}/`)))
  })
  const sentences = (kind: 'errors' | 'warnings') => [
    ...new Set(reports.flatMap((report) => report[kind].map((message) => sentence(message, folder)))),
  ]
  return { errors: sentences('errors'), warnings: sentences('warnings') }
}

const sentence = ({ file, line, step, message }: FormulaMessage, folder: string): string =>
  `${file.replace(`${folder}/`, '')}:${line}: ${step === undefined ? '' : `step "${step}": `}${message}`
