import type { CityConfig } from '../../config/city-config.ts'
import { FileCache } from '../../config/files/file-cache.ts'
import { FileSnapshot } from '../../config/files/file-snapshot.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { JobWorker } from '../../core/job-worker.ts'
import { compile } from './compile.ts'
import { assemble, type CompiledParts, type CompileJob } from './compile-job.ts'
import { type Asset, LayeredFormulas, ParsedFormulas } from './formula-files.ts'
import { quickly, TooSlow } from './quick.ts'
import type { CompileResult } from './recipe.ts'
import { formulaFolders } from './scope.ts'

/** How long a formula may take to compile, in milliseconds. */
const TIME_LIMIT = 60_000

/** The worker program, from the root of the source: in a bundle it is found there, otherwise beside this module. */
const PROGRAM = 'src/orchestration/formulas/compile.worker.ts'
const workerUrl = (): URL => {
  const bundled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN')
  return new URL(bundled ? `./${PROGRAM}` : './compile.worker.ts', import.meta.url)
}

type Variables = Readonly<Record<string, string>>

/** The formulas of a city and its packs, as their files are now. */
export class FormulaLibrary {
  readonly #files = new FileCache()
  readonly #parsed = new ParsedFormulas()
  readonly #worker: JobWorker<CompileJob, CompiledParts>
  #isStopped = false

  constructor(
    private readonly config: { readonly current: CityConfig },
    deadlines: Deadlines,
  ) {
    this.#worker = new JobWorker({ deadlines, limit: TIME_LIMIT, start: () => new Worker(workerUrl()) })
  }

  stop(): void {
    this.#isStopped = true
    this.#worker.stop()
  }

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

  /** Compiles a formula with the variables of a caller: a large one in a thread of its own. */
  async compile(name: string, variables: Variables = {}, rig?: string): Promise<CompileResult> {
    const files = this.files(rig)
    try {
      return compile(quickly(files), name, variables)
    } catch (error) {
      if (!(error instanceof TooSlow)) throw error
      return this.#compileAside(files, name, variables)
    }
  }

  async #compileAside(files: LayeredFormulas, name: string, variables: Variables): Promise<CompileResult> {
    const { folders, capabilities } = files
    const parts = await this.#worker.run({ path: this.config.current.path, folders, capabilities, name, variables })
    if (parts) return assemble(parts)
    if (this.#isStopped) throw new AppError('service-unavailable', 'the city is being closed: try again once it is up')
    const message = `it takes longer than ${TIME_LIMIT / 1000} s to compile: make its loops shorter, or several formulas of it`
    return { reason: 'invalid', errors: [{ file: files.fileOf(name) ?? '', line: 1, message }] }
  }
}
