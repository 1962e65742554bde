import { compose } from '../compose/compose.ts'
import { formatDiagnostic } from '../files/diagnostics.ts'
import { FileSnapshot } from '../files/file-snapshot.ts'
import { openPackFolders } from '../packs/builtin-folders.ts'
import { type ExplainedField, explainFields } from '../views/explain.ts'
import type { FolderLinter } from './lint.ts'

/** What the files of a city come to, and what is wrong with them. */
export interface ShownFolder {
  readonly fields: readonly ExplainedField[]
  /** The folders of the packs that it is made of. */
  readonly packFolders: readonly string[]
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
}

/** Shows the city in a folder from its files alone; `check` adds the errors of what it is made of. */
export function showFolder(path: string, home: string, check?: FolderLinter): ShownFolder {
  const composition = compose(new FileSnapshot(path), { folders: openPackFolders(home) })
  const own = composition.errors.map(formatDiagnostic)
  const errors = own.length > 0 ? own : [...(check?.(path, composition.config).errors ?? [])]
  return {
    fields: own.length > 0 ? [] : explainFields(composition),
    packFolders: [...new Set(composition.config.packs.map(({ folder }) => folder))],
    errors,
    warnings: composition.allWarnings.map(formatDiagnostic),
  }
}
