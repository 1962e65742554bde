import { formatDiagnostic } from '../diagnostics/diagnostics.ts'
import { FileSnapshot } from '../files/file-snapshot.ts'
import { compose } from '../resolve/compose.ts'
import { type ExplainedField, explainFields } from './explain.ts'

/** Explains the city in a folder from its files alone, or says what is wrong with them. */
export function explainFolder(path: string): { fields: ExplainedField[]; errors: string[] } {
  const composition = compose(new FileSnapshot(path))
  const errors = composition.errors.map(formatDiagnostic)
  return { fields: errors.length > 0 ? [] : explainFields(composition), errors }
}
