import { join } from 'node:path'
import { findRepository, readText, sharedFolder } from './repository-folders.ts'

export interface Branches {
  /** The branch that is checked out. */
  readonly branch?: string
  /** The branch that the remote repository shows first. */
  readonly defaultBranch?: string
}

/** Reads the branches of a working folder from its repository's files; nothing is run for it. */
export function readBranches(folder: string): Branches {
  const own = findRepository(folder)
  if (own === undefined) return {}
  const shared = sharedFolder(own)
  const branch = refAfter('refs/heads/', readText(join(own, 'HEAD')))
  const defaultBranch = refAfter('refs/remotes/origin/', readText(join(shared, 'refs/remotes/origin/HEAD')))
  return { ...(branch && { branch }), ...(defaultBranch && { defaultBranch }) }
}

const refAfter = (prefix: string, text: string | undefined): string | undefined =>
  text?.startsWith(`ref: ${prefix}`) ? text.slice(`ref: ${prefix}`.length) : undefined
