import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { TurnState } from '../turns/index.ts'

export const STATES = ['working', 'ready', 'asked', 'approved', 'landed', 'discarded'] as const
/** `none`: an attempt without commits, which is counted among the attempts on its bead and not listed. */
export type ChangeState = (typeof STATES)[number] | 'none'

/** The event after which gc decides whether a change is ready. */
export type Due = 'closed' | 'ended' | 'answered' | 'idle'

/** The work of a session on a bead. */
export const changes = sqliteTable('changes', {
  id: text().notNull(),
  session: text().notNull(),
  bead: text(),
  agent: text().notNull(),
  rig: text().notNull(),
  /** `worktree`: the session has one of its own. `folder`: it works in a folder that others may work in as well. */
  kind: text({ enum: ['worktree', 'folder'] }).notNull(),
  folder: text().notNull(),
  branch: text(),
  /** The branch that the work is to end up in. */
  target: text().notNull(),
  /** The commit that the folder was on when the bead was claimed. */
  started: text(),
  base: text(),
  head: text(),
  round: integer().notNull().default(1),
  state: text().$type<ChangeState>().notNull(),
  due: text().$type<Due>(),
  files: integer().notNull().default(0),
  added: integer().notNull().default(0),
  removed: integer().notNull().default(0),
  /** The first reason for which its riskiest file deserves attention. */
  risk: text(),
  /** The verdict of its landing's checks on its head. */
  checks: text({ enum: ['green', 'red'] }),
  createdAt: integer('created_at').notNull(),
  /** The time at which its session last began to work on it. */
  activeAt: integer('active_at').notNull(),
  readyAt: integer('ready_at'),
  decidedAt: integer('decided_at'),
  decidedBy: text('decided_by'),
  /** The reason for discarding it. */
  reason: text(),
  /** Its commit in the target branch. */
  landed: text(),
  /** The cost of its bead at the decision. */
  tokens: integer(),
  cost: real(),
  unpriced: integer(),
  /** True if gc keeps its commits. */
  pinned: integer({ mode: 'boolean' }).notNull().default(false),
})
export type ChangeRow = typeof changes.$inferSelect

/** The commits shown to people each time a change became ready, and the time its session worked on them. */
export const changeRounds = sqliteTable('change_rounds', {
  change: text().notNull(),
  round: integer().notNull(),
  base: text(),
  head: text(),
  startedAt: integer('started_at').notNull(),
  endedAt: integer('ended_at'),
})
export type RoundRow = typeof changeRounds.$inferSelect

/** Comments of people on lines of a commit. */
export const changeComments = sqliteTable('change_comments', {
  change: text().notNull(),
  n: integer().notNull(),
  person: text().notNull(),
  state: text().$type<'draft' | 'open' | 'answered'>().notNull(),
  commit: text().notNull(),
  path: text().notNull(),
  side: text().$type<'old' | 'new'>().notNull(),
  line: integer().notNull(),
  endLine: integer('end_line').notNull(),
  quoted: text().notNull(),
  text: text().notNull(),
  /** The request for changes that it was sent with. */
  ask: integer(),
  createdAt: integer('created_at').notNull(),
  reply: text(),
  repliedBy: text('replied_by'),
  repliedAt: integer('replied_at'),
})
export type CommentRow = typeof changeComments.$inferSelect

/** Requests for changes, each one turn of a conversation. */
export const changeAsks = sqliteTable('change_asks', {
  change: text().notNull(),
  n: integer().notNull(),
  round: integer().notNull(),
  person: text().notNull(),
  text: text().notNull(),
  /** The mark of the turn in the log of its program. */
  mark: text().notNull(),
  session: text().notNull(),
  state: text().$type<TurnState>().notNull(),
  tries: integer().notNull().default(0),
  reason: text(),
  askedAt: integer('asked_at').notNull(),
  endedAt: integer('ended_at'),
})
export type AskRow = typeof changeAsks.$inferSelect

/** A person's first look at a round of a change, and their decision. */
export const changeLooks = sqliteTable('change_looks', {
  change: text().notNull(),
  round: integer().notNull(),
  person: text().notNull(),
  lookedAt: integer('looked_at').notNull(),
  /** The last commit that they saw. */
  head: text().notNull(),
  decidedAt: integer('decided_at'),
  decision: text().$type<Decision>(),
})
export type LookRow = typeof changeLooks.$inferSelect
export type Decision = 'asked' | 'approved' | 'discarded'

/** The decisions of each person, and the time from their first looks. */
export const reviewPeople = sqliteTable('review_people', {
  person: text().notNull(),
  asked: integer().notNull().default(0),
  approved: integer().notNull().default(0),
  discarded: integer().notNull().default(0),
  seconds: real().notNull().default(0),
})

/** Decisions about the changes of each agent, the time they took people, and what these changes cost. */
export const changeTotals = sqliteTable('change_totals', {
  rig: text().notNull(),
  agent: text().notNull(),
  approved: integer().notNull().default(0),
  landed: integer().notNull().default(0),
  discarded: integer().notNull().default(0),
  /** From first looks to decisions. */
  seconds: real().notNull().default(0),
  tokens: integer().notNull().default(0),
  cost: real().notNull().default(0),
  unpriced: integer().notNull().default(0),
})
export type ChangeTotal = typeof changeTotals.$inferSelect
