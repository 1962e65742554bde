import { type Bundle, bring } from './bring.ts'
import type { Repository } from './repository.ts'

/** The commit that a new worktree starts from, instead of the branch that its work ends up in. */
export interface WorktreeStart {
  readonly commit: string
  /** The session whose worktree has it, if that may not be in the rig yet. */
  readonly session?: string | null
  /** The branch of a remote whose newest commit it is, and the repository that has it. */
  readonly fetched?: { readonly ref: string; readonly source: string; readonly bundle: Bundle }
}

/**
 * The newest commit of the target that is known in a rig, once it is there: as gc fetched it, or as the rig did later.
 * Undefined where the branch of the rig has more.
 */
export async function fetchedStart(
  rig: Repository,
  { commit, fetched }: WorktreeStart,
  { base, incoming }: { base: string; incoming: string },
): Promise<string | undefined> {
  if (!fetched) return (await rig.commitOf(commit)) || undefined
  const known = await rig.commitOf(fetched.ref)
  const contains = async (later: string, earlier: string) =>
    later !== '' && (await rig.execute(['merge-base', '--is-ancestor', earlier, later])).exitCode === 0
  const isOlder = await contains(known, commit)
  const wanted = [{ ref: fetched.ref, commit, source: fetched.source }]
  if (!isOlder) await bring(rig, { wanted, bundle: fetched.bundle, incoming, branch: base })
  const newest = isOlder ? known : commit
  return (await contains(newest, base)) ? newest : undefined
}
