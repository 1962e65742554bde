import { randomBytes } from 'node:crypto'
import type { CommandExit, HostedCommands } from '../../agents/launch/index.ts'
import type { LandConfig } from '../../config/land/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import {
  type ConflictedFile,
  type Conflicts,
  commitOf,
  isReplaceable,
  MAX_CONFLICTS,
  type Scratch,
  treeWithFiles,
  withFilesOf,
  type Yard,
} from '../yard/index.ts'
import { type LandingChecks, verdictOf } from './checks.ts'

/** Outcome of conflicts in generated files. */
export type Generated =
  | { readonly is: 'made'; readonly tree: string; readonly globs: readonly string[] }
  /** The train is woken when that is over. */
  | { readonly is: 'running' }
  | { readonly is: 'failed'; readonly reason: string; readonly output: string }
  /** Other files are in conflict as well. */
  | { readonly is: 'none' }

type Entry = LandConfig['generated'][number]

const RETRY_MS = 5_000
const KEPT = 32

/**
 * Makes generated files again that are in conflict: the target's files are put into the merge, and the commands of the rig
 * run on that. A result stands for the files that it was made from. There is no row of it: what a crash interrupts begins
 * again, and nothing outside the scratch folder has changed.
 */
export class Generation {
  readonly #results = new Map<string, Generated>()
  readonly #exits = new Map<string, (exit: CommandExit) => Promise<void>>()
  readonly #busy = new Set<Promise<unknown>>()
  /** The key of what is being made. */
  #running = ''
  #unsubscribe: (() => void) | undefined
  #retry: Deadline | undefined

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      readonly rig: string
      readonly yard: Yard
      readonly scratch: Scratch
      readonly objects: string
      readonly commands: Pick<HostedCommands, 'start' | 'end' | 'onExit'>
      /** Commands run as checks do. */
      readonly checks: Pick<LandingChecks, 'commandOf'>
      /** Called when there is something to look at again. */
      wake(): void
    },
  ) {}

  stop(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    this.#retry?.cancel()
  }

  get isIdle(): boolean {
    return this.#busy.size === 0
  }

  /** Resolves when there is nothing to do but to wait for a command. */
  async whenIdle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.allSettled(this.#busy)
  }

  /** True if commands make all files again that are in conflict. */
  covers(files: readonly ConflictedFile[], { generated }: LandConfig): boolean {
    const isMade = (file: ConflictedFile) => isReplaceable(file) && entryOf(generated, file.path) !== undefined
    return generated.length > 0 && files.length < MAX_CONFLICTS && files.every(isMade)
  }

  /** Resolves conflicts in generated files, if there are no others. */
  async resolve({ conflicts, marked }: Conflicts, tip: string, land: LandConfig): Promise<Generated> {
    if (!this.covers(conflicts, land)) return { is: 'none' }
    const paths = conflicts.map(({ path }) => path)
    const entries = land.generated.filter((entry) => paths.some((path) => entryOf(land.generated, path) === entry))
    const tree = await withFilesOf(this.options.yard, { tree: marked, commit: tip, paths })
    const key = JSON.stringify([tree, entries])
    const known = this.#results.get(key)
    // A failure can have a cause that is gone when it is asked for again.
    if (known?.is === 'failed') this.#results.delete(key)
    if (known) return known
    if (this.#running === '') {
      this.#running = key
      void this.#work(this.#begin(key, tree, entries, land.checkTimeout))
    }
    return { is: 'running' }
  }

  #work(work: Promise<void>): Promise<void> {
    const done = work.catch((error) => this.#failed(error)).finally(() => this.#busy.delete(done))
    this.#busy.add(done)
    return done
  }

  async #begin(key: string, tree: string, entries: readonly Entry[], timeout: number): Promise<void> {
    const commit = await commitOf(this.options.yard, tree)
    await this.options.scratch.checkOut(commit)
    await this.#next({ key, commit, entries, timeout }, 0)
  }

  /** Starts the command of an entry; behind the last, what they made is taken. */
  async #next(job: Job, at: number): Promise<void> {
    const { deadlines } = this.context
    const { scratch, checks, objects, rig, commands } = this.options
    const entry = job.entries[at]
    if (!entry) {
      const globs = job.entries.map(({ glob }) => glob)
      const tree = await treeWithFiles(scratch, globs).catch((error) => {
        throw new Error(`what was made cannot be taken: ${errorMessage(error)}`)
      })
      this.#end(job.key, { is: 'made', tree, globs })
      return
    }
    this.#unsubscribe ??= commands.onExit((exit) => this.#receive(exit))
    const name = `generate-${randomBytes(6).toString('hex')}`
    const place = { argv: entry.command, timeout: job.timeout, scratch, objects }
    let due: Deadline | undefined
    this.#exits.set(name, async (exit) => {
      due?.cancel()
      const end = verdictOf(exit, null, job.timeout)
      if (!end) throw new AppError('service-unavailable', 'the host that ran it was lost')
      const reason = `${entry.command.join(' ')} failed: ${end.reason}`
      if (end.verdict === 'green') await this.#next(job, at + 1)
      else this.#end(job.key, { is: 'failed', reason, output: exit.output })
    })
    await commands.start(name, checks.commandOf({ rig, commitId: job.commit }, place, {}))
    due = deadlines.after(job.timeout, () => commands.end(name))
  }

  async #receive(exit: CommandExit): Promise<void> {
    const receive = this.#exits.get(exit.name)
    this.#exits.delete(exit.name)
    if (receive) await this.#work(receive(exit))
  }

  #end(key: string, result: Generated): void {
    this.#running = ''
    this.#results.set(key, result)
    const [oldest] = this.#results.keys()
    if (this.#results.size > KEPT && oldest !== undefined) this.#results.delete(oldest)
    this.options.wake()
  }

  /** Retries errors of the service; every other error is a fault of the files or the command. */
  #failed(error: unknown): void {
    const { deadlines, report } = this.context
    const { wake, rig } = this.options
    const message = errorMessage(error)
    if (!(error instanceof AppError) || error.code === 'validation-failed') {
      this.#end(this.#running, { is: 'failed', reason: message, output: '' })
      return
    }
    this.#running = ''
    report(`generated files of rig ${rig} could not be generated; gc retries: ${message}`)
    this.#retry = deadlines.after(RETRY_MS, wake)
  }
}

interface Job {
  readonly key: string
  readonly commit: string
  readonly entries: readonly Entry[]
  readonly timeout: number
}

const entryOf = (entries: readonly Entry[], path: string): Entry | undefined =>
  entries.find(({ glob }) => new Bun.Glob(glob).match(path))
