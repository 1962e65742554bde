import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

declare const GC_VERSION: string
declare const GC_COMMIT: string
declare const GC_NOTICES: string
declare const GC_DATE: string
declare const GC_TARGET: string
declare const GC_PUBLIC_KEY: string
declare const GC_INDEX: string

/** The version of this program, from the build or else from the source tree. */
export const version = typeof GC_VERSION === 'string' ? GC_VERSION : manifest.version
export const commit = typeof GC_COMMIT === 'string' ? GC_COMMIT : 'dev'

/** The day of the commit; undefined when it runs from its sources. */
export const date = typeof GC_DATE === 'string' ? GC_DATE : undefined

/** The platform of a release, such as linux-x64-musl; undefined in builds that are only for the machine that built them. */
export const builtFor = typeof GC_TARGET === 'string' ? GC_TARGET : undefined

/** The minisign key that releases must be signed with; undefined in an unsigned build. */
export const publicKey = typeof GC_PUBLIC_KEY === 'string' ? GC_PUBLIC_KEY : undefined

/** The address of the release index that the build brings; undefined in most. */
export const builtInIndex = typeof GC_INDEX === 'string' ? GC_INDEX : undefined

/** The licenses of this program and of what is in it; undefined when it runs from its sources. */
export const notices = typeof GC_NOTICES === 'string' ? GC_NOTICES : undefined

/** The command that starts this program again: the binary, or bun and the entry point. */
export const program: readonly string[] =
  typeof GC_VERSION === 'string' ? [process.execPath] : [process.execPath, join(import.meta.dir, '../main.ts')]
