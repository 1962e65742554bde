import type { LandConfig } from '../../config/land/index.ts'
import { errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { checkedOutIn, RemoteBranch, remoteAddress } from '../yard/index.ts'
import { LANDING, type TrainParts, type TrainRig } from './parts.ts'
import type { BranchRow, LandingRow } from './table.ts'

const RETRY_MS = 60_000
const MAX_TRIES = 5

/** Deletes the branches of landed changes, at the remote and in the rig. A branch that went on is left alone. */
export class LandedBranches {
  constructor(
    private readonly parts: TrainParts,
    private readonly rig: TrainRig,
  ) {}

  /** Has the branch of a landing deleted; called in the write that saw it on its target. */
  add(tx: Tx, { id, rig, branch, head, target }: LandingRow): void {
    if (!this.rig.land()?.deleteBranch || branch === target) return
    const { rows, clock } = this.parts
    rows.addBranchToDelete(tx, { landing: id, rig, branch, head, tries: 0, due: clock.now() })
  }

  /** Deletes what should be deleted, and returns when to try again; undefined when nothing is left. */
  async remove(land: LandConfig): Promise<number | undefined> {
    const { rows, clock } = this.parts
    const due = rows.branchesToDelete(this.rig.name).filter((row) => row.due <= clock.now())
    for (const row of due) await this.#try(row, land)
    const left = rows.branchesToDelete(this.rig.name).map((row) => row.due)
    return left.length === 0 ? undefined : Math.min(...left)
  }

  async #try(row: BranchRow, land: LandConfig): Promise<void> {
    const { rows, store, clock, report } = this.parts
    const problem = land.deleteBranch ? await this.#delete(row, land).catch(errorMessage) : undefined
    await store.write((tx) => {
      const tries = row.tries + 1
      if (problem === undefined || tries >= MAX_TRIES) rows.removeBranchToDelete(tx, row.landing)
      else rows.updateBranchToDelete(tx, row.landing, { tries, due: clock.now() + RETRY_MS * 2 ** row.tries })
      const landing = rows.find(row.landing)
      if (problem === undefined || tries < MAX_TRIES || landing?.state !== 'landed') return
      const reason = `its branch ${row.branch} was not deleted: ${problem}`
      rows.update(tx, row.landing, { reason })
      report(`landing ${row.landing}: ${reason}`)
    }, LANDING)
  }

  /** Returns what keeps a branch from being deleted. */
  async #delete({ branch, head }: BranchRow, land: LandConfig): Promise<string | undefined> {
    if (branch === this.rig.target()) return undefined
    if (land.mode !== 'local') {
      const address = await remoteAddress(this.rig.repository(), land.remote)
      const remote = new RemoteBranch(this.rig.user(), this.rig.yard, address, branch)
      if ((await remote.remove(head)) === 'kept') return `${land.remote} does not delete it`
    }
    await this.#deleteOwn(branch, head)
    return undefined
  }

  /** The branch of a session goes with its worktree, and one that somebody works on stays. */
  async #deleteOwn(branch: string, head: string): Promise<void> {
    const git = this.rig.repository()
    const ref = `refs/heads/${branch}`
    if (this.rig.isInWorktree(branch) || (await checkedOutIn(git, ref)).length > 0) return
    await git.try('update-ref', '-d', ref, head)
  }
}
