/** Runs git in the bare repository that holds the commits. */
export type Git = (args: readonly string[]) => Promise<{ readonly exitCode: number; readonly stdout: string }>

/** A change as it was checked: a commit, and the commit of the target that it stands on. */
export interface CheckedChange {
  readonly base: string
  readonly sha: string
}

/** True if a change is on its target as it was checked. */
export type Landed =
  | { readonly kind: 'landed'; readonly commit: string }
  /** A commit stands for it that changes something else. */
  | { readonly kind: 'different'; readonly commit: string; readonly paths: readonly string[] }
  | { readonly kind: 'absent' }

const MAX_PATHS = 20

/**
 * Judges what is on a target, as it was just fetched, and not what a forge says: `merged` is the commit that it calls the
 * merge. That must be on the target and hold what its parent and the change come to, no more and no less.
 */
export async function judgeLanded(
  git: Git,
  change: CheckedChange,
  { target, merged }: { target: string; merged: string | undefined },
): Promise<Landed> {
  const isOn = async (commit: string) => (await git(['merge-base', '--is-ancestor', commit, target])).exitCode === 0
  const isChangeOn = await isOn(change.sha)
  if (merged === undefined || merged === change.sha) {
    return isChangeOn ? { kind: 'landed', commit: change.sha } : { kind: 'absent' }
  }
  if (!(await isOn(merged))) return { kind: 'absent' }
  const paths = await differingPaths(git, change, merged)
  return paths.length === 0 ? { kind: 'landed', commit: merged } : { kind: 'different', commit: merged, paths }
}

/** The paths in which a merge is not its first parent with the change; `.` if that cannot be told. */
async function differingPaths(git: Git, change: CheckedChange, merged: string): Promise<string[]> {
  const parent = await lineOf(git, ['rev-parse', '--verify', `${merged}^1`])
  if (parent === undefined) return ['.']
  const expected = parent === change.base ? change.sha : await mergedTree(git, parent, change.sha)
  if (expected === undefined) return ['.']
  const { exitCode, stdout } = await git(['diff-tree', '-r', '-z', '--no-renames', '--name-only', expected, merged])
  return exitCode === 0 ? stdout.split('\0').filter(Boolean).slice(0, MAX_PATHS) : ['.']
}

/** The tree of a clean three-way merge; undefined for one with conflicts. */
async function mergedTree(git: Git, ours: string, theirs: string): Promise<string | undefined> {
  return lineOf(git, ['merge-tree', '--write-tree', ours, theirs])
}

async function lineOf(git: Git, args: readonly string[]): Promise<string | undefined> {
  const { exitCode, stdout } = await git(args)
  return exitCode === 0 ? stdout.split('\n')[0]?.trim() || undefined : undefined
}
