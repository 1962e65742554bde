import { existsSync, readdirSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorMessage } from '../../core/errors.ts'
import { unlandedRefs } from '../yard/index.ts'
import { LandedBranches } from './branches.ts'
import type { TrainParts, TrainRig } from './parts.ts'
import { FINAL } from './rows.ts'
import { LANDING_STATES } from './table.ts'

const DAY_MS = 24 * 3_600_000
/** Commits of a landing that is over are kept for this long. */
export const KEEP_MS = 30 * DAY_MS
const OPEN = LANDING_STATES.filter((state) => !FINAL.includes(state))
/** Ends the name of a folder that is being removed. */
export const REMOVED = '.removed'

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
    const { clock } = this.parts
    const { yard } = this.rig
    this.#refsLookedAt = clock.now()
    const refs = [...(await yard.refs('refs/gc')).keys()]
    const isNeeded = this.#needs()
    const unneeded = refs.filter((ref) => !isNeeded(ref))
    const kept = new Set(unneeded.some((ref) => this.#isOfOthers(ref)) ? await unlandedRefs(yard) : [])
    await yard.unpin(unneeded.filter((ref) => !kept.has(ref) || !this.#isOfOthers(ref)))
  }

  /** Whether a ref is of a landing of another database: of a city before this one, or since the backup that was restored. */
  #isOfOthers(ref: string): boolean {
    const [, , kind, id = ''] = ref.split('/')
    return kind === 'land' && this.parts.rows.find(id) === undefined
  }

  /** The refs that keep what is still needed. */
  #needs(): (ref: string) => boolean {
    const { rows, clock } = this.parts
    const { name } = this.rig
    const open = rows.inStates(name, ...OPEN)
    const pushes = rows.openPushes(name)
    const pushed = new Set(pushes.map(({ batch }) => batch))
    const targets = new Set([this.rig.target(), ...[...open, ...pushes].map(({ target }) => target)])
    const isLost = open.some(({ state }) => state === 'lost') || rows.train(name)?.standingFor === 'rewound'
    const isLive = (id: string): boolean => {
      const row = rows.find(id)
      return row !== undefined && (!FINAL.includes(row.state) || clock.now() - row.updatedAt < KEEP_MS)
    }
    const kinds: Readonly<Record<string, (id: string, ref: string) => boolean>> = {
      train: (batch) => pushed.has(batch) || (rows.findBatch(batch)?.state ?? 'done') !== 'done',
      land: isLive,
      pr: isLive,
      letters: isLive,
      rewound: (seconds) => isLost || clock.now() - Number(seconds) * 1000 < KEEP_MS,
      base: (_, ref) => {
        const branch = ref.slice('refs/gc/base/'.length)
        const [, proposed] = /^gc\/land\/(ld-[a-z0-9]+)(?:-\d+)?$/.exec(branch) ?? []
        return proposed === undefined ? targets.has(branch) : isLive(proposed)
      },
    }
    return (ref) => {
      const [, , kind = '', id = ''] = ref.split('/')
      return kinds[kind]?.(id, ref) ?? true
    }
  }
}

/** A ref that keeps what a target had before it was set back. */
export const rewoundRef = (commit: string, at: number): string => `refs/gc/rewound/${Math.floor(at / 1000)}/${commit}`

/** Removes the folders of a train that is over; `isOver` is asked right before each. The next call takes up what is left. */
export async function removeFolders(folder: string, isOver: () => boolean): Promise<void> {
  const [parent, name] = [dirname(folder), basename(folder)]
  const names = existsSync(parent) ? readdirSync(parent).filter((each) => each.startsWith(`${name}.`)) : []
  for (const each of names) {
    const isMoved = each.endsWith(REMOVED)
    if (!isMoved && !isOver()) continue
    const moved = join(parent, isMoved ? each : each + REMOVED)
    if (!isMoved) renameSync(join(parent, each), moved)
    await rm(moved, { recursive: true, force: true })
  }
}
