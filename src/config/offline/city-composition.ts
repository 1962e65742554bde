import { BUILTINS, PRESETS } from '../../programs/presets.ts'
import type { PackConfig } from '../city/index.ts'
import { type ComposeOptions, type Composition, compose } from '../compose/compose.ts'
import { agentsWithHookReview } from '../compose/resolve/hook-reviews.ts'
import { formatDiagnostic } from '../files/diagnostics.ts'
import { FileSnapshot } from '../files/file-snapshot.ts'
import { openPackFolders } from '../packs/builtin-folders.ts'

/** What the files of a city come to, read without a supervisor. */
export interface CityFiles {
  readonly name: string
  readonly path: string
  readonly packs: readonly PackConfig[]
  /** The providers of its agents whose login can be checked, each once. */
  readonly checkable: readonly string[]
  /** What these start. */
  readonly programs: readonly string[]
  /** The agents whose program asks a person to review their hooks. */
  readonly hookReviews: readonly string[]
  readonly rigs: readonly { readonly name: string; readonly path: string }[]
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

/** Composes the city in a folder from its files alone, with the packs below a `GC_HOME`. */
export const composeFolder = (path: string, home: string, options?: ComposeOptions): Composition =>
  compose(new FileSnapshot(path), { ...options, folders: openPackFolders(home) })

export function readCityFiles(path: string, home: string): CityFiles {
  const { config, errors, broken, allWarnings } = composeFolder(path, home)
  const providers = config.agents.flatMap(({ provider, startCommand }) => (provider && !startCommand ? [provider] : []))
  return {
    name: config.name,
    path,
    packs: config.packs,
    checkable: [...new Set(providers.filter((name) => PRESETS.get(name)?.probe))].sort(),
    programs: [
      ...new Set(providers.map((name) => config.providers.get(name)?.command ?? BUILTINS.get(name)?.command ?? name)),
    ],
    hookReviews: agentsWithHookReview(config),
    rigs: config.rigs.flatMap(({ name, path: folder }) => (folder === undefined ? [] : [{ name, path: folder }])),
    errors: [...errors, ...broken].map(formatDiagnostic),
    warnings: allWarnings.map(formatDiagnostic),
  }
}
