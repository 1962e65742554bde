import { lstatSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { CityConfig } from '../../config/city/index.ts'
import { EditLock, writeDrafts } from '../../config/files/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { FormulaChanged } from '../events.ts'
import { toCompiled, toDetail, toVarDef } from './detail.ts'
import type { FormulaLibrary } from './formula-library.ts'
import { briefErrors } from './messages.ts'
import type { CompileResult, FormulaMessage, Recipe } from './recipe.ts'
import type {
  CompiledFormula,
  FormulaCompile,
  FormulaDetailQuery,
  FormulaDetailResponse,
  FormulaListBody,
  FormulaPreviewBody,
  FormulaReports,
  FormulaReportsQuery,
  FormulaScopeQuery,
  FormulaSourceOutputBody,
  FormulaSummaryResponse,
  FormulaValidateOutputBody,
} from './schema.ts'
import { type FormulaScope, ofRig, requireScope } from './scope.ts'
import { fillTexts, fillTitles, openTitles } from './substitute.ts'
import { requireSmallVariables, unknownVariables, validateVariables } from './variables.ts'

/** The formulas of a city as clients see and change them. */
export class Formulas {
  /** Writes of files, one after the other. */
  #writes: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly context: CityContext,
    private readonly config: { readonly path: string; readonly current: CityConfig },
    private readonly formulaLibrary: FormulaLibrary,
  ) {}

  /** Formulas that can be run. One whose file cannot be read is among them, with what is wrong. */
  async list(query: FormulaScopeQuery): Promise<FormulaListBody> {
    const listed = await this.formulaLibrary.list(ofRig(this.#scope(query))?.ref)
    const items = listed.map(({ name, description, variables, errors }): FormulaSummaryResponse => {
      if (errors.length > 0) {
        return { ...EMPTY, name, description: `cannot be read: ${this.#sentences(errors).join('; ')}` }
      }
      const definitions = variables.map(toVarDef).sort((a, b) => (a.name < b.name ? -1 : 1))
      return { ...EMPTY, name, description, var_defs: definitions }
    })
    return { items, total: items.length, partial: listed.some(({ errors }) => errors.length > 0) }
  }

  async detail(name: string, query: FormulaDetailQuery): Promise<FormulaDetailResponse> {
    const { recipe } = await this.#compile(name, ofRig(this.#scope(query))?.ref, {})
    return toDetail(fillTitles(recipe, launchValues(recipe, query.target)))
  }

  /** Every formula file, with what is wrong with it. */
  async reports({ rig }: FormulaReportsQuery): Promise<FormulaReports> {
    const { formulaLibrary } = this
    const { folders } = formulaLibrary.files(this.#rig(rig))
    const formulas = (await formulaLibrary.lint(rig)).map(({ file, errors, warnings, ...report }) => ({
      ...{ ...report, source: file, errors: [...errors], warnings: [...warnings] },
    }))
    return { search_paths: [...folders], formulas }
  }

  /** All that a formula compiles to; its texts as they are written, unless there are variables to put in. */
  async compile(name: string, { rig, vars = {} }: FormulaCompile): Promise<CompiledFormula> {
    requireSmallVariables(vars)
    const { recipe, known } = await this.#compile(name, this.#rig(rig), vars, 'formula-not-found')
    const unknown = unknownVariables(Object.keys(vars), known)
    if (unknown.length > 0) throw new AppError('invalid-request', `formula "${name}": ${unknown.join('; ')}`)
    const shown = Object.keys(vars).length > 0 ? fillTexts(recipe) : recipe
    return toCompiled(shown, this.formulaLibrary.files(rig).folders)
  }

  /** Preview of a formula with these variables. */
  async preview(name: string, body: FormulaPreviewBody): Promise<FormulaDetailResponse> {
    const variables = body.vars ?? {}
    requireSmallVariables(variables)
    const { recipe } = await this.#compile(name, ofRig(this.#scope(body))?.ref, variables)
    const given = launchValues(recipe, body.target)
    const problems = [...validateVariables(recipe), ...openTitles(recipe, given)]
    if (problems.length === 0) return toDetail(fillTexts(recipe, given))
    const list = problems.map((problem) => `\n  - ${problem}`).join('')
    throw new AppError('invalid-request', `formula "${name}": variable validation failed:${list}`)
  }

  source(name: string): FormulaSourceOutputBody {
    const own = isFormulaName(name) ? this.formulaLibrary.own(name) : undefined
    if (!own) throw new AppError('formula-not-found', `no editable city-local formula ${name}`)
    return { name, source: own.text }
  }

  async validate(name: string, bytes: Uint8Array): Promise<FormulaValidateOutputBody> {
    requireBody(bytes)
    const errors = await problemsOf(this.formulaLibrary, name, bytes)
    return errors.length > 0 ? { valid: false, errors: [...errors] } : { valid: true }
  }

  /** Writes the file of a formula of the city. */
  put(caller: Caller, name: string, bytes: Uint8Array): Promise<OKResponseBody> {
    requireBody(bytes)
    return this.#write(async () => {
      const errors = await problemsOf(this.formulaLibrary, name, bytes)
      if (errors.length > 0) {
        throw new AppError('invalid-request', `formula validation failed: ${errors.join('; ')}`)
      }
      const own = this.formulaLibrary.own(name)
      const before = own?.file === `${name}.toml` ? own.text : undefined
      await writeFormula(this.config.path, `${name}.toml`, { before, text: decode(bytes) })
      return this.#record(caller, name, 'saved')
    })
  }

  /** Deletes the file of a formula of the city. */
  remove(caller: Caller, name: string): Promise<OKResponseBody> {
    return this.#write(async () => {
      if (!isFormulaName(name)) throw new AppError('invalid-request', `invalid formula name "${name}"`)
      const own = this.formulaLibrary.own(name)
      if (!own && caller.request?.isRetry) return this.#record(caller, name, 'deleted')
      if (!own) throw new AppError('formula-not-found', `this city has no formula "${name}" of its own`)
      await caller.request?.begin()
      await writeFormula(this.config.path, own.file, { before: own.text, text: undefined })
      return this.#record(caller, name, 'deleted')
    })
  }

  #write<Result>(write: () => Promise<Result>): Promise<Result> {
    const written = this.#writes.then(write)
    this.#writes = written.catch(() => {})
    return written
  }

  #record(caller: Caller, name: string, change: 'saved' | 'deleted'): Promise<OKResponseBody> {
    const { store, log } = this.context
    return store.write((tx) => {
      log.append(tx, FormulaChanged, { subject: name }, { name, change })
      return { status: change }
    }, actorOf(caller))
  }

  #scope(query: FormulaScopeQuery): FormulaScope {
    return requireScope(this.config.current, query)
  }

  #rig(rig: string | undefined): string | undefined {
    if (rig === undefined || this.config.current.rigs.some(({ name }) => name === rig)) return rig
    throw new AppError('rig-not-found', `rig ${rig} does not exist in this city`)
  }

  /** Operations of known clients say of a formula that there is not that the request is invalid. */
  async #compile(
    name: string,
    rig: string | undefined,
    variables: Readonly<Record<string, string>>,
    missing: 'invalid-request' | 'formula-not-found' = 'invalid-request',
  ): Promise<Extract<CompileResult, { recipe: Recipe }>> {
    const result = await this.formulaLibrary.compile(name, variables, rig)
    if ('recipe' in result) return result
    const [first] = result.errors
    if (result.reason === 'not-workflow') throw new AppError('formula-not-found', first?.message ?? name)
    if (result.reason === 'missing') throw new AppError(missing, first?.message ?? name)
    throw new AppError('invalid-request', this.#sentences(briefErrors(result)).join('\n'))
  }

  #sentences(errors: readonly FormulaMessage[]): string[] {
    const { path } = this.config
    return errors.map(({ file, line, step, message }) => {
      const shown = file.startsWith(`${path}/`) ? file.slice(path.length + 1) : basename(file)
      return `${shown}:${line}: ${step === undefined ? '' : `step "${step}": `}${message}`
    })
  }
}

const EMPTY = { var_defs: [], run_count: 0, recent_runs: [] }

/** Variables that the launch of a graph would add. */
const launchValues = ({ contract }: Recipe, target: string): Record<string, string> =>
  contract === 'v2' ? { convoy_id: `preview-input-convoy:${target}`, issue: target } : {}

const NAME = /^[a-zA-Z0-9]([a-zA-Z0-9_-]{0,62}[a-zA-Z0-9])?$/
const RESERVED = ['feed']
const MAX_BYTES = 1024 * 1024
const FOLDER = 'formulas'

/** Problems of a formula's text, in sentences; none if it may be saved. */
async function problemsOf(library: FormulaLibrary, name: string, bytes: Uint8Array): Promise<readonly string[]> {
  if (!NAME.test(name)) return [`invalid formula name "${name}": letters, digits, - and _, 64 at most`]
  if (RESERVED.includes(name)) return [`formula name "${name}" is reserved`]
  const text = decode(bytes)
  return text === undefined ? ['the text is not UTF-8'] : library.judge({ name, text })
}

function requireBody(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new AppError('invalid-request', 'request body is required: the text of the formula')
  if (bytes.length > MAX_BYTES) throw new AppError('body-too-large', `a formula may have ${MAX_BYTES} bytes at most`)
}

const decode = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const isFormulaName = (name: string): boolean => NAME.test(name)

/** Writes the file of a formula of the city, or deletes it; throws when somebody else changes it. */
async function writeFormula(
  city: string,
  file: string,
  change: { readonly before: string | undefined; readonly text: string | undefined },
): Promise<void> {
  for (const path of [join(city, FOLDER), join(city, FOLDER, file)]) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
      throw new AppError('invalid-request', `${path} is a symbolic link: gc does not write through it`)
    }
  }
  const path = `${FOLDER}/${file}`
  using lock = await EditLock.acquire(city)
  if (await writeDrafts(lock, new Map([[path, change.text]]), () => change.before)) return
  throw new AppError('conflict-concurrent-modify', `conflict: ${path} is being changed by another process; try again`)
}
