import { type Static, Type } from '@sinclair/typebox'

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
  round: Type.Integer({ description: 'How often it became ready for review; 1 before the first time.' }),
  files: Type.Integer({ description: 'How many files differ between base and head.' }),
  added: Type.Integer({ description: 'Lines.' }),
  removed: Type.Integer({ description: 'Lines.' }),
  risk: optional('The first reason why it deserves attention.'),
  checks: optional('What the checks of its landing found; absent before they ran.'),
  created_at: Type.String({ format: 'date-time', description: 'When its session began to work on it.' }),
  ready_at: time('When it last became ready.'),
  decided_at: time('When it was approved, landed or discarded.'),
  decided_by: optional('Who approved or discarded it.'),
  reason: optional('Why it was discarded.'),
  landed_commit: optional('The commit that it is in its target as.'),
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
    looked_at: Type.String({ format: 'date-time', description: 'When they looked at it first.' }),
    seconds: Type.Number({ description: 'From the first look at each round that they decided to that decision.' }),
    decisions: Type.Array(Type.String(), { description: '`asked`, `approved` or `discarded`, in this order of time.' }),
  },
  { $id: 'ChangeReviewer', ...closed },
)

const ChangeCost = Type.Object(
  {
    attempts: Type.Integer({ description: 'Sessions that worked on the bead, those that failed too.' }),
    tokens: Type.Integer({ description: 'Tokens of every kind that these used for it.' }),
    cost_usd_estimate: Type.Number(),
    unpriced: Type.Integer({ description: 'Model responses whose price is not known; the cost leaves them out.' }),
  },
  { $id: 'ChangeCost', ...closed },
)
export type ChangeCost = Static<typeof ChangeCost>

export const ChangeView = Type.Object(
  {
    ...change,
    commits: Type.Array(ChangeCommit, { description: 'The newest 100, newest first.' }),
    commits_total: Type.Integer(),
    rounds: Type.Array(ChangeRound),
    reviewers: Type.Array(Reviewer),
    cost: ChangeCost,
    restore: optional('The command that puts its commits into a new branch; absent once they are not kept any more.'),
  },
  { $id: 'ChangeView', ...closed },
)
export type ChangeView = Static<typeof ChangeView>
