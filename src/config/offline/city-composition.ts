import { AppError } from '../../core/errors.ts'
import { findProgram } from '../../core/files.ts'
import { PRESETS } from '../../programs/presets.ts'
import type { AgentConfig } from '../agents/index.ts'
import type { CityConfig } from '../city/index.ts'
import { agentsWithHookReview, type ComposeOptions, type Composition, compose } from '../compose/index.ts'
import { type Drafts, FileSnapshot, formatDiagnostic } from '../files/index.ts'
import { openPackFolders, type PackConfig } from '../packs/index.ts'
import { type ProviderProgram, programOf, resolveProvider } from '../providers/index.ts'

/** A program with the provider that starts it. */
interface DeclaredProgram extends ProviderProgram {
  readonly provider: string
}

/** Composed files of a city, read without a supervisor. */
export interface CityFiles {
  readonly name: string
  readonly path: string
  readonly packs: readonly PackConfig[]
  /** The providers of its agents whose login can be checked, each once. */
  readonly checkable: readonly string[]
  /** The programs that its agents' providers start. */
  readonly programs: readonly DeclaredProgram[]
  /** The agents whose program asks a person to review their hooks. */
  readonly hookReviews: readonly string[]
  readonly rigs: readonly { readonly name: string; readonly path: string }[]
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

/** Composes the city in a folder from its files and drafts alone, with the packs below a `GC_HOME`. */
export const composeFolder = (path: string, home: string, options?: ComposeOptions, drafts?: Drafts): Composition =>
  compose(new FileSnapshot(path, drafts), { ...options, folders: openPackFolders(home) })

export function readCityFiles(path: string, home: string): CityFiles {
  const { config, errors, broken, allWarnings } = composeFolder(path, home)
  const providers = config.agents.flatMap(({ provider, startCommand }) => (provider && !startCommand ? [provider] : []))
  return {
    name: config.name,
    path,
    packs: config.packs,
    checkable: [...new Set(providers.filter((name) => PRESETS.get(name)?.probe))].sort(),
    programs: config.agents.flatMap((agent) => declaredProgram(agent, config)),
    hookReviews: agentsWithHookReview(config),
    rigs: config.rigs.flatMap(({ name, path: folder }) => (folder === undefined ? [] : [{ name, path: folder }])),
    errors: [...errors, ...broken].map(formatDiagnostic),
    warnings: allWarnings.map(formatDiagnostic),
  }
}

/** The program of an agent's provider. One whose provider has an error is left out: the error is listed. */
function declaredProgram(agent: AgentConfig, { providers }: Pick<CityConfig, 'providers'>): DeclaredProgram[] {
  const { provider, startCommand } = agent
  if (provider === undefined || startCommand) return []
  try {
    return [{ provider, ...programOf(resolveProvider(provider, providers), agent) }]
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

/** The programs of a city that are not there, on a PATH or where their provider has them. */
export const missingPrograms = ({ path: base, programs }: CityFiles, PATH: string): readonly DeclaredProgram[] =>
  programs.filter(({ command, path = PATH }) => findProgram(command, path, base) === undefined)
