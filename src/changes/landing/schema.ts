import { type Static, Type } from '@sinclair/typebox'
import { TURN_STATES } from '../turns/index.ts'
import { LANDING_STATES } from './table.ts'

const closed = { additionalProperties: false } as const
const time = (description: string) => Type.String({ description: `${description} RFC 3339.` })

export const LandingStateName = Type.Union(
  LANDING_STATES.map((state) => Type.Literal(state)),
  {
    description:
      '`submitted`: gc reads its commit. `queued`: it waits for a batch. `in_batch`: it is checked or pushed with others. ' +
      '`landed`: its commit was seen on the target. `already`: the target had all of it. `waits_turn`: another branch that ' +
      'conflicts in the same file goes first. `conflict`, `red`: somebody must change the branch and submit it again. `held`, `parked`, `lost`: a person ' +
      'must look. `cancelled`, `given_up`: it does not land. `pr_open`, `pr_waiting`, `pr_merging`: its pull request.',
  },
)

/** One branch on its way to the target of its rig. */
export const Landing = Type.Object(
  {
    id: Type.String(),
    rig: Type.String(),
    target: Type.String({ description: 'The branch that it lands on.' }),
    state: LandingStateName,
    reason: Type.Optional(Type.String({ description: 'Reason it is in this state.' })),
    held_for: Type.Optional(Type.String({ description: 'Holds that a release overrides.' })),
    branch: Type.String(),
    head: Type.String({ description: 'The commit that was submitted.' }),
    try: Type.Integer({ description: 'Number of submissions, including those after conflicts and failed checks.' }),
    session: Type.Optional(Type.String()),
    bead_id: Type.Optional(Type.String()),
    agent: Type.Optional(Type.String()),
    batch: Type.Optional(Type.String()),
    merged: Type.Optional(Type.String({ description: 'The commit by which it is on the target.' })),
    waits_for: Type.Optional(Type.String({ description: 'The landing that goes first.' })),
    files: Type.Optional(Type.Array(Type.String(), { description: 'The files in which it conflicts.' })),
    submitted_by: Type.String(),
    submitted_at: time('Time of the first submission.'),
    updated_at: time('Time of its last state change.'),
  },
  { $id: 'Landing', ...closed },
)
export type Landing = Static<typeof Landing>

export const LandingList = Type.Object(
  {
    items: Type.Array(Landing, { description: 'Newest first.' }),
    next_cursor: Type.Optional(Type.String({ description: 'The `cursor` of the next page.' })),
  },
  { $id: 'LandingList', ...closed },
)
export type LandingList = Static<typeof LandingList>

export const LandingCheck = Type.Object(
  {
    id: Type.String(),
    batch: Type.String(),
    of: Type.String({ description: 'The landing up to which it checked its batch; `base` for the target itself.' }),
    commit: Type.String(),
    state: Type.Union([Type.Literal('starting'), Type.Literal('running'), Type.Literal('done')]),
    verdict: Type.Optional(
      Type.Union([Type.Literal('green'), Type.Literal('red'), Type.Literal('none')], {
        description: '`none`: a time limit or signal ended it, without blaming a branch.',
      }),
    ),
    reason: Type.Optional(Type.String()),
    output: Type.Optional(Type.String({ description: 'The last 8 KB of its output.' })),
    started_at: Type.Optional(time('Start time.')),
    ended_at: Type.Optional(time('End time.')),
  },
  { $id: 'LandingCheck', ...closed },
)
export type LandingCheck = Static<typeof LandingCheck>

export const LandingLog = Type.Object(
  {
    landing: Landing,
    batches: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          base: Type.String(),
          candidate: Type.String(),
          position: Type.Integer({ description: 'Its place in the batch, from 0.' }),
          size: Type.Integer(),
          state: Type.String(),
          outcome: Type.Optional(Type.String()),
          created_at: time('Merge time.'),
          checks: Type.Array(LandingCheck),
        },
        closed,
      ),
    ),
    letters: Type.Array(
      Type.Object(
        {
          kind: Type.Union([Type.Literal('conflict'), Type.Literal('red')]),
          try: Type.Integer(),
          state: Type.Union(TURN_STATES.map((state) => Type.Literal(state))),
          reason: Type.Optional(Type.String({ description: 'Reason it was not delivered.' })),
          written_at: time('Time the branch was returned.'),
          resolved_at: Type.Optional(time('Time its owner submitted again or gave up.')),
          tokens: Type.Optional(
            Type.Integer({ description: 'Tokens that the owner used until then; absent until that is known.' }),
          ),
          cost_usd_estimate: Type.Optional(Type.Number()),
          unpriced: Type.Optional(Type.Integer({ description: 'Model responses without a known price.' })),
        },
        closed,
      ),
      { description: 'Letters to the owner.' },
    ),
  },
  { $id: 'LandingLog', ...closed },
)
export type LandingLog = Static<typeof LandingLog>

export const LandStatus = Type.Object(
  {
    rig: Type.String(),
    mode: Type.String(),
    target: Type.String(),
    base: Type.Optional(Type.String({ description: 'The target as gc saw it last.' })),
    paused: Type.Optional(Type.Object({ by: Type.String(), since: time('Start time.') }, closed)),
    standing: Type.Optional(
      Type.Object({ cause: Type.String(), reason: Type.String(), since: time('Start time.') }, closed),
    ),
    batch: Type.Optional(
      Type.Object(
        {
          id: Type.String(),
          state: Type.String(),
          base: Type.String(),
          landings: Type.Array(Type.String()),
          check: Type.Optional(LandingCheck),
          expected_end: Type.Optional(
            time('Expected end of the running check, by the median of the last 20 checks of the rig.'),
          ),
        },
        closed,
      ),
    ),
    queue: Type.Array(Landing, { description: 'Branches in progress, in order.' }),
    waiting: Type.Array(Landing, { description: 'Branches that wait for their owner or for a person.' }),
  },
  { $id: 'LandStatus', ...closed },
)
export type LandStatus = Static<typeof LandStatus>

export const LandSubmit = Type.Object(
  {
    session: Type.Optional(
      Type.String({ description: 'A session whose worktree is submitted; the caller if it is one.' }),
    ),
    branch: Type.Optional(Type.String({ description: 'A branch of the repository of the rig, instead of a session.' })),
    bead_id: Type.Optional(
      Type.String({ description: 'The bead that it is the work of; that of the session when absent.' }),
    ),
  },
  { $id: 'LandSubmit', ...closed },
)
export type LandSubmit = Static<typeof LandSubmit>

export const LandReason = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 1000 })) },
  { $id: 'LandReason', ...closed },
)
export type LandReason = Static<typeof LandReason>
