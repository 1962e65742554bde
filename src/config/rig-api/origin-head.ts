import { join, resolve } from 'node:path'
import { readText } from '../git/index.ts'

const HEAD = /^ref: refs\/remotes\/origin\/(\S+)$/

/** The branch that `origin` of a repository works on, as it was when it was cloned; undefined where that is not known. */
export function originHead(folder: string): string | undefined {
  for (const git of [join(folder, '.git'), linkedFolder(folder)]) {
    const head = git && readText(join(git, 'refs/remotes/origin/HEAD'))
    const branch = head && HEAD.exec(head)?.[1]
    if (branch) return branch
  }
  return undefined
}

/** The repository that a worktree belongs to. */
function linkedFolder(folder: string): string | undefined {
  const [, own] = /^gitdir: (.+)$/m.exec(readText(join(folder, '.git')) ?? '') ?? []
  if (own === undefined) return undefined
  const common = readText(join(resolve(folder, own), 'commondir'))
  return resolve(folder, own, common ?? '.')
}
