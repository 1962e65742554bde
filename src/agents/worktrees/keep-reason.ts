/** What git tells of a worktree whose session is over. */
export interface Findings {
  /** Files that are changed or new, those that git ignores left out. */
  changes: number
  /** Whether all that is committed there is in the branch it is to end up in. */
  merged: boolean
  /** Whether all that is committed there is on some remote. */
  pushed: boolean
  /** Commits that the other branch does not have. */
  ahead: number
}

/** Why a worktree has to stay: something in it is nowhere else. Undefined when it may go. */
export function reasonToKeep({ changes, merged, pushed, ahead }: Findings): string | undefined {
  if (changes > 0) return `${changes} ${changes === 1 ? 'file is' : 'files are'} changed and not committed`
  if (merged || pushed) return undefined
  return `${ahead} ${ahead === 1 ? 'commit is' : 'commits are'} neither merged nor pushed`
}
