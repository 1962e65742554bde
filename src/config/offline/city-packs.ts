import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../core/clock.ts'
import { Deadlines } from '../../core/deadlines.ts'
import { compose } from '../compose/index.ts'
import { FileSnapshot, formatDiagnostic } from '../files/index.ts'
import { GitRunner } from '../git/index.ts'
import {
  findImportIssues,
  type ImportIssue,
  type ImportState,
  type ImportTree,
  LOCK_FILE,
  type LocateContext,
  listPrograms,
  openPackFolders,
  type PackLock,
  PackManager,
  pruneCheckouts,
  readImportStates,
  readImportTree,
  readLock,
  type StartingProgram,
  writeImports,
} from '../packs/index.ts'
import { composeFolder } from './city-composition.ts'

export interface CityPacksOptions {
  /** The city's folder, and `GC_HOME`. */
  readonly path: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly progress: (message: string) => void
}

/** The packs of a city for the operator's commands: from anywhere, and without a supervisor. */
export class CityPacks {
  readonly manager: PackManager
  readonly lockPath: string

  constructor(private readonly options: CityPacksOptions) {
    const { path, home, env } = options
    const deadlines = new Deadlines()
    const folders = openPackFolders(home)
    this.lockPath = join(path, LOCK_FILE)
    this.manager = new PackManager({
      ...options,
      ...{ folders, git: new GitRunner({ deadlines, env }), clock: systemClock, deadlines },
      policy: 'any',
      write: writeImports({ path, errorsOf: (drafts) => compose(new FileSnapshot(path, drafts), { folders }).errors }),
    })
  }

  lock(): PackLock {
    return readLock(new FileSnapshot(this.options.path))
  }

  states(): ImportState[] {
    return readImportStates(this.#context())
  }

  tree(): ImportTree[] {
    return readImportTree(this.#context())
  }

  issues(): ImportIssue[] {
    return findImportIssues(this.#context(), this.lockPath, existsSync(this.lockPath))
  }

  programs(): StartingProgram[] {
    return listPrograms(this.#context())
  }

  /** Warnings that only checks of the city's files show, such as keys of packs without effect. */
  lints(): string[] {
    const { path, home } = this.options
    const { allWarnings } = composeFolder(path, home)
    return allWarnings.filter(({ severity }) => severity === 'lint').map(formatDiagnostic)
  }

  /** The checkouts that none of these cities locks and that were fetched before; removes them when asked to. */
  prune(cities: readonly string[], options: { before: number; apply: boolean }): Promise<string[]> {
    return pruneCheckouts(this.manager.checkouts, cities, options)
  }

  #context(): LocateContext {
    const { path, home } = this.options
    const files = new FileSnapshot(path)
    return { files, lock: readLock(files), folders: openPackFolders(home) }
  }
}
