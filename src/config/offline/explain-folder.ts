import { compose } from '../compose/compose.ts'
import { Config } from '../compose/config.ts'
import { formatDiagnostic } from '../files/diagnostics.ts'
import { FileSnapshot } from '../files/file-snapshot.ts'
import { openPackFolders } from '../packs/builtin-folders.ts'
import { type ExplainedField, explainFields } from '../views/explain.ts'

/** Explains the city in a folder from its files alone, or says what is wrong with them. */
export function explainFolder(path: string, home: string): { fields: ExplainedField[]; errors: string[] } {
  const composition = compose(new FileSnapshot(path), { folders: openPackFolders(home) })
  const errors = composition.errors.map(formatDiagnostic)
  return { fields: errors.length > 0 ? [] : explainFields(composition), errors }
}

/** What the city in a folder is called; throws every error in its files. */
export async function declaredName(path: string, home: string): Promise<string> {
  const { current } = await Config.open(path, undefined, { folders: openPackFolders(home) })
  return current.name
}
