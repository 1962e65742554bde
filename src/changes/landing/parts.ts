import type { Repository } from '../../agents/worktrees/index.ts'
import type { ForgeTokens } from '../../config/accounts/index.ts'
import type { GitRunner } from '../../config/git/index.ts'
import type { LandConfig } from '../../config/land/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import type { EventLog } from '../../core/events/index.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import * as events from '../events.ts'
import type { ObjectSource, UserGit, Yard } from '../yard/index.ts'
import type { CheckPlace, LandingChecks } from './checks.ts'
import type { HeadVerdict } from './decide.ts'
import type { Generation } from './generation.ts'
import type { Letters } from './letters.ts'
import { countEntry } from './metrics.ts'
import { FINAL, type LandingRows } from './rows.ts'
import type { LandingRow } from './table.ts'

export const LANDING = gcPart('landing')

/** The services that all trains of a city share. */
export interface TrainParts {
  readonly store: Store
  readonly log: EventLog
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly git: GitRunner
  /** The city's name. */
  readonly name: string
  readonly rows: LandingRows
  readonly checks: LandingChecks
  readonly letters: Letters
  readonly beads: BeadRepository
  /** The session that holds the claim of a bead. */
  holderOf(bead: string): string | undefined
  /** True if a person approved a commit in review. */
  isApproved(head: string): boolean
  /** The tokens for forges. */
  readonly tokens: Pick<ForgeTokens, 'for'>
  report(message: string): void
}

/** The rig of a train. */
export interface TrainRig {
  readonly name: string
  readonly yard: Yard
  /** Its landing settings; undefined while nothing lands. */
  land(): LandConfig | undefined
  /** The branch that changes end up in. */
  target(): string
  checkPlace(): CheckPlace | undefined
  readonly generation: Generation
  /** git in the rig, confined to it and to these folders. */
  repository(folders?: { read?: readonly string[]; write?: readonly string[] }): Repository
  /** The user's own git there. */
  user(): UserGit
  /** Stores what a session had changed and not committed when a close submitted its work, and describes it; undefined for nothing. */
  unsaved(row: LandingRow): Promise<string | undefined>
  /** The possible sources of a session's commits, best first. */
  sources(session: string | null): ObjectSource[]
  /** True if a session has a worktree of a branch. */
  isInWorktree(branch: string): boolean
  /** The reason why nothing may be started now. */
  isSuspended(): boolean
  /** Called in the write that sees a landing on its target. */
  onLanded(tx: Tx, row: LandingRow, commit: string): void
  /** Called in the write that draws the consequence of a check of its head. */
  onChecked(tx: Tx, row: LandingRow, verdict: HeadVerdict): void
}

export type LandingEvent = typeof events.LandQueued

/** Puts a landing into a state, with its event. */
export function enterState(
  { rows, log, clock, letters }: Pick<TrainParts, 'rows' | 'log' | 'clock' | 'letters'>,
  tx: Tx,
  row: LandingRow,
  change: Partial<LandingRow>,
  event: LandingEvent,
): LandingRow {
  const after = rows.update(tx, row.id, { ...change, updatedAt: clock.now() })
  countEntry(rows, tx, row, after)
  if (isGivenBack(row)) letters.end(tx, row.id)
  if (after.state === 'parked' || FINAL.includes(after.state)) letters.settle(tx, after)
  const { id, rig, target, branch, head, bead, session } = after
  log.append(
    tx,
    event,
    { subject: bead ?? id, ...(session !== null && { session_id: session }) },
    {
      ...{ landing: id, rig, target, branch, head, try: after.try },
      ...(bead !== null && { bead_id: bead }),
      ...(after.reason !== '' && { reason: after.reason }),
      ...(after.batch !== null && { batch: after.batch }),
      ...(after.state === 'landed' && after.merged !== null && { merged: after.merged }),
      ...(after.waitsFor !== null && { waits_for: after.waitsFor }),
      ...(after.files.length > 0 && { paths: after.files }),
    },
  )
  return after
}

/** A landing that waits for its owner. */
export const isGivenBack = ({ state }: Pick<LandingRow, 'state'>): boolean => state === 'conflict' || state === 'red'

/** Has a landing wait for its place in a batch. */
export const requeue = (parts: Parameters<typeof enterState>[0], tx: Tx, row: LandingRow): LandingRow =>
  enterState(parts, tx, row, { state: 'queued', batch: null, reason: '' }, events.LandQueued)
