import { homedir } from 'node:os'
import type { Config } from '../../config/config.ts'
import { fixedPath, writtenByAgents } from '../../config/confinement/fixed-path.ts'
import { lendersTo } from '../../config/confinement/open-rigs.ts'
import { findRepository, lendersOf } from '../../config/git/repository-folders.ts'
import { AppError } from '../../core/errors.ts'
import type { WorktreeRow } from './table.ts'

/** Where rigs and worktrees are, and whom rigs borrow from, whatever sessions that can write there make of it. */
export class RigPlaces {
  constructor(private readonly config: Pick<Config, 'current'>) {}

  /** Where a folder is: no link counts that sessions can have made. */
  placeOf(path: string): string {
    return fixedPath(path, writtenByAgents(this.config.current))
  }

  /** A row with its folders where they are. */
  fixed(row: WorktreeRow): WorktreeRow {
    return { ...row, path: this.placeOf(row.path), repository: this.placeOf(row.repository) }
  }

  /** Whether a rig may borrow from a folder of objects. */
  lends(name: string, objects: string): boolean {
    const { current } = this.config
    const rig = current.rigs.find((each) => each.name === name)
    return lendersTo(rig, current, homedir())(objects)
  }

  /** Throws where a rig borrows from a repository that a session may have named. */
  requireLent({ rig, repository }: Pick<WorktreeRow, 'rig' | 'repository'>): void {
    const own = findRepository(this.placeOf(repository))
    const other = own && lendersOf(own).find((objects) => !this.lends(rig, objects))
    if (other === undefined) return
    const why = `rig ${rig} borrows objects from ${other}, which an agent may have written there that can change the rig`
    throw new AppError(
      'service-unavailable',
      `${why}: allow it by read = ["${other}"] in the confine table of the rig, or give all its agents worktree = true`,
    )
  }
}
