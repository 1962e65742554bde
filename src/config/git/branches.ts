import { readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

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
  const common = readText(join(own, 'commondir'))
  const shared = common === undefined ? own : resolve(own, common)
  const branch = refAfter('refs/heads/', readText(join(own, 'HEAD')))
  const defaultBranch = refAfter('refs/remotes/origin/', readText(join(shared, 'refs/remotes/origin/HEAD')))
  return { ...(branch && { branch }), ...(defaultBranch && { defaultBranch }) }
}

/** The folder in which git keeps what it knows of a working folder. */
function findRepository(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const path = join(at, '.git')
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return path
    const link = stats?.isFile() ? /^gitdir: (.+)$/m.exec(readText(path) ?? '')?.[1] : undefined
    if (link !== undefined) return resolve(at, link)
    if (at === dirname(at)) return undefined
  }
}

const refAfter = (prefix: string, text: string | undefined): string | undefined =>
  text?.startsWith(`ref: ${prefix}`) ? text.slice(`ref: ${prefix}`.length) : undefined

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}
