import { join } from 'node:path'
import { type Actor, gcPart } from '../../core/actor.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import { Signal } from '../../core/signal.ts'
import { type AgentConfig, type AgentDraft, addAgent, changeAgent, removeAgent } from '../agents/index.ts'
import { agentNamed, type CityConfig } from '../city/index.ts'
import { qualify } from '../declare/index.ts'
import {
  ConfigWatcher,
  DeclaredSecrets,
  type Diagnostic,
  type Drafts,
  EditLock,
  FileCache,
  FileSnapshot,
  formatDiagnostic,
  keepsChanging,
  LastGoodWriter,
  notInForceError,
  readLastGood,
  type StampedFiles,
  stampFiles,
  toInvalidConfigError,
  writeDrafts,
} from '../files/index.ts'
import { addRig, changeRig, type RigChange, type RigConfig, type RigDraft, removeRig } from '../rigs/index.ts'
import { type ComposeOptions, type Composition, compose } from './compose.ts'

/** Applied change, with its actor. */
export interface ConfigChange {
  readonly current: CityConfig
  readonly previous: CityConfig
  /** The files that differ, from the city's folder; sorted. */
  readonly files: readonly string[]
  readonly by: Actor
}

/** The errors and warnings of files, with their places. */
export interface CheckedFiles {
  readonly valid: boolean
  readonly errors: string[]
  readonly warnings: string[]
}

/** Actor of changes that were edited on disk, since their author is unknown. */
const FILES = gcPart('config')

/** Maximum attempts of an edit that concurrent writes interrupt. */
const MAX_EDIT_ATTEMPTS = 8

/**
 * The configuration that a city's files declare. A running city keeps the last one that was good; `problem` says why
 * the files on disk are not the ones active.
 */
export class Config {
  readonly path: string
  /** The secrets that the files declare. */
  readonly secrets = new DeclaredSecrets(() => this.#composition.files)
  #composition: Composition
  /** The files on disk as they were last composed, whether or not they took effect. */
  #latest: Composition
  /** The last drafts, composed; they may be on disk by now. */
  #drafted: Composition | undefined
  #problem: string | undefined
  #watcher: ConfigWatcher | undefined
  /** Edits, one after the other. */
  #edits: Promise<unknown> = Promise.resolve()
  readonly #changed = new Signal<[change: ConfigChange]>()
  readonly #problemChanged = new Signal()

  #lastGood: LastGoodWriter | undefined
  #recorder: ((change: ConfigChange) => Promise<void>) | undefined
  /** Resolves when every change so far is recorded. */
  #recorded: Promise<void> = Promise.resolve()

  private constructor(
    { good, latest }: { readonly good: Composition; readonly latest: Composition },
    private readonly registeredName: string | undefined,
    private readonly options: ComposeOptions,
    private readonly cache: FileCache,
  ) {
    this.path = latest.files.city.path
    this.#latest = latest
    this.#composition = this.#withRegisteredName(good)
  }

  /**
   * Reads the city in a folder; throws every error in its files, one a line: file, line, section and key. A city that
   * is registered under a name keeps that name, whatever its files call it.
   */
  static async open(path: string, registeredName?: string, options: ComposeOptions = {}): Promise<Config> {
    const cache = new FileCache()
    const latest = compose(new FileSnapshot(path, new Map(), cache), options)
    if (latest.errors.length === 0) return new Config({ good: latest, latest }, registeredName, options, cache)
    const good = composeLastGood(path, latest, options)
    if (!good) throw toInvalidConfigError(latest.errors, 'validation-failed')
    const config = new Config({ good, latest }, registeredName, options, cache)
    config.#setProblem(latest.errors.map(formatDiagnostic).join('\n'))
    return config
  }

  /** The last good configuration. */
  get current(): CityConfig {
    return this.#composition.config
  }

  /** Sources of the last good configuration. */
  get composition(): Composition {
    return this.#composition
  }

  /** Reason the files on disk are not active, a line for each error; undefined when they are. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Composes the files on disk and applies them if they are good; true when something changed. */
  apply(by = FILES): boolean {
    return this.#putInForce(this.#compose(), by)
  }

  /**
   * Puts files active that gc wrote after `errorsOf` their drafts; resolves when a change is recorded, if there is one.
   */
  async applyWritten(by: Actor): Promise<boolean> {
    const changed = this.#putInForce(this.#read(), by)
    await this.recorded()
    return changed
  }

  /** Resolves when every change so far is recorded. */
  async recorded(): Promise<void> {
    await this.#recorded
  }

  /** The same, and resolves when the change is recorded. */
  async reload(by = FILES): Promise<boolean> {
    const changed = this.apply(by)
    await this.recorded()
    return changed
  }

  /** Fingerprints of the files, if those on disk are active and without a warning; undefined otherwise. */
  stamp(): StampedFiles | undefined {
    const { files, config, warnings } = this.#composition
    if (this.#problem !== undefined || config.held !== undefined || warnings.length > 0) return undefined
    const stamped = stampFiles(files)
    return files.readAgain() ? stamped : undefined
  }

  /** Resolves when the last good configuration is on disk. */
  async settle(): Promise<void> {
    await this.#lastGood?.settle()
  }

  /** Checks the files on disk without applying them. */
  validate(): CheckedFiles {
    return checked(this.#compose())
  }

  /** Errors and warnings of the files on disk as they were last composed. */
  get lastCheck(): CheckedFiles {
    return checked(this.#latest)
  }

  /** The errors in the files on disk, with drafts in the places of those that they are for. */
  errorsOf(drafts: Drafts): readonly Diagnostic[] {
    if (drafts.size === 0) return this.#read().errors
    this.#drafted = this.#compose(drafts)
    return this.#drafted.errors
  }

  /** Calls a listener whenever `problem` changes; returns how to unsubscribe. */
  readonly onProblem = this.#problemChanged.listen

  /** Records every configuration that takes effect from now on; an edit ends when its own is recorded. */
  recordWith(recorder: (change: ConfigChange) => Promise<void>): void {
    this.#recorder = recorder
  }

  /** Calls a listener for every configuration that takes effect; returns how to unsubscribe. */
  readonly onChange = this.#changed.listen

  /**
   * Reloads whenever the files change, until `close`. Reports what the files active are warned of, and, once, files
   * that cannot be applied.
   */
  watch(deadlines: Deadlines, report: (message: string) => void): void {
    let warnings = this.#reportWarnings(report, '')
    const onChange = () => {
      const before = this.#problem
      this.#putInForce(this.#read(), FILES)
      if (this.#problem && this.#problem !== before) {
        report(`${this.path} keeps its last good configuration:\n${this.#problem}`)
      }
      warnings = this.#reportWarnings(report, warnings)
    }
    if (this.options.lastGoodFile !== undefined) {
      this.#lastGood ??= new LastGoodWriter(join(this.path, this.options.lastGoodFile), report)
      if (this.#problem)
        report(`${this.path} runs on its last good configuration, and starts nothing new:\n${this.#problem}`)
      else this.#lastGood.keep(this.#composition.files)
    }
    // Fetched packs, and those of gc, are replaced by others; they never change.
    const { folders } = this.options
    const unchanging = folders ? [folders.checkouts, folders.builtins] : []
    this.#watcher ??= new ConfigWatcher(this.path, deadlines, onChange, report, unchanging)
    this.#watcher.follow(this.#composition.files)
  }

  /** Stops watching; resolves when the last good configuration is on disk. */
  async close(): Promise<void> {
    this.#watcher?.close()
    this.#watcher = undefined
    this.#changed.clear()
    this.#problemChanged.clear()
    this.#recorder = undefined
    await this.#recorded
    await this.settle()
  }

  rig(name: string): RigConfig {
    const rig = this.current.rigs.find((candidate) => candidate.name === name)
    if (!rig) throw new AppError('rig-not-found', `rig ${name} not found`)
    return rig
  }

  agent(qualified: string): AgentConfig {
    const agent = agentNamed(this.current, qualified)
    if (!agent) throw new AppError('agent-not-found', `agent ${qualified} not found`)
    return agent
  }

  async addRig(by: Actor, draft: RigDraft): Promise<RigConfig> {
    await this.edit(by, (base) => addRig(base, draft))
    return this.rig(draft.name)
  }

  async changeRig(by: Actor, name: string, change: RigChange): Promise<RigConfig> {
    await this.edit(by, (base) => changeRig(base, name, change))
    return this.rig(name)
  }

  /** Removes a rig from the configuration, with its agents; its folder stays. */
  async removeRig(by: Actor, name: string): Promise<void> {
    await this.remove(by, (base) => removeRig(base, name))
  }

  async addAgent(by: Actor, draft: AgentDraft): Promise<AgentConfig> {
    await this.edit(by, (base) => addAgent(base, draft))
    return this.agent(qualify(draft.dir, draft.name))
  }

  async changeAgent(by: Actor, qualified: string, keys: AgentDraft['keys']): Promise<AgentConfig> {
    await this.edit(by, (base) => changeAgent(base, qualified, keys))
    return this.agent(qualified)
  }

  async removeAgent(by: Actor, qualified: string): Promise<void> {
    await this.remove(by, (base) => removeAgent(base, qualified))
  }

  /**
   * Changes files: `makeDrafts` turns what is on disk now into new texts. Nothing is written unless everything read
   * together with them is good. When somebody else writes, the drafts are made again from what they wrote.
   */
  edit(by: Actor, makeDrafts: (base: Composition) => Drafts): Promise<void> {
    const edited = this.#edits.then(() => this.#edit(by, makeDrafts))
    this.#edits = edited.catch(() => {})
    return edited
  }

  /** An edit that takes something out; what an interrupted attempt has taken out already is not an error. */
  async remove(by: Actor, makeDrafts: (base: Composition) => Drafts): Promise<void> {
    await this.edit(by, makeDrafts).catch((error) => {
      if (!(by.request?.isRetry && error instanceof AppError && error.status === 404)) throw error
      return this.recordAgain(by, [])
    })
  }

  /** Records an edit whose files an interrupted attempt has written; its answer is kept with that. */
  async recordAgain(by: Actor, files: readonly string[]): Promise<void> {
    const { current } = this
    await this.#recorder?.({ current, previous: current, files, by })
  }

  async #edit(by: Actor, makeDrafts: (base: Composition) => Drafts): Promise<void> {
    for (let tries = 0; tries < MAX_EDIT_ATTEMPTS; tries++) {
      const drafts = await this.#writeEdit(by, makeDrafts)
      if (!drafts) continue
      const changed = await this.applyWritten(by)
      return by.request?.isRetry && !changed ? this.recordAgain(by, [...drafts.keys()]) : undefined
    }
    throw keepsChanging()
  }

  /** The drafts that were written; undefined when somebody who takes no lock, such as an editor, wrote. */
  async #writeEdit(by: Actor, makeDrafts: (base: Composition) => Drafts): Promise<Drafts | undefined> {
    using lock = await EditLock.acquire(this.path)
    const base = this.#read()
    if (base.errors.length > 0) throw notInForceError(base.errors)
    const drafts = makeDrafts(base)
    const errors = this.errorsOf(drafts)
    if (errors.length > 0) throw toInvalidConfigError(errors, 'invalid-request')
    await by.request?.begin()
    const isWritten = await writeDrafts(lock, drafts, (file) => base.files.city.text(file))
    return isWritten ? drafts : undefined
  }

  #compose(drafts?: Drafts): Composition {
    return compose(new FileSnapshot(this.path, drafts, this.cache), this.options)
  }

  /**
   * Composes the files on disk, unless the last composition or the drafts were made of the same files. Files with errors
   * are always composed again: some errors are fixed elsewhere on the machine.
   */
  #read(): Composition {
    for (const known of [this.#drafted, this.#latest]) {
      const files = known?.errors.length === 0 ? known.files.readAgain() : undefined
      if (known && files) return { ...known, files }
    }
    return this.#compose()
  }

  #setProblem(problem: string | undefined): void {
    if (problem === this.#problem) return
    this.#problem = problem
    this.#problemChanged.emit()
  }

  #putInForce(composition: Composition, by: Actor): boolean {
    this.#latest = composition
    this.#drafted = undefined
    this.#watcher?.follow(composition.files)
    this.#setProblem(composition.errors.map(formatDiagnostic).join('\n') || undefined)
    const isSame = this.current.held === undefined && composition.files.equals(this.#composition.files)
    if (this.#problem || isSame) return false
    this.secrets.remember()
    const previous = this.current
    const files = composition.files.differences(this.#composition.files)
    this.#composition = this.#withRegisteredName(composition)
    this.#lastGood?.keep(composition.files)
    const change = { current: this.current, previous, files, by }
    this.#changed.emit(change)
    if (this.#recorder) this.#recorded = this.#recorder(change)
    return true
  }

  /** Reports the warnings about the files active unless they were reported before; returns them. */
  #reportWarnings(report: (message: string) => void, reported: string): string {
    const warnings = this.#composition.warnings.map(formatDiagnostic).join('\n')
    if (warnings !== '' && warnings !== reported) report(`${this.path} has warnings:\n${warnings}`)
    return warnings
  }

  #withRegisteredName(composition: Composition): Composition {
    if (this.registeredName === undefined) return composition
    return { ...composition, config: { ...composition.config, name: this.registeredName } }
  }
}

const checked = ({ errors, broken, allWarnings }: Composition): CheckedFiles => ({
  valid: errors.length + broken.length === 0,
  errors: [...errors, ...broken].map(formatDiagnostic),
  warnings: allWarnings.map(formatDiagnostic),
})

/** The last good configuration of a city whose files are broken, in which nothing new is started. */
function composeLastGood(path: string, broken: Composition, options: ComposeOptions): Composition | undefined {
  const files = options.lastGoodFile === undefined ? undefined : readLastGood(join(path, options.lastGoodFile), path)
  const lastGood = files && compose(files, options)
  if (!lastGood || lastGood.errors.length > 0) return undefined
  const [first] = broken.errors
  const held = `the city runs on its last good configuration until its files are fixed${first ? `: ${formatDiagnostic(first)}` : ''}`
  return { ...lastGood, config: { ...lastGood.config, held } }
}
