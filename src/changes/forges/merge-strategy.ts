import type { LandConfig } from '../../config/land/index.ts'
import type { Bead } from '../../work/beads/index.ts'
import { WorkKey } from '../../work/metadata.ts'

/**
 * The landing mode of a bead whose `merge_strategy` metadata asks for something: `mr` by a pull request, and `local` not
 * at all, so that it stays a branch. Agents can write metadata, so that it never makes a rig less strict: `direct` and
 * unknown words mean what the rig declares.
 */
export function landingMode(mode: LandConfig['mode'], strategy: string | undefined): LandConfig['mode'] {
  if (mode === 'off' || mode === 'local') return mode
  if (strategy === 'local') return 'off'
  return strategy === 'mr' || strategy === 'pr' ? 'pr' : mode
}

/**
 * The agent of a pack that merges a branch itself, such as a refinery: an open bead names the branch in its metadata
 * and was handed to somebody who did not make it. Undefined where no one does.
 */
export function packHolder(
  bead: Pick<Bead, 'status' | 'assignee' | 'metadata'> | undefined,
  { branch, makers }: { branch: string; makers: readonly (string | null | undefined)[] },
): string | undefined {
  if (!bead || bead.status === 'closed' || bead.metadata?.[WorkKey.branch] !== branch) return undefined
  const routed = bead.metadata[WorkKey.routedTo]
  return [bead.assignee, routed].find((holder) => holder !== undefined && holder !== '' && !makers.includes(holder))
}
