import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { stampOf } from './file-cache.ts'
import type { FileSnapshot } from './file-snapshot.ts'

/** Files and folders that were read below a folder, by their names. */
export interface ReadRoot {
  readonly path: string
  readonly files: readonly string[]
  readonly listed: readonly { readonly folder: string; readonly exists: boolean }[]
}

/** A state of the files that a configuration was made of, as JSON. */
export interface StampedFiles {
  readonly roots: readonly ReadRoot[]
  /** Fingerprints of all of them, in order; `-` for one that is not there. */
  readonly stamps: readonly string[]
}

/**
 * Fingerprints of the files of a snapshot as they are now; undefined when one was changed so shortly before that it may
 * change again without a trace.
 */
export function stampFiles(snapshot: FileSnapshot): StampedFiles | undefined {
  const roots = snapshot.roots.map(({ path, files, listed }) => ({ path, files, listed }))
  const stamps = stampsOf(roots)
  return stamps.includes('') ? undefined : { roots, stamps }
}

/** True if the files are as they were. */
export const areUnchanged = ({ roots, stamps }: StampedFiles): boolean => Bun.deepEquals(stampsOf(roots), stamps)

function stampsOf(roots: readonly ReadRoot[]): string[] {
  return roots.flatMap(({ path, files, listed }) =>
    [...files, ...listed.map(({ folder }) => folder)].map((name) => {
      const stats = statSync(resolve(path, name), { throwIfNoEntry: false })
      return stats ? stampOf(stats) : '-'
    }),
  )
}
