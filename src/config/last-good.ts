import { join } from 'node:path'
import { formatDiagnostic } from './diagnostics/diagnostics.ts'
import { readLastGood } from './files/last-good-files.ts'
import { type ComposeOptions, type Composition, compose } from './resolve/compose.ts'

/** The last good configuration of a city whose files are broken, in which nothing new is started. */
export function composeLastGood(path: string, broken: Composition, options: ComposeOptions): Composition | undefined {
  const files = options.lastGoodFile === undefined ? undefined : readLastGood(join(path, options.lastGoodFile), path)
  const lastGood = files && compose(files, options)
  if (!lastGood || lastGood.errors.length > 0) return undefined
  const [first] = broken.errors
  const held = `the city runs on its last good configuration until its files are put right${first ? `: ${formatDiagnostic(first)}` : ''}`
  return { ...lastGood, config: { ...lastGood.config, held } }
}
