/** The git status of a worktree whose session is over. */
export interface WorktreeStatus {
  /** The number of changed and new files, without those that git ignores. */
  changes: number
  /** Their paths. */
  files: readonly string[]
  /** Whether changes were put aside in it with `git stash`. */
  stashed: boolean
  /** True if all its commits are in the base branch. */
  merged: boolean
  /** True if all its commits are on a remote. */
  pushed: boolean
  /** The number of commits that the base branch does not have. */
  ahead: number
}

/** The files in the output of `git status --porcelain -z`. */
export function changedFiles(text: string): string[] {
  const fields = text.split('\0')
  const files: string[] = []
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? ''
    if (field === '') continue
    files.push(field.slice(3))
    // The former name follows.
    if (/^(?:R|C|.R|.C)/.test(field)) at++
  }
  return files
}

/** Why a worktree must be kept: it holds work that exists nowhere else. Undefined when it may be removed. */
export function reasonToKeep({
  changes,
  stashed,
  merged,
  pushed,
  ahead,
}: Omit<WorktreeStatus, 'files'>): string | undefined {
  if (changes > 0) return `${changes} ${changes === 1 ? 'file is' : 'files are'} changed and not committed`
  if (stashed) return 'changes are stashed in it'
  if (merged || pushed) return undefined
  return `${ahead} ${ahead === 1 ? 'commit is' : 'commits are'} ${UNMERGED}`
}

const UNMERGED = 'neither merged nor pushed'

/** Whether nothing but its commits kept a worktree. */
export const isKeptForCommits = (reason: string): boolean => reason.endsWith(UNMERGED)
