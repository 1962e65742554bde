import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { PullRequestLanding } from '../forges/index.ts'
import { TURN_STATES } from '../turns/index.ts'
import type { ConflictedFile } from '../yard/index.ts'

export const LANDING_STATES = [
  ...(['submitted', 'queued', 'in_batch', 'landed', 'already', 'waits_turn', 'conflict', 'red', 'held'] as const),
  ...(['parked', 'lost', 'cancelled', 'given_up', 'pr_open', 'pr_waiting', 'pr_merging'] as const),
] as const
export type LandingState = (typeof LANDING_STATES)[number]

/** Submitted branches, one row for each submission that no later one replaced. */
export const landings = sqliteTable('landings', {
  id: text().notNull(),
  rig: text().notNull(),
  target: text().notNull(),
  /** The queue goes by this; one that is submitted again keeps its place. */
  place: integer().notNull(),
  state: text({ enum: LANDING_STATES }).notNull(),
  reason: text().notNull().default(''),
  /** The guard that a release lets pass. */
  heldFor: text('held_for').notNull().default(''),
  session: text(),
  bead: text(),
  /** True if the bead was closed when it was submitted. */
  beadClosed: integer('bead_closed', { mode: 'boolean' }).notNull(),
  agent: text(),
  branch: text().notNull(),
  head: text().notNull(),
  try: integer().notNull().default(1),
  batch: text(),
  /** The commit that landed. */
  merged: text(),
  /** The landing whose turn it is. */
  waitsFor: text('waits_for'),
  /** The files of its own conflict. */
  files: text({ mode: 'json' }).notNull().$type<string[]>().default([]),
  turnUntil: integer('turn_until'),
  /** The guards that a person let pass. */
  /** True if the close of its bead submitted it, and its worktree was not checked since. */
  fromClose: integer('from_close', { mode: 'boolean' }).notNull().default(false),
  allowed: text({ mode: 'json' }).notNull().$type<string[]>().default([]),
  submittedBy: text('submitted_by').notNull(),
  submittedAt: integer('submitted_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})
export type LandingRow = typeof landings.$inferSelect

/** Every head that was submitted. */
export const landingHeads = sqliteTable('landing_heads', {
  landing: text().notNull(),
  try: integer().notNull(),
  head: text().notNull(),
})

/** Candidates that are checked and pushed together. */
export const landingBatches = sqliteTable('landing_batches', {
  id: text().notNull(),
  rig: text().notNull(),
  target: text().notNull(),
  base: text().notNull(),
  baseTree: text('base_tree').notNull(),
  state: text({ enum: ['checking', 'bisecting', 'pushing', 'done'] }).notNull(),
  /** The last position that passed and the first that failed, as far as is known. */
  lo: integer().notNull(),
  hi: integer().notNull(),
  outcome: text().notNull().default(''),
  createdAt: integer('created_at').notNull(),
  endedAt: integer('ended_at'),
  /** Whether its one branch waits for approval, so that it is checked and not pushed. */
  trial: integer({ mode: 'boolean' }).notNull().default(false),
})
export type BatchRow = typeof landingBatches.$inferSelect

/** The parts of a batch, in order: each candidate contains those before it. */
export const landingMembers = sqliteTable('landing_members', {
  batch: text().notNull(),
  position: integer().notNull(),
  landing: text().notNull(),
  head: text().notNull(),
  parent: text().notNull(),
  candidate: text().notNull(),
  tree: text().notNull(),
  /** Stands for the paths that it changes and their contents. */
  expected: text().notNull(),
})
export type MemberRow = typeof landingMembers.$inferSelect

/** Pushes that were begun. One is open until its branch is seen to have it, or to have left where it was. */
export const landingPushes = sqliteTable('landing_pushes', {
  id: integer().primaryKey(),
  batch: text().notNull(),
  rig: text().notNull(),
  target: text().notNull(),
  old: text().notNull(),
  new: text().notNull(),
  upto: integer().notNull(),
  state: text({ enum: ['open', 'landed', 'overtaken'] }).notNull(),
  tries: integer().notNull().default(0),
  message: text().notNull().default(''),
  startedAt: integer('started_at').notNull(),
})
export type PushRow = typeof landingPushes.$inferSelect

/** Checks of candidates. Position -1 is the base. */
export const landingChecks = sqliteTable('landing_checks', {
  id: text().notNull(),
  batch: text().notNull(),
  rig: text().notNull(),
  position: integer().notNull(),
  attempt: integer().notNull(),
  commitId: text('commit_id').notNull(),
  /** Stands for the tree, the command and its environment. */
  key: text().notNull(),
  state: text({ enum: ['starting', 'running', 'done'] }).notNull(),
  /** Begun again when the host that ran it was lost. */
  runs: integer().notNull().default(0),
  verdict: text({ enum: ['green', 'red', 'none'] }),
  reason: text().notNull().default(''),
  output: text().notNull().default(''),
  tokenHash: text('token_hash'),
  startedAt: integer('started_at'),
  endedAt: integer('ended_at'),
})
export type CheckRow = typeof landingChecks.$inferSelect

/** Letters to the owners of branches, one for each try. */
export const landingLetters = sqliteTable('landing_letters', {
  landing: text().notNull(),
  try: integer().notNull(),
  kind: text({ enum: ['conflict', 'red'] }).notNull(),
  /** The commit that the owner merges: the target, with the parents that it was merged by. */
  base: text().notNull(),
  candidate: text(),
  details: text({ mode: 'json' }).notNull().$type<LetterDetails>(),
  state: text({ enum: TURN_STATES }).notNull(),
  /** The mark of the turn in the log of its program. */
  mark: text().notNull(),
  session: text().notNull(),
  tries: integer().notNull().default(0),
  reason: text(),
  createdAt: integer('created_at').notNull(),
  endedAt: integer('ended_at'),
  /** Time at which its owner submitted again or gave up. */
  resolvedAt: integer('resolved_at'),
  /** Usage of the owner's session from the letter until then; null until it is known. */
  tokens: integer(),
  cost: real(),
  unpriced: integer(),
})
export type LetterRow = typeof landingLetters.$inferSelect

/** The content of a letter besides the landing itself. */
export interface LetterDetails {
  /** The target as it was seen. */
  readonly target?: string
  /** The commit at which the branch left it. */
  readonly start?: string
  readonly files?: readonly ConflictedFile[]
  readonly changedBy?: readonly Author[]
  readonly output?: string
  readonly reason?: string
  readonly green?: string
}

/** A commit of the target that changed a file of a conflict. */
export interface Author {
  readonly path: string
  readonly commit: string
  readonly name: string
  readonly subject: string
  readonly landing?: string
  readonly bead?: string
  readonly session?: string
}

/** Counts of what happened to landings so far. */
export const landingTotals = sqliteTable('landing_totals', { name: text().notNull(), n: real().notNull() })

/** The target of each rig as last seen, and why nothing lands on it now. */
export const landingTrains = sqliteTable('landing_trains', {
  rig: text().notNull(),
  target: text().notNull(),
  base: text(),
  standingFor: text('standing_for').notNull().default(''),
  standing: text().notNull().default(''),
  standingSince: integer('standing_since'),
  /** The base at which it came to stand. */
  standingAt: text('standing_at'),
  pausedBy: text('paused_by'),
  pausedAt: integer('paused_at'),
})
export type TrainRow = typeof landingTrains.$inferSelect

/** Landings by pull request: what was proposed, and when it is looked at again. */
export const landingPullRequests = sqliteTable('landing_pull_requests', {
  landing: text().notNull(),
  rig: text().notNull(),
  /** Counts the branches at the remote that the landing had. */
  round: integer().notNull(),
  state: text({ enum: ['open', 'ended'] }).notNull(),
  proposal: text({ mode: 'json' }).notNull().$type<PullRequestLanding>(),
  due: integer().notNull(),
})
export type PullRequestRow = typeof landingPullRequests.$inferSelect

/** Branches of landed changes that are still to be deleted. */
export const landingBranches = sqliteTable('landing_branches', {
  landing: text().notNull(),
  rig: text().notNull(),
  branch: text().notNull(),
  /** The commit that landed: with another one on it, the branch stays. */
  head: text().notNull(),
  tries: integer().notNull().default(0),
  due: integer().notNull(),
})
export type BranchRow = typeof landingBranches.$inferSelect
