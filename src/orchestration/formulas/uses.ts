import { collectGarbage } from '../../core/collect-garbage.ts'
import type { FormulaFiles } from './formula-files.ts'

/** Files of formulas whose texts can be compared. */
interface TextFiles extends FormulaFiles {
  textOf(name: string): string | undefined
}

/** The inputs of a result. The result is valid as long as all of them are unchanged. */
export interface Uses {
  /** By name: the file and its text, hashed. */
  readonly formulas: readonly (readonly [name: string, hash: string])[]
  readonly assets: readonly (readonly [formulaFile: string, path: string, hash: string])[]
  /** All names, hashed, if they were looked at. */
  readonly names?: string
}

const hashOf = (...texts: (string | undefined)[]): string => Bun.hash(JSON.stringify(texts)).toString(36)

const formulaHash = (files: TextFiles, name: string): string => hashOf(files.fileOf(name), files.textOf(name))

const assetHash = (files: FormulaFiles, formulaFile: string, path: string): string => {
  const asset = files.asset(formulaFile, path)
  return hashOf(asset?.file, asset?.text)
}

/** True if a result that was made of these is what would be made now. */
const isCurrent = ({ formulas, assets, names }: Uses, files: TextFiles): boolean =>
  formulas.every(([name, hash]) => formulaHash(files, name) === hash) &&
  assets.every(([file, path, hash]) => assetHash(files, file, path) === hash) &&
  (names === undefined || hashOf(...files.names()) === names)

/** A result for one formula, with what it was made of. */
export interface Noted<Result> {
  readonly name: string
  readonly result: Result
  readonly uses: Uses
}

/** Does something for each of several formulas. */
export const noteEach = <Result>(
  names: readonly string[],
  files: FormulaFiles,
  texts: TextFiles,
  work: (files: FormulaFiles, name: string) => Result,
): Noted<Result>[] =>
  names.map((name) => {
    collectGarbage()
    return { name, ...noteUses(files, texts, (noted) => work(noted, name)) }
  })

/** Results for formulas that are made again only when a file that they were made of has changed. */
export class NotedResults<Result> {
  readonly #byScope = new Map<string, Map<string, Noted<Result>>>()

  /** The results for all formulas; `make` makes those that are missing. */
  async all(
    files: TextFiles,
    make: (names: readonly string[]) => Promise<readonly Noted<Result>[]>,
  ): Promise<Result[]> {
    const names = files.names()
    const noted = this.#of(files)
    for (const name of noted.keys()) if (!names.includes(name)) noted.delete(name)
    const isMissing = (name: string) => {
      const earlier = noted.get(name)
      return !earlier || !isCurrent(earlier.uses, files)
    }
    const missing = names.filter(isMissing)
    for (const each of missing.length > 0 ? await make(missing) : []) noted.set(each.name, each)
    return names.flatMap((name) => {
      const found = noted.get(name)
      return found ? [found.result] : []
    })
  }

  #of({ folders, capabilities }: FormulaFiles): Map<string, Noted<Result>> {
    const scope = JSON.stringify([folders, capabilities])
    const noted = this.#byScope.get(scope) ?? new Map<string, Noted<Result>>()
    if (this.#byScope.size >= MAX_SCOPES) this.#byScope.clear()
    this.#byScope.set(scope, noted)
    return noted
  }
}

/** Scopes, such as the city and each rig, whose results are kept. */
const MAX_SCOPES = 100

/** Does work on files, and notes which of them it uses. `texts` are the same files. */
function noteUses<Result>(
  files: FormulaFiles,
  texts: TextFiles,
  work: (files: FormulaFiles) => Result,
): { readonly result: Result; readonly uses: Uses } {
  const formulas = new Map<string, string>()
  const assets = new Map<string, readonly [string, string, string]>()
  let names: string | undefined
  const note = (name: string) => {
    if (!formulas.has(name)) formulas.set(name, formulaHash(texts, name))
  }
  const result = work({
    ...{ capabilities: files.capabilities, folders: files.folders },
    ...(files.maxQuickSteps !== undefined && { maxQuickSteps: files.maxQuickSteps }),
    formula(name) {
      note(name)
      return files.formula(name)
    },
    fileOf(name) {
      note(name)
      return files.fileOf(name)
    },
    names() {
      names ??= hashOf(...texts.names())
      return files.names()
    },
    asset(file, path) {
      assets.set(`${file}\n${path}`, [file, path, assetHash(texts, file, path)])
      return files.asset(file, path)
    },
  })
  return {
    result,
    uses: { formulas: [...formulas], assets: [...assets.values()], ...(names !== undefined && { names }) },
  }
}
