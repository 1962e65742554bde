/** The git status of a worktree whose session is over. */
export interface WorktreeStatus {
  /** The number of changed and new files, without those that git ignores. */
  changes: number
  /** Whether changes were put aside in it with `git stash`. */
  stashed: boolean
  /** Whether all its commits are in the base branch. */
  merged: boolean
  /** Whether all its commits are on a remote. */
  pushed: boolean
  /** The number of commits that the base branch does not have. */
  ahead: number
}

/** Why a worktree must be kept: it holds work that exists nowhere else. Undefined when it may be removed. */
export function reasonToKeep({ changes, stashed, merged, pushed, ahead }: WorktreeStatus): string | undefined {
  if (changes > 0) return `${changes} ${changes === 1 ? 'file is' : 'files are'} changed and not committed`
  if (stashed) return 'changes are stashed in it'
  if (merged || pushed) return undefined
  return `${ahead} ${ahead === 1 ? 'commit is' : 'commits are'} neither merged nor pushed`
}
