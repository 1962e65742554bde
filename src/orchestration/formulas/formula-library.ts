import type { CityConfig } from '../../config/city-config.ts'
import { FileCache } from '../../config/files/file-cache.ts'
import { FileSnapshot } from '../../config/files/file-snapshot.ts'
import { compile } from './compile.ts'
import { type Asset, LayeredFormulas, ParsedFormulas } from './formula-files.ts'
import type { CompileResult } from './recipe.ts'
import { formulaFolders } from './scope.ts'

/** The formulas of a city and its packs, as their files are now. */
export class FormulaLibrary {
  readonly #files = new FileCache()
  readonly #parsed = new ParsedFormulas()

  constructor(private readonly config: { readonly current: CityConfig }) {}

  /** The files that formulas of the city, or of a rig, come from; a draft stands for one of the city's own. */
  files(rig?: string, draft?: { readonly name: string; readonly text: string }): LayeredFormulas {
    const { current } = this.config
    const folders = formulaFolders(current, rig)
    const snapshot = new FileSnapshot(current.path, new Map(), this.#files)
    return new LayeredFormulas(snapshot, folders, { graphs: current.daemon.graphs }, draft, this.#parsed)
  }

  /** The file of a formula that is the city's own, named from its formula folder. */
  own(name: string): Asset | undefined {
    return this.files().inHighest(name)
  }

  /** Compiles a formula with the variables of a caller. */
  compile(name: string, variables: Readonly<Record<string, string>> = {}, rig?: string): CompileResult {
    return compile(this.files(rig), name, variables)
  }
}
