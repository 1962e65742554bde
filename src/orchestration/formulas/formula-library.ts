import type { CityConfig } from '../../config/city/index.ts'
import { FileCache, FileSnapshot } from '../../config/files/index.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { JobWorker } from '../../core/job-worker.ts'
import { compile } from './compile.ts'
import { assemble, type FormulaJob, type FormulaJobResult } from './compile-job.ts'
import { judgeDraft } from './draft.ts'
import { type Asset, type FormulaFiles, LayeredFormulas, ParsedFormulas } from './formula-files.ts'
import { type FormulaReport, lintFormula } from './lint.ts'
import { type ListedFormula, listFormula } from './listing.ts'
import { quickly, TooSlow } from './quick.ts'
import type { CompileResult } from './recipe.ts'
import { formulaFolders } from './scope.ts'
import { NotedResults, noteEach } from './uses.ts'

/** Maximum time what is done with formulas may take, in milliseconds. */
const TIME_LIMIT = 60_000
const SECONDS = TIME_LIMIT / 1000

/** The worker program, from the root of the source: in a bundle it is found there, otherwise beside this module. */
const PROGRAM = 'src/orchestration/formulas/compile.worker.ts'
const workerUrl = (): URL => {
  const bundled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN')
  return new URL(bundled ? `./${PROGRAM}` : './compile.worker.ts', import.meta.url)
}

type Variables = Readonly<Record<string, string>>
type Draft = NonNullable<FormulaJob['draft']>

/** The formulas of a city and its packs, as their files are now. */
export class FormulaLibrary {
  readonly #files = new FileCache()
  readonly #parsed = new ParsedFormulas()
  readonly #worker: JobWorker<FormulaJob, FormulaJobResult>
  readonly #listed = new NotedResults<ListedFormula | undefined>()
  readonly #reports = new NotedResults<FormulaReport>()
  #isStopped = false

  constructor(
    private readonly config: { readonly current: CityConfig },
    deadlines: Deadlines,
  ) {
    const start = () => new Worker(workerUrl(), { smol: true })
    const isSpent = (result: FormulaJobResult) => result.isSpent === true
    this.#worker = new JobWorker({ deadlines, limit: TIME_LIMIT, start, isSpent })
  }

  stop(): void {
    this.#isStopped = true
    this.#worker.stop()
  }

  /** The files that formulas of the city, or of a rig, come from; a draft stands for one of the city's own. */
  files(rig?: string, draft?: Draft): LayeredFormulas {
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
    const quick = this.#quickly(files, (few) => compile(few, name, variables))
    if (quick) return quick
    const { compiled } = await this.#aside(files, { is: 'compile', name, variables })
    if (compiled) return assemble(compiled)
    const message = `it takes longer than ${SECONDS} s to compile: make its loops shorter, or several formulas of it`
    const file = files.fileOf(name) ?? ''
    return { reason: 'invalid', file, errors: [{ file, line: 1, message }] }
  }

  /** The formulas that can be run, and those that cannot be read. */
  async list(rig?: string): Promise<readonly ListedFormula[]> {
    const files = this.files(rig)
    const listed = await this.#listed.all(files, async (names) => {
      const quick = this.#quickly(files, (few) => noteEach(names, few, files, listFormula))
      return (
        quick ?? this.#eachAside(names, async (one) => (await this.#aside(files, { is: 'list', names: one })).listed)
      )
    })
    return listed.filter((each) => each !== undefined)
  }

  /** Every formula with what is wrong with it. */
  async lint(rig?: string): Promise<readonly FormulaReport[]> {
    const files = this.files(rig)
    return this.#reports.all(files, async (names) => {
      const quick = this.#quickly(files, (few) => noteEach(names, few, files, lintFormula))
      return (
        quick ?? this.#eachAside(names, async (one) => (await this.#aside(files, { is: 'lint', names: one })).reports)
      )
    })
  }

  /** Problems of a text for the file of a formula. */
  async judge(draft: Draft): Promise<readonly string[]> {
    const files = this.files(undefined, draft)
    const { name } = draft
    const quick = this.#quickly(files, (few) => judgeDraft(few, name))
    return quick ?? (await this.#aside(files, { is: 'judge', name }, draft)).problems ?? tooLong()
  }

  /** Does what is quick immediately; undefined when it is not. */
  #quickly<Result>(files: LayeredFormulas, work: (files: FormulaFiles) => Result): Result | undefined {
    try {
      return work(quickly(files))
    } catch (error) {
      if (error instanceof TooSlow) return undefined
      throw error
    }
  }

  /** One job a formula, so that each has the whole time limit, and the thread may end between them. */
  async #eachAside<Result>(
    names: readonly string[],
    work: (names: readonly string[]) => Promise<readonly Result[] | undefined>,
  ): Promise<Result[]> {
    const results: Result[] = []
    for (const name of names) results.push(...((await work([name])) ?? tooLong()))
    return results
  }

  async #aside(files: LayeredFormulas, task: FormulaJob['task'], draft?: Draft): Promise<FormulaJobResult> {
    const { folders, capabilities } = files
    const { path } = this.config.current
    const result = await this.#worker.run({ path, folders, capabilities, task, ...(draft && { draft }) })
    if (result) return result
    if (this.#isStopped) throw new AppError('service-unavailable', 'the city is being closed: try again once it is up')
    return {}
  }
}

const tooLong = (): never => {
  throw new AppError(
    'service-unavailable',
    `it takes longer than ${SECONDS} s to look at the formulas: make their loops shorter, or several formulas of a long one`,
  )
}
