import type { Bundle, Wanted } from './bring.ts'
import type { WorktreeStatus } from './keep-reason.ts'
import type { Repository } from './repository.ts'
import type { WorktreeRow } from './table.ts'

/** Operations on worktrees of one kind: create, inspect and remove. */
export interface Checkouts {
  /**
   * Makes the folder on a branch of its own, which starts from its base or from a commit of the rig; one that is there
   * already is taken up again. Answers the commit that gc knows the
   * branch to have in the rig's repository, null where that does not matter.
   */
  prepare(row: WorktreeRow, start?: string): Promise<string | null>
  /** Brings what is committed into the rig's repository; answers the commit of its branch there, null when unknown. */
  fetch(row: WorktreeRow): Promise<string | null>
  /** Brings commits into the repository of the folder under refs of gc's own; nothing else there changes. */
  bring(row: WorktreeRow, wanted: readonly Wanted[], bundle: Bundle): Promise<void>
  /** The state of the folder, and of what the rig's repository has of it. */
  status(row: WorktreeRow): Promise<WorktreeStatus>
  /** Removes the folder; `force` also with changes that exist nowhere else. */
  remove(row: WorktreeRow, force: boolean): Promise<void>
  /** Folder with its changes, and the base they are compared with. */
  compared(row: WorktreeRow): Promise<{ repository: Repository; base: string }>
}
