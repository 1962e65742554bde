import type { Deadlines } from '../core/deadlines.ts'
import { AppError } from '../core/errors.ts'
import { type Attempt, firstAttempt } from '../core/replays/replays.ts'
import type { AgentConfig, CityConfig, RigConfig } from './city-config.ts'
import { ConfigWatcher } from './config-watcher.ts'
import { formatDiagnostic, toInvalidConfigError } from './diagnostics.ts'
import {
  type AgentDraft,
  addAgent,
  addRig,
  changeAgent,
  changeRig,
  type RigChange,
  type RigDraft,
  removeAgent,
  removeRig,
} from './edit/changes.ts'
import { type Drafts, writeDrafts } from './edit/write-files.ts'
import { FileSnapshot } from './file-snapshot.ts'
import { qualify } from './names.ts'
import { compose, type Reading } from './resolve/compose.ts'

type Hear = (now: CityConfig, before: CityConfig) => void

/** How often an edit starts anew because somebody else wrote meanwhile. */
const TRIES = 8

/**
 * What a city's files declare. A running city keeps the last configuration that was good; `problem` says why the
 * files on disk are not the ones in force.
 */
export class Config {
  readonly path: string
  #reading: Reading
  #problem: string | undefined
  #watch: ConfigWatcher | undefined
  /** Edits, one after the other. */
  #edits: Promise<unknown> = Promise.resolve()
  readonly #listeners = new Set<Hear>()

  private constructor(
    reading: Reading,
    private readonly registered: string | undefined,
  ) {
    this.path = reading.sources.path
    this.#reading = this.#named(reading)
  }

  /**
   * Reads the city in a folder; refuses with every mistake, one a line: file, line, section and key. A city that is
   * `registered` under a name goes by it, whatever its files call it.
   */
  static async open(path: string, registered?: string): Promise<Config> {
    const reading = compose(new FileSnapshot(path))
    if (reading.mistakes.length > 0) throw toInvalidConfigError(reading.mistakes, 'validation-failed')
    return new Config(reading, registered)
  }

  /** The last good configuration. */
  get current(): CityConfig {
    return this.#reading.config
  }

  /** Why the files on disk are not in force, a line for each mistake; undefined when they are. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Reads the files again and puts them in force if they are good; true when something changed. */
  async reload(): Promise<boolean> {
    return this.#take(compose(new FileSnapshot(this.path)))
  }

  /** What is wrong with the files on disk, without putting them in force. */
  validate(): { valid: boolean; errors: string[]; warnings: string[] } {
    const { mistakes, config } = compose(new FileSnapshot(this.path))
    return { valid: mistakes.length === 0, errors: mistakes.map(formatDiagnostic), warnings: [...config.warnings] }
  }

  /** Hears of every configuration that comes into force, and only notes it; returns how to stop. */
  onChange(hear: Hear): () => void {
    this.#listeners.add(hear)
    return () => this.#listeners.delete(hear)
  }

  /** Reloads whenever the files change, until `close`; tells once of files that cannot be put in force. */
  watch(deadlines: Deadlines, report: (message: string) => void): void {
    const look = () => {
      const known = this.#problem
      this.#take(compose(new FileSnapshot(this.path)))
      if (this.#problem && this.#problem !== known)
        report(`${this.path} keeps its last good configuration:\n${this.#problem}`)
    }
    this.#watch ??= new ConfigWatcher(this.path, deadlines, look, report)
    this.#follow(this.#reading.sources)
  }

  close(): void {
    this.#watch?.close()
    this.#watch = undefined
    this.#listeners.clear()
  }

  rig(name: string): RigConfig {
    const rig = this.current.rigs.find((one) => one.name === name)
    if (!rig) throw new AppError('rig-not-found', `rig ${name} not found`)
    return rig
  }

  agent(qualified: string): AgentConfig {
    const agent = this.current.agents.find((one) => one.qualified === qualified)
    if (!agent) throw new AppError('agent-not-found', `agent ${qualified} not found`)
    return agent
  }

  async addRig(draft: RigDraft, attempt?: Attempt): Promise<RigConfig> {
    await this.edit((now) => addRig(now, draft), attempt)
    return this.rig(draft.name)
  }

  async changeRig(name: string, change: RigChange): Promise<RigConfig> {
    await this.edit((now) => changeRig(now, name, change))
    return this.rig(name)
  }

  /** Takes a rig out of the configuration, with its agents; its folder stays. */
  async removeRig(name: string): Promise<void> {
    await this.edit((now) => removeRig(now, name))
  }

  async addAgent(draft: AgentDraft, attempt?: Attempt): Promise<AgentConfig> {
    await this.edit((now) => addAgent(now, draft), attempt)
    return this.agent(qualify(draft.dir, draft.name))
  }

  async changeAgent(qualified: string, keys: AgentDraft['keys']): Promise<AgentConfig> {
    await this.edit((now) => changeAgent(now, qualified, keys))
    return this.agent(qualified)
  }

  async removeAgent(qualified: string): Promise<void> {
    await this.edit((now) => removeAgent(now, qualified))
  }

  /**
   * Changes files: `make` turns what is on disk now into new texts. Nothing is written unless everything read
   * together with them is good. When somebody else writes meanwhile, it is made again from what they wrote.
   */
  edit(make: (now: Reading) => Drafts, attempt: Attempt = firstAttempt): Promise<void> {
    const done = this.#edits.then(() => this.#edit(make, attempt))
    this.#edits = done.catch(() => {})
    return done
  }

  async #edit(make: (now: Reading) => Drafts, attempt: Attempt): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const now = compose(new FileSnapshot(this.path))
      if (now.mistakes.length > 0) {
        const reason = now.mistakes.map(formatDiagnostic).join('\n')
        throw new AppError(
          'conflict-wrong-state',
          `the configuration on disk is not in force, put it right first:\n${reason}`,
        )
      }
      const drafts = make(now)
      const { mistakes } = compose(new FileSnapshot(this.path, drafts))
      if (mistakes.length > 0) throw toInvalidConfigError(mistakes, 'invalid-request')
      await attempt.begin()
      if (!(await writeDrafts(this.path, drafts, (file) => now.sources.text(file)))) continue
      this.#take(compose(new FileSnapshot(this.path)))
      return
    }
    throw new AppError(
      'conflict-concurrent-modify',
      'conflict: the files are being changed by somebody else; try again',
    )
  }

  #take(reading: Reading): boolean {
    this.#follow(reading.sources)
    this.#problem = reading.mistakes.map(formatDiagnostic).join('\n') || undefined
    if (this.#problem || reading.sources.equals(this.#reading.sources)) return false
    const before = this.current
    this.#reading = this.#named(reading)
    for (const hear of this.#listeners) hear(this.current, before)
    return true
  }

  #named(reading: Reading): Reading {
    if (this.registered === undefined) return reading
    return { ...reading, config: { ...reading.config, name: this.registered } }
  }

  #follow(sources: FileSnapshot): void {
    this.#watch?.follow(sources.files, sources.folders('agents'))
  }
}
