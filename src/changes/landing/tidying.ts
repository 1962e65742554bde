import { errorMessage } from '../../core/errors.ts'
import { LandedBranches } from './branches.ts'
import type { TrainParts, TrainRig } from './parts.ts'
import { FINAL } from './rows.ts'

const DAY_MS = 24 * 3_600_000
/** Commits of a landing that is over are kept for this long. */
const KEEP_MS = 30 * DAY_MS

/** Keeps the repository of a train small, and deletes branches that landed, while nothing else is to do. */
export class Tidying {
  readonly branches: LandedBranches
  #refsLookedAt: number | undefined
  #reported = ''

  constructor(
    private readonly parts: TrainParts,
    private readonly rig: TrainRig,
    private readonly wakeIn: (ms: number) => void,
  ) {
    this.branches = new LandedBranches(parts, rig)
  }

  /** Does what is due; what fails is reported once, and tried again later. */
  async run(): Promise<void> {
    const { rows, clock, report } = this.parts
    const { name, yard } = this.rig
    const land = this.rig.land()
    if (!land || land.mode === 'off' || this.rig.isSuspended() || !yard.exists || rows.activeBatch(name)) return
    try {
      const next = await this.branches.remove(land)
      if (next !== undefined) this.wakeIn(Math.max(0, next - clock.now()))
      if (clock.now() - (this.#refsLookedAt ?? 0) >= DAY_MS) await this.removeRefs()
      await yard.collect()
      this.#reported = ''
    } catch (error) {
      const message = `the repository in which rig ${name} lands could not be tidied: ${errorMessage(error)}`
      if (message !== this.#reported) report(message)
      this.#reported = message
    }
  }

  /** Removes refs that keep what nothing needs any more: of crashes, of batches that are over, and of old landings. */
  async removeRefs(): Promise<void> {
    const { rows, clock } = this.parts
    const { yard, name } = this.rig
    this.#refsLookedAt = clock.now()
    const pushed = new Set(rows.openPushes(name).map(({ batch }) => batch))
    const stale: string[] = []
    for (const ref of (await yard.refs('refs/gc')).keys()) {
      const [, , kind = '', id = ''] = ref.split('/')
      if (kind === 'train' && !pushed.has(id) && (rows.findBatch(id)?.state ?? 'done') === 'done') stale.push(ref)
      if ((kind === 'land' || kind === 'pr') && this.#isOver(id)) stale.push(ref)
      const [, proposed] = /^refs\/gc\/base\/gc\/land\/(ld-[a-z0-9]+)(?:-\d+)?$/.exec(ref) ?? []
      if (proposed !== undefined && this.#isOver(proposed)) stale.push(ref)
    }
    await yard.unpin(stale)
  }

  /** Whether nobody continues, retries or restores a landing any more. */
  #isOver(id: string): boolean {
    const row = this.parts.rows.find(id)
    return !row || (FINAL.includes(row.state) && this.parts.clock.now() - row.updatedAt >= KEEP_MS)
  }
}
