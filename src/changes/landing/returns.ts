import type { LandConfig } from '../../config/land/index.ts'
import type { Tx } from '../../core/store/index.ts'
import * as events from '../events.ts'
import type { ConflictedFile } from '../yard/index.ts'
import { authorsOf, startOf } from './authors.ts'
import type { Failed } from './build.ts'
import type { GivenBack } from './letters.ts'
import { countConflict } from './metrics.ts'
import { enterState, LANDING, requeue, type TrainParts, type TrainRig } from './parts.ts'
import type { BatchRow, LandingRow, MemberRow } from './table.ts'

/** A branch that conflicts: its files, and the commit with which it does. */
export interface Conflict {
  /** The target as it was seen. */
  readonly base: string
  readonly ours: string
  readonly files: readonly ConflictedFile[]
  /** The command that was to make its generated files again. */
  readonly failed?: Failed | undefined
}

/** Gives branches back to their owners: one at a time for a file, who keep their places in the queue. */
export class Returns {
  constructor(
    private readonly parts: TrainParts,
    private readonly rig: TrainRig,
    private readonly wakeIn: (ms: number) => void,
  ) {}

  /** One owner at a time resolves conflicts in a file; the others wait for him, and keep their places. */
  async conflict(row: LandingRow, land: LandConfig, { base, ours, files, failed }: Conflict): Promise<void> {
    const { rows, store, letters } = this.parts
    const paths = files.map(({ path }) => path)
    const start = await startOf(this.rig.yard, ours, row.head)
    const changedBy = await authorsOf(this.rig.yard, rows, { since: start, target: base, paths })
    const details = { target: base, files, changedBy, ...(start !== undefined && { start }), ...failed }
    const back = { kind: 'conflict' as const, base: ours, candidate: null, details }
    await letters.pin(row.rig, row.id, back)
    await store.write((tx) => {
      const current = rows.find(row.id)
      if (current?.state !== 'queued' || current.head !== row.head) return
      const holder = this.#turns().find(
        (other) => other.id !== row.id && other.files.some((path) => paths.includes(path)),
      )
      if (holder) {
        const reason = `conflicts in ${paths[0]}, which ${holder.id} resolves first`
        enterState(
          this.parts,
          tx,
          current,
          { state: 'waits_turn', waitsFor: holder.id, reason },
          events.LandWaitingTurn,
        )
        return
      }
      this.giveBack(tx, current, land, back)
    }, LANDING)
  }

  /** The owner whose turn it is for the files of a conflict. */
  #turns(): LandingRow[] {
    const now = this.parts.clock.now()
    const rows = this.parts.rows.inStates(this.rig.name, 'conflict', 'submitted', 'queued', 'in_batch', 'waits_turn')
    return rows.filter(
      ({ state, files, turnUntil }) => files.length > 0 && (state !== 'conflict' || (turnUntil ?? 0) > now),
    )
  }

  /** Those wait no more whose predecessor landed, gave up or took too long. */
  async endTurns(): Promise<void> {
    const { rows, store, clock } = this.parts
    const waiting = rows.inStates(this.rig.name, 'waits_turn')
    if (waiting.length === 0) return
    const turns = this.#turns()
    const free = waiting.filter(({ waitsFor }) => !turns.some(({ id }) => id === waitsFor))
    if (free.length > 0) {
      await store.write((tx) => {
        for (const row of free) requeue(this.parts, tx, row)
      }, LANDING)
    }
    const ends = turns.flatMap(({ state, turnUntil }) =>
      state === 'conflict' && turnUntil !== null ? [turnUntil] : [],
    )
    if (ends.length > 0) this.wakeIn(Math.max(0, Math.min(...ends) - clock.now()))
  }

  /** Gives a branch back to its owner with a letter, or to a person after all its tries. */
  giveBack(tx: Tx, row: LandingRow, land: LandConfig, back: GivenBack): void {
    const { clock, letters } = this.parts
    const { kind, details } = back
    if (kind === 'red') this.rig.onChecked(tx, row, 'red')
    const files = details.files?.map(({ path }) => path) ?? []
    const what = kind === 'conflict' ? `conflicts with ${row.target} in ${files.join(', ')}` : 'fails the check'
    if (row.try >= land.tries) {
      const reason = `${what}, after ${row.try} ${row.try === 1 ? 'try' : 'tries'}`
      const parked = { state: 'parked' as const, batch: null, files: [], turnUntil: null, reason }
      enterState(this.parts, tx, row, parked, events.LandParked)
      return
    }
    const turnUntil = kind === 'conflict' ? clock.now() + land.turnTimeout : null
    const given = { state: kind, batch: null, waitsFor: null, reason: what, files, turnUntil }
    const after = enterState(this.parts, tx, row, given, kind === 'conflict' ? events.LandConflict : events.LandRed)
    if (kind === 'conflict') countConflict(this.parts.rows, tx, row.rig, files)
    letters.write(tx, after, back)
  }

  /** The letter to the owner of a member that failed the check behind one that passed. */
  redOf(batch: BatchRow, members: readonly MemberRow[], position: number): GivenBack | undefined {
    const member = members[position]
    if (!member) return undefined
    const checks = this.parts.rows.checksOf(batch.id)
    const check = checks.findLast((each) => each.position === position && each.verdict === 'red')
    const green = members[position - 1]?.candidate ?? batch.base
    const details = { output: check?.output ?? '', reason: check?.reason ?? '', green, target: batch.base }
    return { kind: 'red', base: batch.base, candidate: member.candidate, details }
  }
}
