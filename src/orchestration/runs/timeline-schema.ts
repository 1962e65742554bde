import { type Static, Type } from '@sinclair/typebox'
import { RunStatus } from '../schema.ts'
import { RunStepStatus } from './schema.ts'

const closed = { additionalProperties: false } as const
const tokens = (description: string) => Type.Integer({ minimum: 0, description })

/** Ours: what a run waits for. */
export const RunWait = Type.Object(
  {
    kind: Type.Union(
      ['paused', 'gate', 'failure', 'blocked', 'check', 'claimed', 'unclaimed', 'run'].map((kind) =>
        Type.Literal(kind),
      ),
      {
        description:
          'Reason for the wait: a pause, gate, failed step, stuck worker, running check, step in progress, unclaimed step, or the run of a member of its convoy.',
      },
    ),
    text: Type.String({ description: 'Blocker, in a sentence.' }),
    bead_id: Type.Optional(Type.String()),
    since: Type.Optional(Type.String()),
    until: Type.Optional(Type.String({ description: 'Automatic end time.' })),
  },
  { $id: 'RunWait', ...closed },
)
export type RunWait = Static<typeof RunWait>

export const RunProgress = Type.Object(
  {
    run_id: Type.String(),
    status: RunStatus,
    part_of: Type.Optional(
      Type.Object(
        { run_id: Type.String(), member_id: Type.String({ description: 'The member of its convoy.' }) },
        { ...closed, description: 'The run with the drain that started this one.' },
      ),
    ),
    failure: Type.Optional(
      Type.String({ description: 'The step that failed first, and why; also of a run that completed.' }),
    ),
    waits_for: Type.Optional(Type.String({ description: 'The first of what it waits for, in a sentence.' })),
    waits: Type.Array(RunWait, { description: 'Blocking steps first, then active ones; up to 20.' }),
  },
  { $id: 'RunProgress', ...closed },
)
export type RunProgress = Static<typeof RunProgress>

const change = {
  at: Type.String(),
  by: Type.String({ description: 'Actor of the change, as in events.' }),
}

export const RunTimelineState = Type.Object(
  {
    status: Type.String({ description: 'The status from then on, or `paused`, `resumed`, `retried`, `step_skipped`.' }),
    ...change,
    reason: Type.Optional(Type.String()),
  },
  { $id: 'RunTimelineState', ...closed },
)

export const RunTimelineStepState = Type.Object(
  {
    status: RunStepStatus,
    ...change,
    assignee: Type.Optional(Type.String()),
    session_id: Type.Optional(Type.String({ description: 'The session that works, or worked, on it.' })),
  },
  { $id: 'RunTimelineStepState', ...closed },
)
export type RunTimelineStepState = Static<typeof RunTimelineStepState>

export const RunTimelineStep = Type.Object(
  {
    bead_id: Type.String(),
    ref: Type.Optional(Type.String({ description: 'The step of the formula it comes from.' })),
    title: Type.String(),
    kind: Type.String({ description: 'Kind of record: `task` for work.' }),
    attempt: Type.Optional(Type.Integer({ minimum: 1, description: 'The number of this attempt at its step.' })),
    states: Type.Array(RunTimelineStepState, { description: 'Oldest first; the newest 50.' }),
    sessions: Type.Array(Type.String(), { description: 'The sessions that worked on it.' }),
    seconds: Type.Number({ minimum: 0, description: 'Total working time.' }),
    input_tokens: tokens('Input tokens that were not cached, while it was worked on.'),
    output_tokens: tokens('Output tokens, reasoning included.'),
    cache_read_tokens: tokens('Input tokens read from the cache.'),
    cache_creation_tokens: tokens('Input tokens written to the cache.'),
    cost_usd_estimate: Type.Number({ minimum: 0, description: 'The estimated cost in US dollars.' }),
    unpriced: Type.Integer({
      minimum: 0,
      description: 'Model responses whose price is not known; the cost leaves them out.',
    }),
  },
  { $id: 'RunTimelineStep', ...closed },
)
export type RunTimelineStep = Static<typeof RunTimelineStep>

export const RunTimeline = Type.Object(
  {
    run_id: Type.String(),
    status: RunStatus,
    started_at: Type.String(),
    failure: Type.Optional(
      Type.String({ description: 'The step that failed first, and why; also of a run that completed.' }),
    ),
    later_attempts: Type.Integer({
      minimum: 0,
      description: 'Number of retried attempts.',
    }),
    states: Type.Array(RunTimelineState, { description: 'Those of the run, oldest first; the newest 100.' }),
    steps: Type.Array(RunTimelineStep, { description: 'In the order in which they were made.' }),
    next_cursor: Type.Optional(Type.String({ description: 'The `cursor` of the next page; absent on the last.' })),
  },
  { $id: 'RunTimeline', ...closed },
)
export type RunTimeline = Static<typeof RunTimeline>

export const RunTimelineQuery = Type.Object({
  cursor: Type.Optional(Type.String({ description: 'Start of the page: the `next_cursor` of the previous one.' })),
  limit: Type.Optional(Type.Integer({ minimum: 0, description: 'Maximum steps: 0 means 50, up to 200.' })),
})
export type RunTimelineQuery = Static<typeof RunTimelineQuery>
