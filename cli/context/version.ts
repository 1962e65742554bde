import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

declare const GC_VERSION: string
declare const GC_COMMIT: string

/** What this program is: the build says it, else the source tree. */
export const version = typeof GC_VERSION === 'string' ? GC_VERSION : manifest.version
export const commit = typeof GC_COMMIT === 'string' ? GC_COMMIT : 'dev'

/** How this very program is started again: the binary, or in the source tree bun and its entry. */
export const program: readonly string[] =
  typeof GC_VERSION === 'string' ? [process.execPath] : [process.execPath, join(import.meta.dir, '../main.ts')]
