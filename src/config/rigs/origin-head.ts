import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const HEAD = /^ref: refs\/remotes\/origin\/(\S+)\s*$/

/** The branch that `origin` of a repository works on, as it was when it was cloned; undefined where that is not known. */
export function originHead(folder: string): string | undefined {
  for (const git of [join(folder, '.git'), linkedFolder(folder)]) {
    const head = git && read(join(git, 'refs/remotes/origin/HEAD'))
    const branch = head && HEAD.exec(head)?.[1]
    if (branch) return branch
  }
  return undefined
}

/** The repository that a worktree belongs to. */
function linkedFolder(folder: string): string | undefined {
  const [, own] = /^gitdir: (.+)$/m.exec(read(join(folder, '.git')) ?? '') ?? []
  if (own === undefined) return undefined
  const common = read(join(resolve(folder, own), 'commondir'))?.trim()
  return resolve(folder, own, common ?? '.')
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
