import type { LandConfig } from '../../config/land/index.ts'
import type { Tx } from '../../core/store/index.ts'
import * as events from '../events.ts'
import type { BuildResult } from './build.ts'
import { type Decision, decide, verdictsOf } from './decide.ts'
import type { GivenBack } from './letters.ts'
import { enterState, LANDING, type TrainParts, type TrainRig } from './parts.ts'
import type { BatchRow, LandingRow, MemberRow } from './table.ts'

/** The parts of a train that trials use. */
export interface TryingTrain {
  /** Merges a branch onto the target as if a person had approved it; undefined while it continues one that has not landed. */
  merge(row: LandingRow, land: LandConfig, base: string): Promise<BuildResult | undefined>
  begin(row: LandingRow, base: string, result: Extract<BuildResult, { is: 'candidate' }>): Promise<void>
  check(batch: BatchRow, members: readonly MemberRow[], decision: Extract<Decision, { is: 'check' }>): Promise<void>
  endBatch(tx: Tx, batch: string, outcome: string): void
  redOf(batch: BatchRow, members: readonly MemberRow[], position: number): GivenBack | undefined
  giveBack(tx: Tx, row: LandingRow, land: LandConfig, back: GivenBack): void
}

/** States of a landing that a trial may still give back. */
const UNDECIDED = ['held', 'submitted', 'queued']

/**
 * Checks branches that wait for approval, one at a time, while the queue is empty. A person then reads only what passes, and its owner hears of a failure immediately. A trial never pushes, and the next branch in the queue ends it.
 */
export class Trials {
  /** Branches that cannot be merged as they are. */
  readonly #skipped = new Set<string>()
  /** Branches that could not be merged when the trial began; they do not end it. */
  #stuck: ReadonlySet<string> = new Set()

  constructor(
    private readonly parts: TrainParts,
    private readonly rig: TrainRig,
    private readonly train: TryingTrain,
  ) {}

  /** The landing to check next. */
  next(land: LandConfig): LandingRow | undefined {
    const { rows } = this.parts
    if (!land.checkEarly || !this.rig.checkPlace()) return undefined
    const held = rows.inStates(this.rig.name, 'held').filter(({ heldFor }) => heldFor === 'approval')
    return held.find((row) => !this.#skipped.has(keyOf(row)) && rows.trialOf(row) === undefined)
  }

  /** Begins the next trial; false if there is none. */
  async begin(land: LandConfig, base: string): Promise<boolean> {
    const row = this.next(land)
    if (!row) return false
    this.#stuck = new Set(this.#waiting().map(keyOf))
    const result = await this.train.merge(row, land, base)
    if (result?.is === 'generating') return false
    if (result?.is === 'candidate') await this.train.begin(row, base, result)
    if (this.parts.rows.activeBatch(this.rig.name)) return true
    this.#skipped.add(keyOf(row))
    return this.begin(land, base)
  }

  /** Takes a trial one step on; false while a check runs, or nothing may begin. */
  async advance(batch: BatchRow, land: LandConfig): Promise<boolean> {
    const { rows } = this.parts
    const members = rows.members(batch.id)
    const checks = rows.checksOf(batch.id)
    if (this.#isOvertaken(members) || !this.rig.checkPlace()) return this.#abandon(batch)
    if (checks.some(({ state }) => state !== 'done') || rows.train(this.rig.name)?.pausedAt != null) return false
    const decision = decide({ size: members.length, verdicts: verdictsOf(checks), confirms: land.confirmRed })
    if (decision.is === 'check') await this.train.check(batch, members, decision)
    else if (decision.is === 'settled') await this.#settle(batch, members, land, decision.blamed === undefined)
    else await this.#abandon(batch, decision.is)
    return true
  }

  /** Whether something else may land by now. */
  #isOvertaken([member]: readonly MemberRow[]): boolean {
    const others = this.#waiting().filter(({ id, head }) => id !== member?.landing || head !== member.head)
    return others.some((row) => !this.#stuck.has(keyOf(row)))
  }

  #waiting(): LandingRow[] {
    return this.parts.rows.inStates(this.rig.name, 'submitted', 'queued')
  }

  /** Ends a trial without a verdict on its branch. */
  async #abandon(batch: BatchRow, outcome = 'abandoned'): Promise<true> {
    const { rows, store, checks } = this.parts
    const open = rows.checksOf(batch.id).filter(({ state }) => state !== 'done')
    const [member] = rows.members(batch.id)
    const row = member && rows.find(member.landing)
    if (row && outcome !== 'abandoned') this.#skipped.add(keyOf(row))
    await store.write((tx) => {
      this.train.endBatch(tx, batch.id, outcome)
      for (const { id } of open) rows.removeCheck(tx, id)
      tx.after(() => {
        for (const check of open) checks.abandon(check)
      })
    }, LANDING)
    return true
  }

  /** A branch that passes continues to wait for its approval; one that fails goes back. */
  async #settle(batch: BatchRow, members: readonly MemberRow[], land: LandConfig, isGreen: boolean): Promise<void> {
    const { rows, store, letters } = this.parts
    const [member] = members
    const back = isGreen ? undefined : this.train.redOf(batch, members, 0)
    if (member && back) await letters.pin(batch.rig, member.landing, back)
    await store.write((tx) => {
      this.train.endBatch(tx, batch.id, isGreen ? 'green' : 'red')
      const row = member && rows.find(member.landing)
      if (!row || row.head !== member.head || !UNDECIDED.includes(row.state)) return
      if (back) return this.train.giveBack(tx, rows.update(tx, row.id, { heldFor: '' }), land, back)
      this.rig.onChecked(tx, row, 'green')
      enterState(this.parts, tx, row, {}, events.LandPassed)
    }, LANDING)
  }
}

const keyOf = ({ id, head }: Pick<LandingRow, 'id' | 'head'>): string => `${id} ${head}`
