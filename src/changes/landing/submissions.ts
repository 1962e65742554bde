import { randomBytes } from 'node:crypto'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import * as events from '../events.ts'
import { enterState, isGivenBack, type TrainParts } from './parts.ts'
import { PROPOSED } from './pull-requests.ts'
import type { LandingRow } from './table.ts'

/** The caller who submits a branch. */
export interface Submitter {
  readonly name: string
  readonly isSession: boolean
  /** True if that approves the commit. */
  readonly approves: boolean
}

/** A submitted branch, with the commit to land. */
export type Submission = Pick<
  LandingRow,
  'rig' | 'target' | 'session' | 'agent' | 'bead' | 'beadClosed' | 'branch' | 'head'
> &
  Partial<Pick<LandingRow, 'fromClose'>>

const ON_ITS_WAY = ['submitted', 'queued', 'waits_turn', 'in_batch', ...PROPOSED]

/** Puts branches in the queue. One that was submitted before keeps its place. */
export class Submissions {
  constructor(private readonly parts: () => TrainParts) {}

  /** Puts a branch in the queue, or its new commit in its place there. */
  submit(tx: Tx, work: Submission, by: Submitter): LandingRow {
    const { rows } = this.parts()
    const open = rows.openOf(work.rig, work.branch, work.bead)
    if (!open) return this.#add(tx, work, by)
    const problem = whyNot(open, work, by)
    if (problem !== undefined) throw wrongState(problem)
    const isSame = work.head === open.head
    return isSame && ON_ITS_WAY.includes(open.state) ? open : this.#replace(tx, open, work, by)
  }

  /** The same for the close of a bead, which never fails: what is being checked or merged is followed by another landing. */
  submitClosed(tx: Tx, work: Submission, session: string): void {
    const by = { name: session, isSession: true, approves: false }
    const open = this.parts().rows.openOf(work.rig, work.branch, work.bead)
    if (open?.state === 'parked') return
    if (open && whyNot(open, work, by) === undefined) this.#replace(tx, open, work, by)
    else this.#add(tx, work, by)
  }

  #add(tx: Tx, work: Submission, by: Submitter): LandingRow {
    const { rows, clock } = this.parts()
    const now = clock.now()
    const row: LandingRow = {
      ...{ id: `ld-${base32(12)}`, place: rows.nextPlace(tx), state: 'submitted', reason: '', heldFor: '', try: 1 },
      ...{ batch: null, waitsFor: null, files: [], turnUntil: null, merged: null, fromClose: false },
      ...{ updatedAt: now, submittedAt: now, submittedBy: by.name, allowed: by.approves ? ['approval'] : [] },
      ...work,
    }
    rows.add(tx, row)
    rows.count(tx, 'submitted:first')
    return enterState(this.parts(), tx, row, {}, events.LandSubmitted)
  }

  /** A new commit takes the place of the one that was submitted before. */
  #replace(tx: Tx, open: LandingRow, work: Submission, { approves }: Submitter): LandingRow {
    const { rows } = this.parts()
    const { head, target, bead, beadClosed, fromClose = false } = work
    const kept = head === open.head ? open.allowed : []
    const change = {
      ...{ state: 'submitted' as const, reason: '', heldFor: '', waitsFor: null, turnUntil: null, merged: null },
      ...{ head, target, bead: bead ?? open.bead, beadClosed, fromClose, try: open.try + (isGivenBack(open) ? 1 : 0) },
      allowed: [...new Set([...kept, ...(approves ? ['approval'] : [])])],
    }
    rows.count(tx, 'submitted:again')
    const after = enterState(this.parts(), tx, open, change, events.LandSubmitted)
    rows.addHead(tx, after)
    return after
  }
}

/** The reason why a commit cannot take the place of the one that was submitted before. */
function whyNot(
  { id, state, head, reason }: LandingRow,
  work: Submission,
  { isSession }: Submitter,
): string | undefined {
  const isSame = work.head === head
  if (isSame && ON_ITS_WAY.includes(state)) return undefined
  if (state === 'in_batch' || state === 'pr_merging')
    return `${id} is being checked, pushed or merged; submit again when that is over`
  if (isSame && isGivenBack({ state }))
    return `${id} is given back with this commit; commit what resolves it, then submit again`
  if (state === 'parked' && isSession) return `${id} is parked: ${reason}; a person must look, with gc land retry ${id}`
  return undefined
}

export const wrongState = (message: string): AppError => new AppError('conflict-wrong-state', message)

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const base32 = (length: number): string => [...randomBytes(length)].map((byte) => ALPHABET[byte & 31]).join('')
