import { SecretValues } from '../../core/secret-values.ts'
import { toPlainValue } from '../toml/parse.ts'
import type { FileSnapshot } from './file-snapshot.ts'

/** The secrets in all TOML files that a configuration was made of: the city's, its fragments, its packs. */
export function secretsIn(files: FileSnapshot): SecretValues {
  const secrets = new SecretValues()
  for (const root of files.roots) {
    for (const file of root.files) {
      const parsed = file.endsWith('.toml') ? root.toml(file) : undefined
      if (parsed && 'table' in parsed) secrets.add(toPlainValue(parsed.table))
    }
  }
  return secrets
}
