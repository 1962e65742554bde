import { homedir } from 'node:os'
import { compose } from '../compose/compose.ts'
import { readDefaultMode } from '../confinement/default-mode.ts'
import { type Defaults, type ExplainedConfinement, explainConfinement } from '../confinement/explain-agent.ts'
import { formatDiagnostic } from '../files/diagnostics.ts'
import { FileSnapshot } from '../files/file-snapshot.ts'
import { suggestion } from '../files/suggestion.ts'
import { openPackFolders } from '../packs/builtin-folders.ts'

/** Explains how an agent of the city in a folder is confined, from its files alone, or says why that cannot be told. */
export function explainFolderConfinement(
  path: string,
  { name, gcHome, defaults }: { name: string; gcHome: string; defaults: (home: string) => Defaults },
): ExplainedConfinement | { errors: string[] } {
  const { errors, config } = compose(new FileSnapshot(path), {
    folders: openPackFolders(gcHome),
    defaultConfine: readDefaultMode(gcHome),
  })
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
