import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

declare const GC_VERSION: string
declare const GC_COMMIT: string
declare const GC_NOTICES: string

/** The version of this program, from the build or else from the source tree. */
export const version = typeof GC_VERSION === 'string' ? GC_VERSION : manifest.version
export const commit = typeof GC_COMMIT === 'string' ? GC_COMMIT : 'dev'

/** The licenses of this program and of what is in it; undefined when it runs from its sources. */
export const notices = typeof GC_NOTICES === 'string' ? GC_NOTICES : undefined

/** The command that starts this program again: the binary, or bun and the entry point. */
export const program: readonly string[] =
  typeof GC_VERSION === 'string' ? [process.execPath] : [process.execPath, join(import.meta.dir, '../main.ts')]
