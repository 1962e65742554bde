import { homedir } from 'node:os'
import { Config } from '../compose/index.ts'
import { type Defaults, type ExplainedConfinement, explainConfinement, readDefaultMode } from '../confinement/index.ts'
import { formatDiagnostic, suggestion } from '../files/index.ts'
import { openPackFolders } from '../packs/index.ts'
import { type ExplainedField, explainFields } from '../views/index.ts'
import { composeFolder } from './city-composition.ts'
import type { FolderLinter } from './lint.ts'

/** Composed files of a city, with their problems. */
export interface ShownFolder {
  readonly fields: readonly ExplainedField[]
  /** The folders of the packs that it is made of. */
  readonly packFolders: readonly string[]
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

/** Explains the city in a folder from its files alone, or says what is wrong with them. */
export function explainFolder(path: string, home: string): { fields: ExplainedField[]; errors: string[] } {
  const composition = composeFolder(path, home)
  const errors = composition.errors.map(formatDiagnostic)
  return { fields: errors.length > 0 ? [] : explainFields(composition), errors }
}

/** Name of the city in a folder; throws every error in its files. */
export async function declaredName(path: string, home: string): Promise<string> {
  const { current } = await Config.open(path, undefined, { folders: openPackFolders(home) })
  return current.name
}

/** Explains how an agent of the city in a folder is confined, from its files alone, or says why that cannot be told. */
export function explainFolderConfinement(
  path: string,
  { name, gcHome, defaults }: { name: string; gcHome: string; defaults: (home: string) => Defaults },
): ExplainedConfinement | { errors: string[] } {
  const { errors, config } = composeFolder(path, gcHome, { defaultConfine: readDefaultMode(gcHome) })
  if (errors.length > 0) return { errors: errors.map(formatDiagnostic) }
  const agent =
    config.agents.find(({ qualified }) => qualified === name) ??
    config.agents.find((each) => each.name === name || each.localName === name)
  if (!agent) {
    const names = config.agents.map(({ qualified }) => qualified)
    return { errors: [`there is no agent "${name}"; ${suggestion(name, names) || '`gc agent list` names them'}`] }
  }
  const home = homedir()
  const around = { home, gcHome, city: path, rigs: config.rigs }
  return explainConfinement(agent, { config, around, defaults: defaults(home) })
}

/**
 * Shows the city in a folder from its files alone; `check` adds the errors of what it is made of, and of what is declared
 * and cannot be used.
 */
export function showFolder(path: string, home: string, check?: FolderLinter): ShownFolder {
  const composition = composeFolder(path, home)
  const { config, broken, allWarnings } = composition
  const own = composition.errors.map(formatDiagnostic)
  const unusable = [...broken.map(formatDiagnostic), ...config.agents.flatMap((agent) => agent.broken ?? [])]
  const checked = own.length === 0 && check ? [...new Set([...unusable, ...check(path, config).errors])] : []
  const isError = (sentence: string) => checked.some((error) => sentence.startsWith(error))
  return {
    fields: own.length > 0 ? [] : explainFields(composition),
    packFolders: [...new Set(config.packs.map(({ folder }) => folder))],
    errors: [...own, ...checked],
    warnings: allWarnings.map(formatDiagnostic).filter((sentence) => !isError(sentence)),
  }
}
