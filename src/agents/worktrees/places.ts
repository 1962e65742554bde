import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import type { AgentConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import { fixedPath, lendersTo, writtenByAgents } from '../../config/confinement/index.ts'
import { findRepository, lendersOf } from '../../config/git/index.ts'
import { AppError } from '../../core/errors.ts'
import { touch } from '../../core/folders.ts'
import type { WorktreeRow } from './table.ts'

/** Locations of rigs and worktrees and of borrowed repositories, robust against changes by sessions. */
export class RigPlaces {
  constructor(private readonly config: Pick<Config, 'current'>) {}

  /** Real location of a folder, ignoring links that sessions can have made. */
  placeOf(path: string): string {
    return fixedPath(path, writtenByAgents(this.config.current))
  }

  /** A row with its folders where they are. */
  fixed(row: WorktreeRow): WorktreeRow {
    return { ...row, path: this.placeOf(row.path), repository: this.placeOf(row.repository) }
  }

  /** True if a rig may borrow from a folder of objects. */
  lends(name: string, objects: string): boolean {
    const { current } = this.config
    const rig = current.rigs.find((each) => each.name === name)
    return lendersTo(rig, current, homedir())(objects)
  }

  /** Throws where a confined agent works in the folder of a worktree, or around it: only its own session writes one. */
  requireApart(
    folder: string,
    agent: Pick<AgentConfig, 'confine'> | undefined,
    rows: readonly WorktreeRow[],
  ): undefined {
    if (agent === undefined || agent.confine === 'off') return undefined
    const place = this.placeOf(folder)
    const other = rows.find(({ path }) => touch(place, this.placeOf(path)))
    if (other === undefined) return undefined
    const why = `its folder ${folder} would void that: ${other.path} is the worktree of session ${other.session}`
    throw new AppError(
      'service-unavailable',
      `it cannot be confined: ${why}; give it another work_dir, or set confine = "off"`,
    )
  }

  /** Throws where something lies that is not a worktree: who put it there could write it on. */
  requireUnused(path: string, rows: readonly WorktreeRow[]): void {
    if (!existsSync(path) || rows.some((row) => row.path === path)) return
    throw new AppError('service-unavailable', `${path} already exists and is not a worktree of gc; move it away`)
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
