import { type Static, Type } from '@sinclair/typebox'
import { CommitChange, DiffFile, FileChange } from '../diffs/index.ts'

const closed = { additionalProperties: false } as const
const optional = (description: string) => Type.Optional(Type.String({ description }))
const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

const change = {
  id: Type.String({ description: '`ch-` and 12 characters.' }),
  state: Type.String({
    description:
      '`working`: its session is at it. `ready`: it waits for review. `asked`: its session was asked for changes. `approved`, `landed` or `discarded`.',
  }),
  rig: Type.String(),
  agent: Type.String(),
  session: Type.String({ description: 'The session that worked on it last.' }),
  bead_id: optional('The bead that it is for; absent where its session claimed none.'),
  title: optional('The title of that bead.'),
  branch: optional('The branch of its session.'),
  target: Type.String({ description: 'The branch that it is to end up in.' }),
  base: Type.String({ description: 'The commit at which it begins.' }),
  head: Type.String({ description: 'Its last commit.' }),
  round: Type.Integer({ description: 'Number of times it became ready for review; 1 before the first time.' }),
  files: Type.Integer({ description: 'Number of files that differ between base and head.' }),
  added: Type.Integer({ description: 'Lines.' }),
  removed: Type.Integer({ description: 'Lines.' }),
  risk: optional('The first reason why it deserves attention.'),
  checks: Type.Optional(
    Type.Union([Type.Literal('green'), Type.Literal('red')], {
      description: 'The verdict of its landing on this head; absent until a check has ended.',
    }),
  ),
  created_at: Type.String({ format: 'date-time', description: 'Time its session started work on it.' }),
  ready_at: time('Time it last became ready.'),
  decided_at: time('Time it was approved, landed or discarded.'),
  decided_by: optional('Actor that approved or discarded it.'),
  reason: optional('Reason it was discarded.'),
  landed_commit: optional('Its commit in the target branch.'),
}

/** Ours: the work of a session on a bead, as people review it. */
export const Change = Type.Object(change, { $id: 'Change', ...closed })
export type Change = Static<typeof Change>

export const ChangeList = Type.Object(
  {
    items: Type.Array(Change),
    next_cursor: Type.Optional(
      Type.String({ description: 'Sent as `cursor` it asks for the next page; absent on the last.' }),
    ),
  },
  { $id: 'ChangeList', ...closed },
)
export type ChangeList = Static<typeof ChangeList>

const ChangeCommit = Type.Object(
  { id: Type.String({ description: 'Its hash.' }), subject: Type.String() },
  { $id: 'ChangeCommit', ...closed },
)

const ChangeRound = Type.Object(
  {
    ...{ round: Type.Integer(), base: Type.Optional(Type.String()), head: Type.Optional(Type.String()) },
    started_at: Type.String({ format: 'date-time' }),
    ready_at: time('Absent while its session is at it.'),
  },
  { $id: 'ChangeRound', ...closed },
)

const Reviewer = Type.Object(
  {
    person: Type.String(),
    looked_at: Type.String({ format: 'date-time', description: 'Time of the first read.' }),
    seconds: Type.Number({ description: 'From the first look at each round that they decided to that decision.' }),
    decisions: Type.Array(Type.String(), { description: '`asked`, `approved` or `discarded`, in this order of time.' }),
  },
  { $id: 'ChangeReviewer', ...closed },
)

const ChangeCost = Type.Object(
  {
    attempts: Type.Integer({ description: 'Sessions that worked on the bead, including failed ones.' }),
    tokens: Type.Integer({ description: 'Tokens of every kind that these used for it.' }),
    cost_usd_estimate: Type.Number(),
    unpriced: Type.Integer({ description: 'Model responses whose price is not known; the cost leaves them out.' }),
  },
  { $id: 'ChangeCost', ...closed },
)
export type ChangeCost = Static<typeof ChangeCost>

const side = Type.Union([Type.Literal('old'), Type.Literal('new')], {
  description: 'True if the lines are numbered as before the change.',
})
const lineNumber = (description: string) => Type.Integer({ minimum: 1, maximum: 100_000_000, description })

/** Maximum size of a comment, or of what is asked for besides, in characters. */
export const MAX_TEXT = 16_000
const text = Type.String({ minLength: 1, maxLength: MAX_TEXT, pattern: '\\S' })
const path = Type.String({ minLength: 1, maxLength: 4096, pattern: '^[^\\u0000]+$' })

export const ChangeComment = Type.Object(
  {
    n: Type.Integer({ description: 'Its number in the change.' }),
    person: Type.String({ description: 'Author.' }),
    state: Type.String({
      description:
        '`draft`: not sent yet. `open`, `answered`, or `outdated`: its lines are gone or changed, and it has no reply.',
    }),
    commit: Type.String({ description: 'The commit that its lines are in.' }),
    ...{ path, side, line: lineNumber('The first line.'), end_line: lineNumber('The last line.') },
    quoted: Type.String({ description: 'The lines, cut where they are many or long.' }),
    text: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    at: Type.Optional(
      Type.Object(
        { path: Type.String(), line: Type.Integer(), end_line: Type.Integer() },
        { additionalProperties: false, description: 'Current place of the lines; absent if they are gone or changed.' },
      ),
    ),
    reply: optional('Reply of its session.'),
    replied_by: optional('Author of the answer.'),
    replied_at: time('Time of the answer.'),
  },
  { $id: 'ChangeComment', ...closed },
)
export type ChangeComment = Static<typeof ChangeComment>

export const CommentDraft = Type.Object(
  {
    path,
    side: Type.Optional(side),
    line: lineNumber('The first line.'),
    end_line: Type.Optional(lineNumber('The last line; `line` when absent.')),
    text,
    commit: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{40}(?:[0-9a-f]{24})?$',
        description: 'The commit that was looked at; the base or head of the newest round when absent.',
      }),
    ),
  },
  { $id: 'ChangeCommentDraft', ...closed },
)
export type CommentDraft = Static<typeof CommentDraft>

export const CommentText = Type.Object({ text }, { $id: 'ChangeCommentText', ...closed })

const ChangeAsk = Type.Object(
  {
    ...{ n: Type.Integer(), round: Type.Integer(), person: Type.String(), text: Type.String() },
    state: Type.String({
      description:
        '`waiting`: its session is still ending. `sent`: it waits for its turn. `checking`: it may have arrived. `delivered`, `reopened` (the bead has it now) or `failed`.',
    }),
    reason: optional('Reason it did not reach the session.'),
    asked_at: Type.String({ format: 'date-time' }),
    ended_at: time('Time of that information.'),
  },
  { $id: 'ChangeAsk', ...closed },
)

export const AskRequest = Type.Object(
  {
    text: Type.Optional(
      Type.String({ maxLength: MAX_TEXT, description: 'Further instructions, with or without comments.' }),
    ),
  },
  { $id: 'ChangeAskRequest', ...closed },
)
export type AskRequest = Static<typeof AskRequest>

export const ApproveRequest = Type.Object(
  { head: Type.String({ minLength: 7, maxLength: 64, description: 'The last commit that was looked at.' }) },
  { $id: 'ChangeApproveRequest', ...closed },
)

export const DiscardRequest = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 1000 })) },
  { $id: 'ChangeDiscardRequest', ...closed },
)

/** Ours: a part of the diff of a change. */
export const ChangeDiff = Type.Object(
  {
    base: Type.String({ description: 'The commit or tree that is compared with `head`.' }),
    head: Type.String(),
    since: Type.Optional(Type.Integer({ description: 'The round since which this shows what is new.' })),
    commits: Type.Optional(Type.Array(CommitChange, { description: 'With `since`: the outcome of each commit.' })),
    files: Type.Array(DiffFile),
    cursor: Type.Optional(Type.String({ description: 'For the next page; absent on the last.' })),
  },
  { $id: 'ChangeDiff', ...closed },
)
export type ChangeDiff = Static<typeof ChangeDiff>

const ReviewedChange = Type.Object(
  {
    ...{ id: change.id, state: change.state, rig: change.rig, agent: change.agent, title: change.title },
    ...{ reviewers: Type.Array(Reviewer), cost: ChangeCost },
  },
  { $id: 'ReviewedChange', ...closed },
)
export type ReviewedChange = Static<typeof ReviewedChange>

export const ReviewerTotals = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          person: Type.String(),
          ...{ asked: Type.Integer(), approved: Type.Integer(), discarded: Type.Integer() },
          seconds: Type.Number({ description: 'From first looks to decisions, in all.' }),
        },
        { $id: 'ReviewerTotal', ...closed },
      ),
    ),
    total: Type.Integer(),
    changes: Type.Array(ReviewedChange, {
      description: 'The 20 newest of the last 100 changes that were decided, or that somebody asked to be changed.',
    }),
  },
  { $id: 'ReviewerTotals', ...closed },
)
export type ReviewerTotals = Static<typeof ReviewerTotals>

/** Ours: a file of a change, and why it deserves attention. */
const ReviewedFile = Type.Object(
  {
    ...FileChange.properties,
    reasons: Type.Optional(Type.Array(Type.String(), { description: 'Reason it deserves attention, in words.' })),
  },
  { $id: 'ReviewedFile', ...closed },
)

export const ChangeView = Type.Object(
  {
    ...change,
    changed_files: Type.Array(ReviewedFile, { description: 'The first 500, those that deserve attention first.' }),
    comments: Type.Array(ChangeComment, { description: 'The newest 500, and your drafts.' }),
    asks: Type.Array(ChangeAsk, { description: 'Requests of people to its session.' }),
    commits: Type.Array(ChangeCommit, { description: 'The newest 100, newest first.' }),
    commits_total: Type.Integer(),
    rounds: Type.Array(ChangeRound),
    reviewers: Type.Array(Reviewer),
    cost: ChangeCost,
    seen: optional('The last commit that you saw of it, if you looked at it.'),
    since: Type.Optional(Type.Integer({ description: 'The last round before this one that you looked at.' })),
    restore: optional('The command that puts its commits into a new branch; absent once they are gone.'),
  },
  { $id: 'ChangeView', ...closed },
)
export type ChangeView = Static<typeof ChangeView>
